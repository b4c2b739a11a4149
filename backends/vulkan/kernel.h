/* The kernels of the backend vulkan: how a call is dispatched. */
#ifndef TOPK_VULKAN_KERNEL_H
#define TOPK_VULKAN_KERNEL_H

#include "batch.h"
#include "variant.h"

/* What a shader may have pipelines for: log2 of the bytes of an element in the lowest two bits,
 * and, with TOPK_NEEDS_SPECIAL, what else is in constants. */
#define TOPK_VULKAN_KINDS 64

/* Made when it is first wanted; with what the validation layer said of it, if it said anything. */
struct topk_vulkan_pipeline {
    VkPipeline pipeline;
    struct topk_vulkan_messages heard;
};

struct topk_vulkan_kernels {
    struct topk_vulkan *vulkan;
    uint32_t room; /* jobs in one command buffer */
    VkDescriptorSetLayout set_layout;
    VkDescriptorPool pool;
    VkDescriptorSet *sets; /* one for each job */
    VkPipelineLayout layout;
    struct topk_vulkan_pipeline pipelines[TOPK_VARIANTS][TOPK_VULKAN_KINDS];
    struct topk_vulkan_buffer parameters;
    struct topk_vulkan_buffer scratch;
};

/* A call and how it is served. */
struct topk_vulkan_job {
    const struct topk_backend_call *call;
    struct topk_backend_answer *answer;
    struct topk_cpu_plan plan;
    const struct topk_shader *shader;
    uint32_t group; /* invocations of a workgroup */
    uint32_t slots;
    uint64_t scratch_bytes;            /* that it needs */
    uint64_t scratch_at;               /* where in kernels.scratch it has them */
    struct topk_vulkan_messages heard; /* what the validation layer said of it */
};

/* kernels is overwritten; vulkan is borrowed. After a failure there is nothing to be closed. */
VkResult topk_vulkan_kernels_open(struct topk_vulkan_kernels *kernels, struct topk_vulkan *vulkan,
                                  uint32_t room);
void topk_vulkan_kernels_close(struct topk_vulkan_kernels *kernels);

/* Makes what the job needs, once its call, plan and shader are set: its pipeline, if it is the
 * first of its kind, and the size of its scratch memory. */
VkResult topk_vulkan_prepare(struct topk_vulkan_kernels *kernels, struct topk_vulkan_job *job);

/* Gives count jobs room for their parameters and scratch memory; the device must be idle. */
VkResult topk_vulkan_kernels_reserve(struct topk_vulkan_kernels *kernels,
                                     struct topk_vulkan_job *jobs, uint32_t count);

/* Records the dispatches of count jobs, without a barrier between any two jobs. */
void topk_vulkan_record(struct topk_vulkan_kernels *kernels, struct topk_vulkan_batch *batch,
                        struct topk_vulkan_job *jobs, uint32_t count,
                        const struct topk_vulkan_places *places);

#endif
