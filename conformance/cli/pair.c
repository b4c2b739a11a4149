/* Runs cases on two implementations, and shrinks a case while they disagree. */
#define _POSIX_C_SOURCE 200809L
#include "pair.h"

#include <stdlib.h>
#include <string.h>

/* maximum number of candidates that time out while a case is shrunk */
#define TIMEOUTS_MAX 20u

const struct pair_kind_row pair_kind_rows[PAIR_KIND_COUNT] = {
#define PAIR_KIND(name, disagree, wrong, text) {disagree, wrong, text},
    PAIR_KINDS(PAIR_KIND)
#undef PAIR_KIND
};

/* ---- comparing two results ------------------------------------------------------------------- */

/* whether the result says anything about the implementation */
static bool serves(const struct topk_result *result)
{
    return result->verdict != TOPK_VERDICT_UNSUPPORTED &&
           result->verdict != TOPK_VERDICT_HARNESS_ERROR;
}

/* whether both are wrong in the same way, as far as can be seen */
static bool wrong_alike(const struct topk_result *a, const struct topk_result *b)
{
    return a->verdict == b->verdict && a->clause == b->clause &&
           a->outputs.known == b->outputs.known && a->outputs.pairs == b->outputs.pairs;
}

enum pair_kind pair_kind_of(const struct topk_result *a, const struct topk_result *b)
{
    const bool a_wrong = topk_verdict_failure(a->verdict);
    const bool b_wrong = topk_verdict_failure(b->verdict);
    if (!serves(a) || !serves(b)) {
        return PAIR_APART;
    }
    if (a_wrong || b_wrong) {
        return !b_wrong            ? PAIR_A_WRONG
               : !a_wrong          ? PAIR_B_WRONG
               : wrong_alike(a, b) ? PAIR_WRONG_ALIKE
                                   : PAIR_BOTH_WRONG;
    }
    if (a->outputs.known != b->outputs.known) {
        return PAIR_REFUSED;
    }
    if (a->outputs.values != b->outputs.values) {
        return PAIR_VALUES;
    }
    return a->outputs.pairs != b->outputs.pairs ? PAIR_ORDER : PAIR_ALIKE;
}

/* ---- opening and closing --------------------------------------------------------------------- */

static void note(void *context, const char *text)
{
    struct pair *pair = context;
    cli_progress_erase(pair->progress);
    cli_error("note: %s", text);
}

/* counts the end of a process; the note about it was printed */
static void take_end(struct pair_side *side, enum topk_process_end end)
{
    side->unclean += topk_process_unclean(end);
}

static void ended_a(void *context, enum topk_process_end end, const char *how)
{
    struct pair *pair = context;
    (void)how;
    take_end(&pair->sides[0], end);
}

static void ended_b(void *context, enum topk_process_end end, const char *how)
{
    struct pair *pair = context;
    (void)how;
    take_end(&pair->sides[1], end);
}

void pair_open(struct pair *pair, const struct cli_backend *a, const struct cli_backend *b,
               uint32_t jobs)
{
    const struct cli_backend *const backends[2] = {a, b};
    for (int i = 0; i < 2; i++) {
        struct pair_side *side = &pair->sides[i];
        side->backend = backends[i];
        side->results = cli_need(calloc(PAIR_BATCH, sizeof *side->results));
        side->replay = cli_replay_command(backends[i]);
        cli_workers_open(&side->workers, backends[i], jobs, note, i == 0 ? ended_a : ended_b, pair);
        cli_early_start(&side->early, backends[i]->timeout);
    }
}

bool pair_close(struct pair *pair)
{
    bool known = true;
    for (int i = 0; i < 2; i++) {
        known = cli_workers_close(&pair->sides[i].workers) && known;
        free(pair->sides[i].results);
        free(pair->sides[i].replay);
        pair->sides[i].results = NULL;
        pair->sides[i].replay = NULL;
    }
    return known;
}

