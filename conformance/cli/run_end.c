/* topk-cts run, its end: analyzes the failures, brings the log and its files to disk, and then
 * prints the result. */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include <uv.h>

#include "cli.h"
#include "formats/report.h"
#include "log/log.h"
#include "run.h"

/* The verdict of a run that is complete or ended early. */
static struct cli_verdict verdict_of(const struct cli_run *run, size_t unheld)
{
    const struct topk_profile *profile = run->options.choice.profile;
    return (struct cli_verdict){
        .profile = profile->name,
        .profile_version = profile->version,
        .backend = run->workers.greeting.name,
        .version = run->workers.greeting.version,
        .level = run->level,
        .limit = run->level < run->workers.greeting.level ? run->level : 0,
        .selected = run->options.selection_count > 0,
        .shard = run->options.shard.count > 0,
        .findings = run->findings,
        .early = run->options.early.end,
        .strict = run->options.strict ? unheld : 0,
    };
}

/* Prints the last line, once all is on disk: the verdict, or INCOMPLETE if `code` is an error.
 * Returns the exit code. */
static int conclude(const struct cli_run *run, enum topk_runner_status status, int code,
                    size_t unheld)
{
    char *line = NULL;
    const bool changed =
        run->tally.tested.ended[TOPK_PROCESS_CHANGED] > 0; /* see resume_process() */
    if ((status != TOPK_RUNNER_DONE || !run->kept) && !run->look.failed && !changed) {
        printf("To continue: %s --resume%s%s\n",
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
            run->kept ? "" : "; not everything could be written"));
    }
    code = cli_conclude(code, line);
    free(line);
    return code;
}

/* Shrinks a failure of each bug, and writes the shrunk cases. Returns CLI_CONFORMANT or
 * CLI_HARNESS. */
static int shrink_failures(struct cli_run *run, struct topk_runner *runner)
{
    struct topk_distinct *distinct = &run->distinct;
    switch (cli_distinct_shrink(distinct, runner, run->options.backend.timeout)) {
    case TOPK_RUNNER_DONE:
        break;
    case TOPK_RUNNER_INTERRUPTED:
        cli_error("shrinking was interrupted: the cases may become smaller");
        break;
    default:
        cli_error("shrinking ended early: workers cannot be kept running");
        break;
    }
    (void)cli_distinct_log(run->log,
                           distinct); /* errors of the log are reported when its end is written */
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

/* Prints the bugs. runner: NULL if no more cases can be run. Returns CLI_CONFORMANT or
 * CLI_HARNESS. */
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

/* Appends the end record. whole: the files beside the log were written. */
static bool end_log(struct cli_run *run, enum topk_runner_status status, bool whole)
{
    const struct topk_early *early = &run->options.early.end;
    const uint64_t *totals = run->tally.totals;
    return early->by != TOPK_EARLY_NOT
               ? topk_log_end_early(run->log, early, totals)
               : topk_log_end(run->log, whole && status == TOPK_RUNNER_DONE, totals);
}

/* Writes the JUnit file from the log, and that of the engine. If the log is not intact, removes the
 * JUnit file instead. False if something failed. */
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

/* Replaces the plain log, which is on disk, by a compressed one. If that fails, the plain log stays
 * and is marked as incomplete, because --zstd was not done. False after a message. */
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

bool cli_run_keep(struct cli_run *run, enum topk_runner_status status, bool whole)
{
    bool logged = end_log(run, status, whole) && topk_log_settle(run->log);
    const bool written = write_junit(run);
    if (logged && !written) {
        logged = topk_log_retract(run->log) && end_log(run, status, false);
    }
    /* also checks that the log was not replaced meanwhile */
    logged = logged && topk_log_settle(run->log) && topk_log_intact(run->log);
    if (!logged) {
        cli_error("the log cannot be written: %s", topk_log_error(run->log));
    }
    /* an interrupted run keeps its plain log, which --resume continues */
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

void cli_run_print_junit(const struct cli_run *run)
{
    cli_print("JUnit: %s\n", run->junit_path);
    if (run->options.engine.xml != NULL) {
        cli_print("JUnit: %s\n", run->options.engine.xml);
    }
}

int cli_run_finish(struct cli_run *run, struct topk_runner *runner, enum topk_runner_status status,
                   const char *error)
{
    const bool stopped = status == TOPK_RUNNER_STOPPED;
    const enum topk_early_by by = run->options.early.end.by;
    const bool early =
        cli_early_ended(&run->options.early, stopped ? run->selected - run->tally.done : 0);
    const bool one_thing = cli_run_look_again(run, true);
    const bool disk_failed = stopped && by == TOPK_EARLY_NOT && one_thing;
    int code = CLI_CONFORMANT; /* an error that prevents a verdict */
    if (stopped && !disk_failed && !early && one_thing) {
        status = TOPK_RUNNER_DONE; /* it was stopped after the last result */
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
    /* the bugs are read from the log */
    bool whole = !disk_failed && topk_log_intact(run->log);
    if (whole) {
        whole = print_bugs(run, can_run ? runner : NULL) == CLI_CONFORMANT;
    }
    if (can_run) {
        cli_run_print_alone(run);
    }
    /* closing may fail, and nothing may fail after the verdict */
    if (!cli_workers_close(&run->workers) && code == CLI_CONFORMANT) {
        status = TOPK_RUNNER_BROKEN;
        code = CLI_HARNESS;
    }
    run->kept = cli_run_keep(run, status, whole);
    code = run->kept ? code : CLI_HARNESS;
    if (run->notes > CLI_RUN_NOTES) {
        cli_error("note: workers ended between cases %" PRIu64 " times in all", run->notes);
    }
    cli_tally_print(stdout, &run->tally, run->style.software_device);
    cli_print("%s", run->lost == NULL ? "" : run->lost);
    const size_t unheld = cli_run_print_expectations(run);
    cli_print("log: %s\n", run->log_path);
    if (run->has_junit) {
        cli_run_print_junit(run);
    }
    if (run->distinct.count > 0 && run->options.shrink) {
        cli_print("distinct failures: %s\n", run->shrunk_path);
    }
    if (!cli_run_stages_end(run)) {
        code = CLI_HARNESS;
    }
    return conclude(run, status, code, unheld);
}
