/* Runs the shaders of probes.def. */
#include "probe_run.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "topk_probe_spirv.h"

struct push {
    uint32_t pass;
    uint32_t count;
};

static const struct {
    const uint32_t *code;
    size_t bytes;
} shaders[TOPK_PROBE_SHADERS] = {
#define TOPK_PROBE_SHADER(name, file, width, macros)                                               \
    {topk_probe_spirv_##name, sizeof topk_probe_spirv_##name},
#include "probes.def"
};

bool topk_probe_say(struct topk_backend_probe *probe, enum topk_backend_probe_verdict verdict,
                    const char *value, const char *format, ...)
{
    va_list arguments;
    probe->verdict = verdict;
    snprintf(probe->value, sizeof probe->value, "%s", value);
    va_start(arguments, format);
    vsnprintf(probe->detail, sizeof probe->detail, format, arguments);
    va_end(arguments);
    return false;
}

void topk_probe_judge(struct topk_probe_bench *bench, const char *value, const char *demand,
                      const char *format, ...)
{
    char detail[sizeof bench->probe->detail];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(detail, sizeof detail, format, arguments);
    va_end(arguments);
    topk_probe_say(
        bench->probe, demand == NULL ? TOPK_BACKEND_PROBE_OBSERVED : TOPK_BACKEND_PROBE_VIOLATION,
        value, "%s%s%s", detail, demand == NULL ? "" : "; ", demand == NULL ? "" : demand);
}

/* ---- Opening -------------------------------------------------------------------------------- */

bool topk_probe_bench_open(struct topk_probe_bench *bench,
                           const struct topk_vulkan_options *options, char *error,
                           size_t error_bytes)
{
    memset(bench, 0, sizeof *bench);
    if (!topk_vulkan_open(&bench->vulkan, options, error, error_bytes)) {
        return false;
    }
    VkResult result = topk_vulkan_batch_open(&bench->batch, &bench->vulkan);
    if (result != VK_SUCCESS) {
        topk_vulkan_close(&bench->vulkan);
    } else {
        result = topk_vulkan_layout_open(&bench->layout, &bench->vulkan, TOPK_PROBE_BINDINGS,
                                         TOPK_VULKAN_BINDINGS, 1, sizeof(struct push));
        if (result != VK_SUCCESS) {
            topk_vulkan_batch_close(&bench->batch);
            topk_vulkan_close(&bench->vulkan);
        }
    }
    if (result != VK_SUCCESS) {
        snprintf(error, error_bytes, "making a command buffer and descriptors: %d %s", (int)result,
                 topk_vulkan_result_name(result));
    }
    return result == VK_SUCCESS;
}

void topk_probe_bench_close(struct topk_probe_bench *bench)
{
    const struct topk_vulkan *vulkan = &bench->vulkan;
    if (vulkan->timed_out) {
        return;
    }
    topk_vulkan_layout_close(&bench->layout);
    topk_vulkan_batch_close(&bench->batch);
    topk_vulkan_close(&bench->vulkan);
    memset(bench, 0, sizeof *bench);
}

uint32_t topk_probe_largest_group(const struct topk_probe_bench *bench)
{
    const uint32_t most = bench->vulkan.limits.maxComputeWorkGroupInvocations;
    const uint32_t long_most = bench->vulkan.limits.maxComputeWorkGroupSize[0];
    const uint32_t allowed = most < long_most ? most : long_most;
    return allowed < 1024 ? allowed : 1024;
}

/* ---- Running -------------------------------------------------------------------------------- */

static VkResult create_pipeline(const struct topk_probe_bench *bench,
                                const struct topk_probe_dispatch *dispatch, VkPipeline *pipeline)
{
    const struct topk_vulkan_code code = {.words = shaders[dispatch->shader].code,
                                          .bytes = shaders[dispatch->shader].bytes,
                                          .constants = &dispatch->group,
                                          .constant_count = dispatch->group != 0 ? 1 : 0,
                                          .subgroup = dispatch->subgroup};
    return topk_vulkan_pipeline_create(&bench->layout, &code, pipeline);
}

/* Computes the position of a buffer in the target's memory; false if it is not completely in the
 * target. A driver may report any requirements. */
static bool find_place(const VkMemoryRequirements *wanted, uint64_t place,
                       const struct topk_probe_buffer *target, uint64_t *start)
{
    const uint64_t end = place + target->bytes;
    const uint64_t alignment = wanted->alignment == 0 ? 1 : wanted->alignment;
    if (alignment > end) {
        return false;
    }
    *start = (place + target->offset + alignment - 1) / alignment * alignment;
    return *start <= end && wanted->size <= end - *start;
}

/* Creates a buffer over a part of the target's memory, with the usage of the arena, so that it may
 * be bound to the same memory. Does not bind it if it would exceed the target. */
static VkResult create_own(struct topk_probe_bench *bench, struct topk_probe_dispatch *dispatch,
                           uint64_t place, VkBuffer *own)
{
    const struct topk_vulkan *vulkan = &bench->vulkan;
    struct topk_probe_buffer *target = &dispatch->buffers[TOPK_PROBE_TARGET];
    VkMemoryRequirements wanted;
    const VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
        .size = target->range,
        .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                 VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                 (vulkan->features.device_address ? VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT : 0u),
        .sharingMode = VK_SHARING_MODE_EXCLUSIVE};
    const VkResult result = vulkan->api.CreateBuffer(vulkan->device, &info, NULL, own);
    if (result != VK_SUCCESS) {
        return result;
    }
    vulkan->api.GetBufferMemoryRequirements(vulkan->device, *own, &wanted);
    uint64_t start = 0;
    dispatch->own_bytes = wanted.size;
    dispatch->own_outside = !find_place(&wanted, place, target, &start);
    if (dispatch->own_outside) {
        return VK_SUCCESS;
    }
    target->offset = start - place;
    return vulkan->api.BindBufferMemory(vulkan->device, *own, bench->batch.arena.memory, start);
}

