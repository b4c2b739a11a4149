/* Probes of buffers: copies, descriptor offsets and ranges, the last narrow element of a buffer. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "probe.h"

/* ---- Copies --------------------------------------------------------------------------------- */

void topk_probe_buffer_copy(struct topk_probe_bench *bench)
{
    /* signalling NaNs of 16, 32 and 64 bits, denormals, many bytes */
    static const uint64_t patterns[] = {0x7c057c057c057c05, 0x7fa000057fa00005, 0x7ff4000000000005,
                                        0x0000000100000001, 0x8000000080000000, 0x0123456789abcdef};
    uint64_t sent[256];
    uint64_t back[256];
    if (bench->vulkan.options.host_memory) {
        topk_probe_say(bench->probe, TOPK_BACKEND_PROBE_UNSUPPORTED, "",
                       "memory=host copies nothing");
        return;
    }
    for (size_t i = 0; i < 256; i++) {
        sent[i] = patterns[i % (sizeof patterns / sizeof patterns[0])] + i / 64;
    }
    memcpy(back, sent, sizeof back);
    struct topk_probe_dispatch dispatch = {
        .shader = TOPK_PROBE_SHADERS, .buffers = {[TOPK_PROBE_TARGET] = {back, sizeof back, 0, 0}}};
    if (!topk_probe_run(bench, &dispatch)) {
        return;
    }
    const bool kept = memcmp(back, sent, sizeof back) == 0;
    topk_probe_judge(bench, kept ? "kept" : "changed",
                     kept ? NULL : "vkCmdCopyBuffer must copy the bytes",
                     "vkCmdCopyBuffer of NaNs and denormals, there and back");
}

/* ---- Descriptors ---------------------------------------------------------------------------- */

#define OFFSETS 9u

/* Writes dword 0 of a descriptor with an offset; false, after setting the result, if that fails. */
static bool write_first(struct topk_probe_bench *bench, void *dwords, uint64_t bytes,
                        uint64_t offset)
{
    uint32_t given[1] = {0};
    struct topk_probe_dispatch dispatch = {
        .shader = TOPK_PROBE_SHADER_write,
        .group = 1,
        .x = 1,
        .buffers = {[TOPK_PROBE_GIVEN] = {given, sizeof given, 0, 0},
                    [TOPK_PROBE_TARGET] = {dwords, bytes, offset, 4}}};
    return topk_probe_run(bench, &dispatch);
}

void topk_probe_buffer_offset(struct topk_probe_bench *bench)
{
    const uint64_t least = bench->vulkan.limits.minStorageBufferOffsetAlignment;
    const uint64_t step = least < 4 ? 4 : least;
    uint64_t wrong = 0;
    if (step > 65536) {
        topk_probe_say(
            bench->probe, TOPK_BACKEND_PROBE_UNSUPPORTED, "not tried",
            "minStorageBufferOffsetAlignment is %" PRIu64 " bytes; up to 65536 are tried", least);
        return;
    }
    const uint64_t bytes = (uint64_t)OFFSETS * step + 64;
    uint32_t *dwords = malloc((size_t)bytes);
    if (dwords == NULL) {
        topk_probe_say(bench->probe, TOPK_BACKEND_PROBE_FAILED, "error",
                       "no memory for offsets of %" PRIu64 " bytes", step);
        return;
    }
    memset(dwords, 0xcc, (size_t)bytes);
    for (uint64_t i = 0; i < OFFSETS; i++) {
        if (!write_first(bench, dwords, bytes, i * step)) {
            free(dwords);
            return;
        }
    }
    for (uint64_t i = 0; i < bytes / 4; i++) {
        const bool written = i * 4 % step == 0 && i * 4 / step < OFFSETS;
        wrong += dwords[i] != (written ? 0xdead0000u : 0xccccccccu);
    }
    free(dwords);
    TOPK_PROBE_JUDGE_COUNT(
        bench, wrong, "VkDescriptorBufferInfo: offset is where the range starts",
        "writes by descriptors at %u multiples of minStorageBufferOffsetAlignment, "
        "%" PRIu64 " bytes: %" PRIu64 " dwords are not what they must be",
        OFFSETS, least, wrong);
}

#define RANGE_MOST   (UINT64_C(256) << 20)
#define RANGE_DWORDS 5u

