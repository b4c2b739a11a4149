/* The calls that wait for a device: which are sent together, and how they are answered if that
 * fails. */
#ifndef TOPK_KERNEL_LIST_H
#define TOPK_KERNEL_LIST_H

#include "kernel.h"

struct topk_kernel_list {
    const struct topk_kernel_api *api;
    struct topk_device *device;
    /* waiting calls */
    uint32_t count;
    uint64_t bytes;
    uint64_t steps;
    struct topk_kernel_job jobs[TOPK_KERNEL_CALLS];
    /* calls that were sent to the device */
    bool started;
    /* number of finished jobs, the first of `jobs', if all succeeded; else 0 */
    uint32_t finished;
    struct topk_backend_answer submitted; /* result of the submission */
    const struct topk_backend_call *calls[TOPK_KERNEL_CALLS];
};

/* Adds a job with call, answer, plan, variant and shader. If it does not fit with the waiting ones,
 * runs those first. A job that fails is answered here, the others when they are run; call and
 * answer must stay valid until then. */
void topk_kernel_list_add(struct topk_kernel_list *list, const struct topk_kernel_job *job);

/* Starts the waiting calls on the device; none may be added until topk_kernel_list_finish(). */
void topk_kernel_list_start(struct topk_kernel_list *list);

/* Waits for the started calls, and answers them. Does nothing if none were started. */
void topk_kernel_list_finish(struct topk_kernel_list *list);

/* Repeats the last finished calls on the device; returns false if that fails or there are none. */
bool topk_kernel_list_repeat(struct topk_kernel_list *list);

#endif
