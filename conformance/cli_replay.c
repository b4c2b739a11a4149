/* topk-cts replay: runs single cases and shows what is wrong with each. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "failure.h"

struct replay {
    struct cli_backend backend;
    char *const *ids;
    size_t id_count;
    struct cli_cases cases;
    struct topk_failure_style style;
    struct cli_tally tally;
};

/* NOLINTNEXTLINE(readability-non-const-parameter): the type is argp's */
static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct replay *replay = state->input;
    (void)argument;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &replay->backend;
        return 0;
    case ARGP_KEY_ARGS:
        replay->ids = state->argv + state->next;
        replay->id_count = (size_t)(state->argc - state->next);
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "which case? Give its id or text, or - to read them");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp cli_replay_argp = {
    .parser = parse,
    .args_doc = "CASE...",
    .doc = "Runs single cases and prints for each what came out; where a sequence is wrong, the "
           "outputs expected and the actual ones side by side.\v"
           "A CASE is an id, `ties.boundary:top_k1 fl=5.0 ...', or only its text, in quotes for "
           "the shell. With `-' they are read from standard input, one a line; empty lines and "
           "those that start with `#' are ignored. Nothing is logged.",
    .children = (const struct argp_child[]){{&cli_backend_argp, 0, NULL, 0}, {0}},
};

/* adds the cases that standard input lists */
static int read_cases(struct cli_cases *cases)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    unsigned long number = 0;
    int code = CLI_CONFORMANT;
    errno = 0;
    while (code == CLI_CONFORMANT && (length = getline(&line, &room, stdin)) >= 0) {
        char where[64];
        number++;
        while (length > 0 && (line[length - 1] == '\n' || line[length - 1] == '\r')) {
            length--;
        }
        if (length == 0 || line[0] == '#') {
            continue;
        }
        snprintf(where, sizeof where, "standard input, line %lu: ", number);
        code = cli_cases_add(cases, line, (size_t)length, where);
    }
    if (ferror(stdin) != 0) {
        cli_error("cannot read standard input: %s", strerror(errno));
        code = CLI_HARNESS;
    }
    free(line);
    return code;
}

static const char *case_text(void *context, uint64_t number, size_t *length)
{
    const struct replay *replay = context;
    const struct cli_case *c = &replay->cases.list[number];
    *length = c->length - c->text;
    return c->id + c->text;
}

static bool take_result(void *context, uint64_t number, const struct topk_result *result)
{
    struct replay *replay = context;
    const char *id = replay->cases.list[number].id;
    const struct topk_clause_set none = {{0}};
    topk_failure_print(stdout, &replay->style, id, result);
    cli_tally_add(&replay->tally, result->verdict, TOPK_CLAUSE_NONE, &none, 0, result->reason);
    fflush(stdout);
    return true;
}

static void note(void *context, const char *text)
{
    (void)context;
    cli_error("note: %s", text);
}

static int run_cases(struct replay *replay, const struct cli_worker_command *command)
{
    struct topk_runner_options options = {
        .command = command->arguments,
        .jobs = 1,
        .timeout = replay->backend.timeout,
        .pass_stderr = replay->backend.verbose,
        .note = note,
    };
    struct topk_greeting greeting;
    enum topk_runner_status status;
    char error[TOPK_RUNNER_ERROR];
    uint64_t *order = malloc(replay->cases.count * sizeof *order);
    if (order == NULL) {
        cli_error("memory ran out");
        return CLI_HARNESS;
    }
    for (size_t i = 0; i < replay->cases.count; i++) {
        order[i] = i;
    }
    struct topk_runner *runner = topk_runner_open(&options, &greeting, &status, error);
    if (runner != NULL) {
        struct topk_runner_job job = {
            .count = replay->cases.count,
            .order = order,
            .text = case_text,
            .result = take_result,
            .context = replay,
        };
        status = topk_runner_run(runner, &job, error);
        if (status == TOPK_RUNNER_UNAVAILABLE) {
            status = TOPK_RUNNER_BROKEN;
        }
        topk_runner_close(runner);
    }
    free(order);
    if (status != TOPK_RUNNER_DONE) {
        return cli_runner_failed(
            status, replay->backend.spec != NULL ? replay->backend.spec : replay->backend.worker,
            error);
    }
    if (replay->cases.count > 1) {
        cli_tally_print(stdout, &replay->tally);
    }
    return cli_tally_exit(&replay->tally);
}

int cli_replay(int argc, char **argv)
{
    struct replay *replay = calloc(1, sizeof *replay);
    if (replay == NULL) {
        cli_error("memory ran out");
        return CLI_HARNESS;
    }
    cli_parse(&cli_replay_argp, argc, argv, replay);
    int code = CLI_CONFORMANT;
    for (size_t i = 0; i < replay->id_count && code == CLI_CONFORMANT; i++) {
        const char *id = replay->ids[i];
        code = strcmp(id, "-") == 0 ? read_cases(&replay->cases)
                                    : cli_cases_add(&replay->cases, id, strlen(id), "");
    }
    if (code == CLI_CONFORMANT && replay->cases.count == 0) {
        cli_error("standard input has no case");
        code = CLI_INCOMPLETE;
    }
    char *command_text = cli_replay_command(&replay->backend);
    replay->style.colour = cli_colour(stdout);
    replay->style.replay = command_text;
    struct cli_worker_command command;
    if (code == CLI_CONFORMANT) {
        code = cli_worker_command(&replay->backend, &command);
        if (code == CLI_CONFORMANT) {
            code = run_cases(replay, &command);
            cli_worker_command_free(&command);
        }
    }
    cli_cases_free(&replay->cases);
    cli_tally_free(&replay->tally);
    free(command_text);
    free(replay);
    return code;
}
