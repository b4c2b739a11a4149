/* A job is a case that a host runs: a first call and, for a check, second calls, which are compared
 * with the first.
 *
 * The steps are: topk_job_prepare(); unless the job is settled then, running its calls, the first
 * and those of topk_job_queue(); topk_job_judge(), which settles it.
 */
#ifndef TOPK_JOB_H
#define TOPK_JOB_H

#include "call.h"
#include "host.h"
#include "reference/operator.h"
#include "relation.h"

/* Whether the operator of a case must be created. */
enum topk_creation {
    TOPK_CREATION_REQUIRED,  /* it is valid */
    TOPK_CREATION_FORBIDDEN, /* it breaks a clause */
    TOPK_CREATION_OPTIONAL   /* only a level above the requested one allows it */
};

/* Zero it before its first use. Buffers are kept from one case to the next. */
struct topk_job {
    const struct topk_case *tc; /* the caller's, as is the result, until the case is judged */
    struct topk_result *result;
    const struct topk_contract *contract; /* by which it is judged */
    struct topk_validity validity;
    enum topk_creation creation;
    bool settled; /* the result is final, nothing more is run */
    struct topk_call first_call;
    /* allocated when first needed: TOPK_SECOND_CALLS_MAX */
    struct topk_call *second_calls;
    uint32_t second_count;              /* second calls of the current round */
    bool served[TOPK_SECOND_CALLS_MAX]; /* those that the backend supports, which are run */
    bool any_second;                    /* some round had a second call */
    bool created_only;                  /* valid, but too large to be run */
    /* the outputs of some call were judged, so that a pass rests on them */
    bool outputs_judged;
    bool by_contract; /* unsupported because of the contract */
    /* the first answer to a second call other than DONE */
    struct topk_backend_answer second_answer;
};

/* Whether a case is too large for the host, so that its operator is only created. */
bool topk_job_too_large(const struct topk_host *host, const struct topk_case *tc);

/* Settles cases that need no call; prepares the calls of the others. Overwrites *result. */
void topk_job_prepare(struct topk_host *host, struct topk_job *job, const struct topk_case *tc,
                      struct topk_result *result);

/* Whether the calls of a job must be run separately, not queued with others. */
bool topk_job_alone(const struct topk_job *job);

/* Prepares the second calls of a round; after the last round, second_count is 0. Settles the job if
 * memory is short. */
void topk_job_prepare_round(struct topk_host *host, struct topk_job *job, uint32_t round);

/* Appends the second calls of a round to a queue of `queued` calls, which has room for
 * TOPK_SECOND_CALLS_MAX more; returns the new number. */
uint32_t topk_job_queue(struct topk_job *job, struct topk_call *queue[], uint32_t queued);

/* Judges a job that is not settled, after its calls were run. Calls that must run separately are
 * run here; returns the nanoseconds that these take. */
uint64_t topk_job_judge(struct topk_host *host, struct topk_job *job);

/* Records the answer to a second call that was not computed: the relation is then not tested, so
 * the case cannot pass. A call that only disturbs (not `compared`) may be declined. */
void topk_job_note_second(struct topk_job *job, const struct topk_backend_answer *answer,
                          bool compared);

/* Makes the result final. reason: cut to its size. */
void topk_job_settle(struct topk_job *job, enum topk_verdict verdict, enum topk_clause clause,
                     const char *reason);

/* Frees the buffers of a job; or only those of more than `bytes`, a share of which each second call
 * has. */
void topk_job_free(struct topk_job *job);
void topk_job_trim(struct topk_job *job, uint64_t bytes);

#endif
