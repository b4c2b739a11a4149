/* The kernels of the backend vulkan: their pipelines and dispatches. */
#ifndef TOPK_VULKAN_KERNEL_H
#define TOPK_VULKAN_KERNEL_H

#include "batch.h"
#include "pipeline.h"
#include "variant.h"

/* Number of pipelines per shader: log2 of the size of an element in the lowest two bits, and, with
 * TOPK_NEEDS_SPECIAL, the other specialization constants. */
#define TOPK_VULKAN_KINDS 64

/* A pipeline, created when first needed, and the message of the validation layer about it, if
 * any. */
struct topk_vulkan_pipeline {
    VkPipeline pipeline;
    char heard[TOPK_KERNEL_COMPLAINT];
};

struct topk_vulkan_kernels {
    struct topk_vulkan *vulkan;
    struct topk_vulkan_layout layout; /* has a set for each job of a command buffer */
    struct topk_vulkan_pipeline pipelines[TOPK_VARIANTS][TOPK_VULKAN_KINDS];
    struct topk_vulkan_buffer parameters;
    struct topk_vulkan_buffer scratch;
};

/* room: greatest number of jobs in a command buffer. Overwrites *kernels; *vulkan must outlive it.
 * After a failure there is nothing to close. */
VkResult topk_vulkan_kernels_open(struct topk_vulkan_kernels *kernels, struct topk_vulkan *vulkan,
                                  uint32_t room);
void topk_vulkan_kernels_close(struct topk_vulkan_kernels *kernels);

/* Implement prepare(), reserve() and, without the readback, submit() of struct topk_kernel_api. */
VkResult topk_vulkan_prepare(struct topk_vulkan_kernels *kernels, struct topk_kernel_job *job);
VkResult topk_vulkan_kernels_reserve(struct topk_vulkan_kernels *kernels, uint64_t scratch_bytes);
void topk_vulkan_record(struct topk_vulkan_kernels *kernels, struct topk_vulkan_batch *batch,
                        struct topk_kernel_job *jobs, uint32_t count,
                        const struct topk_vulkan_places *places);

#endif
