/* From cases to results: decides what a description must lead to, prepares the calls, has them run,
 * and lets the judge say what came of it. */
#include "host.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform.h"
#include "relation.h"
#include "spoil.h"

/* ---- running -----------------------------------------------------------------------------------
 */

/* what a description must lead to */
enum duty {
    DUTY_ACCEPT, /* it is valid */
    DUTY_REFUSE, /* it breaks a clause */
    DUTY_EITHER  /* only a higher level than asked for allows it */
};

/* one case on its way */
struct job {
    const struct topk_case *test;
    struct topk_result *result;
    struct topk_validity validity;
    enum duty duty;
    bool settled; /* the result stands, nothing is to be run */
    struct topk_call base;
    struct topk_call *related;         /* TOPK_RELATED_MAX of them once one was needed */
    uint32_t related_count;            /* second calls of this round */
    bool asked[TOPK_RELATED_MAX];      /* it is served, so it is run */
    bool related_any;                  /* there was a second call in some round */
    bool created_only;                 /* valid, and too large to be run */
    struct topk_backend_answer second; /* the first of a second call that was not DONE */
};

struct topk_jobs {
    struct job *jobs;
    uint32_t room;
    struct topk_call **queue; /* calls to run */
    struct topk_backend_call *calls;
    struct topk_backend_answer *answers;
    bool ready; /* the three arrays are there, for `room` jobs */
};

static void settle(struct job *job, enum topk_verdict verdict, enum topk_clause clause,
                   const char *reason)
{
    job->settled = true;
    job->result->verdict = verdict;
    job->result->clause = clause;
    snprintf(job->result->reason, sizeof job->result->reason, "%s", reason);
}

static void observe(struct job *job, enum topk_observation observation)
{
    job->result->judgement.observations |= (uint32_t)1 << observation;
}

/* a binding that BIND forbids; what comes of one is not judged */
static bool binding_wrong(const struct topk_case *test)
{
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        uint32_t alignment = test->op.tensors[role].alignment;
        if (test->offset[role] % 16 != 0 ||
            (alignment != 0 && test->offset[role] % alignment != 0)) {
            return true;
        }
    }
    return false;
}

static void decide_duty(const struct topk_host *host, struct job *job)
{
    const struct topk_operator *op = &job->test->op;
    topk_operator_validate(op, op->level, &job->validity);
    job->duty = topk_clause_set_empty(&job->validity.broken) ? DUTY_ACCEPT : DUTY_REFUSE;
    if (job->duty == DUTY_REFUSE && !(host->info.flags & TOPK_BACKEND_STRICT_LEVEL) &&
        host->info.feature_level > op->level) {
        struct topk_validity higher;
        topk_operator_validate(op, host->info.feature_level, &higher);
        if (topk_clause_set_empty(&higher.broken)) {
            job->duty = DUTY_EITHER;
        }
    }
}

/* asks the backend whether it serves a call that may be run */
static bool supported(const struct topk_host *host, struct topk_call *call,
                      struct topk_backend_answer *answer)
{
    memset(answer, 0, sizeof *answer);
    if (host->backend->supports != NULL) {
        host->backend->supports(host->self, &call->call, answer);
        answer->reason[sizeof answer->reason - 1] = 0;
    }
    return answer->status == TOPK_BACKEND_DONE;
}

/* what became of a second call that was not computed: the relation is then not shown, so the case
 * cannot pass. One that is only in the way may be declined. */
static void note_second(struct job *job, const struct topk_backend_answer *answer, bool compared)
{
    bool declined = answer->status == TOPK_BACKEND_UNSUPPORTED ||
                    answer->status == TOPK_BACKEND_OUT_OF_MEMORY ||
                    answer->status == TOPK_BACKEND_REFUSED;
    if (answer->status == TOPK_BACKEND_DONE || job->second.status != TOPK_BACKEND_DONE ||
        (declined && !compared)) {
        return;
    }
    job->second.status = answer->status;
    snprintf(job->second.reason, sizeof job->second.reason, "second call of check=%.16s: %.200s",
             topk_check_row(job->test->check)->word, answer->reason);
}

