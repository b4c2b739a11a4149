/* topk-worker: hosts one backend and speaks the line protocol of docs/protocol.md over standard
 * input and output. It is plain ISO C except for platform.h, so that the same source makes the
 * Windows worker. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/check.h"
#include "client.h"
#include "platform/platform.h"
#include "platform/stage.h"
#include "process/crash_tell.h"
#include "protocol/protocol.h"
#include "serve.h"

/* exit code for wrong usage; protocol.h has the others */
#define EXIT_USAGE 2

#define ERROR_BYTES 4096

static void put_usage(FILE *to)
{
    fputs(
        "Usage: topk-worker [OPTION...] --process COMMAND [ARGUMENT...]\n"
        "       topk-worker [OPTION...] --backend NAME[:OPTIONS]|PATH[:OPTIONS]\n"
        "       topk-worker [--parent PID] [--contain WORDS] --keep COMMAND [ARGUMENT...]\n"
        "       topk-worker --devices --process COMMAND [ARGUMENT...]\n"
        "       topk-worker --check SECONDS COMMAND [ARGUMENT...]\n"
        "       topk-worker --list\n"
        "       topk-worker --devices NAME\n"
        "       topk-worker --faults\n"
        "Runs cases and judges them: speaks the protocol of docs/protocol.md over standard input\n"
        "and output. With --process, as topk-cts starts it, COMMAND starts the process that makes\n"
        "the calls: it speaks the protocol of docs/backend-protocol.md, and cannot reach the\n"
        "judge. --devices lists the devices that it can open. --check tests the process against\n"
        "each rule of that page, as `topk-cts check-backend' does. With --backend the calls are\n"
        "made in this process, which the backend can spoil. --keep runs any command, and ends "
        "what\n"
        "it leaves behind.\n"
        "  --contract RULES  judge by other rules than DirectML's, as docs/contracts.md has them\n"
        "  --device DEVICE   open this one, of those that --devices --process lists\n"
        "  --results outputs  say in each result what the outputs are\n"
        "  --stages FILE     append to this file how long each stage of judging took\n"
        "  --guard-pages SIDE  end, start or both: calls are made with that side of each tensor\n"
        "                    against an inaccessible page\n"
        "  --case-memory BYTES  run cases that take up to so much memory, not only those of 1 GiB\n"
        "  --free-memory BYTES  what is free for that: a case that takes more is a harness error\n"
        "  --contain WORDS   what is under test may do, separated by commas: core-dumps,\n"
        "                    new-privileges, own-folder (it works in its temporary folder),\n"
        "                    memory=BYTES, cpu=MILLISECONDS (for what it is sent at once)\n"
        "  --parent PID      end when this process, which started this one, ends\n"
        "PATH is that of a plugin: ./name.so, or name.dll on Windows.\n",
        to);
}

static void put_list(FILE *to)
{
    for (size_t i = 0; i < topk_builtin_backend_count; i++) {
        fprintf(to, "%s\t%s\n", topk_builtin_backends[i]->name, topk_builtin_backends[i]->summary);
    }
}

/* lists the faults of the backend faulty */
static int put_faults(FILE *out)
{
    static char text[1 << 18];
    const struct topk_backend *faulty = topk_builtin_find("faulty", strlen("faulty"));
    if (faulty == NULL || faulty->open("?", text, sizeof text) != NULL) {
        return TOPK_WORKER_EXIT_HARNESS;
    }
    fputs(text, out);
    return EXIT_SUCCESS;
}

/* prints the options of each device, one per line */
static int put_devices(const char *name, FILE *out)
{
    char options[256];
    const struct topk_backend *backend = topk_builtin_find(name, strlen(name));
    if (backend != NULL) {
        topk_process_keep(0); /* because a driver is loaded for this */
        for (uint32_t device = 0;
             backend->device != NULL && backend->device(device, options, sizeof options) != 0;
             device++) {
            fprintf(out, "%s\n", options);
        }
        return EXIT_SUCCESS;
    }
    fprintf(stderr, "topk-worker: no backend '%s' is built in\n", name);
    return EXIT_USAGE;
}

/* says why no case can be judged; returns the exit code */
static int put_refusal(FILE *out, enum topk_greeting_kind kind, const char *error)
{
    const bool misdeclared = kind == TOPK_GREETING_MISDECLARED;
    char word[3 * ERROR_BYTES];
    topk_word_print(error, word, sizeof word);
    fprintf(out, "%s %s\n", misdeclared ? "misdeclared" : "unavailable", word);
    return misdeclared ? TOPK_WORKER_EXIT_HARNESS : TOPK_WORKER_EXIT_UNAVAILABLE;
}

