/* Pipelines, descriptors, parameters and dispatches. */
#include "kernel.h"

#include <string.h>

/* Greatest size of the scratch memory of a call, unless one sequence needs more. */
#define SCRATCH_BYTES (UINT64_C(64) << 20)
/* size of the push constants that every device supports */
#define PUSH_BYTES 128u
_Static_assert(TOPK_SHADER_PUSHED + sizeof(struct topk_shader_push) <= PUSH_BYTES, "of a pass");

/* Less than TOPK_VULKAN_KINDS. flip has four values: its lowest bit is the direction; its sign bit
 * depends on the direction and on whether the type is signed. */
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

VkResult topk_vulkan_kernels_open(struct topk_vulkan_kernels *kernels, struct topk_vulkan *vulkan,
                                  uint32_t room)
{
    memset(kernels, 0, sizeof *kernels);
    kernels->vulkan = vulkan;
    VkResult result = topk_vulkan_layout_open(&kernels->layout, vulkan, TOPK_BINDINGS,
                                              TOPK_BINDING_PARAMETERS, room, PUSH_BYTES);
    if (result == VK_SUCCESS) {
        result = topk_vulkan_reserve(vulkan, &kernels->parameters,
                                     (uint64_t)room * TOPK_KERNEL_ALIGNMENT, TOPK_VULKAN_UNIFORM);
        if (result != VK_SUCCESS) {
            topk_vulkan_layout_close(&kernels->layout);
        }
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
    topk_vulkan_layout_close(&kernels->layout);
    memset(kernels, 0, sizeof *kernels);
}

/* ---- Pipelines ------------------------------------------------------------------------------ */

static VkResult create_pipeline(const struct topk_vulkan_kernels *kernels,
                                const struct topk_kernel_job *job, VkPipeline *pipeline)
{
    const struct topk_shader *shader = job->shader;
    /* the specialization constants, in the order of their numbers */
    const uint32_t constants[] = {job->group, job->plan.tensors[TOPK_CPU_INDEX].width,
                                  job->plan.is_float, (uint32_t)job->plan.flip,
                                  (uint32_t)(job->plan.flip >> 32)};
    const bool special = (shader->needs & TOPK_NEEDS_SPECIAL) != 0;
    const bool subgroups = (shader->needs & TOPK_NEEDS_SUBGROUPS) != 0;
    const struct topk_vulkan_code code = {
        .words = shader->code,
        .bytes = shader->bytes,
        .constants = constants,
        .constant_count = special ? sizeof constants / sizeof constants[0] : 1,
        .subgroup = subgroups ? kernels->vulkan->options.subgroup : 0};
    return topk_vulkan_pipeline_create(&kernels->layout, &code, pipeline);
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
        const VkResult result = create_pipeline(kernels, job, &pipeline->pipeline);
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

/* puts the largest dimensions first, so that there are few parts */
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

/* Sets the descriptors of a job, and the parameters that depend on them. The range of a tensor
 * starts at an aligned offset, at or before the tensor. */
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

/* Records the passes of a call or of a part of it. */
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
        api->CmdPushConstants(batch->commands, kernels->layout.layout, VK_SHADER_STAGE_COMPUTE_BIT,
                              0, bytes + (uint32_t)sizeof pass.push, pushed);
        api->CmdDispatch(batch->commands, pass.x, pass.y, 1);
    }
}

/* Records a call in parts, each with as many dimensions as push constants have room for. */
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
    topk_vulkan_layout_write(&kernels->layout, kernels->layout.sets[number], ranges);
    kernels->vulkan->api.CmdBindDescriptorSets(batch->commands, VK_PIPELINE_BIND_POINT_COMPUTE,
                                               kernels->layout.layout, 0, 1,
                                               &kernels->layout.sets[number], 0, NULL);
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
