/* topk-cts probe: runs the probes of a backend and prints their results. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "summary/summary.h"

struct command {
    struct cli_backend backend;
    char *const *names; /* names of probes, or starts of names */
    size_t name_count;
    struct topk_probes probes;
    bool seen[TOPK_PROBES_MAX]; /* for each probe: it is a row of the table */
    uint64_t findings;
};

/* NOLINTNEXTLINE(readability-non-const-parameter): the type is argp's */
static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct command *command = state->input;
    (void)argument;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &command->backend;
        return 0;
    case ARGP_KEY_ARGS:
        command->names = state->argv + state->next;
        command->name_count = (size_t)(state->argc - state->next);
        for (size_t n = 0; n < command->name_count; n++) {
            if (command->names[n][0] == 0) {
                argp_error(state, "the name of a probe is empty");
            }
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp cli_probe_argp = {
    .parser = parse,
    .args_doc = "[NAME...]",
    .doc = "Runs the probes of a backend: small programs that show how the driver and compiler "
           "below it treat denormals, NaN, out-of-bounds memory and so on, and whether their own "
           "specification allows it. Prints the name of each probe, what it saw, the verdict, and "
           "what it did.\vA NAME is a probe or the start of names; without one, all probes run. "
           "`topk-cts run' runs all of them before its cases. Exits with 1 if a probe has a "
           "finding: something that is not allowed, or a probe that failed, crashed or hung; with "
           "77 if the backend has no probes.",
    .children = (const struct argp_child[]){{&cli_backend_argp, 0, NULL, 0}, {0}},
};

static bool take_row(void *context, const struct topk_probe *probe)
{
    struct command *command = context;
    command->seen[probe - command->probes.list] = true;
    command->findings += topk_probe_verdict_finding(probe->verdict);
    return cli_output_open();
}

static const char *value_text(const struct topk_probe *probe)
{
    return probe->value[0] == 0 ? "-" : probe->value;
}

/* Prints all rows at once, because the width of a column depends on all of them. */
static void print_table(const struct command *command)
{
    const struct topk_probes *probes = &command->probes;
    int name = 0;
    int value = 0;
    for (uint32_t i = 0; i < probes->count; i++) {
        if (command->seen[i]) {
            const int name_length = (int)strlen(probes->list[i].name);
            const int value_length = (int)strlen(value_text(&probes->list[i]));
            name = name_length > name ? name_length : name;
            value = value_length > value ? value_length : value;
        }
    }
    for (uint32_t i = 0; i < probes->count; i++) {
        const struct topk_probe *probe = &probes->list[i];
        if (command->seen[i]) {
            printf("%-*s  %-*s  %-11s  %s\n", name, probe->name, value, value_text(probe),
                   topk_probe_verdict_word(probe->verdict), probe->detail);
        }
    }
}

/* Drops the probes that were not named. CLI_USAGE, after a message, if a name selects none. */
static int keep_named(struct command *command)
{
    struct topk_probes *probes = &command->probes;
    bool kept[TOPK_PROBES_MAX] = {false};
    for (size_t n = 0; n < command->name_count; n++) {
        const char *name = command->names[n];
        struct cli_near near;
        bool any = false;
        cli_near_start(&near, name, strlen(name));
        for (uint32_t i = 0; i < probes->count; i++) {
            bool named = strncmp(probes->list[i].name, name, strlen(name)) == 0;
            cli_near_offer(&near, probes->list[i].name);
            kept[i] |= named;
            any |= named;
        }
        if (!any) {
            cli_error("no probe is named '%s'%s", name, cli_near_text(&near, "."));
            return CLI_USAGE;
        }
    }
    for (uint32_t i = 0; command->name_count > 0 && i < probes->count; i++) {
        /* an unnamed probe is not run */
        probes->list[i].verdict = kept[i] ? probes->list[i].verdict : TOPK_PROBE_UNSUPPORTED;
    }
    return CLI_CONFORMANT;
}

static int run_probes(struct command *command, struct topk_runner *runner,
                      const struct topk_greeting *greeting)
{
    char error[TOPK_RUNNER_ERROR] = "";
    enum topk_runner_status status = topk_probes_list(runner, greeting, &command->probes, error);
    int code = CLI_CONFORMANT;
    if (status == TOPK_RUNNER_DONE && command->probes.count == 0) {
        cli_error("the backend %s has no probes", topk_name_shown(greeting->name));
        return CLI_SKIPPED;
    }
    if (status == TOPK_RUNNER_DONE && command->probes.list[0].verdict == TOPK_PROBE_VERDICT_COUNT) {
        code = keep_named(command);
        if (code == CLI_CONFORMANT) {
            status = topk_probes_run(runner, &command->probes, take_row, command, error);
        }
    } else if (status == TOPK_RUNNER_DONE) {
        take_row(command, &command->probes.list[0]);
    }
    print_table(command);
    if (status != TOPK_RUNNER_DONE && status != TOPK_RUNNER_STOPPED) {
        return cli_runner_failed(status, error);
    }
    return code != CLI_CONFORMANT ? code : command->findings > 0 ? CLI_FAILURES : CLI_CONFORMANT;
}

int cli_probe(int argc, char **argv)
{
    struct command *command = cli_need(calloc(1, sizeof *command));
    cli_parse(&cli_probe_argp, argc, argv, command);
    static struct cli_workers workers; /* static, to keep the stack small */
    cli_workers_open(&workers, &command->backend, 1, cli_note, NULL, NULL);
    fputs("backend: ", stdout);
    cli_identity_print(stdout, &workers.greeting);
    int code = run_probes(command, workers.runner, &workers.greeting);
    cli_workers_close(&workers);
    free(command);
    return code;
}
