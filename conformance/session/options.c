/* Options that several commands have. */
#include <stdlib.h>
#include <string.h>

#include "program.h"
#include "session.h"

/* keys of long options; below 256 they would be short ones */
enum {
    KEY_LEVEL = 1000,
    KEY_TIMEOUT,
    KEY_COMMAND,
    KEY_GUARD_PAGES,
    KEY_CASE_MEMORY
};

const struct topk_profile *cli_profile_of(const struct argp_state *state, const char *name)
{
    const struct topk_profile *profile = topk_profile_find(name);
    if (profile == NULL) {
        struct cli_near near;
        char known[256];
        size_t used = 0;
        cli_near_start(&near, name, strlen(name));
        known[0] = 0;
        for (size_t i = 0; i < topk_profile_count && used < sizeof known; i++) {
            cli_near_offer(&near, topk_profiles[i].name);
            used +=
                (size_t)snprintf(known + used, sizeof known - used, " %s", topk_profiles[i].name);
        }
        argp_error(state, "there is no profile '%s'%s Profiles:%s", name, cli_near_text(&near, "."),
                   known);
    }
    return profile;
}

static error_t parse_choice(int key, char *argument, struct argp_state *state)
{
    struct cli_choice *choice = state->input;
    switch (key) {
    case 'p':
        choice->profile = cli_profile_of(state, argument);
        return 0;
    case KEY_LEVEL:
        if (!topk_level_parse(argument, strlen(argument), &choice->level)) {
            argp_error(state, "--feature-level takes a level such as 2.1 or 5.0, not '%s'",
                       argument);
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp cli_choice_argp = {
    .options =
        (const struct argp_option[]){
            {"profile", 'p', "PROFILE", 0, "Select from the cases of this profile", 0},
            {"feature-level", KEY_LEVEL, "LEVEL", 0,
             "Leave out cases that ask for a feature level above this one, such as 3.1", 0},
            {0},
        },
    .parser = parse_choice,
};

const char *cli_backend_given(const struct cli_backend *backend, const char **text)
{
    *text = backend->spec != NULL      ? backend->spec
            : backend->command != NULL ? backend->command
                                       : backend->worker;
    return backend->spec != NULL      ? "--backend"
           : backend->command != NULL ? "--backend-command"
           : backend->worker != NULL  ? "--worker"
                                      : NULL;
}

/* Takes one more --backend-command. */
static void take_command(struct cli_backend *backend, const struct argp_state *state,
                         const char *command)
{
    static char *all; /* there is only one command line */
    if (*command == 0) {
        argp_error(state, "--backend-command takes a command, not ''");
    }
    if (backend->machine_count == CLI_MACHINES_MAX) {
        argp_error(state, "--backend-command can be given %u times", CLI_MACHINES_MAX);
        return;
    }
    backend->machines[backend->machine_count++] = command;
    if (backend->machine_count == 1) {
        backend->command = command;
        return;
    }
    char *first =
        backend->machine_count > 2 ? NULL : cli_need(topk_text_shell(backend->machines[0]));
    char *next = cli_need(topk_text_shell(command));
    char *longer =
        cli_need(topk_text_make("%s --backend-command %s", first == NULL ? all : first, next));
    free(first);
    free(next);
    free(all);
    all = longer;
    backend->command = all;
}

/* Takes an option that a run can have only once: of two different values, it is unclear which was
 * meant. */
static const char *take_once(const struct argp_state *state, const char *option, const char *before,
                             const char *argument)
{
    if (before != NULL && strcmp(before, argument) != 0) {
        argp_error(state, "--%s was given twice, '%s' and '%s': a run tests one backend", option,
                   before, argument);
    }
    return argument;
}

static error_t parse_backend(int key, char *argument, struct argp_state *state)
{
    struct cli_backend *backend = state->input;
    const char *given;
    const char *text;
    switch (key) {
    case ARGP_KEY_INIT:
        backend->timeout = CLI_TIMEOUT;
        state->child_inputs[0] = &backend->contain;
        return 0;
    case 'b':
        backend->spec = take_once(state, "backend", backend->spec, argument);
        return 0;
    case KEY_COMMAND:
        take_command(backend, state, argument);
        return 0;
    case 'w':
        backend->worker = take_once(state, "worker", backend->worker, argument);
        return 0;
    case KEY_TIMEOUT:
        backend->timeout = cli_seconds(state, "timeout", argument);
        return 0;
    case KEY_GUARD_PAGES:
        if (!topk_guard_page_parse(argument == NULL ? "both" : argument, &backend->guard_page)) {
            argp_error(state, "--guard-pages takes end, start or both, not '%s'", argument);
        }
        return 0;
    case KEY_CASE_MEMORY:
        backend->case_memory = cli_size(state, "case-memory", argument);
        return 0;
    case 'v':
        backend->verbose = true;
        return 0;
    case ARGP_KEY_END:
        given = cli_backend_given(backend, &text);
        if (!backend->optional && given == NULL) {
            argp_error(state,
                       "no backend given. Give --backend NAME, --backend ./PLUGIN" CLI_PLUGIN_SUFFIX
                       " or --backend-command COMMAND; "
                       "`topk-cts backends' lists backends");
        }
        if ((backend->spec != NULL) + (backend->command != NULL) + (backend->worker != NULL) > 1) {
            argp_error(state, "--backend, --backend-command and --worker exclude each other");
        }
        if (backend->trust_worker && backend->worker == NULL) {
            argp_error(state, "--trust-worker is for --worker COMMAND");
        }
        if (backend->device != NULL && backend->command == NULL) {
            argp_error(state, "--device is for --backend-command COMMAND; a backend takes its "
                              "device as an option, --backend NAME:OPTIONS");
        }
        if (backend->in_process && backend->spec == NULL) {
            argp_error(state, "--in-process is for --backend BACKEND");
        }
        if (backend->guard_page != TOPK_GUARD_PAGE_NONE && backend->worker != NULL) {
            argp_error(state, "--guard-pages is for --backend and --backend-command; topk-worker "
                              "has an option of that name itself");
        }
        if (backend->case_memory != 0 && backend->worker != NULL) {
            argp_error(state, "--case-memory is for --backend and --backend-command; topk-worker "
                              "has an option of that name itself");
        }
        if (backend->contract_file != NULL) {
            cli_contract_need(backend->contract_file, &backend->contract);
        }
        if (given != NULL && *text == 0) {
            argp_error(state, "%s takes a %s, not ''", given,
                       backend->spec != NULL ? "name" : "command");
        }
        return 0;
    default:
        return cli_store(key, argument, state);
    }
}

const struct argp cli_backend_argp = {
    .options =
        (const struct argp_option[]){
            {"backend", 'b', "BACKEND", 0,
             "Test a built-in backend, NAME or NAME:OPTIONS, or a plugin, PATH.so or "
             "PATH.so:OPTIONS",
             0},
            {"backend-command", KEY_COMMAND, "COMMAND", 0,
             "Test the process that this shell command starts; it speaks the backend protocol, in "
             "any language. If given several times, each command has its own workers, for example "
             "on several equal machines; all must start the same backend",
             0},
            {"device", CLI_TEXT(struct cli_backend, device), "DEVICE", 0,
             "Open this device of --backend-command, one that `topk-cts backends "
             "--backend-command=COMMAND' lists",
             0},
            {"worker", 'w', "COMMAND", 0,
             "Use this shell command as the worker: it hosts the backend and judges it, and speaks "
             "the worker protocol, as topk-worker does. The suite cannot check its verdicts: the "
             "run does not show conformance, and its exit code is 1 even if nothing failed",
             0},
            {"trust-worker", CLI_FLAG(struct cli_backend, trust_worker), NULL, 0,
             "Exit with 0 if --worker reports no failure. The output and the reports still say who "
             "judged",
             0},
            {"in-process", CLI_FLAG(struct cli_backend, in_process), NULL, 0,
             "Host --backend in the process of the judge, where it can reach the judge: for "
             "benchmarks and debuggers. The run does not show conformance, and its exit code is 1 "
             "even if nothing failed",
             0},
            {"contract", CLI_TEXT(struct cli_backend, contract_file), "FILE", 0,
             "Judge by the rules in this file instead of DirectML's; `topk-cts contract' lists "
             "them. The run then does not show conformance to DirectML's rules",
             0},
            {"guard-pages", KEY_GUARD_PAGES, "SIDE", OPTION_ARG_OPTIONAL,
             "Put an inaccessible page directly after each tensor, and in a second call directly "
             "before it, so that accesses outside the tensor crash. SIDE is both, end or start. A "
             "--backend-command must start topk-backend, or a process that declares this ability",
             0},
            {"case-memory", KEY_CASE_MEMORY, "SIZE", 0,
             "Run cases that take up to so much memory, beside the backend's, and only create "
             "those that take more; default 16G for profile giant, else 1 GiB of tensors. A case "
             "that "
             "takes more than is free is a harness error",
             0},
            {"timeout", KEY_TIMEOUT, "SECONDS", 0,
             "Time limit for a call; default 30. A case whose check= makes several calls has it "
             "for each of them",
             0},
            {"verbose", 'v', NULL, 0, "Show the standard error of backends", 0},
            {0},
        },
    .parser = parse_backend,
    .children = (const struct argp_child[]){{&cli_contain_argp, 0, "Containment:", 0}, {0}},
};