static void write_set(const struct topk_probe_bench *bench,
                      const struct topk_probe_dispatch *dispatch,
                      const struct topk_vulkan_places *places, VkBuffer own)
{
    VkDescriptorBufferInfo ranges[TOPK_PROBE_BINDINGS];
    for (uint32_t i = 0; i < TOPK_PROBE_BINDINGS; i++) {
        const struct topk_probe_buffer *buffer = &dispatch->buffers[i];
        const uint64_t bytes = buffer->data == NULL ? 4 : buffer->bytes - buffer->offset;
        ranges[i] = (VkDescriptorBufferInfo){.buffer = bench->batch.arena.buffer,
                                             .offset = places->offset[i] + buffer->offset,
                                             .range = buffer->range != 0 ? buffer->range : bytes};
        if (i == TOPK_PROBE_TARGET && own != VK_NULL_HANDLE) {
            ranges[i] =
                (VkDescriptorBufferInfo){.buffer = own, .offset = 0, .range = dispatch->own_range};
        }
        if (i == TOPK_PROBE_TARGET && dispatch->large != NULL) {
            ranges[i] = (VkDescriptorBufferInfo){
                .buffer = dispatch->large->buffer, .offset = 0, .range = dispatch->large_range};
        }
    }
    topk_vulkan_layout_write(&bench->layout, bench->layout.sets[0], ranges);
}

static void record(struct topk_probe_bench *bench, const struct topk_probe_dispatch *dispatch,
                   VkPipeline pipeline)
{
    const struct topk_vulkan_api *api = &bench->vulkan.api;
    VkCommandBuffer commands = bench->batch.commands;
    api->CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    api->CmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, bench->layout.layout, 0, 1,
                               bench->layout.sets, 0, NULL);
    for (uint32_t pass = 0; pass < dispatch->passes || pass == 0; pass++) {
        const struct push push = {pass, dispatch->count};
        if (pass > 0) {
            topk_vulkan_barrier(&bench->batch, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                                VK_ACCESS_SHADER_WRITE_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                                VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
        }
        api->CmdPushConstants(commands, bench->layout.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                              sizeof push, &push);
        api->CmdDispatch(commands, dispatch->x, dispatch->y == 0 ? 1 : dispatch->y, 1);
    }
}

