/* The calls that wait for a device: which go there together, and what becomes of them if that
 * fails. */
#ifndef TOPK_KERNEL_LIST_H
#define TOPK_KERNEL_LIST_H

#include "kernel.h"

struct topk_kernel_list {
    const struct topk_kernel_api *api;
    struct topk_device *device;
    /* of the calls that wait */
    uint32_t count;
    uint64_t bytes;
    uint64_t steps;
    struct topk_kernel_job jobs[TOPK_KERNEL_CALLS];
    /* of those that the device was given */
    bool started;
    uint32_t finished;                    /* jobs, the first of `jobs', if all was well; else 0 */
    struct topk_backend_answer submitted; /* how that went */
    const struct topk_backend_call *calls[TOPK_KERNEL_CALLS];
};

/* Lets a job wait of which call, answer, plan, variant and shader are set, after running those
 * before it if it does not fit in with them. It is answered here if it fails, else when it is run;
 * until then call and answer stay where they are. */
void topk_kernel_list_add(struct topk_kernel_list *list, const struct topk_kernel_job *job);

/* Lets the device begin with the calls that wait; until topk_kernel_list_finish() none is added. */
void topk_kernel_list_start(struct topk_kernel_list *list);

/* Waits for what was started, and answers it. Without anything started it does nothing. */
void topk_kernel_list_finish(struct topk_kernel_list *list);

/* Has the device compute once more what was finished last; false if that fails or there is nothing.
 */
bool topk_kernel_list_repeat(struct topk_kernel_list *list);

#endif
