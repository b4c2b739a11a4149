/* Decides the verdict on a case whose calls were run. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "host_call.h"
#include "job.h"
#include "platform/stage.h"

static void observe(struct topk_job *job, enum topk_observation observation)
{
    job->result->judgement.observations |= (uint32_t)1 << observation;
}

/* PRACTICE and OBSERVE clauses that allow a refusal, and the observation for each choice. If
 * several apply, the first one counts as the reason: rare ones come first. */
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

/* a valid call was refused: finds a clause that allows it */
static void judge_refusal(struct topk_job *job, const char *reason)
{
    if (job->creation == TOPK_CREATION_OPTIONAL) {
        observe(job, TOPK_OBSERVATION_LEVEL_KEPT);
        topk_job_settle(job, TOPK_VERDICT_PASS, TOPK_CLAUSE_NONE, reason);
        return;
    }
    for (size_t i = 0; i < LATITUDES; i++) {
        enum topk_clause clause = latitudes[i].clause;
        if (topk_clause_set_has(&job->validity.latitude, clause)) {
            observe(job, latitudes[i].refused);
            /* callers need K = n and overlapping input, so that refusing them is a gap */
            bool lack = clause == TOPK_CLAUSE_V03 || clause == TOPK_CLAUSE_T13;
            topk_job_settle(job, lack ? TOPK_VERDICT_UNSUPPORTED : TOPK_VERDICT_PASS,
                            lack ? clause : TOPK_CLAUSE_NONE, reason);
            return;
        }
    }
    topk_job_settle(job, TOPK_VERDICT_REFUSED, topk_operator_allowed_by(&job->tc->op), reason);
}

/* an answer other than DONE to a valid call */
static void judge_answer(struct topk_job *job, const struct topk_backend_answer *answer)
{
    if (topk_case_misbound(job->tc) && answer->status != TOPK_BACKEND_UNSUPPORTED) {
        observe(job, TOPK_OBSERVATION_BINDING_UNJUDGED); /* M08 */
        topk_job_settle(job, TOPK_VERDICT_PASS, TOPK_CLAUSE_NONE, answer->reason);
        return;
    }
    switch (answer->status) {
    case TOPK_BACKEND_REFUSED:
        judge_refusal(job, answer->reason);
        break;
    case TOPK_BACKEND_UNSUPPORTED:
    case TOPK_BACKEND_OUT_OF_MEMORY:
        topk_job_settle(job, TOPK_VERDICT_UNSUPPORTED, TOPK_CLAUSE_NONE, answer->reason);
        break;
    case TOPK_BACKEND_DEVICE_LOST:
        topk_job_settle(job, TOPK_VERDICT_DEVICE_LOST, TOPK_CLAUSE_NONE, answer->reason);
        break;
    default:
        topk_job_settle(job, TOPK_VERDICT_ERROR, TOPK_CLAUSE_NONE,
                        answer->reason[0] != 0 ? answer->reason : "the backend gives no reason");
        break;
    }
}

static void add_broken(struct topk_job *job)
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

/* the answer to an invalid description */
static void judge_invalid(struct topk_job *job, const struct topk_backend_answer *answer)
{
    enum topk_clause first = topk_clause_set_first(&job->validity.broken);
    switch (answer->status) {
    case TOPK_BACKEND_REFUSED:
        topk_job_settle(job, TOPK_VERDICT_PASS, TOPK_CLAUSE_NONE, "");
        break;
    case TOPK_BACKEND_DONE:
        add_broken(job);
        topk_job_settle(job, TOPK_VERDICT_ACCEPTED, first, "the operator was created");
        break;
    case TOPK_BACKEND_DEVICE_LOST:
        topk_job_settle(job, TOPK_VERDICT_DEVICE_LOST, first, answer->reason);
        break;
    case TOPK_BACKEND_UNSUPPORTED:
    case TOPK_BACKEND_OUT_OF_MEMORY:
        topk_job_settle(job, TOPK_VERDICT_UNSUPPORTED, first, answer->reason);
        break;
    default:
        /* neither created nor refused */
        add_broken(job);
        topk_job_settle(job, TOPK_VERDICT_FAIL, first, answer->reason);
        break;
    }
}