static VkResult execute(struct topk_probe_bench *bench, struct topk_probe_dispatch *dispatch,
                        VkPipeline pipeline, VkBuffer *own, const char **doing)
{
    uint32_t nothing[TOPK_PROBE_BINDINGS] = {0};
    struct topk_backend_buffer buffers[TOPK_PROBE_BINDINGS];
    for (uint32_t i = 0; i < TOPK_PROBE_BINDINGS; i++) {
        const struct topk_probe_buffer *buffer = &dispatch->buffers[i];
        buffers[i] = buffer->data != NULL
                         ? (struct topk_backend_buffer){buffer->data, buffer->bytes, 0}
                         : (struct topk_backend_buffer){&nothing[i], sizeof nothing[i], 0};
    }
    const struct topk_backend_call call = {.input_buffer = buffers[TOPK_PROBE_GIVEN],
                                           .value_buffer = buffers[TOPK_PROBE_TARGET],
                                           .index_buffer = buffers[TOPK_PROBE_MADE]};
    const struct topk_backend_call *calls[] = {&call};
    struct topk_vulkan_places places;
    *doing = "uploading the buffers";
    VkResult result = topk_vulkan_load(&bench->batch, calls, 1, &places);
    if (result == VK_SUCCESS && dispatch->own_buffer) {
        *doing = "making a buffer over a part of the memory";
        result = create_own(bench, dispatch, places.offset[TOPK_PROBE_TARGET], own);
    }
    if (result == VK_SUCCESS && !dispatch->own_outside) {
        if (pipeline != VK_NULL_HANDLE) {
            write_set(bench, dispatch, &places, *own);
            record(bench, dispatch, pipeline);
        }
        *doing = "executing the shader";
        result = topk_vulkan_submit(&bench->batch, calls, 1, &places);
        if (result == VK_SUCCESS) {
            result = topk_vulkan_finish(&bench->batch, calls, 1, &places);
        }
    }
    return result;
}

/* Sets the result for a failed dispatch. */
static void say_failed(struct topk_probe_bench *bench, VkResult result, const char *doing)
{
    struct topk_backend_answer answer = {0};
    topk_vulkan_answer(&bench->vulkan, result, doing, 0, &answer);
    const bool no_memory = answer.status == TOPK_BACKEND_OUT_OF_MEMORY;
    topk_probe_say(bench->probe,
                   no_memory ? TOPK_BACKEND_PROBE_UNSUPPORTED : TOPK_BACKEND_PROBE_FAILED,
                   no_memory                                   ? "no memory"
                   : answer.status == TOPK_BACKEND_DEVICE_LOST ? "device lost"
                                                               : "error",
                   "%s", answer.reason);
}

bool topk_probe_run(struct topk_probe_bench *bench, struct topk_probe_dispatch *dispatch)
{
    struct topk_vulkan *vulkan = &bench->vulkan;
    VkPipeline pipeline = VK_NULL_HANDLE;
    VkBuffer own = VK_NULL_HANDLE;
    const char *doing = "creating the pipeline";
    VkResult result = VK_SUCCESS;
    if (dispatch->shader != TOPK_PROBE_SHADERS) {
        result = create_pipeline(bench, dispatch, &pipeline);
    }
    if (result == VK_SUCCESS) {
        result = execute(bench, dispatch, pipeline, &own, &doing);
    }
    if (result != VK_SUCCESS) {
        say_failed(bench, result, doing);
    } else if (dispatch->own_outside) {
        topk_probe_say(bench->probe, TOPK_BACKEND_PROBE_UNSUPPORTED, "not tried",
                       "a buffer of %" PRIu64 " bytes takes %" PRIu64
                       " bytes of memory at some multiple of its alignment: not all of that is in "
                       "the %" PRIu64 " bytes that are watched",
                       dispatch->buffers[TOPK_PROBE_TARGET].range, dispatch->own_bytes,
                       dispatch->buffers[TOPK_PROBE_TARGET].bytes);
    }
    if (!vulkan->timed_out && pipeline != VK_NULL_HANDLE) {
        vulkan->api.DestroyPipeline(vulkan->device, pipeline, NULL);
    }
    if (!vulkan->timed_out && own != VK_NULL_HANDLE) {
        vulkan->api.DestroyBuffer(vulkan->device, own, NULL);
    }
    char heard[TOPK_KERNEL_COMPLAINT];
    topk_vulkan_hear(vulkan, heard);
    if (result == VK_SUCCESS && heard[0] != '\0') {
        topk_probe_say(bench->probe, TOPK_BACKEND_PROBE_FAILED, "validation", "validation: %s",
                       heard);
        result = VK_ERROR_UNKNOWN;
    }
    return result == VK_SUCCESS && !dispatch->own_outside;
}
