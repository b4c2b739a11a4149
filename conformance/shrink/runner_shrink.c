/* Shrinks with a runner. A batch of candidates is one job, which stops as soon as the first failing
 * candidate is certain. If the failure is flaky, each candidate is run several times and counts as
 * failing if one run fails. */
#define _POSIX_C_SOURCE 200809L
#include "runner_shrink.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The properties that identify a failure. */
struct signature {
    enum topk_verdict verdict;
    enum topk_clause clause;
    topk_reading_set readings;
    struct topk_crash crash; /* its signal is "" if no place is known */
};

struct session {
    struct topk_runner *runner;
    const struct topk_runner_shrink_options *options;
    struct topk_shrunk *shrunk;
    struct signature signature;
    double timeout;    /* for each candidate, in seconds */
    uint64_t runs;     /* so far */
    uint32_t timeouts; /* greatest number */
    bool bound;        /* that number was reached */
    bool any;          /* accept every result */
    bool failure;      /* accept every failure */
    bool fresh;        /* run each candidate in a new worker */
    uint32_t tries;    /* runs of each candidate */
    uint64_t elements; /* in the input of the current case */
    /* the current batch */
    char *texts[TOPK_SHRINK_BATCH];
    size_t lengths[TOPK_SHRINK_BATCH];
    uint32_t answered[TOPK_SHRINK_BATCH]; /* finished runs of each candidate */
    uint32_t count;
    uint32_t first;            /* the first failing candidate so far */
    struct topk_result result; /* its result */
};

static struct signature signature_of(const struct topk_result *result)
{
    /* for a refused valid call, the clause depends on other properties of the call */
    const enum topk_clause clause =
        result->verdict == TOPK_VERDICT_REFUSED ? TOPK_CLAUSE_NONE : result->clause;
    return (struct signature){result->verdict, clause, result->readings, result->crash};
}

/* whether two crashes may have the same place */
static bool same_crash(const struct topk_crash *a, const struct topk_crash *b)
{
    return a->signal[0] == 0 || b->signal[0] == 0 || topk_crash_alike(a, b);
}

static bool same(const struct signature *a, const struct signature *b)
{
    return same_crash(&a->crash, &b->crash) && a->verdict == b->verdict && a->clause == b->clause &&
           a->readings == b->readings;
}

static bool fails_like(const struct signature *signature, const struct topk_result *result)
{
    struct signature other = signature_of(result);
    if (signature->readings != 0) {
        return signature->verdict == result->verdict && signature->clause == result->clause &&
               topk_readings_first(signature->readings) == result->reading;
    }
    if (result->readings != 0) {
        for (uint32_t i = 0; i < result->judgement.count; i++) {
            if (result->judgement.findings[i].clause == signature->clause) {
                return signature->verdict == result->verdict;
            }
        }
    }
    return same(signature, &other);
}

static bool looked_for(const struct session *session, const struct topk_result *result)
{
    return session->any || (session->failure ? topk_verdict_failure(result->verdict)
                                             : fails_like(&session->signature, result));
}

/* Keeps only the misreadings that explain all smaller cases so far: a tiny case alone can be
 * explained by almost any of them. */
static void narrow(struct session *session)
{
    struct topk_result *result = &session->result;
    if (session->signature.readings != 0) {
        session->signature.readings &= result->readings;
        result->readings = session->signature.readings;
        result->guess = result->guess && session->shrunk->original.guess;
    }
}

static const char *text_of(void *context, uint64_t number, size_t *length)
{
    const struct session *session = context;
    *length = session->lengths[number / session->tries];
    return session->texts[number / session->tries];
}

static bool take_result(void *context, uint64_t number, const struct topk_result *result)
{
    struct session *session = context;
    number /= session->tries;
    session->answered[number]++;
    session->shrunk->timeouts += result->verdict == TOPK_VERDICT_TIMEOUT;
    if (number < session->first && looked_for(session, result)) {
        session->first = (uint32_t)number;
        session->result = *result;
    }
    /* a result is certain only when all earlier ones are known: workers answer in any order */
    bool known = true;
    for (uint32_t i = 0; i < session->first; i++) {
        known = known && session->answered[i] == session->tries;
    }
    return !known;
}

