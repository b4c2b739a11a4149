/* How a host calls its backend: asks whether it supports a call, and runs calls. */
#ifndef TOPK_HOST_CALL_H
#define TOPK_HOST_CALL_H

#include "call.h"
#include "host.h"

/* Allocates the calls and answers for the backend; returns false if memory is short. */
bool topk_host_reserve_calls(struct topk_host *host);
void topk_host_free_calls(struct topk_host *host);

/* Whether the contract and the backend support a call that may be run; *answer says why not. */
bool topk_host_supports(const struct topk_host *host, const struct topk_call *call,
                        struct topk_backend_answer *answer);

/* Lets the backend run the queued calls, in arrays as large as it accepts, and stores its answers.
 * Returns the time in nanoseconds. Not between topk_host_start() and topk_host_finish(). */
uint64_t topk_host_call(struct topk_host *host, struct topk_call *const queue[], uint32_t count);

/* The same in two steps, for a backend with start(), for at most info.batch calls, or for one in
 * its own process. topk_host_finish() waits, and returns the time in nanoseconds if the process
 * measures it, else 0. */
void topk_host_start(struct topk_host *host, struct topk_call *const queue[], uint32_t count);
uint64_t topk_host_finish(struct topk_host *host, struct topk_call *const queue[], uint32_t count);

#endif