/* prepares the second calls of a round; related_count is 0 behind the last one */
static void prepare_round(struct topk_host *host, struct job *job, uint32_t round)
{
    job->related_count = 0;
    if (job->related == NULL) {
        job->related = calloc(TOPK_RELATED_MAX, sizeof *job->related);
    }
    int more = job->related == NULL ? -1 : 1;
    while (more > 0 && job->related_count < TOPK_RELATED_MAX) {
        uint32_t i = job->related_count;
        more = topk_relation_prepare(&job->related[i], &job->base, round, i);
        if (more > 0) {
            struct topk_backend_answer answer;
            job->asked[i] = supported(host, &job->related[i], &answer);
            note_second(job, &answer, topk_relation_compared(job->test->check, round, i));
            job->related_count++;
            job->related_any = true;
        }
    }
    if (more < 0) {
        settle(job, TOPK_VERDICT_HARNESS_ERROR, TOPK_CLAUSE_NONE, "out of memory");
    }
}

/* why a case is created only */
static void say_too_large(const struct topk_case *test, char reason[TOPK_REASON])
{
    uint64_t elements = topk_tensor_elements(&test->op.tensors[TOPK_INPUT]);
    if (elements > TOPK_CASE_ELEMENTS) {
        snprintf(reason, TOPK_REASON,
                 "created, not run: %" PRIu64 " elements, the worker takes at most %" PRIu64,
                 elements, TOPK_CASE_ELEMENTS);
    } else {
        snprintf(reason, TOPK_REASON,
                 "created, not run: %" PRIu64
                 " bytes of buffers, the worker takes at most %" PRIu64,
                 topk_call_bytes(test), TOPK_CASE_BYTES);
    }
}

/* settles what needs no call; prepares the calls of the rest */
static void prepare(struct topk_host *host, struct job *job, const struct topk_case *test,
                    struct topk_result *result)
{
    job->test = test;
    job->result = result;
    job->settled = false;
    job->related_count = 0;
    job->created_only = false;
    job->related_any = false;
    memset(&job->second, 0, sizeof job->second);
    memset(result, 0, sizeof *result);
    result->clause = TOPK_CLAUSE_NONE;
    decide_duty(host, job);
    if (job->duty == DUTY_REFUSE) {
        topk_call_describe(&job->base, test);
        if (host->info.flags & TOPK_BACKEND_OWN_CONTRACT) {
            settle(job, TOPK_VERDICT_UNSUPPORTED, topk_clause_set_first(&job->validity.broken),
                   host->info.invalid_calls_reason);
        }
        return;
    }
    char reason[TOPK_REASON];
    if (test->op.level > host->info.feature_level) {
        snprintf(reason, sizeof reason, "asks for feature level %u.%u, the backend serves %u.%u",
                 (unsigned)(test->op.level >> 12), (unsigned)(test->op.level >> 8 & 15),
                 (unsigned)(host->info.feature_level >> 12),
                 (unsigned)(host->info.feature_level >> 8 & 15));
        settle(job, TOPK_VERDICT_UNSUPPORTED, TOPK_CLAUSE_V13, reason);
        return;
    }
    if (topk_case_too_large(test)) {
        if (host->info.flags & TOPK_BACKEND_OWN_CONTRACT) {
            settle(job, TOPK_VERDICT_UNSUPPORTED, TOPK_CLAUSE_NONE,
                   "is too large to be run, and creation alone is none of the backend's contract");
            return;
        }
        job->created_only = true;
        topk_call_describe(&job->base, test);
        return;
    }
    if (!topk_call_prepare(&job->base, test, TOPK_POISON_RANDOM)) {
        settle(job, TOPK_VERDICT_HARNESS_ERROR, TOPK_CLAUSE_NONE, "out of memory");
        return;
    }
    struct topk_backend_answer answer;
    if (!supported(host, &job->base, &answer)) {
        settle(job, TOPK_VERDICT_UNSUPPORTED, TOPK_CLAUSE_NONE, answer.reason);
        return;
    }
    if (test->check != TOPK_CHECK_NONE && !topk_relation_alone(test->check)) {
        prepare_round(host, job, 0);
    }
}

/* ---- calling ------------------------------------------------------------------------------------
 */