/* the options for running and judging cases */
struct terms {
    const struct topk_contract *contract; /* NULL: the one that the backend declares */
    enum topk_guard_page guard_page;
    bool outputs;         /* results contain outputs */
    uint64_t case_memory; /* of struct topk_host */
    uint64_t free_memory;
    const char *stages; /* file for the time of each stage; NULL: none */
};

/* the parsed command line */
struct asked {
    struct terms terms;
    const char *device;
    int64_t parent; /* 0: unknown */
    int count;
    char **words;
};

/* protects this process from the processes that it starts */
static void guard(int64_t parent)
{
    topk_process_guard();
    topk_memory_tune();
    topk_process_end_with_parent(parent);
}

/* prints the devices of a backend process, one per line */
static int list_devices(const char *const *command, FILE *out)
{
    struct topk_link link;
    char error[ERROR_BYTES];
    guard(0);
    if (topk_link_start(command, &link, error, sizeof error) &&
        topk_client_devices(&link, out, error, sizeof error)) {
        return EXIT_SUCCESS;
    }
    fprintf(stderr, "%s\n", error);
    return TOPK_WORKER_EXIT_DIED;
}

/* checks a process against the rules of the backend protocol */
static int check_process(const char *timeout, const char *const *command, FILE *out)
{
    char *end;
    const double seconds = strtod(timeout, &end);
    if (*timeout == 0 || *end != 0 || !(seconds >= 0.001 && seconds <= 1e6)) {
        fprintf(stderr, "topk-worker: --check takes seconds from 0.001 to 1000000, not '%s'\n",
                timeout);
        return EXIT_USAGE;
    }
    guard(0);
    return topk_check_run(command, (unsigned)(seconds * 1000), out);
}

/* appends the time of each stage; false after a message */
static bool put_stages(const char *path)
{
    const struct topk_stages stages = topk_stages_get();
    FILE *file = fopen(path, "a");
    bool good = file != NULL;
    if (good) {
        topk_stages_print(file, &stages);
        good = ferror(file) == 0;
        good = fclose(file) == 0 && good;
    }
    if (!good) {
        fprintf(stderr, "topk-worker: --stages: %s cannot be written\n", path);
    }
    return good;
}

static int serve(struct topk_host *host, const char *stages, FILE *out)
{
    char how[400];
    if (stages != NULL) {
        topk_stage_on(TOPK_STAGE_OTHER);
    }
    int code = topk_serve(host, stdin, out);
    if (ferror(stdin) != 0) {
        fputs("topk-worker: standard input cannot be read\n", stderr);
        code = TOPK_WORKER_EXIT_HARNESS;
    }
    if (stages != NULL && !put_stages(stages)) {
        code = TOPK_WORKER_EXIT_HARNESS;
    }
    if (!topk_host_close(host, how, sizeof how) && code == EXIT_SUCCESS) {
        char word[3 * sizeof how];
        topk_word_print(how, word, sizeof word);
        fprintf(out, "died 0 0 %s\n", word);
        code = TOPK_WORKER_EXIT_DIED;
    }
    return code;
}

/* serves with the given options, if the backend can */
static int serve_on(struct topk_host *host, const struct terms *terms, FILE *out)
{
    char error[ERROR_BYTES];
    char how[400];
    enum topk_greeting_kind refusal = TOPK_GREETING_MISDECLARED;
    bool good =
        terms->contract == NULL || topk_host_declare(host, terms->contract, error, sizeof error);
    if (good && terms->guard_page != TOPK_GUARD_PAGE_NONE) {
        refusal = TOPK_GREETING_UNAVAILABLE;
        good = topk_host_guard(host, terms->guard_page, error, sizeof error);
    }
    if (good) {
        host->outputs = terms->outputs;
        host->case_memory = terms->case_memory;
        host->memory = terms->free_memory;
        return serve(host, terms->stages, out);
    }
    topk_host_close(host, how, sizeof how);
    return put_refusal(out, refusal, error);
}

