/* Makes the command of a worker from --backend, --backend-command and --worker. */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <uv.h>

#include "log/log.h"
#include "program.h"
#include "protocol/protocol.h"
#include "session.h"
#include "summary/summary.h"

enum topk_judge cli_judge(const struct cli_backend *backend)
{
    return backend->worker != NULL ? TOPK_JUDGE_WORKER
           : backend->in_process   ? TOPK_JUDGE_IN_PROCESS
                                   : TOPK_JUDGE_APART;
}

/* Makes a path absolute. Takes ownership of it, and returns one to be freed. A word without a
 * folder counts as a path only if `bare`: the value of an option may be the name of a file by
 * chance. */
static char *absolute_path(char *path, bool bare)
{
    char here[4096];
    size_t length = sizeof here;
    const bool folder =
        strchr(path, '/') != NULL || (CLI_BACKSLASH_PARTS && strchr(path, '\\') != NULL);
    if ((!folder && !bare) || topk_path_is_absolute(path) || uv_cwd(here, &length) != 0) {
        return path;
    }
    const size_t size = length + strlen(path) + 2;
    char *whole = cli_need(malloc(size));
    snprintf(whole, size, "%s/%s", here, path);
    free(path);
    return whole;
}

/* whether an absolute path of the current folder can be part of NAME:OPTION=PATH,OPTION */
static bool can_move(void)
{
    char here[4096];
    size_t length = sizeof here;
    const size_t drive = CLI_BACKSLASH_PARTS ? 2 : 0;
    return uv_cwd(here, &length) == 0 && length >= drive && strpbrk(here + drive, ":,") == NULL;
}

/* The value of --backend with absolute paths, because the process works in a folder of its own: of
 * the plugin, and of each option whose value is the path of a file. To be freed. */
static char *absolute_spec(const char *spec)
{
    const size_t name = cli_backend_name_length(spec);
    if (!can_move()) {
        return cli_need(strdup(spec));
    }
    char *all = cli_need(strndup(spec, name));
    if (cli_is_plugin(spec) && access(all, F_OK) == 0) {
        all = absolute_path(all, true);
    }
    for (const char *at = spec + name; *at != 0;) {
        const size_t option = 1 + strcspn(at + 1, ",");
        const size_t key = strcspn(at, "=") < option ? strcspn(at, "=") + 1 : option;
        char *value = cli_need(strndup(at + key, option - key));
        if (access(value, F_OK) == 0) {
            value = absolute_path(value, false);
        }
        const size_t size = strlen(all) + key + strlen(value) + 1;
        char *longer = cli_need(malloc(size));
        snprintf(longer, size, "%s%.*s%s", all, (int)key, at, value);
        free(value);
        free(all);
        all = longer;
        at += option;
    }
    return all;
}

/* the free bytes of the system, or the limit of this process if it is lower; 0: unknown */
static uint64_t memory_free(void)
{
    const uint64_t free_now = uv_get_free_memory();
    const uint64_t allowed = uv_get_constrained_memory();
    return allowed != 0 && allowed < free_now ? allowed : free_now;
}