/* runs the queued calls, as many at once as the backend takes; returns the nanoseconds */
static uint64_t run_queue(struct topk_host *host, uint32_t count)
{
    struct topk_jobs *jobs = host->jobs;
    uint64_t start = topk_clock_now();
    for (uint32_t i = 0; i < count; i += host->info.batch) {
        uint32_t run = count - i < host->info.batch ? count - i : host->info.batch;
        memset(jobs->answers, 0, run * sizeof *jobs->answers);
        for (uint32_t j = 0; j < run; j++) {
            jobs->calls[j] = jobs->queue[i + j]->call;
        }
        host->backend->run(host->self, jobs->calls, run, jobs->answers);
        for (uint32_t j = 0; j < run; j++) {
            jobs->answers[j].reason[sizeof jobs->answers[j].reason - 1] = 0;
            jobs->queue[i + j]->answer = jobs->answers[j];
        }
    }
    return topk_clock_now() - start;
}

/* queues what a round asks, behind `queued` calls; returns how many there are then */
static uint32_t queue_round(struct topk_jobs *jobs, struct job *job, uint32_t queued)
{
    for (uint32_t r = 0; r < job->related_count; r++) {
        if (job->asked[r]) {
            jobs->queue[queued++] = &job->related[r];
        }
    }
    return queued;
}

/* ---- judging -----------------------------------------------------------------------------------
 */

/* PRACTICE and OBSERVE clauses that allow a refusal, and how either choice is noted. Where several
 * do, the first is taken for the reason: the rarer before the common. */
static const struct {
    enum topk_clause clause;
    enum topk_observation refused;
    enum topk_observation accepted;
} latitudes[] = {
    {TOPK_CLAUSE_V12, TOPK_OBSERVATION_DIRECTION_REFUSED, TOPK_OBSERVATION_COUNT},
    {TOPK_CLAUSE_T10b, TOPK_OBSERVATION_ALIGNMENT_REFUSED, TOPK_OBSERVATION_ALIGNMENT_ACCEPTED},
    {TOPK_CLAUSE_T14, TOPK_OBSERVATION_OUTPUT_OVERLAP_REFUSED,
     TOPK_OBSERVATION_OUTPUT_OVERLAP_ACCEPTED},
    {TOPK_CLAUSE_T13, TOPK_OBSERVATION_INPUT_OVERLAP_REFUSED,
     TOPK_OBSERVATION_INPUT_OVERLAP_ACCEPTED},
    {TOPK_CLAUSE_V03, TOPK_OBSERVATION_K_IS_SIZE_REFUSED, TOPK_OBSERVATION_K_IS_SIZE_ACCEPTED},
};
#define LATITUDES (sizeof latitudes / sizeof latitudes[0])

/* a valid call was refused: what allows that, if anything does */
static void judge_refusal(struct job *job, const char *reason)
{
    if (job->duty == DUTY_EITHER) {
        observe(job, TOPK_OBSERVATION_LEVEL_KEPT);
        settle(job, TOPK_VERDICT_PASS, TOPK_CLAUSE_NONE, reason);
        return;
    }
    for (size_t i = 0; i < LATITUDES; i++) {
        enum topk_clause clause = latitudes[i].clause;
        if (topk_clause_set_has(&job->validity.latitude, clause)) {
            observe(job, latitudes[i].refused);
            /* K = n and overlapping input are of use to a caller: not to have them is a lack */
            bool lack = clause == TOPK_CLAUSE_V03 || clause == TOPK_CLAUSE_T13;
            settle(job, lack ? TOPK_VERDICT_UNSUPPORTED : TOPK_VERDICT_PASS,
                   lack ? clause : TOPK_CLAUSE_NONE, reason);
            return;
        }
    }
    settle(job, TOPK_VERDICT_REFUSED, TOPK_CLAUSE_NONE, reason);
}

/* an answer other than DONE to a call that is valid */
static void judge_answer(struct job *job, const struct topk_backend_answer *answer)
{
    if (binding_wrong(job->test) && answer->status != TOPK_BACKEND_UNSUPPORTED) {
        observe(job, TOPK_OBSERVATION_BINDING_UNJUDGED); /* M08 */
        settle(job, TOPK_VERDICT_PASS, TOPK_CLAUSE_NONE, answer->reason);
        return;
    }
    switch (answer->status) {
    case TOPK_BACKEND_REFUSED:
        judge_refusal(job, answer->reason);
        break;
    case TOPK_BACKEND_UNSUPPORTED:
    case TOPK_BACKEND_OUT_OF_MEMORY:
        settle(job, TOPK_VERDICT_UNSUPPORTED, TOPK_CLAUSE_NONE, answer->reason);
        break;
    case TOPK_BACKEND_DEVICE_LOST:
        settle(job, TOPK_VERDICT_DEVICE_LOST, TOPK_CLAUSE_NONE, answer->reason);
        break;
    default:
        settle(job, TOPK_VERDICT_FAIL, TOPK_CLAUSE_S12, answer->reason);
        break;
    }
}

