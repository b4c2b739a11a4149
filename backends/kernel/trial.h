/* variant=all: a call is tried by every variant that serves it, each with memory of its own, and
 * the result that says most is the call's.
 *
 * Where all agree with the backend cpu, which decides as the kernels do, that is the result. Where
 * one differs, the call gets what that one made of its memory, for the judge to say what is wrong
 * with it. Where several differ in several ways, no one result can stand for all: the call fails.
 * Where one had no memory, the reason says so.
 */
#ifndef TOPK_TRIAL_H
#define TOPK_TRIAL_H

#include <stdbool.h>
#include <stdint.h>

#include "topk_backend.h"

struct topk_trial {
    struct topk_backend_call call; /* as the caller's, but for the memory */
    struct topk_backend_answer answer;
    const char *variant;
    unsigned char *memory;
};

/* Copies a call and its buffers. False if there is no memory: then the trial is answered so, and
 * there is nothing to be run. */
bool topk_trial_begin(struct topk_trial *trial, const struct topk_backend_call *call,
                      const char *variant);

void topk_trial_end(struct topk_trial *trial);

/* Answers the call by its trials, count of them, all of which have answers, and fills its buffers.
 * cpu: an open topk_backend_cpu. Without a trial the answer is left alone. */
void topk_trial_settle(void *cpu, const struct topk_backend_call *call,
                       const struct topk_trial *trials, uint32_t count,
                       struct topk_backend_answer *answer);

#endif
