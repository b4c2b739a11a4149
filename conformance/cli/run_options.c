/* topk-cts run: reads its options. */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "engine.h"
#include "junit_option.h"
#include "run.h"

enum {
    KEY_SEED = 3000,
    KEY_FAILURES,
    KEY_OLD_FAILURES,
    KEY_SHARD
};

#define FAILURES_DEFAULT 10

/* parses "2/4"; exits with CLI_USAGE if the text is malformed */
static void parse_shard(const struct argp_state *state, const char *text,
                        struct cli_run_options *options)
{
    char part[16] = "";
    const char *slash = strchr(text, '/');
    if (slash == NULL || slash == text || (size_t)(slash - text) >= sizeof part) {
        argp_error(state, "--shard takes I/N, such as 2/4, not '%s'", text);
        return;
    }
    memcpy(part, text, (size_t)(slash - text));
    struct topk_shard *shard = &options->shard;
    shard->number = (uint32_t)cli_number(state, "shard", part, TOPK_SHARDS_MAX);
    shard->count = (uint32_t)cli_number(state, "shard", slash + 1, TOPK_SHARDS_MAX);
    if (shard->number == 0 || shard->number > shard->count) {
        argp_error(state, "there is no shard %s: shards are numbered from 1 to N", text);
    }
}

/* Takes from the environment what the command line does not set. */
static void take_environment(struct cli_run_options *options, const struct argp_state *state)
{
    struct cli_engine *engine = &options->engine;
    const struct topk_shard *asked = &engine->shard;
    struct topk_shard *shard = &options->shard;
    cli_engine_read(engine, state);
    if (asked->count > 0 && shard->count > 0 &&
        (asked->number != shard->number || asked->count != shard->count)) {
        argp_error(state,
                   "--shard %" PRIu32 "/%" PRIu32 " contradicts the variable %s, by which this is "
                   "shard %" PRIu32 "/%" PRIu32,
                   shard->number, shard->count, engine->divided_by, asked->number, asked->count);
    }
    options->engine_shard = shard->count == 0;
    options->engine_out = options->out == NULL;
    if (options->engine_shard) {
        *shard = *asked;
    }
    if (options->engine_out) {
        options->out = engine->out;
    }
    if (shard->count == 1) {
        *shard = (struct topk_shard){0}; /* one shard is the whole run */
    }
    if (shard->count > TOPK_SHARD_BUCKETS && options->costs != NULL) {
        argp_error(state, "--costs divides a run into %u shards at most", TOPK_SHARD_BUCKETS);
    }
    shard->rule = shard->count == 0 ? TOPK_SHARD_BY_NUMBER : TOPK_SHARD_BY_ID;
    cli_engine_narrow(engine, state, &options->selections, &options->selection_count);
}

/* one worker for each of several commands, unless --jobs asks for more */
static void check_jobs(struct cli_run_options *options, const struct argp_state *state)
{
    const uint32_t machines = options->backend.machine_count;
    if (machines < 2) {
        return;
    }
    if (!options->has_jobs) {
        options->jobs = machines;
    } else if (options->jobs > 0 && options->jobs < machines) {
        argp_error(state,
                   "--jobs %" PRIu32 " is too few: each of the %" PRIu32 " commands needs a worker",
                   options->jobs, machines);
    }
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct cli_run_options *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &options->backend;
        state->child_inputs[1] = &options->choice;
        state->child_inputs[2] = &options->early;
        state->child_inputs[3] = &options->gate;
        state->child_inputs[4] = &options->junit;
        state->child_inputs[5] = &options->retries;
        state->child_inputs[6] = &options->repeat;
        options->jobs = 1;
        options->show_failures = FAILURES_DEFAULT;
        return 0;
    case 'j':
        options->jobs = (uint32_t)cli_number(state, "jobs", argument, CLI_RUN_JOBS_MAX);
        options->has_jobs = true;
        return 0;
    case 'o':
        options->out = argument;
        if (*argument == 0) {
            argp_error(state, "--out takes the name of a folder, not ''");
        }
        return 0;
    case KEY_SEED:
        options->seed = cli_number(state, "seed", argument, UINT64_MAX);
        return 0;
    case KEY_SHARD:
        parse_shard(state, argument, options);
        return 0;
    case KEY_FAILURES:
        options->show_failures = cli_number(state, "show-failures", argument, UINT64_MAX);
        return 0;
    case KEY_OLD_FAILURES:
        argp_error(state,
                   "--max-failures N of `run' is --show-failures N now; to fail a run that has "
                   "more failures than N, give --max-failures N to `topk-cts report'");
        return 0;
    case ARGP_KEY_ARGS:
        options->selections = state->argv + state->next;
        options->selection_count = (size_t)(state->argc - state->next);
        return 0;
    case ARGP_KEY_END:
        take_environment(options, state);
        if (options->resume && options->overwrite) {
            argp_error(state, "--resume and --overwrite exclude each other");
        }
        if (options->estimate && (options->out != NULL || options->repeat > 1 || options->shrink)) {
            argp_error(state, "--estimate goes without --out, --repeat and --shrink");
        }
        if ((options->resume || options->overwrite) && options->out == NULL) {
            argp_error(state, "%s needs --out DIR", options->resume ? "--resume" : "--overwrite");
        }
        check_jobs(options, state);
        options->backend.partial = options->resume; /* lost machines may still be unavailable */
        if (options->strict && options->expectations == NULL) {
            argp_error(state, "--strict is for --expectations FILE");
        }
        if (options->gate.gate.allow_expired && options->expectations == NULL) {
            argp_error(state, "--allow-expired is for --expectations FILE");
        }
        if (options->choice.profile == NULL) {
            options->choice.profile = cli_profile_of(state, "core");
        }
        if (options->backend.case_memory == 0 && options->backend.worker == NULL) {
            options->backend.case_memory = options->choice.profile->case_memory;
        }
        return 0;
    default:
        return cli_store(key, argument, state);
    }
}