static void add_broken(struct job *job)
{
    for (int clause = 0; clause < TOPK_CLAUSE_COUNT; clause++) {
        if (topk_clause_set_has(&job->validity.broken, (enum topk_clause)clause)) {
            struct topk_finding finding = {.clause = (enum topk_clause)clause,
                                           .mismatch = TOPK_MISMATCH_DESCRIPTION,
                                           .count = 1};
            topk_judgement_add(&job->result->judgement, &finding);
        }
    }
}

/* the answer to a description that breaks a clause */
static void judge_invalid(struct job *job, const struct topk_backend_answer *answer)
{
    enum topk_clause first = topk_clause_set_first(&job->validity.broken);
    switch (answer->status) {
    case TOPK_BACKEND_REFUSED:
        settle(job, TOPK_VERDICT_PASS, TOPK_CLAUSE_NONE, "");
        break;
    case TOPK_BACKEND_DONE:
        add_broken(job);
        settle(job, TOPK_VERDICT_ACCEPTED, first, "the operator was created");
        break;
    case TOPK_BACKEND_DEVICE_LOST:
        settle(job, TOPK_VERDICT_DEVICE_LOST, first, answer->reason);
        break;
    case TOPK_BACKEND_UNSUPPORTED:
    case TOPK_BACKEND_OUT_OF_MEMORY:
        settle(job, TOPK_VERDICT_UNSUPPORTED, first, answer->reason);
        break;
    default:
        /* neither created nor refused for what is wrong with it */
        add_broken(job);
        settle(job, TOPK_VERDICT_FAIL, first, answer->reason);
        break;
    }
}

/* V12: any direction but 0 and 1 may mean either */
static void judge_direction(struct job *job, struct topk_operator *op,
                            const struct topk_exhibit exhibits[TOPK_ROLE_COUNT])
{
    struct topk_judgement *judgement = &job->result->judgement;
    op->direction = TOPK_INCREASING;
    topk_judge_result(op, exhibits, judgement);
    bool increasing = judgement->count == 0;
    op->direction = TOPK_DECREASING;
    topk_judge_result(op, exhibits, judgement);
    if (judgement->count == 0) {
        observe(job, TOPK_OBSERVATION_DIRECTION_DECREASING);
    } else if (increasing) {
        judgement->count = 0;
        judgement->has_sequence = false;
        observe(job, TOPK_OBSERVATION_DIRECTION_INCREASING);
    }
}

/* the outputs around the first wrong position of the first wrong sequence */
static void take_window(struct job *job)
{
    struct topk_result *result = job->result;
    const struct topk_operator *op = &job->base.test.op;
    if (!result->judgement.has_sequence) {
        return;
    }
    uint32_t position = result->judgement.position;
    result->window_from = position < TOPK_WINDOW / 2 ? 0 : position - TOPK_WINDOW / 2;
    uint32_t at[TOPK_RANK_MAX] = {0};
    topk_operator_sequence_at(op, result->judgement.sequence, at);
    for (uint32_t j = result->window_from; j < op->k && result->window_count < TOPK_WINDOW; j++) {
        at[op->axis] = j;
        uint32_t i = result->window_count++;
        result->window_values[i] = topk_call_output(&job->base, TOPK_VALUE, at);
        result->window_indices[i] = topk_call_output(&job->base, TOPK_INDEX, at);
    }
}

