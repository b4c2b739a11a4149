/* The calls that wait for a command buffer of the backend vulkan: which go into one together, and
 * what becomes of them if that fails. */
#ifndef TOPK_VULKAN_LIST_H
#define TOPK_VULKAN_LIST_H

#include "kernel.h"

/* calls in one command buffer, at most */
#define TOPK_VULKAN_CALLS 512u

struct topk_vulkan_list {
    struct topk_vulkan *vulkan;
    struct topk_vulkan_batch batch;
    struct topk_vulkan_kernels kernels;
    /* of the calls that wait */
    uint32_t count;
    uint64_t bytes;
    uint64_t steps;
    struct topk_vulkan_job jobs[TOPK_VULKAN_CALLS];
    /* of the submission that is on its way */
    bool started;
    VkResult submitted; /* how that went */
    const char *doing;  /* and at what, if it failed */
    const struct topk_backend_call *calls[TOPK_VULKAN_CALLS];
    struct topk_vulkan_places places[TOPK_VULKAN_CALLS];
};

/* list is overwritten; vulkan is borrowed. After a failure there is nothing to be closed. */
VkResult topk_vulkan_list_open(struct topk_vulkan_list *list, struct topk_vulkan *vulkan);
/* Not to be called if the device may still be at work. */
void topk_vulkan_list_close(struct topk_vulkan_list *list);

/* Lets a call wait that the shader serves, after running those before it if it does not fit in with
 * them. It is answered here if it fails, else when it is run; until then call and answer stay where
 * they are. */
void topk_vulkan_list_add(struct topk_vulkan_list *list, const struct topk_backend_call *call,
                          const struct topk_cpu_plan *plan, const struct topk_shader *shader,
                          struct topk_backend_answer *answer);

/* Lets the device begin with the calls that wait; until topk_vulkan_list_finish() none is added. */
void topk_vulkan_list_start(struct topk_vulkan_list *list);

/* Waits for what was started, and answers it. Without anything started it does nothing. */
void topk_vulkan_list_finish(struct topk_vulkan_list *list);

#endif
