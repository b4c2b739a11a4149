/* A case of several calls (" then "): they are made one after the other, by themselves, and each is
 * judged as if it were a case. What one call leaves behind must not be noticed by another (S14). */
#ifndef TOPK_SEQUENCE_H
#define TOPK_SEQUENCE_H

#include "job.h"

/* Runs and judges all calls, up to the first that fails; returns the nanoseconds that they take.
 * The result is that of the call that fails, else of the first that is not served, else a pass.
 * job: its buffers are used for one call after the other, so that calls alike find theirs in one
 * place. */
uint64_t topk_sequence_run(struct topk_host *host, struct topk_job *job, const struct topk_case *tc,
                           struct topk_result *result);

#endif
