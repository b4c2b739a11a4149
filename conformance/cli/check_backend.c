/* topk-cts check-backend: checks a backend process against each rule of docs/backend-protocol.md.
 * topk-worker does the work; it speaks the judge's side. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "platform/platform.h"

extern char **environ; /* NOLINT(readability-redundant-declaration): not every system declares it */

struct command {
    const char *command;
    const char *timeout;
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct command *command = state->input;
    char *end;
    switch (key) {
    case 't': {
        const double seconds = strtod(argument, &end);
        if (*argument == 0 || *end != 0 || !(seconds >= 0.001 && seconds <= 1e6)) {
            argp_error(state, "--timeout takes seconds from 0.001 to 1000000, not '%s'", argument);
        }
        command->timeout = argument;
        return 0;
    }
    case ARGP_KEY_ARG:
        if (command->command != NULL) {
            argp_error(state, "give one COMMAND, in quotes, such as 'node adapter.mjs'");
        }
        command->command = argument;
        return 0;
    case ARGP_KEY_END:
        if (command->command == NULL || *command->command == 0) {
            argp_error(state, "no process given. Give the COMMAND that starts it");
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp cli_check_backend_argp = {
    .options =
        (const struct argp_option[]){
            {"timeout", 't', "SECONDS", 0, "Longest time for an answer; default 30", 0},
            {0},
        },
    .parser = parse,
    .args_doc = "COMMAND",
    .doc =
        "Tests whether a program follows the backend protocol: starts it as `run "
        "--backend-command COMMAND' does, and prints a line for each step. For each broken rule it "
        "prints what was sent, what came back, the rule in docs/backend-protocol.md, and how to "
        "fix "
        "it. It looks at only a few results: use `topk-cts run' to test them.\vExits with 0 if no "
        "rule is broken, with 1 if one is, with 4 if the command cannot be started or answers "
        "`unavailable'. The process is started several times, and again after each broken rule. If "
        "an answer does not come in time, the steps after it are not checked.",
};

int cli_check_backend(int argc, char **argv)
{
    struct command command = {.timeout = "30"};
    struct cli_worker_command worker;
    cli_parse(&cli_check_backend_argp, argc, argv, &command);
    const struct cli_backend backend = {.command = command.command};
    cli_worker_command(&backend, 1, &worker); /* PATH ... --process /bin/sh -c COMMAND */
    const char *arguments[sizeof worker.arguments / sizeof worker.arguments[0] + 1] = {
        worker.arguments[0]};
    size_t count = 1;
    bool found = false;
    for (size_t i = 1; worker.arguments[i] != NULL; i++) {
        if (!found && strcmp(worker.arguments[i], "--process") == 0) {
            arguments[count++] = "--check";
            arguments[count++] = command.timeout;
            found = true;
        } else {
            arguments[count++] = worker.arguments[i];
        }
    }
    char error[512];
    environ = worker.environment;
#if defined(_WIN32)
    windows_environment_keep(environ);
#endif
    topk_process_become(arguments, error, sizeof error);
    cli_error("%s", error);
    return CLI_HARNESS;
}
