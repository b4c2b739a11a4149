/* variant=all: every variant that supports a call computes it, in separate memory, and the most
 * informative result becomes the result of the call.
 *
 * If all agree with the backend cpu, which makes the same choices as the kernels, that is the
 * result. If one differs, the call gets its memory, so that the judge says what is wrong. If
 * several differ in different ways, no single result represents them: the call fails. If one had no
 * memory, the reason says so.
 */
#ifndef TOPK_TRIAL_H
#define TOPK_TRIAL_H

#include <stdbool.h>
#include <stdint.h>

#include "topk_backend.h"

struct topk_trial {
    struct topk_backend_call call; /* a copy of the caller's, with separate memory */
    struct topk_backend_answer answer;
    const char *variant;
    unsigned char *memory;
};

/* Copies a call and its buffers. Returns false if memory is short: the trial is then answered, and
 * must not be run. */
bool topk_trial_begin(struct topk_trial *trial, const struct topk_backend_call *call,
                      const char *variant);

void topk_trial_end(struct topk_trial *trial);

/* Answers the call from `count` trials, all of which have answers, and fills its buffers. cpu: an
 * open topk_backend_cpu. Without trials, leaves the answer unchanged. */
void topk_trial_settle(void *cpu, const struct topk_backend_call *call,
                       const struct topk_trial *trials, uint32_t count,
                       struct topk_backend_answer *answer);

#endif
