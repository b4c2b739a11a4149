/* Compute pipelines with buffers in descriptor sets, and a few push constants. */
#ifndef TOPK_VULKAN_PIPELINE_H
#define TOPK_VULKAN_PIPELINE_H

#include "device.h"

/* greatest number of buffers of a pipeline: bindings 0 and so on of set 0 */
#define TOPK_VULKAN_BINDINGS 5u

/* What pipelines share. */
struct topk_vulkan_layout {
    struct topk_vulkan *vulkan;
    uint32_t bindings;
    uint32_t uniform; /* the binding of the uniform buffer; the others are storage buffers */
    VkDescriptorSetLayout set_layout;
    VkPipelineLayout layout;
    VkDescriptorPool pool;
    VkDescriptorSet *sets;
};

/* Code with its specialization. */
struct topk_vulkan_code {
    const uint32_t *words;
    size_t bytes;
    const uint32_t *constants; /* specialization constants 0 and so on */
    uint32_t constant_count;
    uint32_t subgroup; /* required size of subgroups, full if the device supports that; 0: any */
};

/* Overwrites *layout; *vulkan must outlive it. uniform: TOPK_VULKAN_BINDINGS if there is none.
 * After a failure there is nothing to close. */
VkResult topk_vulkan_layout_open(struct topk_vulkan_layout *layout, struct topk_vulkan *vulkan,
                                 uint32_t bindings, uint32_t uniform, uint32_t sets,
                                 uint32_t push_bytes);
/* Must not be called while the device may still be working. */
void topk_vulkan_layout_close(struct topk_vulkan_layout *layout);

/* Writes all bindings of a set, used or not: lavapipe 22.3 also accesses those that no shader uses,
 * and must not find a destroyed buffer there. */
void topk_vulkan_layout_write(const struct topk_vulkan_layout *layout, VkDescriptorSet set,
                              const VkDescriptorBufferInfo ranges[]);

VkResult topk_vulkan_pipeline_create(const struct topk_vulkan_layout *layout,
                                     const struct topk_vulkan_code *code, VkPipeline *pipeline);

#endif
