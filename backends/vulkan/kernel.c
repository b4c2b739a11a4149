/* Pipelines, descriptors, parameters and dispatches. */
#include "kernel.h"

#include <stdlib.h>
#include <string.h>

/* Scratch memory of a call, but that one sequence has what it needs. */
#define SCRATCH_BYTES (UINT64_C(64) << 20)
/* push constants that every device has */
#define PUSH_BYTES 128u
_Static_assert(TOPK_SHADER_PUSHED + sizeof(struct topk_shader_push) <= PUSH_BYTES, "of a pass");

/* Less than TOPK_VULKAN_KINDS. Of flip there are four: its lowest bit has the direction, the bit of
 * the sign that and whether there is a sign. */
static uint32_t kind_of(const struct topk_kernel_job *job)
{
    const struct topk_cpu_plan *plan = &job->plan;
    const uint32_t width = job->shader->width;
    if ((job->shader->needs & TOPK_NEEDS_SPECIAL) == 0) {
        return topk_kernel_width_log2(plan);
    }
    return topk_kernel_width_log2(plan) | (plan->is_float ? 4u : 0u) |
           ((plan->flip & 1) != 0 ? 8u : 0u) |
           ((plan->flip >> (8 * width - 1) & 1) != 0 ? 16u : 0u) |
           (plan->tensors[TOPK_CPU_INDEX].width == 8 ? 32u : 0u);
}

static struct topk_vulkan_pipeline *pipeline_of(struct topk_vulkan_kernels *kernels,
                                                const struct topk_kernel_job *job)
{
    return &kernels->pipelines[job->shader->variant][kind_of(job)];
}

/* ---- Opening -------------------------------------------------------------------------------- */

static VkResult create_layouts(struct topk_vulkan_kernels *kernels)
{
    const struct topk_vulkan *vulkan = kernels->vulkan;
    VkDescriptorSetLayoutBinding bindings[TOPK_BINDINGS];
    for (uint32_t i = 0; i < TOPK_BINDINGS; i++) {
        bindings[i] = (VkDescriptorSetLayoutBinding){
            .binding = i,
            .descriptorType = i == TOPK_BINDING_PARAMETERS ? VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER
                                                           : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
            .descriptorCount = 1,
            .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
    }
    const VkDescriptorSetLayoutCreateInfo set = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
        .bindingCount = TOPK_BINDINGS,
        .pBindings = bindings};
    /* every device has so many */
    const VkPushConstantRange push = {.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
                                      .size = PUSH_BYTES};
    VkResult result =
        vulkan->api.CreateDescriptorSetLayout(vulkan->device, &set, NULL, &kernels->set_layout);
    if (result == VK_SUCCESS) {
        const VkPipelineLayoutCreateInfo info = {.sType =
                                                     VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                                 .setLayoutCount = 1,
                                                 .pSetLayouts = &kernels->set_layout,
                                                 .pushConstantRangeCount = 1,
                                                 .pPushConstantRanges = &push};
        result = vulkan->api.CreatePipelineLayout(vulkan->device, &info, NULL, &kernels->layout);
    }
    return result;
}

static VkResult create_sets(struct topk_vulkan_kernels *kernels)
{
    const struct topk_vulkan *vulkan = kernels->vulkan;
    const VkDescriptorPoolSize sizes[] = {
        {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, kernels->room * (TOPK_BINDINGS - 1)},
        {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, kernels->room}};
    const VkDescriptorPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                             .maxSets = kernels->room,
                                             .poolSizeCount = 2,
                                             .pPoolSizes = sizes};
    VkResult result = vulkan->api.CreateDescriptorPool(vulkan->device, &pool, NULL, &kernels->pool);
    kernels->sets = calloc(kernels->room, sizeof(VkDescriptorSet));
    if (kernels->sets == NULL) {
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    for (uint32_t i = 0; result == VK_SUCCESS && i < kernels->room; i++) {
        const VkDescriptorSetAllocateInfo info = {
            .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
            .descriptorPool = kernels->pool,
            .descriptorSetCount = 1,
            .pSetLayouts = &kernels->set_layout};
        result = vulkan->api.AllocateDescriptorSets(vulkan->device, &info, &kernels->sets[i]);
    }
    return result;
}

VkResult topk_vulkan_kernels_open(struct topk_vulkan_kernels *kernels, struct topk_vulkan *vulkan,
                                  uint32_t room)
{
    memset(kernels, 0, sizeof *kernels);
    kernels->vulkan = vulkan;
    kernels->room = room;
    VkResult result = create_layouts(kernels);
    if (result == VK_SUCCESS) {
        result = create_sets(kernels);
    }
    if (result == VK_SUCCESS) {
        result = topk_vulkan_reserve(vulkan, &kernels->parameters,
                                     (uint64_t)room * TOPK_KERNEL_ALIGNMENT, TOPK_VULKAN_UNIFORM);
    }
    if (result != VK_SUCCESS) {
        topk_vulkan_kernels_close(kernels);
    }
    return result;
}

