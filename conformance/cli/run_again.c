/* topk-cts run: runs failures again when all cases are done. */
#define _POSIX_C_SOURCE 200809L /* uv.h needs it */
#include <uv.h>

#include "run.h"

void cli_run_again_keep(struct cli_run *run, uint64_t number, uint64_t kind,
                        enum topk_verdict verdict, enum topk_clause clause,
                        struct topk_clause_set broken)
{
    if (topk_clause_set_empty(&broken) && clause < TOPK_CLAUSE_COUNT) {
        topk_clause_set_add(&broken, clause);
    }
    cli_again_add(&run->again, number, kind, verdict, &broken);
}

static const char *id_of(void *context, uint64_t number)
{
    const struct cli_run *run = context;
    return cli_case_at(&run->cases, number)->id;
}

/* the seconds that the cases took */
static double spent(const struct cli_run *run)
{
    return run->began == 0 ? 0 : (double)(uv_hrtime() - run->began) / 1e9;
}

/* Counts a flaky case, which an expectation may waive. */
static void count_flaky(struct cli_run *run, struct cli_again_done *done)
{
    const struct topk_ended ended = {.id = id_of(run, done->record.number),
                                     .verdict = TOPK_VERDICT_FLAKY,
                                     .clauses = done->failure->broken};
    const enum topk_verdict counts =
        topk_expectations_judge(&run->expectations, &ended, &done->record.rule, NULL);
    cli_tally_move(&run->tally, done->failure->verdict, counts, &done->failure->broken);
}

void cli_run_again(struct cli_run *run)
{
    struct cli_again *again = &run->again;
    again->options = &run->workers.options;
    again->id = id_of;
    again->context = run;
    cli_again_run(again, spent(run));
    for (size_t i = 0; i < again->count; i++) {
        if (again->done[i].record.kind == TOPK_AGAIN_FLAKY) {
            count_flaky(run, &again->done[i]);
        }
        /* errors of the log are reported when its end is written */
        (void)topk_log_again(run->log, &again->done[i].record);
    }
    cli_again_print(stdout, again);
    fflush(stdout);
}

bool cli_run_is_behind(const struct cli_run *run, const struct topk_entry *entry)
{
    const struct cli_again *again = &run->again;
    size_t behind = 0;
    size_t others = 0;
    for (size_t i = 0; i < again->count; i++) {
        const struct topk_log_again *record = &again->done[i].record;
        if (topk_entries_find(&run->bugs.entries, record->number) == entry) {
            behind += record->kind == TOPK_AGAIN_BEHIND;
            others += record->kind != TOPK_AGAIN_BEHIND;
        }
    }
    return behind > 0 && others == 0;
}

void cli_run_print_alone(struct cli_run *run)
{
    const struct cli_again *again = &run->again;
    if (again->retries == 0) {
        return;
    }
    for (size_t i = 0; i < again->count; i++) {
        const struct cli_again_done *done = &again->done[i];
        if (done->failure->shown && done->record.kind == TOPK_AGAIN_BEHIND) {
            cli_alone_add(&run->alone, id_of(run, done->record.number), done->record.number);
        }
    }
    for (size_t i = 0; i < run->distinct.count; i++) {
        const struct topk_distinct_failure *failure = &run->distinct.list[i];
        const struct topk_entry *entry = topk_entries_find(&run->bugs.entries, failure->number);
        /* for flaky failures it was already printed how often they fail alone */
        if (failure->shrunk != NULL || entry == NULL || entry->verdict != TOPK_VERDICT_FLAKY) {
            cli_alone_add(&run->alone, cli_distinct_text(failure), failure->number);
        }
    }
    run->alone.options = &run->workers.options;
    run->alone.id = id_of;
    run->alone.context = run;
    run->alone.order = &run->order;
    run->alone.replay = run->replay;
    run->alone.list_prefix = run->list_prefix;
    run->alone.seconds = CLI_ALONE_LEAST + CLI_ALONE_SHARE * spent(run);
    cli_alone_print(stdout, &run->alone);
}