/* what the outputs are by themselves */
static void judge_outputs(struct job *job)
{
    struct topk_judgement *judgement = &job->result->judgement;
    struct topk_operator op = job->base.test.op;
    struct topk_exhibit exhibits[TOPK_ROLE_COUNT];
    topk_call_exhibit(&job->base, exhibits);
    bool overlap = topk_clause_set_has(&job->validity.latitude, TOPK_CLAUSE_T14);
    if (binding_wrong(job->test)) {
        observe(job, TOPK_OBSERVATION_BINDING_UNJUDGED);
    } else if (!overlap && op.direction > TOPK_DECREASING && op.kind == TOPK_TOP_K1) {
        judge_direction(job, &op, exhibits);
    } else if (!overlap) {
        topk_judge_result(&op, exhibits, judgement);
    }
    take_window(job);
    if (judgement->count > 0) {
        job->result->reading = topk_diagnose(&op, exhibits, judgement);
    }
}

static void judge_memory(struct job *job, const struct topk_call *call)
{
    struct topk_exhibit exhibits[TOPK_ROLE_COUNT];
    topk_call_exhibit(call, exhibits);
    topk_judge_memory(&call->test.op, exhibits, &job->result->judgement);
}

/* A second call by itself: what is not compared with the first has to be right all the same. */
static void judge_second(struct job *job, const struct topk_call *related)
{
    struct topk_judgement *judgement = &job->result->judgement;
    struct topk_judgement alone = {.count = 0};
    struct topk_operator op = related->test.op;
    struct topk_exhibit exhibits[TOPK_ROLE_COUNT];
    const bool either = op.kind == TOPK_TOP_K1 && op.direction > TOPK_DECREASING; /* V12 */
    topk_call_exhibit(related, exhibits);
    op.direction = either ? TOPK_INCREASING : op.direction;
    topk_judge_result(&op, exhibits, &alone);
    if (either && alone.count > 0) {
        op.direction = TOPK_DECREASING;
        topk_judge_result(&op, exhibits, &alone);
    }
    judgement->no_memory |= alone.no_memory;
    judgement->contradiction |= alone.contradiction;
    for (uint32_t i = 0; i < alone.count; i++) {
        topk_judgement_add(judgement, &alone.findings[i]);
    }
    if (alone.count > 0 && job->base.answer.reason[0] == 0) {
        snprintf(job->base.answer.reason, sizeof job->base.answer.reason,
                 "it is in a second call of check=%s that this is wrong",
                 topk_check_row(job->test->check)->word);
    }
}

/* what a round's second calls are against the first, and where they wrote */
static void judge_round(struct job *job, uint32_t round)
{
    enum topk_check check = job->test->check;
    bool unjudged =
        topk_clause_set_has(&job->validity.latitude, TOPK_CLAUSE_T14) || binding_wrong(job->test);
    for (uint32_t i = 0; i < job->related_count; i++) {
        const struct topk_call *related = &job->related[i];
        bool compared = topk_relation_compared(check, round, i);
        if (!job->asked[i]) {
            continue;
        }
        note_second(job, &related->answer, compared);
        if (related->answer.status == TOPK_BACKEND_DONE && compared && !unjudged) {
            topk_relation_compare(related, &job->base, i, &job->result->judgement);
        }
        if (related->answer.status == TOPK_BACKEND_DONE && !unjudged &&
            job->result->judgement.count == 0 && !(compared && topk_relation_same(check))) {
            judge_second(job, related);
        }
    }
    for (uint32_t i = 0; i < job->related_count; i++) {
        if (job->asked[i] && job->related[i].answer.status == TOPK_BACKEND_DONE) {
            judge_memory(job, &job->related[i]);
        }
    }
}

/* runs and judges the second calls that are to be run by themselves; returns the nanoseconds */
static uint64_t run_rounds(struct topk_host *host, struct job *job)
{
    uint64_t spent = 0;
    for (uint32_t round = 0; !job->settled && job->second.status == TOPK_BACKEND_DONE; round++) {
        prepare_round(host, job, round);
        if (job->related_count == 0) {
            break;
        }
        uint32_t queued = queue_round(host->jobs, job, 0);
        spent += run_queue(host, queued);
        judge_round(job, round);
    }
    return spent;
}