void topk_vulkan_kernels_close(struct topk_vulkan_kernels *kernels)
{
    struct topk_vulkan *vulkan = kernels->vulkan;
    const struct topk_vulkan_api *api = &vulkan->api;
    for (uint32_t variant = 0; variant < TOPK_VARIANTS; variant++) {
        for (uint32_t kind = 0; kind < TOPK_VULKAN_KINDS; kind++) {
            if (kernels->pipelines[variant][kind].pipeline != VK_NULL_HANDLE) {
                api->DestroyPipeline(vulkan->device, kernels->pipelines[variant][kind].pipeline,
                                     NULL);
            }
        }
    }
    topk_vulkan_release(vulkan, &kernels->parameters);
    topk_vulkan_release(vulkan, &kernels->scratch);
    if (kernels->pool != VK_NULL_HANDLE) {
        api->DestroyDescriptorPool(vulkan->device, kernels->pool, NULL);
    }
    if (kernels->layout != VK_NULL_HANDLE) {
        api->DestroyPipelineLayout(vulkan->device, kernels->layout, NULL);
    }
    if (kernels->set_layout != VK_NULL_HANDLE) {
        api->DestroyDescriptorSetLayout(vulkan->device, kernels->set_layout, NULL);
    }
    free(kernels->sets);
    memset(kernels, 0, sizeof *kernels);
}

/* ---- Pipelines ------------------------------------------------------------------------------ */

/* The specialization constants of a job, by their numbers. */
#define CONSTANTS 5

static VkPipelineShaderStageCreateInfo describe_stage(const struct topk_vulkan *vulkan,
                                                      const struct topk_kernel_job *job,
                                                      const void *size)
{
    VkPipelineShaderStageCreateInfo stage = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
        .stage = VK_SHADER_STAGE_COMPUTE_BIT,
        .pName = "main"};
    if ((job->shader->needs & TOPK_NEEDS_SUBGROUPS) != 0 && vulkan->options.subgroup != 0) {
        stage.pNext = size;
        if (vulkan->features.subgroup_full) {
            stage.flags = VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT;
        }
    }
    return stage;
}

static VkResult create_pipeline(struct topk_vulkan_kernels *kernels,
                                const struct topk_kernel_job *job,
                                struct topk_vulkan_pipeline *pipeline)
{
    const struct topk_vulkan *vulkan = kernels->vulkan;
    const struct topk_shader *shader = job->shader;
    const VkShaderModuleCreateInfo code = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                           .codeSize = shader->bytes,
                                           .pCode = shader->code};
    const uint32_t values[CONSTANTS] = {job->group, job->plan.tensors[TOPK_CPU_INDEX].width,
                                        job->plan.is_float, (uint32_t)job->plan.flip,
                                        (uint32_t)(job->plan.flip >> 32)};
    VkSpecializationMapEntry entries[CONSTANTS];
    for (uint32_t i = 0; i < CONSTANTS; i++) {
        entries[i] = (VkSpecializationMapEntry){
            .constantID = i, .offset = i * sizeof values[0], .size = sizeof values[0]};
    }
    const VkSpecializationInfo constants = {
        .mapEntryCount = (shader->needs & TOPK_NEEDS_SPECIAL) != 0 ? CONSTANTS : 1,
        .pMapEntries = entries,
        .dataSize = sizeof values,
        .pData = values};
    const VkPipelineShaderStageRequiredSubgroupSizeCreateInfo size = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO,
        .requiredSubgroupSize = vulkan->options.subgroup};
    VkShaderModule module = VK_NULL_HANDLE;
    VkResult result = vulkan->api.CreateShaderModule(vulkan->device, &code, NULL, &module);
    if (result != VK_SUCCESS) {
        return result;
    }
    VkComputePipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                        .stage = describe_stage(vulkan, job, &size),
                                        .layout = kernels->layout};
    info.stage.module = module;
    info.stage.pSpecializationInfo = &constants;
    result = vulkan->api.CreateComputePipelines(vulkan->device, VK_NULL_HANDLE, 1, &info, NULL,
                                                &pipeline->pipeline);
    vulkan->api.DestroyShaderModule(vulkan->device, module, NULL);
    return result;
}