/* V12: a direction other than 0 and 1 may mean either one */
static void judge_direction(struct topk_job *job, struct topk_operator *op,
                            const struct topk_exhibit exhibits[TOPK_ROLE_COUNT])
{
    struct topk_judgement *judgement = &job->result->judgement;
    op->direction = TOPK_INCREASING;
    topk_judge_contract(op, job->contract, exhibits, judgement);
    bool increasing = judgement->count == 0;
    op->direction = TOPK_DECREASING;
    topk_judge_contract(op, job->contract, exhibits, judgement);
    if (judgement->count == 0) {
        observe(job, TOPK_OBSERVATION_DIRECTION_DECREASING);
    } else if (increasing) {
        judgement->count = 0;
        judgement->has_sequence = false;
        observe(job, TOPK_OBSERVATION_DIRECTION_INCREASING);
    }
}

/* copies the outputs around the first wrong position of the first wrong sequence */
static void take_window(struct topk_job *job)
{
    struct topk_result *result = job->result;
    const struct topk_operator *op = &job->first_call.tc.op;
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
        result->window_values[i] = topk_call_output(&job->first_call, TOPK_VALUE, at);
        result->window_indices[i] = topk_call_output(&job->first_call, TOPK_INDEX, at);
    }
}

/* judges the outputs of the first call */
static void judge_outputs(const struct topk_host *host, struct topk_job *job)
{
    struct topk_judgement *judgement = &job->result->judgement;
    struct topk_operator op = job->first_call.tc.op;
    struct topk_exhibit exhibits[TOPK_ROLE_COUNT];
    topk_call_exhibit(&job->first_call, exhibits);
    bool overlap = topk_clause_set_has(&job->validity.latitude, TOPK_CLAUSE_T14);
    bool misbound = topk_case_misbound(job->tc);
    job->outputs_judged = !overlap && !misbound;
    if (misbound) {
        observe(job, TOPK_OBSERVATION_BINDING_UNJUDGED);
    } else if (!overlap && op.direction > TOPK_DECREASING && op.kind == TOPK_TOP_K1) {
        judge_direction(job, &op, exhibits);
    } else if (!overlap) {
        topk_judge_contract(&op, job->contract, exhibits, judgement);
    }
    take_window(job);
    if (host->outputs && job->outputs_judged) {
        topk_outputs_take(&op, exhibits, &job->result->outputs);
    }
    if (judgement->count > 0) {
        topk_call_complete(&job->first_call);
        topk_call_exhibit(&job->first_call, exhibits);
        topk_result_explain(job->result, topk_diagnose(&op, job->contract, exhibits, judgement));
    }
}

static void judge_memory(struct topk_job *job, struct topk_call *call)
{
    const enum topk_stage before = topk_stage_enter(TOPK_STAGE_CONTAIN);
    topk_call_judge_memory(call, &job->result->judgement);
    topk_stage_enter(before);
}

/* Says which second call is wrong, and how it differs from the first: by its data, besides what the
 * finding says. */
static void say_second(struct topk_job *job, uint32_t number, const char *how)
{
    char *reason = job->first_call.answer.reason;
    char call[TOPK_REASON - 64]; /* empty if it does not fit */
    char first[TOPK_REASON - 64];
    struct topk_case tcs[] = {job->second_calls[number].tc, *job->tc};
    if (reason[0] != 0) {
        return;
    }
    for (int i = 0; i < 2; i++) {
        tcs[i].check = TOPK_CHECK_NONE;
        tcs[i].recipe = NULL;
        tcs[i].literal = NULL;
        topk_case_print(&tcs[i], i == 0 ? call : first, sizeof call);
    }
    const bool differs = call[0] != 0 && strcmp(call, first) != 0;
    snprintf(reason, TOPK_REASON, "%s in second call %" PRIu32 " of check=%s%s%s", how, number + 1,
             topk_check_row(job->tc->check)->word, differs ? ": " : "", differs ? call : "");
}

/* Judges a second call by itself: what is not compared with the first call must be correct, too. */
static void judge_second(struct topk_job *job, uint32_t number)
{
    const struct topk_call *second = &job->second_calls[number];
    struct topk_judgement *judgement = &job->result->judgement;
    struct topk_judgement alone = {.count = 0};
    struct topk_operator op = second->tc.op;
    struct topk_exhibit exhibits[TOPK_ROLE_COUNT];
    const bool either = op.kind == TOPK_TOP_K1 && op.direction > TOPK_DECREASING; /* V12 */
    topk_call_exhibit(second, exhibits);
    op.direction = either ? TOPK_INCREASING : op.direction;
    topk_judge_contract(&op, job->contract, exhibits, &alone);
    if (either && alone.count > 0) {
        op.direction = TOPK_DECREASING;
        topk_judge_contract(&op, job->contract, exhibits, &alone);
    }
    judgement->no_memory |= alone.no_memory;
    judgement->contradiction |= alone.contradiction;
    for (uint32_t i = 0; i < alone.count; i++) {
        topk_judgement_add(judgement, &alone.findings[i]);
    }
    if (alone.count > 0) {
        say_second(job, number, "wrong by itself");
    }
}