void cli_worker_command(const struct cli_backend *backend, uint32_t workers,
                        struct cli_worker_command *command)
{
    memset(command, 0, sizeof *command);
    const char **next = command->arguments;
    if (backend->spec != NULL && !cli_is_plugin(backend->spec)) {
        cli_backend_check(backend->spec);
    }
    snprintf(command->parent, sizeof command->parent, "%ld", (long)uv_os_getpid());
    *next++ = command->paths[0] = cli_worker_find();
    *next++ = "--parent";
    *next++ = command->parent;
    command->environment = cli_contain_environment(&backend->contain);
    command->spec = backend->spec == NULL ? NULL : absolute_spec(backend->spec);
    /* words of a shell command may be relative paths, so only --backend gets a folder of its own */
    cli_contain_words(&backend->contain, backend->spec != NULL && can_move(), command->contain);
    *next++ = "--contain";
    *next++ = command->contain;
    if (backend->worker != NULL) {
        *next++ = "--keep";
    } else {
        if (backend->contract_file != NULL) {
            topk_contract_print(&backend->contract, command->contract);
            *next++ = "--contract";
            *next++ = command->contract;
        }
        if (backend->device != NULL) {
            *next++ = "--device";
            *next++ = backend->device;
        }
        if (backend->guard_page != TOPK_GUARD_PAGE_NONE) {
            *next++ = "--guard-pages";
            *next++ = topk_guard_page_word(backend->guard_page);
        }
        if (backend->case_memory != 0) {
            snprintf(command->case_memory, sizeof command->case_memory, "%" PRIu64,
                     backend->case_memory);
            snprintf(command->free_memory, sizeof command->free_memory, "%" PRIu64,
                     memory_free() / workers);
            *next++ = "--case-memory";
            *next++ = command->case_memory;
            *next++ = "--free-memory";
            *next++ = command->free_memory;
        }
        if (backend->stages != NULL) {
            *next++ = "--stages";
            *next++ = backend->stages;
        }
        if (backend->outputs) {
            *next++ = "--results";
            *next++ = "outputs";
        }
        *next++ = backend->in_process ? "--backend" : "--process";
    }
    if (backend->in_process) {
        *next++ = command->spec;
    } else if (backend->spec != NULL) {
        *next++ = command->paths[1] =
            absolute_path(cli_program_find("topk-backend", "TOPK_BACKEND"), false);
        *next++ = command->spec;
    } else {
        static const char *const shell[] = {CLI_SHELL, NULL};
        for (const char *const *word = shell; *word != NULL; word++) {
            *next++ = *word;
        }
        *next++ = backend->worker != NULL ? backend->worker : backend->command;
    }
}

void cli_worker_command_free(struct cli_worker_command *command)
{
    for (int i = 0; i < 2; i++) {
        free(command->paths[i]);
        command->paths[i] = NULL;
    }
    free(command->spec);
    command->spec = NULL;
    cli_contain_environment_free(command->environment);
    command->environment = NULL;
}

/* checks that the worker judges by the contract that was given: a worker of the user may not */
static void check_contract(const struct cli_backend *backend, const struct topk_contract *judged)
{
    struct topk_contract given = backend->contract;
    if (backend->contract_file == NULL) {
        return;
    }
    /* a backend may add that it has rules of its own for invalid calls */
    if (topk_contract_has(judged, TOPK_OPTION_INVALID_OWN)) {
        topk_contract_choose(&given, TOPK_OPTION_INVALID_OWN);
    }
    const enum topk_contract_rule rule = topk_contract_differs(&given, judged);
    if (rule != TOPK_CONTRACT_RULE_COUNT) {
        char wanted[TOPK_CONTRACT_RULES];
        char said[TOPK_CONTRACT_RULES];
        topk_contract_value_print(&given, rule, wanted);
        topk_contract_value_print(judged, rule, said);
        cli_fail(CLI_USAGE, "%s has %s=%s, and the worker judges by %s=%s", backend->contract_file,
                 topk_contract_rule_row(rule)->key, wanted, topk_contract_rule_row(rule)->key,
                 said);
    }
}

/* Makes a command for each machine; the last argument is what differs. */
static void make_machines(struct cli_workers *workers, const struct cli_backend *backend)
{
    struct topk_runner_options *options = &workers->options;
    uint32_t last = 0;
    while (workers->command.arguments[last + 1] != NULL) {
        last++;
    }
    for (uint32_t i = 0; i < backend->machine_count; i++) {
        memcpy(workers->arguments[i], workers->command.arguments, sizeof workers->arguments[i]);
        workers->arguments[i][last] = backend->machines[i];
        workers->machines[i] = (struct topk_runner_machine){.command = workers->arguments[i],
                                                            .name = backend->machines[i]};
    }
    options->machines = workers->machines;
    options->machine_count = backend->machine_count;
    options->partial = backend->partial;
    options->jobs = options->jobs < options->machine_count ? options->machine_count : options->jobs;
}