VkResult topk_vulkan_prepare(struct topk_vulkan_kernels *kernels, struct topk_kernel_job *job)
{
    struct topk_vulkan_pipeline *pipeline = pipeline_of(kernels, job);
    const uint32_t group = topk_vulkan_variant_group(kernels->vulkan, job->shader);
    const uint32_t length = job->plan.length;
    const uint64_t limit = kernels->vulkan->limits.maxStorageBufferRange;
    job->group = group;
    job->slots =
        topk_schedule_slots(job->shader, group, length, (uint32_t)topk_kernel_sequences(&job->plan),
                            limit < SCRATCH_BYTES ? limit : SCRATCH_BYTES);
    job->scratch_bytes = topk_schedule_scratch(job->shader, group, length, job->slots);
    job->steps = topk_vulkan_steps(job->shader, group, &job->plan);
    if (pipeline->pipeline == VK_NULL_HANDLE) {
        const VkResult result = create_pipeline(kernels, job, pipeline);
        topk_vulkan_hear(kernels->vulkan, pipeline->heard);
        if (result != VK_SUCCESS) {
            return result;
        }
    }
    memcpy(job->complaint, pipeline->heard, sizeof job->complaint);
    return VK_SUCCESS;
}

/* ---- Dispatches ----------------------------------------------------------------------------- */

VkResult topk_vulkan_kernels_reserve(struct topk_vulkan_kernels *kernels, uint64_t scratch_bytes)
{
    return topk_vulkan_reserve(kernels->vulkan, &kernels->scratch, scratch_bytes,
                               TOPK_VULKAN_STORAGE);
}

/* So that there are few parts. */
static void put_largest_first(struct topk_kernel_parameters *parameters)
{
    for (uint32_t i = 1; i < parameters->dimensions; i++) {
        for (uint32_t j = i; j > 0; j--) {
            if (parameters->dimension[j - 1].size < parameters->dimension[j].size) {
                const struct topk_kernel_dimension smaller = parameters->dimension[j - 1];
                parameters->dimension[j - 1] = parameters->dimension[j];
                parameters->dimension[j] = smaller;
            }
        }
    }
}

/* The descriptors of a job, and what the parameters say of them. The range of a tensor starts where
 * a descriptor may, at or before the tensor. */
static void place_job(struct topk_vulkan_kernels *kernels, const struct topk_vulkan_batch *batch,
                      const struct topk_kernel_job *job, const struct topk_vulkan_places *places,
                      struct topk_shader_parameters *parameters,
                      VkDescriptorBufferInfo ranges[TOPK_BINDINGS])
{
    const uint64_t alignment = kernels->vulkan->limits.minStorageBufferOffsetAlignment;
    const uint64_t start = alignment < 4 ? 4 : alignment;
    for (int role = 0; role < TOPK_KERNEL_ROLES; role++) {
        const uint64_t offset = places->offset[role] + topk_kernel_buffer(job->call, role)->offset;
        const uint64_t bytes = job->plan.tensors[role].least_bytes;
        const uint32_t base = (uint32_t)(offset % start);
        parameters->call.base[role] = base;
        parameters->address[role] = batch->arena.address + offset - base;
        ranges[role] = (VkDescriptorBufferInfo){.buffer = batch->arena.buffer,
                                                .offset = offset - base,
                                                .range = (base + bytes + 3) / 4 * 4};
    }
    parameters->address[TOPK_KERNEL_ROLES] = kernels->scratch.address + job->scratch_at;
    ranges[TOPK_BINDING_SCRATCH] = ranges[TOPK_KERNEL_INPUT];
    if (job->scratch_bytes != 0) {
        ranges[TOPK_BINDING_SCRATCH] = (VkDescriptorBufferInfo){.buffer = kernels->scratch.buffer,
                                                                .offset = job->scratch_at,
                                                                .range = job->scratch_bytes};
    }
}

/* All bindings, used or not: lavapipe 22.3 touches those that no shader uses too, and must not find
 * a scratch buffer there that is gone. */
static void write_set(struct topk_vulkan_kernels *kernels, VkDescriptorSet set,
                      const VkDescriptorBufferInfo ranges[TOPK_BINDINGS])
{
    VkWriteDescriptorSet writes[TOPK_BINDINGS];
    for (uint32_t i = 0; i < TOPK_BINDINGS; i++) {
        writes[i] = (VkWriteDescriptorSet){
            .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
            .dstSet = set,
            .dstBinding = i,
            .descriptorCount = 1,
            .descriptorType = i == TOPK_BINDING_PARAMETERS ? VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER
                                                           : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
            .pBufferInfo = &ranges[i]};
    }
    kernels->vulkan->api.UpdateDescriptorSets(kernels->vulkan->device, TOPK_BINDINGS, writes, 0,
                                              NULL);
}