static int host_backend(const char *spec, const struct asked *asked, FILE *out)
{
    struct topk_host host;
    char error[ERROR_BYTES];
    topk_process_keep(asked->parent);
    topk_crash_tell();
    if (topk_host_open(&host, spec, error, sizeof error)) {
        return serve_on(&host, &asked->terms, out);
    }
    return put_refusal(
        out, host.loaded.misdeclared ? TOPK_GREETING_MISDECLARED : TOPK_GREETING_UNAVAILABLE,
        error);
}

/* judges the backend process that a command starts */
static int judge_process(const char *const *command, const struct asked *asked, FILE *out)
{
    struct topk_host host;
    char error[ERROR_BYTES];
    enum topk_greeting_kind kind;
    guard(asked->parent);
    if (topk_host_start_process(&host, command, asked->device, &kind, error, sizeof error)) {
        return serve_on(&host, &asked->terms, out);
    }
    if (kind == TOPK_GREETING_UNAVAILABLE || kind == TOPK_GREETING_MISDECLARED) {
        return put_refusal(out, kind, error);
    }
    fprintf(stderr, "%s\n", error);
    return TOPK_WORKER_EXIT_DIED;
}

/* reads KEY=NUMBER; false if the key differs or the number is malformed */
static bool take_limit(const char *word, size_t length, const char *key, uint64_t *limit)
{
    const size_t start = strlen(key);
    const char *at = word + start;
    return length > start && strncmp(word, key, start) == 0 &&
           topk_wire_number(&at, word + length, UINT64_MAX / 2, limit) && at == word + length;
}

/* reads "core-dumps,memory=1000000"; false, after a message, if it is malformed */
static bool take_containment(const char *text)
{
    struct topk_containment rules = {0};
    char error[ERROR_BYTES];
    const struct {
        const char *word;
        bool *flag;
    } flags[] = {{"core-dumps", &rules.core_dumps},
                 {"new-privileges", &rules.new_privileges},
                 {"own-folder", &rules.own_folder}};
    for (const char *at = text; *at != 0;) {
        const size_t length = strcspn(at, ",");
        bool known = take_limit(at, length, "memory=", &rules.memory) ||
                     take_limit(at, length, "cpu=", &rules.cpu);
        for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
            if (strlen(flags[i].word) == length && strncmp(at, flags[i].word, length) == 0) {
                *flags[i].flag = true;
                known = true;
            }
        }
        if (!known) {
            fprintf(stderr, "topk-worker: --contain has no word '%.*s'\n", (int)length, at);
            return false;
        }
        at += length + (at[length] == ',');
    }
    if (!topk_contain(&rules, error, sizeof error)) {
        fprintf(stderr, "topk-worker: --contain: %s\n", error);
        return false;
    }
    return true;
}

/* reads the number after an option; false, after a message, if it is malformed */
static bool take_bytes(char *const words[], uint64_t *bytes)
{
    const char *at = words[1];
    const char *end = at + strlen(at);
    if (topk_wire_number(&at, end, UINT64_MAX, bytes) && at == end) {
        return true;
    }
    fprintf(stderr, "topk-worker: %s takes a number of bytes, not '%s'\n", words[0], words[1]);
    return false;
}

/* reads the options; false, after a message, if they are wrong */
static bool take_options(struct asked *asked, struct topk_contract *contract)
{
    char error[ERROR_BYTES];
    while (asked->count > 2) {
        const char *text = asked->words[1];
        if (strcmp(asked->words[0], "--device") == 0) {
            asked->device = text;
        } else if (strcmp(asked->words[0], "--guard-pages") == 0) {
            if (!topk_guard_page_parse(text, &asked->terms.guard_page)) {
                fprintf(stderr, "topk-worker: --guard-pages takes end, start or both, not '%s'\n",
                        text);
                return false;
            }
        } else if (strcmp(asked->words[0], "--results") == 0) {
            if (strcmp(text, "outputs") != 0) {
                fprintf(stderr, "topk-worker: --results takes outputs, not '%s'\n", text);
                return false;
            }
            asked->terms.outputs = true;
        } else if (strcmp(asked->words[0], "--case-memory") == 0) {
            if (!take_bytes(asked->words, &asked->terms.case_memory)) {
                return false;
            }
        } else if (strcmp(asked->words[0], "--free-memory") == 0) {
            if (!take_bytes(asked->words, &asked->terms.free_memory)) {
                return false;
            }
        } else if (strcmp(asked->words[0], "--stages") == 0) {
            asked->terms.stages = text;
        } else if (strcmp(asked->words[0], "--parent") == 0) {
            asked->parent = strtol(text, NULL, 10);
        } else if (strcmp(asked->words[0], "--contain") == 0) {
            if (!take_containment(text)) {
                return false;
            }
        } else if (strcmp(asked->words[0], "--contract") != 0) {
            break;
        } else if (!topk_contract_parse(text, strlen(text), false, contract, error, sizeof error)) {
            fprintf(stderr, "topk-worker: --contract: %s\n", error);
            return false;
        } else {
            asked->terms.contract = contract;
        }
        asked->words += 2;
        asked->count -= 2;
    }
    return true;
}

