/* Cases of several calls (" then "): the calls are made one after another, without others, and each
 * is judged like a case. State that one call leaves behind must not affect another (S14). */
#ifndef TOPK_SEQUENCE_H
#define TOPK_SEQUENCE_H

#include "job.h"

/* Runs and judges the calls up to the first failure; returns the nanoseconds that they take. The
 * result is that of the first call that fails, else of the first that is not supported, else a
 * pass. job: its buffers are used for all calls, so that similar calls have them at the same
 * addresses. */
uint64_t topk_sequence_run(struct topk_host *host, struct topk_job *job, const struct topk_case *tc,
                           struct topk_result *result);

#endif