/* the verdict on a call that was computed, once all has been looked at */
static void conclude(struct job *job)
{
    struct topk_judgement *judgement = &job->result->judgement;
    for (size_t i = 0; i < LATITUDES; i++) {
        if (latitudes[i].accepted != TOPK_OBSERVATION_COUNT &&
            topk_clause_set_has(&job->validity.latitude, latitudes[i].clause)) {
            observe(job, latitudes[i].accepted);
        }
    }
    if (job->duty == DUTY_EITHER) {
        observe(job, TOPK_OBSERVATION_LEVEL_EXCEEDED);
    }
    if (judgement->no_memory) {
        settle(job, TOPK_VERDICT_HARNESS_ERROR, TOPK_CLAUSE_NONE, "out of memory while judging");
    } else if (judgement->contradiction) {
        settle(job, TOPK_VERDICT_HARNESS_ERROR, TOPK_CLAUSE_NONE,
               "the judge rejects the result and finds nothing wrong with it");
    } else if (judgement->count > 0) {
        enum topk_reading reading = job->result->reading;
        settle(job, TOPK_VERDICT_FAIL,
               reading == TOPK_READING_NONE ? judgement->findings[0].clause
                                            : topk_reading_clause(reading, &job->base.test.op),
               job->base.answer.reason);
    } else if (job->second.status != TOPK_BACKEND_DONE) {
        /* what is right on its own still lacks its relation */
        judge_answer(job, &job->second);
    } else {
        settle(job, TOPK_VERDICT_PASS, TOPK_CLAUSE_NONE, job->base.answer.reason);
    }
}

/* judges a job whose calls were run, but for those that are to be run by themselves; returns the
 * nanoseconds that these take */
static uint64_t judge(struct topk_host *host, struct job *job)
{
    const struct topk_backend_answer *answer = &job->base.answer;
    enum topk_check check = job->test->check;
    uint64_t spent = 0;
    if (job->duty == DUTY_REFUSE) {
        judge_invalid(job, answer);
        return 0;
    }
    if (answer->status != TOPK_BACKEND_DONE) {
        judge_answer(job, answer);
        return 0;
    }
    if (job->created_only) {
        char reason[TOPK_REASON];
        say_too_large(job->test, reason);
        settle(job, TOPK_VERDICT_PASS, TOPK_CLAUSE_NONE, reason);
        return 0;
    }
    judge_outputs(job);
    if (topk_relation_alone(check)) {
        spent = run_rounds(host, job);
    } else {
        judge_round(job, 0);
    }
    judge_memory(job, &job->base);
    if (!job->settled) {
        conclude(job);
    }
    if (check != TOPK_CHECK_NONE && !job->related_any &&
        job->result->verdict == TOPK_VERDICT_PASS) {
        snprintf(job->result->reason, sizeof job->result->reason,
                 "check=%s has no second call here", topk_check_row(check)->word);
    }
    return spent;
}

/* ---- a batch ------------------------------------------------------------------------------------
 */

static bool reserve(struct topk_host *host, uint32_t count)
{
    if (host->jobs == NULL) {
        host->jobs = calloc(1, sizeof *host->jobs);
    }
    struct topk_jobs *jobs = host->jobs;
    if (jobs == NULL || (jobs->ready && count <= jobs->room)) {
        return jobs != NULL;
    }
    count = count < jobs->room ? jobs->room : count;
    struct job *grown = realloc(jobs->jobs, count * sizeof *grown);
    if (grown == NULL) {
        return false;
    }
    memset(grown + jobs->room, 0, (count - jobs->room) * sizeof *grown);
    jobs->jobs = grown;
    free(jobs->queue);
    free(jobs->calls);
    free(jobs->answers);
    jobs->queue = calloc((size_t)count * (TOPK_RELATED_MAX + 1), sizeof(struct topk_call *));
    jobs->calls = calloc(host->info.batch, sizeof *jobs->calls);
    jobs->answers = calloc(host->info.batch, sizeof *jobs->answers);
    jobs->ready = jobs->queue != NULL && jobs->calls != NULL && jobs->answers != NULL;
    jobs->room = count;
    return jobs->ready;
}

/* Buffers that are kept from one case to the next are no more, all first calls' together, and all
 * second calls' together. */
#define KEPT_BYTES ((uint64_t)128 << 20)
/* Cases that are run together need no more buffers, unless it is one alone. */
#define TOGETHER_BYTES ((uint64_t)256 << 20)

/* about what the buffers of a case take, and those of its second calls */
static uint64_t weigh(const struct topk_case *test)
{
    uint64_t bytes = topk_call_bytes(test);
    /* second calls that are not run by themselves are two at most, or one for each sequence */
    uint64_t calls = test->check == TOPK_CHECK_NONE ? 1 : 3;
    return topk_case_too_large(test) ? 0 : 2 * bytes * calls;
}