/* Returns what a user can do about a backend that is unavailable, or "", which the caller frees. */
static char *unavailable_hint(const struct cli_backend *backend, const char *error)
{
    static const char suffix[] = CLI_PLUGIN_SUFFIX;
    const char *command = backend->command;
    const size_t length = command == NULL ? 0 : strlen(command);
    char *hint = NULL;
    if (length >= sizeof suffix && strcmp(command + length - (sizeof suffix - 1), suffix) == 0) {
        hint = strdup("\nA plugin is given by --backend, not as a command.");
    } else if (command != NULL && strstr(error, "introduc") != NULL &&
               strstr(error, "exited with 127") == NULL) { /* 127: there is no such program */
        char *word = cli_need(topk_text_shell(command));
        hint = topk_text_make(
            "\nTo see which rule of the backend protocol it breaks: topk-cts check-backend %s",
            word);
        free(word);
    } else {
        hint = strdup("");
    }
    return cli_need(hint);
}

/* Ends the program, with exit code 4 if the backend is unavailable. */
static void refuse_backend(const struct cli_backend *backend, enum topk_runner_status status,
                           const char *error)
{
    const char *text;
    (void)cli_backend_given(backend, &text);
    const bool several = backend->machine_count > 1; /* the error names the command */
    const char *quote = several ? "" : "'";
    if (status == TOPK_RUNNER_UNAVAILABLE) {
        char *hint = cli_need(several ? strdup("") : unavailable_hint(backend, error));
        size_t error_length = strlen(error);
        while (error_length > 0 && error[error_length - 1] == '\n') {
            error_length--;
        }
        cli_fail(CLI_UNAVAILABLE, "the backend %s%s%s is unavailable: %.*s%s", quote,
                 several ? "of one of the commands" : text, quote, (int)error_length, error, hint);
    }
    if (status == TOPK_RUNNER_MISDECLARED) {
        cli_fail(CLI_HARNESS, "the contract of the backend %s%s%s cannot be used: %s", quote,
                 several ? "of one of the commands" : text, quote, error);
    }
    if (status == TOPK_RUNNER_UNLIKE) {
        cli_fail(CLI_USAGE, "%s", error);
    }
    exit(cli_runner_failed(status, error));
}

void cli_workers_prepare(struct cli_workers *workers, const struct cli_backend *backend,
                         uint32_t jobs, void (*note)(void *context, const char *text),
                         void (*ended)(void *context, enum topk_process_end end, const char *how),
                         void *context)
{
    workers->backend = backend;
    jobs = jobs > 0 ? jobs : (uint32_t)uv_available_parallelism();
    cli_worker_command(backend, jobs, &workers->command);
    workers->options = (struct topk_runner_options){
        .command = workers->command.arguments,
        .jobs = jobs,
        .timeout = backend->timeout,
        .single = backend->case_memory != 0,
        .passes = backend->guard_page == TOPK_GUARD_PAGE_BOTH ? 2 : 1,
        .pass_stderr = backend->verbose,
        .environment = workers->command.environment,
        .lockstep = backend->variables != NULL,
        .variables = backend->variables,
        .note = note,
        .ended = ended,
        .context = context,
    };
    if (backend->machine_count > 1) {
        make_machines(workers, backend);
    }
}

void cli_workers_start(struct cli_workers *workers)
{
    enum topk_runner_status status;
    char error[TOPK_RUNNER_ERROR];
    workers->runner = topk_runner_open(&workers->options, &workers->greeting, &status, error);
    if (workers->runner == NULL) {
        refuse_backend(workers->backend, status, error);
    }
    check_contract(workers->backend, &workers->greeting.contract);
}

void cli_workers_open(struct cli_workers *workers, const struct cli_backend *backend, uint32_t jobs,
                      void (*note)(void *context, const char *text),
                      void (*ended)(void *context, enum topk_process_end end, const char *how),
                      void *context)
{
    cli_workers_prepare(workers, backend, jobs, note, ended, context);
    cli_workers_start(workers);
}

bool cli_workers_close(struct cli_workers *workers)
{
    const bool known = topk_runner_close(workers->runner);
    if (!known) {
        cli_error("the system does not report how all workers ended");
    }
    workers->runner = NULL;
    cli_worker_command_free(&workers->command);
    return known;
}

void cli_workers_remain(struct cli_workers *workers)
{
    struct topk_runner_options *options = &workers->options;
    if (options->machines != NULL) {
        const uint32_t count = topk_runner_machines(workers->runner, workers->machines);
        options->machine_count = count > 0 ? count : options->machine_count;
    }
}

