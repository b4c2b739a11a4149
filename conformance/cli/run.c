/* topk-cts run: runs cases, writes the log, and prints whether the backend conforms. */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <uv.h>

#include "cli.h"
#include "engine.h"
#include "junit_option.h"
#include "log/log.h"
#include "run.h"

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

static void note(void *context, const char *text)
{
    struct cli_run *run = context;
    run->notes++;
    if (run->notes <= CLI_RUN_NOTES) {
        cli_progress_erase(&run->progress);
        cli_error("note: %s", text);
    }
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

static bool keep_result(struct cli_run *run, uint64_t position, const struct topk_result *own)
{
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
    uint32_t types[TOPK_ROLE_COUNT];
    cli_case_types(c, own->call, types);
    if (!topk_log_waived(run->log, number, c->id, types[TOPK_VALUE], types[TOPK_INDEX], result,
                         own->verdict, rule)) {
        return false;
    }
    topk_result_clauses(result, &broken);
    const uint64_t asked =
        run->tally.gate.count == 0 ? c->valid : cli_tally_ask(&run->tally, c->id);
    cli_tally_add(&run->tally, asked, result->verdict, result->by_status, result->by_contract,
                  result->clause, &broken, result->judgement.observations, result->reason);
    if (topk_verdict_failure(result->verdict)) {
        cli_tally_protocol(&run->tally, &run->options.backend, result, note, run);
        const uint64_t kind = cli_again_kind(
            result->verdict, result->clause,
            result->reading == TOPK_READING_NONE ? "" : topk_reading_row(result->reading)->sentence,
            &result->crash, c->type);
        cli_run_again_keep(run, number, kind, result->verdict, result->clause, broken);
        /* if memory is short, the failure is at least printed */
        if (!keep_failure(run, number, result) || run->options.backend.verbose) {
            print_failure(run, number, result);
        }
    }
    return cli_early_take(&run->options.early, result->verdict);
}

static bool take_result(void *context, uint64_t position, const struct topk_result *own)
{
    struct cli_run *run = context;
    const enum topk_stage before = topk_stage_enter(TOPK_STAGE_LOG);
    const bool more = keep_result(run, position, own);
    topk_stage_enter(before);
    return more;
}

/* text() of the job with --repeat */
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

/* Records how a process ended. Errors of the log are reported when its end is written. */
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
    if (run->cases.count < run->selectable) {
        fputs(run->options.shard.count > 0 ? "," : "", stdout);
        cli_level_print(stdout, run->level, true);
        printf(" (of %" PRIu64 " in all)", run->selectable);
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
        printf("continuing: %" PRIu64 " cases already have a result\n", run->before);
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

/* copies the results of an earlier run */
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

static int run_cases(struct cli_run *run, struct topk_runner *runner)
{
    char error[TOPK_RUNNER_ERROR] = "";
    cli_run_estimate_start(run);
    int code = cli_run_open_log(run);
    if (code != CLI_CONFORMANT) {
        return code;
    }
    cli_early_start(&run->options.early, run->options.backend.timeout);
    print_start(run);
    enum topk_runner_status status = run_probes(run, runner, error);
    if (status != TOPK_RUNNER_DONE) {
        return cli_run_finish(run, runner, status, error);
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
    if (run->options.estimate) {
        return cli_run_estimate(run, runner, &job);
    }
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
    topk_stage_enter(TOPK_STAGE_IDLE);
    status = topk_runner_run(runner, &job, error);
    topk_stage_enter(TOPK_STAGE_END);
    return cli_run_finish(run, runner, status, error);
}

/* Writes the log of a shard without cases, which merge accepts. Exits with 0, because an engine
 * chooses the number of shards, and treats any other exit code as a failure. */
static int run_nothing(struct cli_run *run)
{
    const struct topk_shard *shard = &run->options.shard;
    int code = cli_run_open_log(run);
    cli_workers_close(&run->workers);
    if (code != CLI_CONFORMANT) {
        return code;
    }
    run->kept = cli_run_keep(run, TOPK_RUNNER_DONE, true);
    cli_print("log: %s\n", run->log_path);
    if (!run->kept) {
        return CLI_HARNESS;
    }
    cli_run_print_junit(run);
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
    cli_workers_start(&run->workers);
    run->tally.contract = run->workers.greeting.contract;
    run->style.software_device = cli_software_device(&run->workers.greeting);
    run->style.contract = run->workers.greeting.contract;
    run->level = options->choice.level != 0 ? options->choice.level : run->workers.greeting.level;
    run->selectable = run->cases.count;
    cli_cases_limit(&run->cases, run->level);
    for (uint64_t i = 0; i < run->cases.count; i++) {
        run->selected += cli_case_of_shard(&run->cases, &run->options.shard, i);
    }
    if (run->cases.count == 0) {
        cli_error("nothing was selected: every case needs a feature level above %u.%u",
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
    cli_run_estimate_end(run);
    free(run->estimate_folder);
    free(run->stages);
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
    run->resume_command = cli_run_resume_command(argc, argv);
    cli_parse(&cli_run_argp, argc, argv, options);
    run->resume_command = cli_engine_command(&options->engine, run->resume_command,
                                             options->engine_shard, options->engine_out);
    run->started_at = uv_hrtime();
    cli_run_stages_start(run);
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
    cli_workers_prepare(&run->workers, &options->backend, options->jobs, note, ended, run);
    cli_run_look_start(run);
    cli_cases_select(&run->cases, options->choice.profile, options->selections,
                     options->selection_count, true);
    cli_cases_hold(&run->cases, options->choice.profile);
    int code = open_and_run(run);
    free_run(run);
    return code;
}
