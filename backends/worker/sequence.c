/* Runs the calls of a sequence one after another. */
#include "sequence.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host_call.h"

/* the value output of a call, in row-major order; empty if it was not computed */
struct output {
    uint64_t *bits;
    uint32_t count;
};

struct sequence {
    struct topk_host *host;
    struct topk_job *job;
    const struct topk_case *tc;
    struct topk_result *result;
    struct output outputs[TOPK_CALLS_MAX];
    uint64_t spent;
};

/* whether a later call has this call's output as data; number from 1 */
static bool wanted(const struct topk_case *tc, uint32_t number)
{
    bool any = false;
    for (uint32_t i = number + 1; i <= tc->before_count + 1; i++) {
        any |= topk_case_call(tc, i)->out == i - number;
    }
    return any;
}

/* stores the value output of the backend; false if memory is short */
static bool keep_output(const struct topk_job *job, struct output *output)
{
    const struct topk_call *call = &job->first_call;
    const struct topk_tensor *value = &call->tc.op.tensors[TOPK_VALUE];
    const uint32_t count = (uint32_t)topk_tensor_elements(value);
    uint32_t at[TOPK_RANK_MAX] = {0};
    if (job->creation == TOPK_CREATION_FORBIDDEN || job->created_only ||
        call->answer.status != TOPK_BACKEND_DONE) {
        return true;
    }
    output->bits = malloc((size_t)count * sizeof *output->bits);
    if (output->bits == NULL) {
        return false;
    }
    for (output->count = 0; output->count < count; output->count++) {
        output->bits[output->count] = topk_call_output(call, TOPK_VALUE, at);
        for (uint32_t d = value->rank; d-- > 0 && ++at[d] == value->sizes[d];) {
            at[d] = 0;
        }
    }
    return true;
}

/* runs and judges a job */
static void run_job(struct sequence *sequence)
{
    struct topk_call *queue[TOPK_SECOND_CALLS_MAX + 1] = {&sequence->job->first_call};
    const uint32_t queued =
        topk_job_alone(sequence->job) ? 1 : topk_job_queue(sequence->job, queue, 1);
    sequence->spent += topk_host_call(sequence->host, queue, queued);
    if (topk_host_died(sequence->host) == NULL) {
        sequence->spent += topk_job_judge(sequence->host, sequence->job);
    }
}

/* Makes and judges one call; number from 1. False if memory is short. */
static bool run_call(struct sequence *sequence, uint32_t number, struct topk_result *result)
{
    struct topk_case call = *topk_case_call(sequence->tc, number);
    uint64_t *literal = NULL;
    call.before = NULL;
    call.before_count = 0;
    if (call.out != 0) {
        const struct output *output = &sequence->outputs[number - call.out - 1];
        literal = topk_case_carry(&call, output->bits, output->count);
        if (literal == NULL) {
            return false;
        }
        call.literal = literal;
        call.literal_count = (uint32_t)topk_tensor_elements(&call.op.tensors[TOPK_INPUT]);
        call.out = 0;
    }
    topk_job_prepare(sequence->host, sequence->job, &call, result);
    const bool computed = !sequence->job->settled;
    if (computed) {
        run_job(sequence);
    }
    const bool kept = !computed || !wanted(sequence->tc, number) ||
                      keep_output(sequence->job, &sequence->outputs[number - 1]);
    free(literal);
    return kept;
}

/* adds the number of the call to a result */
static void name_call(const struct topk_case *tc, uint32_t number, struct topk_result *result)
{
    char reason[TOPK_REASON];
    result->call = number;
    snprintf(reason, sizeof reason, "call %" PRIu32 " of %" PRIu32 "%s%.220s", number,
             tc->before_count + 1, result->reason[0] == 0 ? "" : ": ", result->reason);
    memcpy(result->reason, reason, sizeof reason);
}

/* Merges the result of a call into that of the sequence. Returns whether to continue. */
static bool take_result(const struct sequence *sequence, uint32_t number, struct topk_result *one)
{
    struct topk_result *whole = sequence->result;
    const bool failed = topk_verdict_failure(one->verdict);
    const bool lacking = one->verdict == TOPK_VERDICT_UNSUPPORTED;
    const bool lacks = number > 1 && whole->verdict == TOPK_VERDICT_UNSUPPORTED;
    const bool by_status = one->by_status && (number == 1 || whole->by_status);
    const uint32_t observations =
        one->judgement.observations | (number == 1 ? 0 : whole->judgement.observations);
    if (failed || lacking) {
        name_call(sequence->tc, number, one);
    }
    if (failed || !lacks) {
        *whole = *one;
        whole->by_status = by_status;
    }
    whole->judgement.observations = observations;
    return !failed;
}

uint64_t topk_sequence_run(struct topk_host *host, struct topk_job *job, const struct topk_case *tc,
                           struct topk_result *result)
{
    struct sequence sequence = {.host = host, .job = job, .tc = tc, .result = result};
    struct topk_result one;
    bool more = true;
    memset(result, 0, sizeof *result);
    for (uint32_t i = 1; more && i <= tc->before_count + 1; i++) {
        const bool ok = run_call(&sequence, i, &one);
        more = ok && topk_host_died(host) == NULL;
        if (!ok) {
            memset(&one, 0, sizeof one);
            one.verdict = TOPK_VERDICT_HARNESS_ERROR;
            one.clause = TOPK_CLAUSE_NONE;
            snprintf(one.reason, sizeof one.reason, "out of memory");
        }
        if (!ok || more) {
            more = take_result(&sequence, i, &one); /* no memory is a failure, too */
        }
    }
    for (uint32_t i = 0; i < TOPK_CALLS_MAX; i++) {
        free(sequence.outputs[i].bits);
    }
    return sequence.spent;
}