int cli_runner_failed(enum topk_runner_status status, const char *error)
{
    cli_error("%s", status == TOPK_RUNNER_INTERRUPTED ? "interrupted" : error);
    return status == TOPK_RUNNER_INTERRUPTED ? CLI_INCOMPLETE : CLI_HARNESS;
}

bool cli_software_device(const struct topk_greeting *greeting)
{
    return (greeting->flags & TOPK_FLAG_SOFTWARE_DEVICE) != 0;
}

/* prints a text after the words `before`, unless it is empty */
static void print_fact(FILE *out, const char *before, const char *text)
{
    if (text[0] != 0) {
        fputs(before, out);
        topk_text_print(out, text);
    }
}

void cli_name_print(FILE *out, const char *name, const char *version)
{
    topk_text_print(out, topk_name_shown(name));
    print_fact(out, " ", version);
}

void cli_identity_print(FILE *out, const struct topk_greeting *greeting)
{
    cli_name_print(out, greeting->name, greeting->version);
    print_fact(out, " on ", greeting->device);
    print_fact(out, ", driver ", greeting->driver);
    fprintf(out, ", feature level %u.%u", (unsigned)(greeting->level >> 12),
            (unsigned)(greeting->level >> 8 & 15));
    fputs(topk_log_software_note(topk_log_software(greeting->flags)), out);
    fputc('\n', out);
    if (greeting->features[0] != 0) {
        print_fact(out, "  features: ", greeting->features);
        fputc('\n', out);
    }
    if (!topk_contract_plain(&greeting->contract)) {
        char rules[TOPK_CONTRACT_RULES];
        topk_contract_rules_print(&greeting->contract, rules);
        print_fact(out, "  declared contract: ", rules);
        print_fact(out, ", of ", greeting->contract.name);
        print_fact(out, ", documented at ", greeting->contract.source);
        fputc('\n', out);
    }
}

void cli_guard_pages_print(FILE *out, const struct cli_backend *backend)
{
    const char *where = topk_log_guard_pages_phrase(topk_guard_page_word(backend->guard_page));
    if (where[0] != 0) {
        fprintf(out, "  guard pages: %s\n", where);
    }
}

char *cli_shell_word(const char *word)
{
    bool as_it_is = *word != 0 && word[strspn(word, CLI_PLAIN)] == 0;
    return cli_need(as_it_is ? strdup(word) : topk_text_shell(word));
}

char *cli_backend_command(const char *name, const struct cli_backend *backend)
{
    const char *text;
    const char *option = cli_backend_given(backend, &text);
    char *program = cli_shell_word(cli_program);
    /* several commands are already words of a shell */
    char *word = backend->machine_count > 1 ? cli_need(strdup(text)) : cli_shell_word(text);
    char *device = backend->device == NULL ? NULL : cli_shell_word(backend->device);
    char *contract = backend->contract_file == NULL ? NULL : cli_shell_word(backend->contract_file);
    const char *hosted = backend->in_process ? " --in-process" : "";
    char *contained = cli_contain_command(&backend->contain);
    char guarded[32] = "";
    char large[48] = "";
    if (backend->case_memory != 0) {
        snprintf(large, sizeof large, " --case-memory %" PRIu64, backend->case_memory);
    }
    if (backend->guard_page != TOPK_GUARD_PAGE_NONE) {
        snprintf(guarded, sizeof guarded, " --guard-pages=%s",
                 topk_guard_page_word(backend->guard_page));
    }
    size_t size = strlen(program) + strlen(name) + strlen(option) + strlen(word) + strlen(hosted) +
                  strlen(guarded) + strlen(large) + (device == NULL ? 0 : strlen(device)) +
                  (contract == NULL ? 0 : strlen(contract)) + strlen(contained) + 48;
    char *command = cli_need(malloc(size));
    snprintf(command, size, "%s %s %s %s%s%s%s%s%s%s%s%s", program, name, option, word,
             device == NULL ? "" : " --device ", device == NULL ? "" : device, hosted, guarded,
             large, contract == NULL ? "" : " --contract ", contract == NULL ? "" : contract,
             contained);
    free(contained);
    free(contract);
    free(device);
    free(program);
    free(word);
    return command;
}

char *cli_replay_command(const struct cli_backend *backend)
{
    return cli_backend_command("replay", backend);
}