static void tick(void *context)
{
    const struct session *session = context;
    if (session->options->progress != NULL) {
        session->options->progress(session->options->context, session->runs, session->elements);
    }
}

static bool print_batch(struct session *session, const struct topk_case *const candidates[])
{
    for (uint32_t i = 0; i < session->count; i++) {
        size_t length = topk_case_print(candidates[i], NULL, 0);
        session->lengths[i] = length;
        session->answered[i] = 0;
        session->texts[i] = malloc(length + 1);
        if (session->texts[i] == NULL) {
            return false;
        }
        topk_case_print(candidates[i], session->texts[i], length + 1);
    }
    return true;
}

/* Runs a batch. session->first and result become those of the first candidate that fails like the
 * case. timeout: for each case; 0: the runner's. */
static bool run_batch(struct session *session, const struct topk_case *const candidates[],
                      uint32_t count, double timeout)
{
    struct topk_runner_job job = {.count = (uint64_t)count * session->tries,
                                  .text = text_of,
                                  .result = take_result,
                                  .tick = tick,
                                  .context = session,
                                  .timeout = timeout,
                                  .fresh = session->fresh};
    session->count = count;
    session->first = count;
    memset(session->texts, 0, sizeof session->texts);
    enum topk_runner_status status = TOPK_RUNNER_BROKEN;
    snprintf(session->shrunk->error, sizeof session->shrunk->error, "out of memory");
    if (print_batch(session, candidates)) {
        status = topk_runner_run(session->runner, &job, session->shrunk->error);
    }
    for (uint32_t i = 0; i < count; i++) {
        free(session->texts[i]);
    }
    session->shrunk->runner = status;
    return status == TOPK_RUNNER_DONE || status == TOPK_RUNNER_STOPPED;
}

static bool fails(void *context, const struct topk_case *const candidates[], uint32_t count,
                  uint32_t *first)
{
    struct session *session = context;
    session->bound = session->shrunk->timeouts >= session->timeouts;
    if (session->bound || !run_batch(session, candidates, count, session->timeout)) {
        return false;
    }
    *first = session->first;
    session->runs += count;
    if (session->first < count) {
        narrow(session);
        session->shrunk->result = session->result;
        session->elements = topk_tensor_elements(&candidates[session->first]->op.tensors[0]);
    }
    return true;
}

/* Runs one case. Returns whether it has a result that is accepted; *ok: whether it has a result. */
static bool run_one(struct session *session, const struct topk_case *tc, bool *ok)
{
    const struct topk_case *const one[] = {tc};
    *ok = run_batch(session, one, 1, 0);
    return *ok && session->first == 0;
}

static enum topk_shrunk_status ended_early(const struct session *session)
{
    return session->shrunk->runner == TOPK_RUNNER_INTERRUPTED ? TOPK_SHRUNK_INTERRUPTED
                                                              : TOPK_SHRUNK_FAILED;
}

static enum topk_shrunk_status no_memory(struct session *session)
{
    snprintf(session->shrunk->error, sizeof session->shrunk->error, "out of memory");
    session->shrunk->runner = TOPK_RUNNER_BROKEN;
    return TOPK_SHRUNK_FAILED;
}

/* time limit of a candidate, in seconds: one that takes much longer than the case is not simpler */
static double candidate_timeout(const struct session *session, const struct topk_case *tc)
{
    double limit = 0;
    for (uint32_t i = 1; i <= tc->before_count + 1; i++) {
        limit +=
            session->options->timeout * (1 + topk_check_row(topk_case_call(tc, i)->check)->calls);
    }
    double mine = TOPK_SHRINK_TIMEOUT;
    if (session->shrunk->original.verdict != TOPK_VERDICT_TIMEOUT) {
        /* ten times the case's own time */
        mine += (double)session->shrunk->original.nanoseconds * 1e-8;
    }
    return mine < limit ? mine : limit;
}

