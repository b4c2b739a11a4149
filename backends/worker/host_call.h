/* How a host asks its backend: whether it serves a call, and to run calls. */
#ifndef TOPK_HOST_CALL_H
#define TOPK_HOST_CALL_H

#include "call.h"
#include "host.h"

/* Room for the calls and answers that the backend is given; false if memory is short. */
bool topk_host_reserve_calls(struct topk_host *host);
void topk_host_free_calls(struct topk_host *host);

/* Says whether the contract and the backend serve a call that may be run; *answer says why not. */
bool topk_host_supports(const struct topk_host *host, const struct topk_call *call,
                        struct topk_backend_answer *answer);

/* Has the backend run the queued calls, as many at once as it takes, and answer each; returns the
 * nanoseconds that took. Not while it was started. */
uint64_t topk_host_call(struct topk_host *host, struct topk_call *const queue[], uint32_t count);

/* The same of a backend that can be started, of info.batch calls at most, or that is in a process
 * of its own; and waits for it, and returns the nanoseconds if the process knows them, else 0. */
void topk_host_start(struct topk_host *host, struct topk_call *const queue[], uint32_t count);
uint64_t topk_host_finish(struct topk_host *host, struct topk_call *const queue[], uint32_t count);

#endif