/* The passes of a call, or of a part of it. */
static void dispatch(struct topk_vulkan_kernels *kernels, struct topk_vulkan_batch *batch,
                     const struct topk_kernel_job *job,
                     const struct topk_kernel_parameters *parameters, bool alone)
{
    const struct topk_vulkan_api *api = &kernels->vulkan->api;
    const struct topk_shader *shader = job->shader;
    const uint64_t passes = topk_schedule_passes(shader, job->group, parameters);
    for (uint64_t number = 0; number < passes; number++) {
        struct topk_shader_pass pass;
        uint8_t pushed[PUSH_BYTES];
        uint32_t bytes = 0;
        topk_schedule_pass(shader, job->group, parameters, number, &pass);
        if (number > 0 || !alone) {
            topk_vulkan_barrier(batch, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                                VK_ACCESS_SHADER_WRITE_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                                VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
        }
        if ((shader->needs & TOPK_NEEDS_PUSH) != 0) {
            memcpy(pushed, parameters, TOPK_SHADER_PUSHED);
            bytes = TOPK_SHADER_PUSHED;
        }
        memcpy(pushed + bytes, &pass.push, sizeof pass.push);
        api->CmdPushConstants(batch->commands, kernels->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                              bytes + (uint32_t)sizeof pass.push, pushed);
        api->CmdDispatch(batch->commands, pass.x, pass.y, 1);
    }
}

/* A call in parts, each of the dimensions that push constants have room for. */
static void dispatch_parts(struct topk_vulkan_kernels *kernels, struct topk_vulkan_batch *batch,
                           const struct topk_kernel_job *job,
                           const struct topk_kernel_parameters *parameters)
{
    struct topk_kernel_parameters part = *parameters;
    put_largest_first(&part);
    part.sequences = 1;
    part.dimensions = TOPK_SHADER_PUSH_DIMENSIONS;
    for (uint32_t i = 0; i < part.dimensions; i++) {
        part.sequences *= part.dimension[i].size;
    }
    for (uint32_t first = 0; first < parameters->sequences; first += part.sequences) {
        uint32_t number = first / part.sequences;
        memcpy(part.base, parameters->base, sizeof part.base);
        for (uint32_t i = part.dimensions; i < parameters->dimensions; i++) {
            for (int role = 0; role < TOPK_KERNEL_ROLES; role++) {
                part.base[role] +=
                    number % part.dimension[i].size * part.dimension[i].strides[role];
            }
            number /= part.dimension[i].size;
        }
        dispatch(kernels, batch, job, &part, first == 0);
    }
}

static void record_job(struct topk_vulkan_kernels *kernels, struct topk_vulkan_batch *batch,
                       const struct topk_kernel_job *job, const struct topk_vulkan_places *places,
                       uint32_t number)
{
    struct topk_shader_parameters parameters;
    VkDescriptorBufferInfo ranges[TOPK_BINDINGS];
    const uint64_t at = (uint64_t)number * TOPK_KERNEL_ALIGNMENT;
    topk_kernel_fill(job, job->shader->chunk, &parameters.call);
    place_job(kernels, batch, job, places, &parameters, ranges);
    memcpy(kernels->parameters.mapped + at, &parameters, sizeof parameters);
    ranges[TOPK_BINDING_PARAMETERS] = (VkDescriptorBufferInfo){
        .buffer = kernels->parameters.buffer, .offset = at, .range = sizeof parameters};
    write_set(kernels, kernels->sets[number], ranges);
    kernels->vulkan->api.CmdBindDescriptorSets(batch->commands, VK_PIPELINE_BIND_POINT_COMPUTE,
                                               kernels->layout, 0, 1, &kernels->sets[number], 0,
                                               NULL);
    if ((job->shader->needs & TOPK_NEEDS_PUSH) != 0 &&
        parameters.call.dimensions > TOPK_SHADER_PUSH_DIMENSIONS) {
        dispatch_parts(kernels, batch, job, &parameters.call);
    } else {
        dispatch(kernels, batch, job, &parameters.call, true);
    }
}

void topk_vulkan_record(struct topk_vulkan_kernels *kernels, struct topk_vulkan_batch *batch,
                        struct topk_kernel_job *jobs, uint32_t count,
                        const struct topk_vulkan_places *places)
{
    VkPipeline current = VK_NULL_HANDLE;
    for (uint32_t i = 0; i < count; i++) {
        VkPipeline pipeline = pipeline_of(kernels, &jobs[i])->pipeline;
        if (pipeline != current) {
            kernels->vulkan->api.CmdBindPipeline(batch->commands, VK_PIPELINE_BIND_POINT_COMPUTE,
                                                 pipeline);
            current = pipeline;
        }
        record_job(kernels, batch, &jobs[i], &places[i], i);
        if (jobs[i].complaint[0] == '\0') {
            topk_vulkan_hear(kernels->vulkan, jobs[i].complaint);
        }
    }
}
