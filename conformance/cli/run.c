/* topk-cts run: runs cases, writes the log, and says whether the backend conforms. */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <uv.h>

#include "cli.h"
#include "engine.h"
#include "formats/report.h"
#include "junit_option.h"
#include "log/log.h"
#include "run.h"

enum {
    KEY_SEED = 3000,
    KEY_FAILURES,
    KEY_OLD_FAILURES,
    KEY_SHARD
};

#define NOTES_SHOWN      5
#define FAILURES_DEFAULT 10

/* ---- options
 * --------------------------------------------------------------------------------- */

/* "2/4"; exits if it is something else */
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
        argp_error(state, "there is no shard %s: they are numbered from 1 on", text);
    }
}

/* What the environment says, as far as the command line leaves it open. */
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
        *shard = (struct topk_shard){0}; /* that is all */
    }
    if (shard->count > TOPK_SHARD_BUCKETS && options->costs != NULL) {
        argp_error(state, "--costs divides a run into %u shards at most", TOPK_SHARD_BUCKETS);
    }
    shard->rule = shard->count == 0 ? TOPK_SHARD_BY_NUMBER : TOPK_SHARD_BY_ID;
    cli_engine_narrow(engine, state, &options->selections, &options->selection_count);
}

/* a worker for each of several commands, if --jobs does not say more */
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
        if ((options->resume || options->overwrite) && options->out == NULL) {
            argp_error(state, "%s needs --out DIR", options->resume ? "--resume" : "--overwrite");
        }
        check_jobs(options, state);
        options->backend.partial = options->resume; /* a machine may not have come back */
        if (options->strict && options->expectations == NULL) {
            argp_error(state, "--strict is for --expectations FILE");
        }
        if (options->gate.gate.allow_expired && options->expectations == NULL) {
            argp_error(state, "--allow-expired is for --expectations FILE");
        }
        if (options->choice.profile == NULL) {
            options->choice.profile = cli_profile_of(state, "core");
        }
        return 0;
    default:
        return cli_store(key, argument, state);
    }
}

/* the variables of engines, behind the description */
static char *help(int key, const char *text, void *input)
{
    (void)input;
    return key == ARGP_KEY_HELP_POST_DOC ? cli_engine_help(text) : (char *)text;
}