/* compares a round's second calls with the first call, and checks where they wrote */
static void judge_round(struct topk_job *job, uint32_t round)
{
    enum topk_check check = job->tc->check;
    bool unjudged = topk_clause_set_has(&job->validity.latitude, TOPK_CLAUSE_T14) ||
                    topk_case_misbound(job->tc);
    const enum topk_stage before = topk_stage_enter(TOPK_STAGE_RELATE);
    for (uint32_t i = 0; i < job->second_count; i++) {
        const struct topk_call *second = &job->second_calls[i];
        bool compared = topk_relation_compared(check, round, i);
        if (!job->served[i]) {
            continue;
        }
        topk_job_note_second(job, &second->answer, compared);
        if (second->answer.status == TOPK_BACKEND_DONE && compared && !unjudged) {
            const uint32_t count = job->result->judgement.count;
            topk_relation_compare(second, &job->first_call, i, job->contract,
                                  &job->result->judgement);
            if (count == 0 && job->result->judgement.count > 0) {
                say_second(job, i, "first seen");
            }
        }
        if (second->answer.status == TOPK_BACKEND_DONE && !unjudged &&
            job->result->judgement.count == 0 &&
            !(compared && topk_relation_promised_same(check, job->contract))) {
            judge_second(job, i);
        }
    }
    for (uint32_t i = 0; i < job->second_count; i++) {
        if (job->served[i] && job->second_calls[i].answer.status == TOPK_BACKEND_DONE) {
            judge_memory(job, &job->second_calls[i]);
        }
    }
    topk_stage_enter(before);
}

/* runs and judges the second calls that run separately; returns the nanoseconds */
static uint64_t run_rounds(struct topk_host *host, struct topk_job *job)
{
    struct topk_call *queue[TOPK_SECOND_CALLS_MAX];
    uint64_t spent = 0;
    for (uint32_t round = 0; !job->settled && job->second_answer.status == TOPK_BACKEND_DONE;
         round++) {
        topk_job_prepare_round(host, job, round);
        if (job->second_count == 0) {
            break;
        }
        spent += topk_host_call(host, queue, topk_job_queue(job, queue, 0));
        judge_round(job, round);
    }
    return spent;
}

/* drops observations of an adapter, which say nothing about what is under test */
static void drop_unobserved(struct topk_job *job)
{
    uint32_t *const observations = &job->result->judgement.observations;
    for (int i = 0; i < TOPK_OBSERVATION_COUNT; i++) {
        const enum topk_clause clause = topk_observation_row((enum topk_observation)i)->clause;
        if (topk_contract_promise(job->contract, clause, NULL) == TOPK_PROMISE_NOT_OBSERVED) {
            *observations &= ~((uint32_t)1 << i);
        }
    }
}

/* whether there is a finding with this clause and mismatch */
static bool has_finding(const struct topk_judgement *judgement, enum topk_clause clause,
                        enum topk_mismatch mismatch)
{
    bool found = false;
    for (uint32_t i = 0; i < judgement->count; i++) {
        found |=
            judgement->findings[i].clause == clause && judgement->findings[i].mismatch == mismatch;
    }
    return found;
}

/* The clause of a wrong result: a cause comes before its consequences. */
static enum topk_clause lead(struct topk_job *job)
{
    const struct topk_judgement *judgement = &job->result->judgement;
    const enum topk_reading reading = job->result->reading;
    if (has_finding(judgement, TOPK_CLAUSE_M01, TOPK_MISMATCH_INPUT_WRITTEN)) {
        /* the outputs may contain what was written outside, so that no reading explains them */
        topk_result_explain(job->result, (struct topk_diagnosis){0});
        return TOPK_CLAUSE_M01;
    }
    /* a value that was written elsewhere is missing in its place */
    if ((reading == TOPK_READING_NONE || reading == TOPK_READING_UNWRITTEN) &&
        has_finding(judgement, TOPK_CLAUSE_M02, TOPK_MISMATCH_OUTSIDE_WRITTEN)) {
        return TOPK_CLAUSE_M02;
    }
    if (has_finding(judgement, TOPK_CLAUSE_M04, TOPK_MISMATCH_UNEQUAL_PADDING)) {
        return TOPK_CLAUSE_M04;
    }
    return topk_reading_clause(reading, &job->first_call.tc.op, judgement);
}