/* appends the variables of engines to the description */
static char *help(int key, const char *text, void *input)
{
    (void)input;
    return key == ARGP_KEY_HELP_POST_DOC ? cli_engine_help(text) : (char *)text;
}

const struct argp cli_run_argp = {
    .options =
        (const struct argp_option[]){
            {"jobs", 'j', "N", 0,
             "Number of workers; 0: one for each processor; default 1, which keeps the order of "
             "the cases. Several --backend-command have one worker each by default; more are dealt "
             "to them in turn",
             0},
            {"seed", KEY_SEED, "SEED", 0,
             "Order of the cases: 0, the default, is the order of the profile; each other number "
             "is a fixed random order",
             0},
            {"out", 'o', "DIR", 0,
             "Folder for the log and JUnit file; default "
             "topk-results/BACKEND-PROFILE-DATE-TIME",
             0},
            {"shard", KEY_SHARD, "I/N", 0,
             "Run part I of N of the cases; `topk-cts merge' merges the N runs. The id of a case "
             "decides which part it is in",
             0},
            {"costs", CLI_TEXT(struct cli_run_options, costs), "FILE", 0,
             "Give the parts of --shard equal times, by the times of an earlier run: its folder, "
             "or a file of `topk-cts report --format costs'. All parts need the same costs",
             0},
            {"resume", CLI_FLAG(struct cli_run_options, resume), NULL, 0,
             "Continue the run in --out DIR", 0},
            {"overwrite", CLI_FLAG(struct cli_run_options, overwrite), NULL, 0,
             "Replace the log in --out DIR", 0},
            {"zstd", CLI_FLAG(struct cli_run_options, zstd), NULL, 0,
             "Compress the log when the run ends, to results.jsonl.zst, which all commands read. "
             "An interrupted run keeps the plain log",
             0},
            {"show-failures", KEY_FAILURES, "N", 0,
             "Print at most N bugs, each with its smallest case, and with --verbose N failures; "
             "default 10. The log has all",
             0},
            {"max-failures", KEY_OLD_FAILURES, "N", OPTION_HIDDEN, NULL, 0},
            {"no-probes", CLI_FLAG(struct cli_run_options, no_probes), NULL, 0,
             "Do not run the probes of the backend; see `topk-cts probe'", 0},
            {"no-identity", CLI_FLAG(struct cli_run_options, no_identity), NULL, 0,
             "Do not record the tested files, libraries and drivers, and the machine", 0},
            {"estimate", CLI_FLAG(struct cli_run_options, estimate), NULL, 0,
             "Run only a sample of the cases, and print how long all would take, how large the log "
             "would be, and how much memory the largest call needs. Writes no files",
             0},
            {"profile-stages", CLI_TEXT(struct cli_run_options, stages), "FILE", 0,
             "Measure how long each stage of the run takes, from the text of a case to its line in "
             "the log; print the times and write them to FILE",
             0},
            {"shrink", CLI_FLAG(struct cli_run_options, shrink), NULL, 0,
             "Shrink the printed case of each bug, as `topk-cts shrink' does, and write the "
             "results to shrunk.txt in the folder of the log",
             0},
            {"expectations", CLI_TEXT(struct cli_run_options, expectations), "FILE", 0,
             "File of known failures, as `topk-cts expectations' proposes it. These cases run, but "
             "do not fail the run; rules that do not hold are printed",
             0},
            {"strict", CLI_FLAG(struct cli_run_options, strict), NULL, 0,
             "Also fail if a case passes that is expected to fail, if a rule matches no case of a "
             "whole profile, or if no case within the condition of a rule fails as it says",
             0},
            {0},
        },
    .parser = parse,
    .args_doc = "[SELECTION...]",
    .doc = "Runs the cases of a profile, by default core, against a backend.\vA SELECTION is the "
           "start of an id, such as `ties' or `ties.boundary', or a glob that matches it whole, "
           "with `*' and `?'. A whole id or case is run even if the profile does not have it. "
           "Cases that need a higher feature level than the backend reports, or than "
           "--feature-level, are left out.",
    .help_filter = help,
    .children = (const struct argp_child[]){{&cli_backend_argp, 0, NULL, 0},
                                            {&cli_choice_argp, 0, NULL, 0},
                                            {&cli_early_argp, 0, NULL, 0},
                                            {&cli_gate_argp, 0, NULL, 0},
                                            {&cli_junit_argp, 0, NULL, 0},
                                            {&cli_again_argp, 0, NULL, 0},
                                            {&cli_repeat_argp, 0, NULL, 0},
                                            {0}},
};

char *cli_run_resume_command(int argc, char **argv)
{
    size_t size = 4 * strlen(cli_program) + 64;
    for (int i = 1; i < argc; i++) {
        size += 4 * strlen(argv[i]) + 4;
    }
    char *command = malloc(size);
    if (command == NULL) {
        return NULL;
    }
    size_t used = (size_t)snprintf(command, size, "%s run", cli_program);
    for (int i = 1; i < argc; i++) {
        bool plain = strspn(argv[i], CLI_PLAIN) == strlen(argv[i]);
        if (strncmp(argv[i], "--overw", 7) == 0 || strncmp(argv[i], "--res", 5) == 0) {
            continue;
        }
        char *word = plain && *argv[i] != 0 ? strdup(argv[i]) : topk_text_shell(argv[i]);
        if (word != NULL) {
            used += (size_t)snprintf(command + used, size - used, " %s", word);
        }
        free(word);
    }
    return command;
}
