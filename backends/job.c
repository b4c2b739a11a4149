/* What a case needs before it is judged: what its description must lead to, and its calls. */
#include "job.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host_call.h"

void topk_job_settle(struct topk_job *job, enum topk_verdict verdict, enum topk_clause clause,
                     const char *reason)
{
    job->settled = true;
    job->result->verdict = verdict;
    job->result->clause = clause;
    snprintf(job->result->reason, sizeof job->result->reason, "%s", reason);
}

static void decide_duty(const struct topk_host *host, struct topk_job *job)
{
    const struct topk_operator *op = &job->test->op;
    topk_operator_validate(op, op->level, &job->validity);
    job->duty = topk_clause_set_empty(&job->validity.broken) ? TOPK_DUTY_ACCEPT : TOPK_DUTY_REFUSE;
    if (job->duty == TOPK_DUTY_REFUSE && !(host->info.flags & TOPK_BACKEND_STRICT_LEVEL) &&
        host->info.feature_level > op->level) {
        struct topk_validity higher;
        topk_operator_validate(op, host->info.feature_level, &higher);
        if (topk_clause_set_empty(&higher.broken)) {
            job->duty = TOPK_DUTY_EITHER;
        }
    }
}

void topk_job_note_second(struct topk_job *job, const struct topk_backend_answer *answer,
                          bool compared)
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

void topk_job_prepare_round(struct topk_host *host, struct topk_job *job, uint32_t round)
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
            job->asked[i] = topk_host_supports(host, &job->related[i], &answer);
            topk_job_note_second(job, &answer, topk_relation_compared(job->test->check, round, i));
            job->related_count++;
            job->related_any = true;
        }
    }
    if (more < 0) {
        topk_job_settle(job, TOPK_VERDICT_HARNESS_ERROR, TOPK_CLAUSE_NONE, "out of memory");
    }
}

void topk_job_prepare(struct topk_host *host, struct topk_job *job, const struct topk_case *test,
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
    if (job->duty == TOPK_DUTY_REFUSE) {
        topk_call_describe(&job->base, test);
        if (host->info.flags & TOPK_BACKEND_OWN_CONTRACT) {
            topk_job_settle(job, TOPK_VERDICT_UNSUPPORTED,
                            topk_clause_set_first(&job->validity.broken),
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
        topk_job_settle(job, TOPK_VERDICT_UNSUPPORTED, TOPK_CLAUSE_V13, reason);
        return;
    }
    if (topk_case_too_large(test)) {
        if (host->info.flags & TOPK_BACKEND_OWN_CONTRACT) {
            topk_job_settle(
                job, TOPK_VERDICT_UNSUPPORTED, TOPK_CLAUSE_NONE,
                "is too large to be run, and creation alone is none of the backend's contract");
            return;
        }
        job->created_only = true;
        topk_call_describe(&job->base, test);
        return;
    }
    if (!topk_call_prepare(&job->base, test, TOPK_POISON_RANDOM)) {
        topk_job_settle(job, TOPK_VERDICT_HARNESS_ERROR, TOPK_CLAUSE_NONE, "out of memory");
        return;
    }
    struct topk_backend_answer answer;
    if (!topk_host_supports(host, &job->base, &answer)) {
        topk_job_settle(job, TOPK_VERDICT_UNSUPPORTED, TOPK_CLAUSE_NONE, answer.reason);
        return;
    }
    if (test->check != TOPK_CHECK_NONE && !topk_relation_alone(test->check)) {
        topk_job_prepare_round(host, job, 0);
    }
}

bool topk_job_alone(const struct topk_job *job)
{
    return topk_relation_alone(job->test->check);
}

uint32_t topk_job_queue(struct topk_job *job, struct topk_call *queue[], uint32_t queued)
{
    for (uint32_t r = 0; r < job->related_count; r++) {
        if (job->asked[r]) {
            queue[queued++] = &job->related[r];
        }
    }
    return queued;
}

void topk_job_trim(struct topk_job *job, uint64_t bytes)
{
    topk_call_trim(&job->base, bytes);
    for (uint32_t r = 0; job->related != NULL && r < TOPK_RELATED_MAX; r++) {
        topk_call_trim(&job->related[r], bytes / TOPK_RELATED_MAX);
    }
}

void topk_job_free(struct topk_job *job)
{
    topk_call_free(&job->base);
    for (uint32_t r = 0; job->related != NULL && r < TOPK_RELATED_MAX; r++) {
        topk_call_free(&job->related[r]);
    }
    free(job->related);
}