/* the verdict on a computed call, after everything was checked */
static void conclude(struct topk_job *job)
{
    struct topk_judgement *judgement = &job->result->judgement;
    for (size_t i = 0; i < LATITUDES; i++) {
        if (latitudes[i].accepted != TOPK_OBSERVATION_COUNT &&
            topk_clause_set_has(&job->validity.latitude, latitudes[i].clause)) {
            observe(job, latitudes[i].accepted);
        }
    }
    if (job->creation == TOPK_CREATION_OPTIONAL) {
        observe(job, TOPK_OBSERVATION_LEVEL_EXCEEDED);
    }
    if (topk_contract_has(job->contract, TOPK_OPTION_MEMORY_GATHERED)) {
        drop_unobserved(job);
    }
    if (judgement->no_memory) {
        topk_job_settle(job, TOPK_VERDICT_HARNESS_ERROR, TOPK_CLAUSE_NONE,
                        "out of memory while judging");
    } else if (judgement->contradiction) {
        topk_job_settle(job, TOPK_VERDICT_HARNESS_ERROR, TOPK_CLAUSE_NONE,
                        "the judge rejects the result and finds nothing wrong with it");
    } else if (judgement->count > 0) {
        topk_job_settle(job, TOPK_VERDICT_FAIL, lead(job), job->first_call.answer.reason);
    } else if (job->second_answer.status != TOPK_BACKEND_DONE) {
        /* the case is correct, but its relation was not tested */
        judge_answer(job, &job->second_answer);
    } else {
        topk_job_settle(job, TOPK_VERDICT_PASS, TOPK_CLAUSE_NONE, job->first_call.answer.reason);
    }
}

/* says why a case is only created */
static void say_too_large(const struct topk_host *host, const struct topk_case *tc,
                          char reason[TOPK_REASON])
{
    uint64_t elements = topk_tensor_elements(&tc->op.tensors[TOPK_INPUT]);
    if (host->case_memory != 0) {
        snprintf(reason, TOPK_REASON,
                 "created, not run: it takes %" PRIu64
                 " bytes of memory, the worker gives it %" PRIu64,
                 topk_case_memory(tc), host->case_memory);
    } else if (elements > TOPK_CASE_ELEMENTS) {
        snprintf(reason, TOPK_REASON,
                 "created, not run: %" PRIu64 " elements, the worker takes at most %" PRIu64,
                 elements, TOPK_CASE_ELEMENTS);
    } else {
        snprintf(reason, TOPK_REASON,
                 "created, not run: %" PRIu64
                 " bytes of buffers, the worker takes at most %" PRIu64,
                 topk_call_bytes(tc), TOPK_CASE_BYTES);
    }
}

uint64_t topk_job_judge(struct topk_host *host, struct topk_job *job)
{
    const struct topk_backend_answer *answer = &job->first_call.answer;
    enum topk_check check = job->tc->check;
    uint64_t spent = 0;
    if (job->creation == TOPK_CREATION_FORBIDDEN) {
        judge_invalid(job, answer);
        return 0;
    }
    if (answer->status != TOPK_BACKEND_DONE) {
        job->by_contract = false; /* the backend itself does not support the case */
        judge_answer(job, answer);
        return 0;
    }
    if (job->created_only) {
        char reason[TOPK_REASON];
        say_too_large(host, job->tc, reason);
        topk_job_settle(job, TOPK_VERDICT_PASS, TOPK_CLAUSE_NONE, reason);
        return 0;
    }
    judge_outputs(host, job);
    if (topk_job_alone(job)) {
        spent = run_rounds(host, job);
    } else {
        judge_round(job, 0);
    }
    judge_memory(job, &job->first_call);
    if (!job->settled) {
        conclude(job);
    }
    if (check != TOPK_CHECK_NONE && !job->any_second && job->result->verdict == TOPK_VERDICT_PASS) {
        snprintf(job->result->reason, sizeof job->result->reason,
                 "check=%s has no second call here", topk_check_row(check)->word);
    }
    return spent;
}