/* where what is spoiled is sure to be wrong */
static void spoil(struct job *job, enum topk_chaos_kind kind)
{
    const struct topk_operator *op = &job->test->op;
    bool outputs = topk_chaos_row(kind)->place == TOPK_CHAOS_AT_OUTPUT;
    bool judged = job->duty == DUTY_ACCEPT && !job->created_only &&
                  op->direction <= TOPK_DECREASING &&
                  !topk_clause_set_has(&job->validity.latitude, TOPK_CLAUSE_T14);
    if (!job->settled && !binding_wrong(job->test) && (judged || !outputs)) {
        topk_spoil(kind, &job->base);
    }
}

static void run_together(struct topk_host *host, const struct topk_case *const cases[],
                         const enum topk_chaos_kind *kinds, uint32_t count,
                         struct topk_result *results)
{
    struct topk_jobs *jobs = host->jobs;
    uint32_t queued = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct job *job = &jobs->jobs[i];
        prepare(host, job, cases[i], &results[i]);
        if (!job->settled && !topk_relation_alone(cases[i]->check)) {
            jobs->queue[queued++] = &job->base;
            queued = queue_round(jobs, job, queued);
        }
    }
    uint64_t spent = run_queue(host, queued);
    uint64_t kept = KEPT_BYTES / TOPK_CALL_BUFFERS / jobs->room;
    for (uint32_t i = 0; i < count; i++) {
        struct job *job = &jobs->jobs[i];
        results[i].nanoseconds = spent / count;
        if (!job->settled && topk_relation_alone(cases[i]->check)) {
            jobs->queue[0] = &job->base;
            results[i].nanoseconds += run_queue(host, 1);
        }
        if (kinds != NULL) {
            spoil(job, kinds[i]);
        }
        if (!job->settled) {
            results[i].nanoseconds += judge(host, job);
        }
        topk_call_trim(&job->base, kept);
        for (uint32_t r = 0; job->related != NULL && r < TOPK_RELATED_MAX; r++) {
            topk_call_trim(&job->related[r], kept / TOPK_RELATED_MAX);
        }
    }
}

void topk_host_run(struct topk_host *host, const struct topk_case *const cases[], uint32_t count,
                   struct topk_result *results)
{
    topk_host_run_spoiled(host, cases, NULL, count, results);
}

void topk_host_run_spoiled(struct topk_host *host, const struct topk_case *const cases[],
                           const enum topk_chaos_kind kinds[], uint32_t count,
                           struct topk_result *results)
{
    if (!reserve(host, count)) {
        for (uint32_t i = 0; i < count; i++) {
            memset(&results[i], 0, sizeof results[i]);
            results[i].verdict = TOPK_VERDICT_HARNESS_ERROR;
            results[i].clause = TOPK_CLAUSE_NONE;
            snprintf(results[i].reason, sizeof results[i].reason, "out of memory");
        }
        return;
    }
    for (uint32_t from = 0; from < count;) {
        uint64_t bytes = weigh(cases[from]);
        uint32_t to = from + 1;
        while (to < count && bytes + weigh(cases[to]) <= TOGETHER_BYTES) {
            bytes += weigh(cases[to++]);
        }
        run_together(host, cases + from, kinds == NULL ? NULL : kinds + from, to - from,
                     results + from);
        from = to;
    }
}

void topk_host_close(struct topk_host *host)
{
    struct topk_jobs *jobs = host->jobs;
    for (uint32_t i = 0; jobs != NULL && i < jobs->room; i++) {
        topk_call_free(&jobs->jobs[i].base);
        for (uint32_t r = 0; jobs->jobs[i].related != NULL && r < TOPK_RELATED_MAX; r++) {
            topk_call_free(&jobs->jobs[i].related[r]);
        }
        free(jobs->jobs[i].related);
    }
    if (jobs != NULL) {
        free(jobs->jobs);
        free(jobs->queue);
        free(jobs->calls);
        free(jobs->answers);
        free(jobs);
    }
    if (host->self != NULL) {
        host->backend->close(host->self);
    }
    if (host->library != NULL) {
        topk_library_close(host->library);
    }
    memset(host, 0, sizeof *host);
}