const struct argp cli_run_argp = {
    .options =
        (const struct argp_option[]){
            {"jobs", 'j', "N", 0,
             "Workers that run at once; 0: one for each processor; default 1, which keeps the "
             "order of the cases, or one for each --backend-command of several, over which more "
             "are dealt in turn",
             0},
            {"seed", KEY_SEED, "SEED", 0,
             "Order of the cases: 0, the default, is that of the profile, any other number "
             "shuffles them, the same way each time",
             0},
            {"out", 'o', "DIR", 0,
             "Folder for the log and JUnit file; default "
             "topk-results/BACKEND-PROFILE-DATE-TIME",
             0},
            {"shard", KEY_SHARD, "I/N", 0,
             "Run part I of N of the cases; `topk-cts merge' puts the N runs together. The id of a "
             "case "
             "decides of which part it is",
             0},
            {"costs", CLI_TEXT(struct cli_run_options, costs), "FILE", 0,
             "Make the parts of --shard take the same time, by what cases took in an earlier run: "
             "its "
             "folder, or what `topk-cts report --format costs' wrote. All parts need the same "
             "costs",
             0},
            {"resume", CLI_FLAG(struct cli_run_options, resume), NULL, 0,
             "Go on with the log in --out DIR", 0},
            {"overwrite", CLI_FLAG(struct cli_run_options, overwrite), NULL, 0,
             "Replace the log in --out DIR", 0},
            {"zstd", CLI_FLAG(struct cli_run_options, zstd), NULL, 0,
             "Compress the log once the run has come to its end: results.jsonl.zst takes its "
             "place, "
             "and all commands read it. A run that is interrupted keeps the plain one",
             0},
            {"show-failures", KEY_FAILURES, "N", 0,
             "Bugs that are printed, with the smallest case of each, and with --verbose "
             "failures; "
             "default 10; all are in the log",
             0},
            {"max-failures", KEY_OLD_FAILURES, "N", OPTION_HIDDEN, NULL, 0},
            {"no-probes", CLI_FLAG(struct cli_run_options, no_probes), NULL, 0,
             "Leave out the probes of what lies beneath the backend, see `topk-cts probe'", 0},
            {"no-identity", CLI_FLAG(struct cli_run_options, no_identity), NULL, 0,
             "Do not look at which files, libraries and drivers are tested, nor at the "
             "machine: "
             "the log then cannot say",
             0},
            {"shrink", CLI_FLAG(struct cli_run_options, shrink), NULL, 0,
             "Shrink the case that is printed of each bug, as `topk-cts shrink' does; "
             "shrunk.txt "
             "in "
             "the folder of the log keeps these cases for `topk-cts replay -'",
             0},
            {"expectations", CLI_TEXT(struct cli_run_options, expectations), "FILE", 0,
             "Failures that are known, as `topk-cts expectations' proposes them: they are run, "
             "and do not fail the run; what does not hold of the rules is said",
             0},
            {"strict", CLI_FLAG(struct cli_run_options, strict), NULL, 0,
             "Fail also if a case passes that is expected to fail, or if a rule matches no "
             "case of "
             "a "
             "whole profile, or is for a condition in which none fails as it says",
             0},
            {0},
        },
    .parser = parse,
    .args_doc = "[SELECTION...]",
    .doc = "Runs the cases of a profile, core if none is given, against a backend.\v"
           "A SELECTION is the start of an id, such as `ties' or `ties.boundary', or a glob that "
           "matches it whole, with `*' and `?'. A whole id or case that the profile does not have "
           "is run too. Cases that ask for a higher feature level than the backend reports, or "
           "--feature-level, are not selected.",
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

/* The command that continues this run, without --out; to be freed. */
static char *resume_command(int argc, char **argv)
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
        bool plain = strspn(argv[i], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                     "0123456789._/:=+,@-") == strlen(argv[i]);
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

/* ---- running
 * --------------------------------------------------------------------------------- */

static const char *case_text(void *context, uint64_t position, size_t *length)
{
    const struct cli_run *run = context;
    return cli_case_text(&run->cases, cli_order_at(&run->order, position), length);
}

static void print_failure(struct cli_run *run, uint64_t number, const struct topk_result *result)
{
    const char *id = cli_case_at(&run->cases, number)->id;
    if (run->printed >= run->options.show_failures) {
        if (run->printed == run->options.show_failures && run->printed > 0) {
            cli_progress_erase(&run->progress);
            puts("More failures are in the log only.");
            fflush(stdout);
        }
        run->printed++;
        return;
    }
    run->printed++;
    cli_progress_erase(&run->progress);
    topk_failure_print(stdout, &run->style, id, result);
    cli_run_print_nearly(run, id, result);
    cli_again_show(&run->again);
    fflush(stdout);
}

/* keeps a failure for the end of the run; false if memory is short */
static bool keep_failure(struct cli_run *run, uint64_t number, const struct topk_result *result)
{
    const struct cli_case *c = cli_case_at(&run->cases, number);
    struct topk_case tc;
    bool kept = cli_case_parse(c->id, c->length, &tc) &&
                topk_distinct_add(&run->distinct, number, c->id, c->length, &tc, result);
    topk_case_clear(&tc);
    return kept;
}

static bool take_result(void *context, uint64_t position, const struct topk_result *own)
{
    struct cli_run *run = context;
    const uint64_t number = cli_order_at(&run->order, position);
    const struct cli_case *c = cli_case_at(&run->cases, number);
    struct topk_clause_set broken = {{0}};
    const struct topk_result *result = own;
    struct topk_result judged;
    struct topk_ended ended;
    uint32_t rule;
    topk_ended_of(c->id, own, &ended);
    const enum topk_verdict verdict =
        topk_expectations_judge(&run->expectations, &ended, &rule, NULL);
    if (verdict != own->verdict) {
        judged = *own;
        judged.verdict = verdict;
        result = &judged;
    }
    if (!topk_log_waived(run->log, number, c->id, c->type, c->index_type, result, own->verdict,
                         rule)) {
        return false;
    }
    topk_result_clauses(result, &broken);
    cli_tally_add(&run->tally, c->id, result->verdict, result->by_status, result->by_contract,
                  result->clause, &broken, result->judgement.observations, result->reason);
    if (topk_verdict_failure(result->verdict)) {
        const uint64_t kind = cli_again_kind(
            result->verdict, result->clause,
            result->reading == TOPK_READING_NONE ? "" : topk_reading_row(result->reading)->sentence,
            &result->crash, c->type);
        cli_run_again_keep(run, number, kind, result->verdict, result->clause, broken);
        /* without room for one more, it is at least shown */
        if (!keep_failure(run, number, result) || run->options.backend.verbose) {
            print_failure(run, number, result);
        }
    }
    return cli_early_take(&run->options.early, result->verdict);
}

/* with --repeat */
static const char *repeated_text(void *context, uint64_t number, size_t *length)
{
    const struct cli_run *run = context;
    return case_text(context, number / run->repeat.times, length);
}

static bool next_repeated(void *context, uint64_t *number)
{
    struct cli_run *run = context;
    return cli_repeat_next(&run->repeat, number);
}

static bool take_repeated(void *context, uint64_t number, const struct topk_result *result)
{
    struct cli_run *run = context;
    bool ok;
    result = cli_repeat_take(&run->repeat, number, result, &ok);
    cli_need_memory(ok);
    return result == NULL || take_result(context, number / run->repeat.times, result);
}

static void note_sent(void *context, uint64_t number, uint64_t worker)
{
    struct cli_run *run = context;
    cli_again_sent(&run->again, number, worker);
}

static void tick(void *context)
{
    struct cli_run *run = context;
    cli_progress_draw(&run->progress, &run->tally);
    if (!cli_early_tick(&run->options.early) || !cli_run_look_again(run, false) ||
        !topk_log_intact(run->log)) {
        topk_runner_stop(run->workers.runner);
    }
}

static void note(void *context, const char *text)
{
    struct cli_run *run = context;
    run->notes++;
    if (run->notes <= NOTES_SHOWN) {
        cli_progress_erase(&run->progress);
        cli_error("note: %s", text);
    }
}

/* Keeps how a process ended. A log that cannot be written says so when it is ended. */
static void ended(void *context, enum topk_process_end end, const char *how)
{
    struct cli_run *run = context;
    if (end == TOPK_PROCESS_UNDER_WAY && run->looking) {
        return;
    }
    const struct topk_log_process process = {.end = end, .reason = how};
    cli_tally_ended(&run->tally, end);
    if (end == TOPK_PROCESS_LOST) {
        cli_run_keep_lost(run, how);
    }
    if (run->log != NULL) {
        (void)topk_log_process(run->log, &process);
    }
}

static bool of_shard(const void *context, uint64_t number)
{
    const struct cli_run *run = context;
    return cli_case_of_shard(&run->cases, &run->options.shard, number);
}

static void print_start(const struct cli_run *run)
{
    const struct topk_profile *profile = run->options.choice.profile;
    printf("topk-cts %s, profile %s v%" PRIu32 " (digest %.12s), %" PRIu64 " cases", TOPK_VERSION,
           profile->name, profile->version, profile->digest, run->selected);
    if (run->options.shard.count > 0) {
        printf(" of %zu: shard %" PRIu32 " of %" PRIu32, run->cases.count,
               run->options.shard.number, run->options.shard.count);
    }
    putchar('\n');
    fputs("backend: ", stdout);
    cli_identity_print(stdout, &run->workers.greeting);
    cli_guard_pages_print(stdout, &run->options.backend);
    if (!run->options.no_identity) {
        char tested[TOPK_PART_WORDS];
        topk_identity_brief(&run->look.identity.parts, tested, sizeof tested);
        fputs("  tested: ", stdout);
        topk_text_print(stdout, tested);
        putchar('\n');
    }
    if (run->before > 0) {
        printf("going on: %" PRIu64 " cases have their result already\n", run->before);
    }
    fflush(stdout);
}

/* ---- probes
 * ---------------------------------------------------------------------------------- */

static bool take_probe(void *context, const struct topk_probe *probe)
{
    struct cli_run *run = context;
    if (!topk_log_probe(run->log, probe)) {
        return false;
    }
    if (topk_probe_verdict_finding(probe->verdict)) {
        cli_probe_print_finding(stdout, probe);
        fflush(stdout);
    }
    return cli_early_tick(&run->options.early);
}

/* takes over what a run before found out */
static void keep_probes(struct topk_probes *probes, const struct topk_probes *before)
{
    for (uint32_t i = 0; i < probes->count; i++) {
        for (uint32_t j = before->count; j-- > 0;) {
            if (strcmp(probes->list[i].name, before->list[j].name) == 0) {
                probes->list[i] = before->list[j];
            }
        }
    }
}

/* Runs the probes that have no record yet. */
static enum topk_runner_status run_probes(struct cli_run *run, struct topk_runner *runner,
                                          char error[TOPK_RUNNER_ERROR])
{
    static struct topk_probes before; /* for a small stack */
    enum topk_runner_status status = TOPK_RUNNER_DONE;
    before = run->probes;
    if (!run->options.no_probes) {
        status = topk_probes_list(runner, &run->workers.greeting, &run->probes, error);
        const bool unlisted =
            run->probes.count > 0 && run->probes.list[0].verdict != TOPK_PROBE_VERDICT_COUNT;
        keep_probes(&run->probes, &before);
        if (unlisted && before.count == 0 && !take_probe(run, &run->probes.list[0])) {
            return TOPK_RUNNER_STOPPED;
        }
        if (status == TOPK_RUNNER_DONE) {
            status = topk_probes_run(runner, &run->probes, take_probe, run, error);
        }
    }
    for (uint32_t i = 0; status == TOPK_RUNNER_DONE && i < run->probes.count; i++) {
        run->findings += topk_probe_verdict_finding(run->probes.list[i].verdict);
    }
    if (status == TOPK_RUNNER_DONE && run->probes.count > 0) {
        cli_probe_print_all(stdout, &run->probes);
        fflush(stdout);
    }
    return status;
}

/* What a run exits with, and says last, that came to its end or ended early. */
static struct cli_verdict verdict_of(const struct cli_run *run, size_t unheld)
{
    const struct topk_profile *profile = run->options.choice.profile;
    return (struct cli_verdict){
        .profile = profile->name,
        .profile_version = profile->version,
        .backend = run->workers.greeting.name,
        .version = run->workers.greeting.version,
        .limit = run->level < run->workers.greeting.level ? run->level : 0,
        .selected = run->options.selection_count > 0,
        .shard = run->options.shard.count > 0,
        .findings = run->findings,
        .early = run->options.early.end,
        .strict = run->options.strict ? unheld : 0,
    };
}

/* Says last what came out, once all is on disk, and that it is not what it should be if code
 * says so. Returns what to exit with. */
static int conclude(const struct cli_run *run, enum topk_runner_status status, int code,
                    size_t unheld)
{
    char *line = NULL;
    const bool changed =
        run->tally.tested.ended[TOPK_PROCESS_CHANGED] > 0; /* see resume_process() */
    if ((status != TOPK_RUNNER_DONE || !run->kept) && !run->look.failed && !changed) {
        printf("To go on: %s --resume%s%s\n",
               run->resume_command == NULL ? "the same command" : run->resume_command,
               run->options.out == NULL ? " --out " : "", run->options.out == NULL ? run->dir : "");
    }
    if (code == CLI_CONFORMANT) {
        const struct cli_verdict verdict = verdict_of(run, unheld);
        code = cli_verdict_exit(&run->tally, &verdict);
        line = cli_verdict_line(&run->tally, &verdict);
    } else {
        line = cli_need(topk_text_make(
            "INCOMPLETE: %" PRIu64 " of %" PRIu64 " cases done, %" PRIu64 " failed%s\n",
            run->tally.done, run->selected, cli_tally_failures(&run->tally),
            run->kept ? "" : "; not all of it could be written"));
    }
    code = cli_conclude(code, line);
    free(line);
    return code;
}

/* Shrinks a failure of each bug and keeps what came. Returns what to exit with, as far as this
 * goes. */
static int shrink_failures(struct cli_run *run, struct topk_runner *runner)
{
    struct topk_distinct *distinct = &run->distinct;
    switch (cli_distinct_shrink(distinct, runner, run->options.backend.timeout)) {
    case TOPK_RUNNER_DONE:
        break;
    case TOPK_RUNNER_INTERRUPTED:
        cli_error("shrinking was interrupted: this is how far it came");
        break;
    default:
        cli_error("shrinking ended early: workers cannot be kept running");
        break;
    }
    (void)cli_distinct_log(run->log,
                           distinct); /* the end record says whether it could be written */
    return cli_distinct_write(run->shrunk_path, TOPK_OUTPUT_OURS, distinct) ? CLI_CONFORMANT
                                                                            : CLI_HARNESS;
}

static void print_bug_nearly(void *context, const char *id, const struct topk_result *result)
{
    cli_run_print_nearly(context, id, result);
}

static bool bug_is_behind(void *context, const struct topk_entry *entry)
{
    return cli_run_is_behind(context, entry);
}

/* Says which bugs there are. runner: NULL if no more cases can be run. Returns what to exit
 * with, as far as this goes. */
static int print_bugs(struct cli_run *run, struct topk_runner *runner)
{
    int code = CLI_CONFORMANT;
    struct cli_bugs *bugs = &run->bugs;
    if (cli_tally_failures(&run->tally) == 0 || !cli_bugs_read(bugs, run->log_path) ||
        bugs->entries.count == 0) {
        return code;
    }
    if (runner != NULL) {
        (void)cli_bugs_probe(bugs, runner, run->log, &run->cases,
                             (double)(uv_hrtime() - run->began) / 1e9);
    }
    cli_need_memory(cli_bugs_collapse(bugs, runner, &run->distinct));
    if (runner != NULL && run->options.shrink) {
        code = shrink_failures(run, runner);
    }
    const struct cli_bugs_style style = {.failure = &run->style,
                                         .file_prefix = run->bug_prefix,
                                         .most = run->options.show_failures,
                                         .after = print_bug_nearly,
                                         .behind = bug_is_behind,
                                         .context = run};
    cli_bugs_print(stdout, bugs, &run->distinct, &style);
    return code;
}

/* Appends the end record. whole: all that has to stand beside the log does. */
static bool end_log(struct cli_run *run, enum topk_runner_status status, bool whole)
{
    const struct topk_early *early = &run->options.early.end;
    const uint64_t *totals = run->tally.totals;
    return early->by != TOPK_EARLY_NOT
               ? topk_log_end_early(run->log, early, totals)
               : topk_log_end(run->log, whole && status == TOPK_RUNNER_DONE, totals);
}

/* Writes the JUnit file from the log, and that of the engine. One of a log that is not this run's
 * is not left behind. False after a message. */
static bool write_junit(struct cli_run *run)
{
    char error[1024] = "";
    if (!topk_log_intact(run->log)) {
        unlink(run->junit_path);
        return false;
    }
    const char *const paths[] = {run->junit_path, run->options.engine.xml};
    run->has_junit = true;
    for (size_t i = 0; i < 2 && paths[i] != NULL; i++) {
        if (!topk_junit_write(run->log_path, paths[i], run->options.junit, &cli_case_lookup, error,
                              sizeof error)) {
            cli_error("%s", error);
            run->has_junit = false;
        }
    }
    return run->has_junit;
}

/* Has the compressed log take the place of the plain one, which is on disk. If that fails the plain
 * one stays, and says that the run is incomplete: not all is there that was asked for. False after
 * a message. */
static bool compress(struct cli_run *run)
{
    char error[1024] = "";
    if (topk_log_pack(run->dir, error, sizeof error)) {
        free(run->log_path);
        run->log_path = cli_need(topk_log_path(run->dir));
        return true;
    }
    cli_error("the log cannot be compressed: %s", error);
    if (!topk_log_retract(run->log) || !end_log(run, TOPK_RUNNER_STOPPED, false) ||
        !topk_log_settle(run->log)) {
        cli_error("the log cannot be written: %s", topk_log_error(run->log));
    }
    return false;
}

/* Ends the log, and has all that the run leaves on disk. The log says that it is complete only
 * if that worked. False, after a message, if it did not. */
static bool keep(struct cli_run *run, enum topk_runner_status status, bool whole)
{
    bool logged = end_log(run, status, whole) && topk_log_settle(run->log);
    const bool written = write_junit(run);
    if (logged && !written) {
        logged = topk_log_retract(run->log) && end_log(run, status, false);
    }
    /* also that nobody exchanged it since */
    logged = logged && topk_log_settle(run->log) && topk_log_intact(run->log);
    if (!logged) {
        cli_error("the log cannot be written: %s", topk_log_error(run->log));
    }
    /* who goes on with a run that was interrupted goes on with the plain log */
    const bool at_end = whole && logged && written &&
                        (status == TOPK_RUNNER_DONE || run->options.early.end.by != TOPK_EARLY_NOT);
    const bool compressed = !at_end || !run->options.zstd || compress(run);
    const bool closed = topk_log_close(run->log);
    if (logged && !closed) {
        cli_error("the log cannot be written: closing %s failed", run->log_path);
    }
    run->log = NULL;
    return whole && logged && written && compressed && closed;
}

static void print_junit(const struct cli_run *run)
{
    cli_print("JUnit: %s\n", run->junit_path);
    if (run->options.engine.xml != NULL) {
        cli_print("JUnit: %s\n", run->options.engine.xml);
    }
}

/* Ends the log, writes the rest, says what came out. */
static int finish(struct cli_run *run, struct topk_runner *runner, enum topk_runner_status status,
                  const char *error)
{
    const bool stopped = status == TOPK_RUNNER_STOPPED;
    const enum topk_early_by by = run->options.early.end.by;
    const bool early =
        cli_early_ended(&run->options.early, stopped ? run->selected - run->tally.done : 0);
    const bool one_thing = cli_run_look_again(run, true);
    const bool disk_failed = stopped && by == TOPK_EARLY_NOT && one_thing;
    int code = CLI_CONFORMANT; /* what keeps the run from a verdict */
    if (stopped && !disk_failed && !early && one_thing) {
        status = TOPK_RUNNER_DONE; /* it was about to end, and had all */
    }
    const bool can_run =
        one_thing && (status == TOPK_RUNNER_DONE || (early && by != TOPK_EARLY_TIME_BUDGET));
    cli_progress_erase(&run->progress);
    cli_early_explain(&run->options.early, true);
    run->looking = true;
    if (can_run) {
        cli_workers_remain(&run->workers);
        cli_run_again(run);
    }
    if (!disk_failed && status != TOPK_RUNNER_DONE && !early && !run->look.failed) {
        code = cli_runner_failed(status, error);
    }
    if (!one_thing) {
        status = TOPK_RUNNER_BROKEN;
        code = CLI_HARNESS;
    }
    /* what is printed of bugs is read from the log */
    bool whole = !disk_failed && topk_log_intact(run->log);
    if (whole) {
        whole = print_bugs(run, can_run ? runner : NULL) == CLI_CONFORMANT;
    }
    if (can_run) {
        cli_run_print_alone(run);
    }
    /* closing may fail, and nothing may behind the verdict */
    if (!cli_workers_close(&run->workers) && code == CLI_CONFORMANT) {
        cli_error("it cannot be known how all workers ended: the system does not tell");
        status = TOPK_RUNNER_BROKEN;
        code = CLI_HARNESS;
    }
    run->kept = keep(run, status, whole);
    code = run->kept ? code : CLI_HARNESS;
    if (run->notes > NOTES_SHOWN) {
        cli_error("note: workers ended between cases %" PRIu64 " times in all", run->notes);
    }
    cli_tally_print(stdout, &run->tally, run->style.software_device);
    cli_print("%s", run->lost == NULL ? "" : run->lost);
    const size_t unheld = cli_run_print_expectations(run);
    cli_print("log: %s\n", run->log_path);
    if (run->has_junit) {
        print_junit(run);
    }
    if (run->distinct.count > 0 && run->options.shrink) {
        cli_print("distinct failures: %s\n", run->shrunk_path);
    }
    return conclude(run, status, code, unheld);
}

static int run_cases(struct cli_run *run, struct topk_runner *runner)
{
    char error[TOPK_RUNNER_ERROR] = "";
    int code = cli_run_open_log(run);
    if (code != CLI_CONFORMANT) {
        return code;
    }
    cli_early_start(&run->options.early, run->options.backend.timeout);
    print_start(run);
    enum topk_runner_status status = run_probes(run, runner, error);
    if (status != TOPK_RUNNER_DONE) {
        return finish(run, runner, status, error);
    }
    cli_progress_start(&run->progress, run->selected, run->before);
    cli_order_make(&run->order, run->cases.count, run->options.shard.count > 0 ? of_shard : NULL,
                   run, run->before > 0 ? run->finished : NULL, run->options.seed);
    struct topk_runner_job job = {
        .count = run->order.count,
        .text = case_text,
        .result = take_result,
        .sent = note_sent,
        .tick = tick,
        .context = run,
    };
    run->again.before = run->before > 0 ? run->finished : NULL;
    run->again.order = &run->order;
    run->again.times = run->options.repeat;
    run->repeat = (struct cli_repeat){.times = run->options.repeat, .count = job.count};
    if (run->repeat.times > 1) {
        job.next = next_repeated;
        job.text = repeated_text;
        job.result = take_repeated;
    }
    run->began = uv_hrtime();
    status = topk_runner_run(runner, &job, error);
    return finish(run, runner, status, error);
}

/* A shard without a case: its log says so, and merge takes it. An engine makes as many shards as it
 * likes and takes anything but 0 for a failure. */
static int run_nothing(struct cli_run *run)
{
    const struct topk_shard *shard = &run->options.shard;
    int code = cli_run_open_log(run);
    cli_workers_close(&run->workers);
    if (code != CLI_CONFORMANT) {
        return code;
    }
    run->kept = keep(run, TOPK_RUNNER_DONE, true);
    cli_print("log: %s\n", run->log_path);
    if (!run->kept) {
        return CLI_HARNESS;
    }
    print_junit(run);
    if (run->options.engine_shard) {
        cli_print("NOTHING TO DO in shard %" PRIu32 " of %" PRIu32
                  ": it has none of the %zu cases\n",
                  shard->number, shard->count, run->cases.count);
        return CLI_CONFORMANT;
    }
    cli_error("nothing was selected: there are %zu cases for %" PRIu32 " shards", run->cases.count,
              shard->count);
    return CLI_INCOMPLETE;
}

static int open_and_run(struct cli_run *run)
{
    const struct cli_run_options *options = &run->options;
    int code = CLI_INCOMPLETE;
    cli_workers_open(&run->workers, &options->backend, options->jobs, note, ended, run);
    run->tally.contract = run->workers.greeting.contract;
    run->style.software_device = cli_software_device(&run->workers.greeting);
    run->style.contract = run->workers.greeting.contract;
    cli_run_look_start(run);
    run->level = options->choice.level != 0 ? options->choice.level : run->workers.greeting.level;
    cli_cases_limit(&run->cases, run->level);
    for (uint64_t i = 0; i < run->cases.count; i++) {
        run->selected += cli_case_of_shard(&run->cases, &run->options.shard, i);
    }
    if (run->cases.count == 0) {
        cli_error("nothing was selected: every case asks for a feature level above %u.%u",
                  (unsigned)(run->level >> 12), (unsigned)(run->level >> 8 & 15));
    } else if (run->selected == 0) {
        code = run_nothing(run);
    } else {
        code = run_cases(run, run->workers.runner);
    }
    cli_workers_close(&run->workers);
    return code;
}

static void free_run(struct cli_run *run)
{
    if (run->log != NULL) {
        topk_log_close(run->log);
    }
    cli_cases_free(&run->cases);
    cli_tally_free(&run->tally);
    topk_lock_release(&run->lock);
    free(run->replay);
    free(run->resume_command);
    free(run->dir);
    free(run->log_path);
    free(run->junit_path);
    free(run->shrunk_path);
    free(run->list_prefix);
    free(run->bug_prefix);
    cli_bugs_free(&run->bugs);
    free(run->expectations_text);
    free(run->contained);
    free(run->variables);
    free(run->lost);
    topk_expectations_free(&run->expectations);
    topk_distinct_free(&run->distinct);
    cli_run_look_free(run);
    cli_engine_free(&run->options.engine);
    cli_again_free(&run->again);
    cli_repeat_free(&run->repeat);
    free(run->costs);
    free(run->finished);
    cli_order_free(&run->order);
    free(run);
}

int cli_run(int argc, char **argv)
{
    struct cli_run *run = cli_need(calloc(1, sizeof *run));
    struct cli_run_options *options = &run->options;
    run->resume_command = resume_command(argc, argv);
    cli_parse(&cli_run_argp, argc, argv, options);
    run->resume_command = cli_engine_command(&options->engine, run->resume_command,
                                             options->engine_shard, options->engine_out);
    cli_engine_begin();
    cli_progress_start(&run->progress, 0, 0);
    run->replay = cli_replay_command(&options->backend);
    run->again.retries = options->retries;
    run->style.colour = cli_colour(stdout);
    run->style.replay = run->replay;
    cli_tally_start(&run->tally, &options->backend);
    cli_run_check_out(run);
    cli_run_read_costs(run);
    cli_run_read_expectations(run);
    cli_cases_select(&run->cases, options->choice.profile, options->selections,
                     options->selection_count, true);
    cli_cases_hold(&run->cases, options->choice.profile);
    int code = open_and_run(run);
    free_run(run);
    return code;
}
