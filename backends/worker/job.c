/* Prepares a case: what its description requires of the backend, and its calls. */
#include "job.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host_call.h"

#define GIB ((double)(1 << 30))

void topk_job_settle(struct topk_job *job, enum topk_verdict verdict, enum topk_clause clause,
                     const char *reason)
{
    job->settled = true;
    job->result->verdict = verdict;
    job->result->by_status = verdict == TOPK_VERDICT_PASS && !job->outputs_judged;
    job->result->by_contract = verdict == TOPK_VERDICT_UNSUPPORTED && job->by_contract;
    job->result->clause = clause;
    snprintf(job->result->reason, sizeof job->result->reason, "%s", reason);
}

static void decide_creation(const struct topk_host *host, struct topk_job *job)
{
    const struct topk_operator *op = &job->tc->op;
    topk_operator_validate(op, op->level, &job->validity);
    job->creation = topk_clause_set_empty(&job->validity.broken) ? TOPK_CREATION_REQUIRED
                                                                 : TOPK_CREATION_FORBIDDEN;
    if (job->creation == TOPK_CREATION_FORBIDDEN &&
        !(host->loaded.info.flags & TOPK_BACKEND_STRICT_LEVEL) &&
        host->loaded.info.feature_level > op->level) {
        struct topk_validity higher;
        topk_operator_validate(op, host->loaded.info.feature_level, &higher);
        if (topk_clause_set_empty(&higher.broken)) {
            job->creation = TOPK_CREATION_OPTIONAL;
        }
    }
}

void topk_job_note_second(struct topk_job *job, const struct topk_backend_answer *answer,
                          bool compared)
{
    bool declined = answer->status == TOPK_BACKEND_UNSUPPORTED ||
                    answer->status == TOPK_BACKEND_OUT_OF_MEMORY ||
                    answer->status == TOPK_BACKEND_REFUSED;
    if (answer->status == TOPK_BACKEND_DONE || job->second_answer.status != TOPK_BACKEND_DONE ||
        (declined && !compared)) {
        return;
    }
    job->second_answer.status = answer->status;
    snprintf(job->second_answer.reason, sizeof job->second_answer.reason,
             "second call of check=%.16s: %.200s", topk_check_row(job->tc->check)->word,
             answer->reason);
}

void topk_job_prepare_round(struct topk_host *host, struct topk_job *job, uint32_t round)
{
    job->second_count = 0;
    if (job->second_calls == NULL) {
        job->second_calls = calloc(TOPK_SECOND_CALLS_MAX, sizeof *job->second_calls);
    }
    int more = job->second_calls == NULL ? -1 : 1;
    while (more > 0 && job->second_count < TOPK_SECOND_CALLS_MAX) {
        uint32_t i = job->second_count;
        more = topk_relation_prepare(&job->second_calls[i], &job->first_call, round, i);
        if (more > 0) {
            struct topk_backend_answer answer;
            const bool compared = topk_relation_compared(job->tc->check, round, i);
            char reason[TOPK_REASON];
            job->second_calls[i].guard_page = job->first_call.guard_page;
            job->served[i] = topk_host_supports(host, &job->second_calls[i], &answer);
            /* the first answer that is not DONE decides */
            job->by_contract |= compared && job->second_answer.status == TOPK_BACKEND_DONE &&
                                !topk_contract_serves(job->contract, &job->second_calls[i].tc.op,
                                                      reason, sizeof reason);
            topk_job_note_second(job, &answer, compared);
            job->second_count++;
            job->any_second = true;
        }
    }
    if (more < 0) {
        topk_job_settle(job, TOPK_VERDICT_HARNESS_ERROR, TOPK_CLAUSE_NONE, "out of memory");
    }
}

/* Whether the contract allows the relation to be tested; if not, there are no second calls. */
static bool observed(struct topk_job *job)
{
    const struct topk_check_row *check = topk_check_row(job->tc->check);
    enum topk_contract_option by = TOPK_OPTION_COUNT;
    if (topk_contract_promise(job->contract, (enum topk_clause)check->clause, &by) !=
        TOPK_PROMISE_NOT_OBSERVED) {
        return true;
    }
    const struct topk_contract_option_row *option = topk_contract_option_row(by);
    job->by_contract = true;
    job->second_answer.status = TOPK_BACKEND_UNSUPPORTED;
    snprintf(job->second_answer.reason, sizeof job->second_answer.reason,
             "check=%s is not observed: the declared contract has %s=%s", check->word,
             topk_contract_rule_row(option->rule)->key, option->word);
    return false;
}

bool topk_job_too_large(const struct topk_host *host, const struct topk_case *tc)
{
    return host->case_memory == 0 ? topk_case_too_large(tc)
                                  : topk_case_memory(tc) > host->case_memory;
}

/* Whether a large case needs more memory than there is; sets the result if so. The system may kill
 * processes that exceed it, ours and the backend's. */