/* Shrinks until the failure's signature no longer changes: it can change when a cause is found. */
static enum topk_shrunk_status shrink(struct session *session, struct topk_case *tc)
{
    const struct topk_runner_shrink_options *options = session->options;
    uint64_t max_runs = options->max_runs == 0 ? TOPK_SHRINK_RUNS : options->max_runs;
    struct topk_shrink_report report;
    struct signature now = signature_of(&session->shrunk->result);
    if (session->runs >= max_runs) {
        return TOPK_SHRUNK_BOUND;
    }
    do {
        struct topk_shrink_options shrinking = {
            .max_runs = max_runs - session->runs, .fails = fails, .context = session};
        session->signature = now;
        topk_shrink(tc, &shrinking, &report);
        now = signature_of(&session->shrunk->result);
    } while (report.end == TOPK_SHRINK_MINIMAL && !same(&now, &session->signature) &&
             session->runs < max_runs);
    session->signature = now;
    switch (report.end) {
    case TOPK_SHRINK_MINIMAL:
        return TOPK_SHRUNK_MINIMAL;
    case TOPK_SHRINK_BOUND:
        return TOPK_SHRUNK_BOUND;
    case TOPK_SHRINK_STOPPED:
        return session->bound ? TOPK_SHRUNK_BOUND : ended_early(session);
    case TOPK_SHRINK_NO_MEMORY:
        break;
    }
    return no_memory(session);
}

/* Shrinks a case and runs the result again. If that does not fail, restores the case. */
static enum topk_shrunk_status shrink_and_confirm(struct session *session, struct topk_case *tc,
                                                  const struct topk_case *before)
{
    enum topk_shrunk_status status = shrink(session, tc);
    bool ok = true;
    if (status != TOPK_SHRUNK_MINIMAL && status != TOPK_SHRUNK_BOUND) {
        return status;
    }
    if (run_one(session, tc, &ok)) {
        narrow(session);
        session->shrunk->result = session->result;
        return status;
    }
    if (!ok) {
        return ended_early(session);
    }
    session->shrunk->result = session->shrunk->original;
    topk_case_clear(tc);
    return topk_case_copy(tc, before) ? TOPK_SHRUNK_FLAKY : no_memory(session);
}

/* Runs the original case, several times if the first run does not fail. */
static void run_original(struct session *session, const struct topk_case *tc, bool *ok)
{
    session->any = true;
    session->tries = 1;
    run_one(session, tc, ok);
    session->any = false;
    if (*ok && !topk_verdict_failure(session->result.verdict)) {
        struct topk_result passed = session->result;
        session->failure = true;
        session->tries = TOPK_SHRINK_TRIES;
        if (!run_one(session, tc, ok)) {
            session->result = passed;
        }
        session->failure = false;
    }
}

void topk_runner_shrink(struct topk_runner *runner, struct topk_case *tc,
                        const struct topk_runner_shrink_options *options,
                        struct topk_shrunk *shrunk)
{
    struct topk_case before;
    bool ok;
    memset(shrunk, 0, sizeof *shrunk);
    struct session *session = calloc(1, sizeof *session);
    if (session == NULL || !topk_case_copy(&before, tc)) {
        free(session);
        shrunk->status = TOPK_SHRUNK_FAILED;
        shrunk->runner = TOPK_RUNNER_BROKEN;
        snprintf(shrunk->error, sizeof shrunk->error, "out of memory");
        return;
    }
    session->runner = runner;
    session->options = options;
    session->shrunk = shrunk;
    session->timeouts = options->max_timeouts == 0 ? TOPK_SHRINK_TIMEOUTS : options->max_timeouts;
    session->elements = topk_tensor_elements(&tc->op.tensors[TOPK_INPUT]);
    /* a sequence must fail without state from earlier cases */
    session->fresh = tc->before_count > 0;
    run_original(session, tc, &ok);
    shrunk->original = session->result;
    shrunk->result = session->result;
    if (!ok) {
        shrunk->status = ended_early(session);
    } else if (!topk_verdict_failure(session->result.verdict)) {
        shrunk->status = TOPK_SHRUNK_PASSES;
    } else {
        if (options->original != NULL) {
            options->original(options->context, &shrunk->original);
        }
        session->timeout = candidate_timeout(session, tc);
        shrunk->status = shrink_and_confirm(session, tc, &before);
        if (shrunk->status == TOPK_SHRUNK_FLAKY && session->tries == 1) {
            session->tries = TOPK_SHRINK_TRIES;
            session->shrunk->result = session->shrunk->original;
            shrunk->status = shrink_and_confirm(session, tc, &before);
        }
    }
    shrunk->runs = session->runs;
    shrunk->tries = session->tries;
    topk_case_clear(&before);
    free(session);
}