bool pair_restart(struct pair *pair)
{
    static struct topk_greeting greeting; /* static, to keep the stack small */
    char error[TOPK_RUNNER_ERROR];
    bool all = true;
    for (int i = 0; i < 2; i++) {
        enum topk_runner_status status;
        struct cli_workers *workers = &pair->sides[i].workers;
        topk_runner_close(workers->runner);
        cli_workers_remain(workers);
        workers->runner = topk_runner_open(&workers->options, &greeting, &status, error);
        all = all && workers->runner != NULL;
    }
    return all;
}

/* ---- running --------------------------------------------------------------------------------- */

/* a batch that runs on one side */
struct half {
    struct pair_side *side;
    const struct pair_batch *batch;
    bool last;
};

static const char *text_of(void *context, uint64_t number, size_t *length)
{
    const struct half *half = context;
    return half->batch->text(half->batch->context, number, length);
}

static bool take_result(void *context, uint64_t number, const struct topk_result *result)
{
    const struct half *half = context;
    half->side->results[number] = *result;
    if (half->batch->early && !cli_early_take(&half->side->early, result->verdict)) {
        return false;
    }
    return !half->last || half->batch->result == NULL ||
           half->batch->result(half->batch->context, number);
}

static void tick(void *context)
{
    const struct half *half = context;
    if (half->batch->tick != NULL) {
        half->batch->tick(half->batch->context);
    }
}

enum topk_runner_status pair_run(struct pair *pair, const struct pair_batch *batch,
                                 char error[TOPK_RUNNER_ERROR])
{
    enum topk_runner_status status = TOPK_RUNNER_DONE;
    for (uint32_t i = 0; i < batch->count; i++) {
        pair->sides[0].results[i].verdict = TOPK_VERDICT_UNSUPPORTED;
        pair->sides[1].results[i].verdict = TOPK_VERDICT_UNSUPPORTED;
    }
    for (int i = 0; i < 2 && status == TOPK_RUNNER_DONE; i++) {
        const int side = i == 0 ? 1 - batch->last : batch->last;
        struct half half = {&pair->sides[side], batch, i == 1};
        const struct topk_runner_job job = {.count = batch->count,
                                            .text = text_of,
                                            .result = take_result,
                                            .tick = tick,
                                            .context = &half,
                                            .timeout = batch->timeout};
        pair->running = half.side->workers.runner;
        status = topk_runner_run(pair->running, &job, error);
    }
    pair->running = NULL;
    return status;
}

void pair_stop(struct pair *pair)
{
    if (pair->running != NULL) {
        topk_runner_stop(pair->running);
    }
}

/* ---- shrinking ------------------------------------------------------------------------------- */

struct shrinking {
    struct pair *pair;
    enum pair_kind kind;
    struct topk_result *results; /* of the current case */
    double timeout;
    uint32_t timeouts;
    enum topk_runner_status status;
    /* the batch that runs */
    char *texts[TOPK_SHRINK_BATCH];
    size_t lengths[TOPK_SHRINK_BATCH];
    bool answered[TOPK_SHRINK_BATCH];
    uint32_t count;
    uint32_t first; /* first that disagrees alike; count: none */
};

static const char *candidate_text(void *context, uint64_t number, size_t *length)
{
    const struct shrinking *shrinking = context;
    *length = shrinking->lengths[number];
    return shrinking->texts[number];
}

/* a smaller case must be wrong in the same way */
static bool as_wrong(const struct topk_result *now, const struct topk_result *result)
{
    return now->verdict == result->verdict &&
           (!topk_verdict_failure(now->verdict) || now->clause == result->clause);
}

static bool disagree_alike(const struct shrinking *shrinking, const struct topk_result *a,
                           const struct topk_result *b)
{
    return pair_kind_of(a, b) == shrinking->kind && as_wrong(&shrinking->results[0], a) &&
           as_wrong(&shrinking->results[1], b);
}

