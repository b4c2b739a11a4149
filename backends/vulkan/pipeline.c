/* Layouts, descriptors and pipelines. */
#include "pipeline.h"

#include <stdlib.h>
#include <string.h>

/* greatest number of specialization constants of a pipeline */
#define CONSTANTS 5u

/* ---- Layouts and descriptors ---------------------------------------------------------------- */

static VkDescriptorType type_of(const struct topk_vulkan_layout *layout, uint32_t binding)
{
    return binding == layout->uniform ? VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER
                                      : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
}

static VkResult create_layouts(struct topk_vulkan_layout *layout, uint32_t push_bytes)
{
    const struct topk_vulkan *vulkan = layout->vulkan;
    VkDescriptorSetLayoutBinding bindings[TOPK_VULKAN_BINDINGS];
    for (uint32_t i = 0; i < layout->bindings; i++) {
        bindings[i] = (VkDescriptorSetLayoutBinding){.binding = i,
                                                     .descriptorType = type_of(layout, i),
                                                     .descriptorCount = 1,
                                                     .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
    }
    const VkDescriptorSetLayoutCreateInfo set = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
        .bindingCount = layout->bindings,
        .pBindings = bindings};
    const VkPushConstantRange push = {.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
                                      .size = push_bytes};
    const VkResult result =
        vulkan->api.CreateDescriptorSetLayout(vulkan->device, &set, NULL, &layout->set_layout);
    if (result != VK_SUCCESS) {
        return result;
    }
    const VkPipelineLayoutCreateInfo info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                             .setLayoutCount = 1,
                                             .pSetLayouts = &layout->set_layout,
                                             .pushConstantRangeCount = 1,
                                             .pPushConstantRanges = &push};
    return vulkan->api.CreatePipelineLayout(vulkan->device, &info, NULL, &layout->layout);
}

static VkResult create_sets(struct topk_vulkan_layout *layout, uint32_t count)
{
    const struct topk_vulkan *vulkan = layout->vulkan;
    const uint32_t uniforms = layout->uniform < layout->bindings ? 1 : 0;
    const VkDescriptorPoolSize sizes[] = {
        {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, count * (layout->bindings - uniforms)},
        {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, count * uniforms}};
    const VkDescriptorPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                             .maxSets = count,
                                             .poolSizeCount = 1 + uniforms,
                                             .pPoolSizes = sizes};
    layout->sets = calloc(count, sizeof(VkDescriptorSet));
    if (layout->sets == NULL) {
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    VkResult result = vulkan->api.CreateDescriptorPool(vulkan->device, &pool, NULL, &layout->pool);
    for (uint32_t i = 0; result == VK_SUCCESS && i < count; i++) {
        const VkDescriptorSetAllocateInfo info = {
            .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
            .descriptorPool = layout->pool,
            .descriptorSetCount = 1,
            .pSetLayouts = &layout->set_layout};
        result = vulkan->api.AllocateDescriptorSets(vulkan->device, &info, &layout->sets[i]);
    }
    return result;
}

VkResult topk_vulkan_layout_open(struct topk_vulkan_layout *layout, struct topk_vulkan *vulkan,
                                 uint32_t bindings, uint32_t uniform, uint32_t sets,
                                 uint32_t push_bytes)
{
    *layout =
        (struct topk_vulkan_layout){.vulkan = vulkan, .bindings = bindings, .uniform = uniform};
    VkResult result = create_layouts(layout, push_bytes);
    if (result == VK_SUCCESS) {
        result = create_sets(layout, sets);
    }
    if (result != VK_SUCCESS) {
        topk_vulkan_layout_close(layout);
    }
    return result;
}

void topk_vulkan_layout_close(struct topk_vulkan_layout *layout)
{
    const struct topk_vulkan *vulkan = layout->vulkan;
    if (layout->pool != VK_NULL_HANDLE) {
        vulkan->api.DestroyDescriptorPool(vulkan->device, layout->pool, NULL);
    }
    if (layout->layout != VK_NULL_HANDLE) {
        vulkan->api.DestroyPipelineLayout(vulkan->device, layout->layout, NULL);
    }
    if (layout->set_layout != VK_NULL_HANDLE) {
        vulkan->api.DestroyDescriptorSetLayout(vulkan->device, layout->set_layout, NULL);
    }
    free(layout->sets);
    memset(layout, 0, sizeof *layout);
}

void topk_vulkan_layout_write(const struct topk_vulkan_layout *layout, VkDescriptorSet set,
                              const VkDescriptorBufferInfo ranges[])
{
    VkWriteDescriptorSet writes[TOPK_VULKAN_BINDINGS];
    for (uint32_t i = 0; i < layout->bindings; i++) {
        writes[i] = (VkWriteDescriptorSet){.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                           .dstSet = set,
                                           .dstBinding = i,
                                           .descriptorCount = 1,
                                           .descriptorType = type_of(layout, i),
                                           .pBufferInfo = &ranges[i]};
    }
    layout->vulkan->api.UpdateDescriptorSets(layout->vulkan->device, layout->bindings, writes, 0,
                                             NULL);
}

/* ---- Pipelines ------------------------------------------------------------------------------ */

VkResult topk_vulkan_pipeline_create(const struct topk_vulkan_layout *layout,
                                     const struct topk_vulkan_code *code, VkPipeline *pipeline)
{
    const struct topk_vulkan *vulkan = layout->vulkan;
    const VkShaderModuleCreateInfo words = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                            .codeSize = code->bytes,
                                            .pCode = code->words};
    VkSpecializationMapEntry entries[CONSTANTS];
    for (uint32_t i = 0; i < code->constant_count; i++) {
        entries[i] = (VkSpecializationMapEntry){
            .constantID = i, .offset = i * sizeof(uint32_t), .size = sizeof(uint32_t)};
    }
    const VkSpecializationInfo constants = {.mapEntryCount = code->constant_count,
                                            .pMapEntries = entries,
                                            .dataSize = code->constant_count * sizeof(uint32_t),
                                            .pData = code->constants};
    const VkPipelineShaderStageRequiredSubgroupSizeCreateInfo size = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO,
        .requiredSubgroupSize = code->subgroup};
    const bool required = code->subgroup != 0;
    const bool full = required && vulkan->features.subgroup_full;
    VkShaderModule module = VK_NULL_HANDLE;
    VkResult result = vulkan->api.CreateShaderModule(vulkan->device, &words, NULL, &module);
    if (result != VK_SUCCESS) {
        return result;
    }
    const VkComputePipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .pNext = required ? &size : NULL,
                  .flags = full ? VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT : 0,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .module = module,
                  .pName = "main",
                  .pSpecializationInfo = code->constant_count != 0 ? &constants : NULL},
        .layout = layout->layout};
    result = vulkan->api.CreateComputePipelines(vulkan->device, VK_NULL_HANDLE, 1, &info, NULL,
                                                pipeline);
    vulkan->api.DestroyShaderModule(vulkan->device, module, NULL);
    return result;
}