void topk_probe_buffer_range(struct topk_probe_bench *bench)
{
    const uint64_t limit = bench->vulkan.limits.maxStorageBufferRange;
    const uint64_t range = limit / 4 * 4;
    if (range < UINT64_C(4) * RANGE_DWORDS || range > RANGE_MOST ||
        range > bench->vulkan.max_buffer || range > bench->vulkan.max_allocation) {
        topk_probe_say(bench->probe, TOPK_BACKEND_PROBE_UNSUPPORTED, "not tried",
                       "maxStorageBufferRange is %" PRIu64 " bytes; %u to %" PRIu64
                       " are tried, if a buffer may have them",
                       range, 4 * RANGE_DWORDS, RANGE_MOST);
        return;
    }
    /* its first and last dwords, and some in between */
    uint32_t given[RANGE_DWORDS] = {0, (uint32_t)(range / 4 - 1), (uint32_t)(range / 8), 1,
                                    (uint32_t)(range / 4 - 2)};
    uint32_t made[RANGE_DWORDS] = {0};
    struct topk_vulkan_buffer large = {0};
    const VkResult reserved =
        topk_vulkan_reserve(&bench->vulkan, &large, range, TOPK_VULKAN_STORAGE);
    if (reserved != VK_SUCCESS) {
        topk_probe_say(bench->probe, TOPK_BACKEND_PROBE_UNSUPPORTED, "no memory",
                       "a buffer of %" PRIu64 " bytes: %s", range,
                       topk_vulkan_result_name(reserved));
        return;
    }
    struct topk_probe_dispatch dispatch = {
        .shader = TOPK_PROBE_SHADER_write,
        .group = RANGE_DWORDS,
        .x = 1,
        .large = &large,
        .large_range = range,
        .buffers = {[TOPK_PROBE_GIVEN] = {given, sizeof given, 0, 0},
                    [TOPK_PROBE_MADE] = {made, sizeof made, 0, 0}}};
    uint64_t wrong = 0;
    bool ran = topk_probe_run(bench, &dispatch);
    dispatch.shader = TOPK_PROBE_SHADER_read;
    ran = ran && topk_probe_run(bench, &dispatch);
    if (!bench->vulkan.timed_out) {
        topk_vulkan_release(&bench->vulkan, &large);
    }
    if (!ran) {
        return;
    }
    for (uint32_t i = 0; i < RANGE_DWORDS; i++) {
        wrong += made[i] != (0xdead0000u | i);
    }
    TOPK_PROBE_JUDGE_COUNT(
        bench, wrong, "maxStorageBufferRange is a limit in bytes",
        "first and last dwords of a descriptor of maxStorageBufferRange, %" PRIu64
        " bytes: %" PRIu64 " of %u are not what was written",
        range, wrong, RANGE_DWORDS);
}

/* ---- Narrow elements ------------------------------------------------------------------------ */

#define TAIL_ELEMENTS 13u

void topk_probe_tail(struct topk_probe_bench *bench)
{
    const uint32_t width = bench->argument;
    const struct topk_vulkan_features *has = &bench->vulkan.features;
    const uint32_t bytes = width / 8;
    unsigned char target[64];
    uint32_t given[(TAIL_ELEMENTS + 1) / 2];
    uint32_t wrong = 0;
    if (width == 8 ? !(has->int8 && has->storage_8) : !(has->int16 && has->storage_16)) {
        topk_probe_say(bench->probe, TOPK_BACKEND_PROBE_UNSUPPORTED, "",
                       "needs shaderInt%" PRIu32 " and storageBuffer%" PRIu32 "BitAccess", width,
                       width);
        return;
    }
    for (uint32_t i = 0; i < (TAIL_ELEMENTS + 1) / 2; i++) {
        given[i] = 2 * i;
    }
    memset(target, 0xcc, sizeof target);
    struct topk_probe_dispatch dispatch = {
        .shader = width == 8 ? TOPK_PROBE_SHADER_tail8 : TOPK_PROBE_SHADER_tail16,
        .group = (TAIL_ELEMENTS + 1) / 2,
        .x = 1,
        .buffers = {
            [TOPK_PROBE_GIVEN] = {given, sizeof given, 0, 0},
            [TOPK_PROBE_TARGET] = {target, sizeof target, 0, (uint64_t)TAIL_ELEMENTS * bytes}}};
    if (!topk_probe_run(bench, &dispatch)) {
        return;
    }
    for (uint32_t i = 0; i < sizeof target; i++) {
        const uint32_t element = i / bytes;
        const bool written = element % 2 == 0 && element < TAIL_ELEMENTS;
        /* 0xab5a, little-endian */
        const unsigned char expected = !written ? 0xcc : i % bytes == 0 ? 0x5a : 0xab;
        wrong += target[i] != expected;
    }
    TOPK_PROBE_JUDGE_COUNT(bench, wrong, "a store writes its element and nothing else",
                           "every other of %u elements of %" PRIu32 " bits is written, each by an "
                           "invocation of its own: %" PRIu32 " bytes are not what they must be",
                           TAIL_ELEMENTS, width, wrong);
}