static bool lacks_memory(const struct topk_host *host, struct topk_job *job)
{
    const uint64_t bytes = topk_case_memory(job->tc);
    if (host->memory == 0 || bytes <= host->memory || !topk_case_too_large(job->tc)) {
        return false;
    }
    char reason[TOPK_REASON];
    snprintf(reason, sizeof reason,
             "not run: it takes %.1f GiB of memory beside what the backend takes, and %.1f GiB are "
             "free",
             (double)bytes / GIB, (double)host->memory / GIB);
    topk_job_settle(job, TOPK_VERDICT_HARNESS_ERROR, TOPK_CLAUSE_NONE, reason);
    return true;
}

void topk_job_prepare(struct topk_host *host, struct topk_job *job, const struct topk_case *tc,
                      struct topk_result *result)
{
    job->tc = tc;
    job->result = result;
    job->contract = &host->loaded.contract;
    job->settled = false;
    job->second_count = 0;
    job->created_only = false;
    job->any_second = false;
    job->outputs_judged = false;
    job->by_contract = false;
    memset(&job->second_answer, 0, sizeof job->second_answer);
    memset(result, 0, sizeof *result);
    result->clause = TOPK_CLAUSE_NONE;
    decide_creation(host, job);
    if (job->creation == TOPK_CREATION_FORBIDDEN) {
        topk_call_describe(&job->first_call, tc);
        if (host->loaded.info.flags & TOPK_BACKEND_OWN_CONTRACT) {
            job->by_contract = true;
            const char *const reason = host->loaded.info.invalid_calls_reason;
            topk_job_settle(job, TOPK_VERDICT_UNSUPPORTED,
                            topk_clause_set_first(&job->validity.broken),
                            reason[0] != 0 ? reason : "the declared contract has invalid=own");
        }
        return;
    }
    char reason[TOPK_REASON];
    if (tc->op.level > host->loaded.info.feature_level) {
        snprintf(reason, sizeof reason, "asks for feature level %u.%u, the backend serves %u.%u",
                 (unsigned)(tc->op.level >> 12), (unsigned)(tc->op.level >> 8 & 15),
                 (unsigned)(host->loaded.info.feature_level >> 12),
                 (unsigned)(host->loaded.info.feature_level >> 8 & 15));
        topk_job_settle(job, TOPK_VERDICT_UNSUPPORTED, TOPK_CLAUSE_V13, reason);
        return;
    }
    if (!topk_contract_serves(job->contract, &tc->op, reason, sizeof reason)) {
        job->by_contract = true;
        topk_job_settle(job, TOPK_VERDICT_UNSUPPORTED, TOPK_CLAUSE_NONE, reason);
        return;
    }
    if (topk_job_too_large(host, tc)) {
        if (host->loaded.info.flags & TOPK_BACKEND_OWN_CONTRACT) {
            job->by_contract = true;
            topk_job_settle(
                job, TOPK_VERDICT_UNSUPPORTED, TOPK_CLAUSE_NONE,
                "is too large to be run, and the contract says nothing of creation alone");
            return;
        }
        job->created_only = true;
        topk_call_describe(&job->first_call, tc);
        return;
    }
    if (lacks_memory(host, job)) {
        return;
    }
    if (!topk_call_prepare(&job->first_call, tc, TOPK_POISON_RANDOM)) {
        topk_job_settle(job, TOPK_VERDICT_HARNESS_ERROR, TOPK_CLAUSE_NONE, "out of memory");
        return;
    }
    struct topk_backend_answer answer;
    if (!topk_host_supports(host, &job->first_call, &answer)) {
        topk_job_settle(job, TOPK_VERDICT_UNSUPPORTED, TOPK_CLAUSE_NONE, answer.reason);
        return;
    }
    if (tc->check != TOPK_CHECK_NONE && !observed(job)) {
        return;
    }
    if (tc->check != TOPK_CHECK_NONE && !topk_relation_alone(tc->check)) {
        topk_job_prepare_round(host, job, 0);
    }
}

bool topk_job_alone(const struct topk_job *job)
{
    return topk_relation_alone(job->tc->check);
}

uint32_t topk_job_queue(struct topk_job *job, struct topk_call *queue[], uint32_t queued)
{
    for (uint32_t r = 0; r < job->second_count; r++) {
        if (job->served[r]) {
            job->second_calls[r].owner = job->first_call.owner;
            queue[queued++] = &job->second_calls[r];
        }
    }
    return queued;
}

void topk_job_trim(struct topk_job *job, uint64_t bytes)
{
    topk_call_trim(&job->first_call, bytes);
    for (uint32_t r = 0; job->second_calls != NULL && r < TOPK_SECOND_CALLS_MAX; r++) {
        topk_call_trim(&job->second_calls[r], bytes / TOPK_SECOND_CALLS_MAX);
    }
}

void topk_job_free(struct topk_job *job)
{
    topk_call_free(&job->first_call);
    for (uint32_t r = 0; job->second_calls != NULL && r < TOPK_SECOND_CALLS_MAX; r++) {
        topk_call_free(&job->second_calls[r]);
    }
    free(job->second_calls);
}
