/* The kernels of the backend vulkan: how a call is dispatched. */
#ifndef TOPK_VULKAN_KERNEL_H
#define TOPK_VULKAN_KERNEL_H

#include "batch.h"
#include "pipeline.h"
#include "variant.h"

/* What a shader may have pipelines for: log2 of the bytes of an element in the lowest two bits,
 * and, with TOPK_NEEDS_SPECIAL, what else is in constants. */
#define TOPK_VULKAN_KINDS 64

/* Made when it is first wanted; with what the validation layer said of it, if it said anything. */
struct topk_vulkan_pipeline {
    VkPipeline pipeline;
    char heard[TOPK_KERNEL_COMPLAINT];
};

struct topk_vulkan_kernels {
    struct topk_vulkan *vulkan;
    struct topk_vulkan_layout layout; /* with a set for each job of a command buffer */
    struct topk_vulkan_pipeline pipelines[TOPK_VARIANTS][TOPK_VULKAN_KINDS];
    struct topk_vulkan_buffer parameters;
    struct topk_vulkan_buffer scratch;
};

/* room: jobs of one command buffer. kernels is overwritten; vulkan is borrowed. After a failure
 * there is nothing to be closed. */
VkResult topk_vulkan_kernels_open(struct topk_vulkan_kernels *kernels, struct topk_vulkan *vulkan,
                                  uint32_t room);
void topk_vulkan_kernels_close(struct topk_vulkan_kernels *kernels);

/* What struct topk_kernel_api says of prepare(), reserve() and, but for the way back, submit(). */
VkResult topk_vulkan_prepare(struct topk_vulkan_kernels *kernels, struct topk_kernel_job *job);
VkResult topk_vulkan_kernels_reserve(struct topk_vulkan_kernels *kernels, uint64_t scratch_bytes);
void topk_vulkan_record(struct topk_vulkan_kernels *kernels, struct topk_vulkan_batch *batch,
                        struct topk_kernel_job *jobs, uint32_t count,
                        const struct topk_vulkan_places *places);

#endif
