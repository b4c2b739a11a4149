/* A case on its way through a host is a job: it has a first call and, as its check asks, second
 * calls, which are compared with the first.
 *
 * A job goes: topk_job_prepare(); unless it is settled then, its calls are run, the first and, with
 * topk_job_queue(), the second ones; topk_job_judge() settles it. */
#ifndef TOPK_JOB_H
#define TOPK_JOB_H

#include "call.h"
#include "host.h"
#include "reference/operator.h"
#include "relation.h"

/* Whether the operator that a case describes is to be created. */
enum topk_creation {
    TOPK_CREATION_REQUIRED,  /* it is valid */
    TOPK_CREATION_FORBIDDEN, /* it breaks a clause */
    TOPK_CREATION_OPTIONAL   /* only a higher level than asked for allows it */
};

/* Zero it before its first use; buffers are kept from one case to the next. */
struct topk_job {
    const struct topk_case *tc; /* of the caller, as is the result, until it is judged */
    struct topk_result *result;
    const struct topk_contract *contract; /* by which it is judged */
    struct topk_validity validity;
    enum topk_creation creation;
    bool settled; /* the result stands, nothing is to be run */
    struct topk_call first_call;
    struct topk_call *second_calls;           /* TOPK_SECOND_CALLS_MAX once one was needed */
    uint32_t second_count;                    /* second calls of this round */
    bool served[TOPK_SECOND_CALLS_MAX];       /* which of them the backend serves: these are run */
    bool any_second;                          /* there was a second call in some round */
    bool created_only;                        /* valid, and too large to be run */
    bool outputs_judged;                      /* those of some call: a pass rests on them */
    bool by_contract;                         /* it is unsupported because the contract says so */
    struct topk_backend_answer second_answer; /* the first of a second call that was not DONE */
};

/* Whether a case is too large for the host: the operator is created only. */
bool topk_job_too_large(const struct topk_host *host, const struct topk_case *tc);

/* Settles what needs no call; prepares the calls of the rest. Overwrites *result. */
void topk_job_prepare(struct topk_host *host, struct topk_job *job, const struct topk_case *tc,
                      struct topk_result *result);

/* Whether its calls are to be run by themselves: none of them is to be queued with others. */
bool topk_job_alone(const struct topk_job *job);

/* Prepares the second calls of a round; second_count is 0 behind the last one. Settles the job if
 * memory is short. */
void topk_job_prepare_round(struct topk_host *host, struct topk_job *job, uint32_t round);

/* Puts the second calls that a round asks for behind `queued` calls, of which there is room for
 * TOPK_SECOND_CALLS_MAX more; returns how many there are then. */
uint32_t topk_job_queue(struct topk_job *job, struct topk_call *queue[], uint32_t queued);

/* Judges a job that is not settled and whose calls were run, but for those that are to be run by
 * themselves; returns the nanoseconds that these take. */
uint64_t topk_job_judge(struct topk_host *host, struct topk_job *job);

/* What became of a second call that was not computed: the relation is then not shown, so the case
 * cannot pass. One that is only in the way (not `compared`) may be declined. */
void topk_job_note_second(struct topk_job *job, const struct topk_backend_answer *answer,
                          bool compared);

/* The result stands from now on. reason: cut to its room. */
void topk_job_settle(struct topk_job *job, enum topk_verdict verdict, enum topk_clause clause,
                     const char *reason);

/* Frees its buffers, or those of more than `bytes`, each second call's share of them. */
void topk_job_free(struct topk_job *job);
void topk_job_trim(struct topk_job *job, uint64_t bytes);

#endif
