/* topk-cts shrink: makes a failing case as small and simple as possible while it still fails. */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "log/log.h"
#include "session/session.h"
#include "shrink/shrink.h"
#include "shrink_command.h"

enum {
    KEY_RUNS = 4000
};

struct shrink {
    struct cli_backend backend;
    const char *id;
    uint64_t max_runs;
    const char *c_path; /* --c, or NULL */
    struct topk_failure_style style;
    struct topk_case tc;
    struct topk_shrunk shrunk;
    struct cli_progress progress;
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct shrink *shrink = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &shrink->backend;
        return 0;
    case KEY_RUNS:
        shrink->max_runs = cli_number(state, "max-runs", argument, UINT32_MAX);
        if (shrink->max_runs == 0) {
            argp_error(state, "--max-runs takes a number from 1 on, not '%s'", argument);
        }
        return 0;
    case ARGP_KEY_ARG:
        if (shrink->id != NULL) {
            argp_error(state, "give one case, in quotes");
        }
        shrink->id = argument;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "no case given. Give its id or text");
        return 0;
    default:
        return cli_store(key, argument, state);
    }
}

const struct argp cli_shrink_argp = {
    .options =
        (const struct argp_option[]){
            {"max-runs", KEY_RUNS, "N", 0, "Run at most N candidates; default 2000", 0},
            {"c", CLI_TEXT(struct shrink, c_path), "FILE", 0,
             "Write the shrunk failure to FILE as a C program that needs only topk_backend.h and "
             "the plugin",
             0},
            {0},
        },
    .parser = parse,
    .args_doc = "CASE",
    .doc =
        "Makes a failing case as small and simple as possible while it still fails in the same "
        "way: with the same verdict, and the same clause first.\vA CASE is an id, "
        "`ties.boundary:top_k1 fl=5.0 ...', or only its text, in quotes for the shell. The backend "
        "may crash or hang: each candidate that hangs costs up to 2 seconds, or --timeout if that "
        "is less, and after 40 of them shrinking ends with the smallest case so far. The exit code "
        "is 1 if the case fails, and 5 if it passes: then there is nothing to shrink.",
    .children = (const struct argp_child[]){{&cli_backend_argp, 0, NULL, 0}, {0}},
};

static void note(void *context, const char *text)
{
    struct shrink *shrink = context;
    cli_progress_erase(&shrink->progress);
    cli_error("note: %s", text);
}

/* prints the original failure in one line */
static void print_original(void *context, const struct topk_result *result)
{
    const struct shrink *shrink = context;
    const struct topk_tensor *input = &shrink->tc.op.tensors[TOPK_INPUT];
    printf("shrinking: %s", topk_verdict_word(result->verdict));
    if (result->clause != TOPK_CLAUSE_NONE) {
        printf(" (%s)", topk_clause_id(result->clause));
    }
    if (result->reading != TOPK_READING_NONE) {
        printf(", %s%s", result->guess ? "possible cause: " : "",
               topk_reading_row(result->reading)->sentence);
    }
    printf(", %" PRIu64 " input elements\n", topk_tensor_elements(input));
    fflush(stdout);
}

static void draw(void *context, uint64_t runs, uint64_t elements)
{
    struct shrink *shrink = context;
    cli_progress_show(&shrink->progress, "%" PRIu64 " runs, %" PRIu64 " input elements", runs,
                      elements);
}

/* writes the C program of the shrunk failure; false after a message */
static bool write_c(const struct shrink *shrink)
{
    const struct topk_result *result = &shrink->shrunk.result;
    char error[1024] = "";
    char about[512];
    bool named = result->clause != TOPK_CLAUSE_NONE;
    snprintf(about, sizeof about, "%s%s%s%s%s", topk_verdict_word(result->verdict),
             named ? ", " : "", topk_clause_id(result->clause), named ? ": " : "",
             named ? topk_clause_row(result->clause)->sentence : "");
    struct topk_output file;
    if (!cli_file_create(&file, shrink->c_path, TOPK_OUTPUT_NAMED)) {
        return false;
    }
    char *command = cli_shrink_command(&shrink->backend, shrink->c_path);
    bool made = topk_reproducer_write(file.file, &shrink->tc, about, command, error, sizeof error);
    if (!made) {
        cli_error("no C program in %s: %s", shrink->c_path, error);
    }
    bool written = cli_file_close(&file, made);
    if (made && written) {
        cli_print("%s shows the failure without the suite:\n  %s\n", shrink->c_path, command);
        if (strstr(command, CLI_UNKNOWN_HEADERS) != NULL) {
            cli_print("put the folder of topk_backend.h in place of " CLI_UNKNOWN_HEADERS "\n");
        }
        if (strstr(command, "./" CLI_UNKNOWN_PLUGIN) != NULL) {
            cli_print(shrink->backend.command == NULL
                          ? "put the plugin of this backend in place of ./" CLI_UNKNOWN_PLUGIN "\n"
                          : "a program of --backend-command is no plugin: put one with the same "
                            "implementation in place of ./" CLI_UNKNOWN_PLUGIN
                            ", or use the replay line\n");
        }
    }
    free(command);
    return made && written;
}