/* Whether more results are needed: the first candidate that disagrees is not known yet. */
static bool take_candidate(void *context, uint64_t number)
{
    struct shrinking *shrinking = context;
    const struct pair_side *sides = shrinking->pair->sides;
    shrinking->answered[number] = true;
    shrinking->timeouts += sides[0].results[number].verdict == TOPK_VERDICT_TIMEOUT ||
                           sides[1].results[number].verdict == TOPK_VERDICT_TIMEOUT;
    for (uint32_t i = 0; i < shrinking->count && shrinking->answered[i]; i++) {
        if (disagree_alike(shrinking, &sides[0].results[i], &sides[1].results[i])) {
            shrinking->first = i;
            return false;
        }
    }
    return shrinking->timeouts < TIMEOUTS_MAX;
}

static bool print_candidates(struct shrinking *shrinking,
                             const struct topk_case *const candidates[])
{
    for (uint32_t i = 0; i < shrinking->count; i++) {
        shrinking->answered[i] = false;
        shrinking->lengths[i] = topk_case_print(candidates[i], NULL, 0);
        shrinking->texts[i] = malloc(shrinking->lengths[i] + 1);
        if (shrinking->texts[i] == NULL) {
            return false;
        }
        topk_case_print(candidates[i], shrinking->texts[i], shrinking->lengths[i] + 1);
    }
    return true;
}

static bool fails(void *context, const struct topk_case *const candidates[], uint32_t count,
                  uint32_t *first)
{
    struct shrinking *shrinking = context;
    const struct pair_side *sides = shrinking->pair->sides;
    char error[TOPK_RUNNER_ERROR];
    const struct pair_batch batch = {.count = count,
                                     .text = candidate_text,
                                     .result = take_candidate,
                                     .context = shrinking,
                                     .last = shrinking->kind == PAIR_A_WRONG ? 0 : 1,
                                     .timeout = shrinking->timeout};
    memset(shrinking->texts, 0, sizeof shrinking->texts);
    shrinking->count = count;
    shrinking->first = count;
    shrinking->status = print_candidates(shrinking, candidates)
                            ? pair_run(shrinking->pair, &batch, error)
                            : TOPK_RUNNER_BROKEN;
    for (uint32_t i = 0; i < count; i++) {
        free(shrinking->texts[i]);
    }
    if (shrinking->status != TOPK_RUNNER_DONE && shrinking->status != TOPK_RUNNER_STOPPED) {
        return false;
    }
    shrinking->status = TOPK_RUNNER_DONE;
    *first = shrinking->first;
    if (*first < count) {
        shrinking->results[0] = sides[0].results[*first];
        shrinking->results[1] = sides[1].results[*first];
    }
    return *first < count || shrinking->timeouts < TIMEOUTS_MAX;
}

/* time limit of a candidate in seconds: one that takes much longer than the case is not simpler */
static double candidate_timeout(const struct pair *pair, const struct topk_result results[2])
{
    double limit = pair->sides[0].backend->timeout;
    double mine = TOPK_SHRINK_TIMEOUT;
    for (int i = 0; i < 2; i++) {
        const bool hung = results[i].verdict == TOPK_VERDICT_TIMEOUT;
        mine += hung ? 0 : (double)results[i].nanoseconds * 1e-8; /* ten times */
    }
    return mine < limit ? mine : limit;
}

enum topk_runner_status pair_shrink(struct pair *pair, struct topk_case *tc,
                                    struct topk_result results[2], uint64_t max_runs,
                                    uint64_t *runs, bool *minimal)
{
    struct shrinking shrinking = {
        .pair = pair,
        .kind = pair_kind_of(&results[0], &results[1]),
        .results = results,
        .timeout = candidate_timeout(pair, results),
        .status = TOPK_RUNNER_DONE,
    };
    const struct topk_shrink_options options = {
        .max_runs = max_runs, .fails = fails, .context = &shrinking};
    struct topk_shrink_report report;
    topk_shrink(tc, &options, &report);
    *runs += report.runs;
    *minimal = report.end == TOPK_SHRINK_MINIMAL;
    return report.end == TOPK_SHRINK_NO_MEMORY ? TOPK_RUNNER_BROKEN : shrinking.status;
}
