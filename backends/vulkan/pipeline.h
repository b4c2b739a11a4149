/* Compute pipelines that take buffers by descriptor sets, and a few push constants. */
#ifndef TOPK_VULKAN_PIPELINE_H
#define TOPK_VULKAN_PIPELINE_H

#include "device.h"

/* buffers that a pipeline may take: bindings 0 and so on of set 0 */
#define TOPK_VULKAN_BINDINGS 5u

/* What pipelines have in common. */
struct topk_vulkan_layout {
    struct topk_vulkan *vulkan;
    uint32_t bindings;
    uint32_t uniform; /* the binding that is a uniform buffer; the others are storage buffers */
    VkDescriptorSetLayout set_layout;
    VkPipelineLayout layout;
    VkDescriptorPool pool;
    VkDescriptorSet *sets;
};

/* Code and what it is specialized for. */
struct topk_vulkan_code {
    const uint32_t *words;
    size_t bytes;
    const uint32_t *constants; /* specialization constants 0 and so on */
    uint32_t constant_count;
    uint32_t subgroup; /* size that is required, full if the device has that; 0: any */
};

/* layout is overwritten; vulkan is borrowed. uniform: TOPK_VULKAN_BINDINGS if there is none. After
 * a failure there is nothing to be closed. */
VkResult topk_vulkan_layout_open(struct topk_vulkan_layout *layout, struct topk_vulkan *vulkan,
                                 uint32_t bindings, uint32_t uniform, uint32_t sets,
                                 uint32_t push_bytes);
/* Not to be called if the device may still be at work. */
void topk_vulkan_layout_close(struct topk_vulkan_layout *layout);

/* Writes all bindings of a set, used or not: lavapipe 22.3 touches those that no shader uses too,
 * and must not find a buffer there that is gone. */
void topk_vulkan_layout_write(const struct topk_vulkan_layout *layout, VkDescriptorSet set,
                              const VkDescriptorBufferInfo ranges[]);

VkResult topk_vulkan_pipeline_create(const struct topk_vulkan_layout *layout,
                                     const struct topk_vulkan_code *code, VkPipeline *pipeline);

#endif