static char *text_of(const struct topk_case *tc)
{
    size_t length = topk_case_print(tc, NULL, 0);
    char *text = cli_need(malloc(length + 1));
    topk_case_print(tc, text, length + 1);
    return text;
}

/* prints the shrunk case; returns the exit code */
static int report(struct shrink *shrink)
{
    const struct topk_shrunk *shrunk = &shrink->shrunk;
    if (shrunk->status == TOPK_SHRUNK_PASSES) {
        cli_error("the case does not fail (%s): there is nothing to shrink",
                  topk_verdict_word(shrunk->original.verdict));
        return CLI_INCOMPLETE;
    }
    char *text = text_of(&shrink->tc);
    bool written = true;
    if (topk_verdict_failure(shrunk->original.verdict)) {
        topk_failure_print(stdout, &shrink->style, text, &shrunk->result);
        written = shrink->c_path == NULL || write_c(shrink);
    }
    free(text);
    if (shrunk->tries > 1 && shrunk->status != TOPK_SHRUNK_FLAKY) {
        printf("the failure is flaky: each candidate was run %" PRIu32 " times\n", shrunk->tries);
    }
    switch (shrunk->status) {
    case TOPK_SHRUNK_BOUND:
        printf("after %" PRIu64 " runs; it may become smaller\n", shrunk->runs);
        return written ? CLI_FAILURES : CLI_HARNESS;
    case TOPK_SHRUNK_FLAKY:
        printf("after %" PRIu64
               " runs; the failure is flaky: the shrunk case passed when it was run again\n",
               shrunk->runs);
        return written ? CLI_FAILURES : CLI_HARNESS;
    case TOPK_SHRUNK_INTERRUPTED:
        cli_error("interrupted; the case may become smaller");
        return CLI_INCOMPLETE;
    case TOPK_SHRUNK_FAILED:
        return cli_runner_failed(shrunk->runner, shrunk->error);
    default:
        printf("after %" PRIu64 " runs\n", shrunk->runs);
        return written ? CLI_FAILURES : CLI_HARNESS;
    }
}

static int open_and_shrink(struct shrink *shrink)
{
    static struct cli_workers workers; /* static, to keep the stack small */
    const struct topk_runner_shrink_options shrinking = {
        .max_runs = shrink->max_runs,
        .timeout = shrink->backend.timeout,
        .original = print_original,
        .progress = draw,
        .context = shrink,
    };
    cli_workers_open(&workers, &shrink->backend, 1, note, NULL, shrink);
    shrink->style.software_device = cli_software_device(&workers.greeting);
    shrink->style.contract = workers.greeting.contract;
    if (shrink->c_path != NULL && topk_contract_decides(&workers.greeting.contract)) {
        cli_workers_close(&workers);
        cli_error("--c cannot be used: its program expects DirectML's rules, and the backend "
                  "declares a contract with other rules. Without --c the case is shrunk");
        return CLI_USAGE;
    }
    cli_progress_start(&shrink->progress, 0, 0);
    topk_runner_shrink(workers.runner, &shrink->tc, &shrinking, &shrink->shrunk);
    cli_progress_erase(&shrink->progress);
    cli_workers_close(&workers);
    return report(shrink);
}

int cli_shrink(int argc, char **argv)
{
    struct shrink *shrink = cli_need(calloc(1, sizeof *shrink));
    struct cli_cases cases = {0};
    cli_parse(&cli_shrink_argp, argc, argv, shrink);
    int code = cli_cases_add(&cases, shrink->id, strlen(shrink->id), "");
    char *replay = cli_replay_command(&shrink->backend);
    shrink->style.colour = cli_colour(stdout);
    shrink->style.replay = replay;
    if (code == CLI_CONFORMANT) {
        cli_case_parse(shrink->id, strlen(shrink->id), &shrink->tc);
        code = open_and_shrink(shrink);
    }
    topk_case_clear(&shrink->tc);
    cli_cases_free(&cases);
    free(replay);
    free(shrink);
    return code;
}