/* executes the command line with a backend; EXIT_USAGE if it is incomplete */
static int run(const struct asked *asked, FILE *out)
{
    const char *mode = asked->count > 1 ? asked->words[0] : "";
    const char *const *command = (const char *const *)&asked->words[1];
    const bool plain = asked->terms.contract == NULL && asked->device[0] == 0 &&
                       !asked->terms.outputs && asked->terms.stages == NULL &&
                       asked->terms.case_memory == 0 && asked->terms.free_memory == 0 &&
                       asked->terms.guard_page == TOPK_GUARD_PAGE_NONE;
    if (strcmp(mode, "--process") == 0) {
        return judge_process(command, asked, out);
    }
    if (strcmp(mode, "--backend") == 0 && asked->count == 2 && asked->device[0] == 0) {
        return host_backend(command[0], asked, out);
    }
    if (strcmp(mode, "--devices") == 0 && asked->count == 2 && plain) {
        return put_devices(command[0], out);
    }
    if (strcmp(mode, "--devices") == 0 && asked->count > 2 && plain &&
        strcmp(command[0], "--process") == 0) {
        return list_devices(command + 1, out);
    }
    if (strcmp(mode, "--check") == 0 && asked->count > 2 && plain) {
        return check_process(command[0], command + 1, out);
    }
    put_usage(stderr);
    return EXIT_USAGE;
}

/* Handles "[--parent PID] [--contain WORDS] --keep COMMAND [ARGUMENT...]", with the original
 * standard output. Returns true if the command line is something else, false after a message. */
static bool keep_command(int count, char **words)
{
    char error[ERROR_BYTES];
    int64_t parent = 0;
    const char *contain = "";
    for (; count > 2; words += 2, count -= 2) {
        if (strcmp(words[0], "--parent") == 0) {
            parent = strtol(words[1], NULL, 10);
        } else if (strcmp(words[0], "--contain") == 0) {
            contain = words[1];
        } else {
            break;
        }
    }
    if (count < 2 || strcmp(words[0], "--keep") != 0) {
        return true;
    }
    if (take_containment(contain)) {
        topk_process_keep(parent);
        topk_process_become((const char *const *)&words[1], error, sizeof error);
        fprintf(stderr, "%s\n", error);
    }
    return false;
}

int main(int argc, char **argv)
{
    static struct topk_contract contract;
    char **arguments = topk_process_start(argc, argv);
    topk_files_close();
    if (arguments != NULL && !keep_command(argc - 1, arguments + 1)) {
        return TOPK_WORKER_EXIT_HARNESS;
    }
    /* stdout is not used any more, because Windows would add carriage returns */
    FILE *out = topk_stdout_take();
    if (arguments == NULL || out == NULL) {
        fprintf(stderr, "topk-worker: %s not usable\n",
                arguments == NULL ? "the command line or a standard file is"
                                  : "standard output is");
        return TOPK_WORKER_EXIT_HARNESS;
    }
    int code = EXIT_SUCCESS;
    if (argc == 2 && strcmp(arguments[1], "--help") == 0) {
        put_usage(out);
    } else if (argc == 2 && strcmp(arguments[1], "--list") == 0) {
        put_list(out);
    } else if (argc == 2 && strcmp(arguments[1], "--faults") == 0) {
        code = put_faults(out);
    } else {
        struct asked asked = {.device = "", .count = argc - 1, .words = arguments + 1};
        code = take_options(&asked, &contract) ? run(&asked, out) : EXIT_USAGE;
    }
    /* a list that is cut must not be taken for a whole one */
    if (fclose(out) != 0 && code == EXIT_SUCCESS) {
        fprintf(stderr, "topk-worker: standard output cannot be written\n");
        code = TOPK_WORKER_EXIT_HARNESS;
    }
    return code;
}
