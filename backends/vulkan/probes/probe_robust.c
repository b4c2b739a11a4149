/* Probes of out-of-bounds accesses, on devices with robustBufferAccess and robustBufferAccess2. The
 * buffer is in the middle of a larger one's memory, whose dwords are all known. Without robustness
 * no out-of-bounds access is made. */
#include <inttypes.h>
#include <string.h>

#include "probe.h"

#define AROUND    65536u /* dwords of the larger buffer: enough for alignments of 64 KiB */
#define START     4096u  /* the dword at which the accessed buffer should start */
#define BUFFER    256u   /* its size in dwords */
#define BOUND     250u   /* range of its descriptor in dwords */
#define ACCESSES  16u
#define IN_BOUNDS 2u
#define PATTERN   0xb0000000u

/* Indices of dwords: two in bounds; some after the range, inside and after the buffer; some for
 * which the byte offset needs 32 bits or more. */
static const uint32_t indices[ACCESSES] = {
    0,    BOUND - 1, BOUND, BOUND + 1,  BUFFER - 1, BUFFER,     BUFFER + 1, 300,
    1000, 4095,      12000, 0x1fffffff, 0x20000001, 0x3fffffff, 0x7fffffff, 0xfffffffe};

/* The memory of the buffer, in dwords of the larger one. */
struct memory {
    uint64_t from;
    uint64_t to;
};

static void fill(uint32_t around[AROUND])
{
    for (uint32_t i = 0; i < AROUND; i++) {
        around[i] = PATTERN | i;
    }
}

static bool has_robustness(struct topk_probe_bench *bench, uint32_t level)
{
    if (level == 2 && !bench->vulkan.features.robust2) {
        return topk_probe_say(bench->probe, TOPK_BACKEND_PROBE_UNSUPPORTED, "not reported",
                              "needs robustBufferAccess2 of VK_EXT_robustness2");
    }
    return true;
}

static bool access_memory(struct topk_probe_bench *bench, enum topk_probe_shader shader,
                          uint32_t around[AROUND], uint32_t made[ACCESSES], struct memory *memory)
{
    uint32_t given[ACCESSES];
    memcpy(given, indices, sizeof given);
    fill(around);
    memset(made, 0xcc, ACCESSES * sizeof made[0]);
    struct topk_probe_dispatch dispatch = {
        .shader = shader,
        .group = 1,
        .x = ACCESSES,
        .own_buffer = true,
        .own_range = UINT64_C(4) * BOUND,
        .buffers = {[TOPK_PROBE_GIVEN] = {given, sizeof given, 0, 0},
                    [TOPK_PROBE_TARGET] = {around, UINT64_C(4) * AROUND, UINT64_C(4) * START,
                                           UINT64_C(4) * BUFFER},
                    [TOPK_PROBE_MADE] = {made, UINT64_C(4) * ACCESSES, 0, 0}}};
    if (!topk_probe_run(bench, &dispatch)) {
        return false;
    }
    memory->from = dispatch.buffers[TOPK_PROBE_TARGET].offset / 4;
    memory->to = memory->from + (dispatch.own_bytes + 3) / 4;
    return true;
}

/* ---- Reads ---------------------------------------------------------------------------------- */

void topk_probe_robust_read(struct topk_probe_bench *bench)
{
    const uint32_t level = bench->argument;
    static uint32_t around[AROUND];
    uint32_t made[ACCESSES];
    struct memory memory;
    uint32_t zeros = 0;
    uint32_t bound = 0;
    uint32_t other = 0;
    uint32_t first = ACCESSES;
    bool inside = true;
    if (!has_robustness(bench, level) ||
        !access_memory(bench, TOPK_PROBE_SHADER_read, around, made, &memory)) {
        return;
    }
    for (uint32_t i = 0; i < ACCESSES; i++) {
        const bool of_memory =
            made[i] >= (PATTERN | memory.from) && made[i] < (PATTERN | memory.to);
        if (i < IN_BOUNDS) {
            inside = inside && made[i] == (PATTERN | (uint32_t)(memory.from + indices[i]));
            continue;
        }
        zeros += made[i] == 0;
        bound += of_memory;
        other += made[i] != 0 && !of_memory;
        first = first == ACCESSES && made[i] != 0 && (level == 2 || !of_memory) ? i : first;
    }
    const bool broken = !inside || first < ACCESSES;
    topk_probe_judge(
        bench,
        !inside                         ? "wrong in bounds"
        : zeros == ACCESSES - IN_BOUNDS ? "zeros"
        : other > 0                     ? "other memory"
        : zeros > 0                     ? "zeros and the buffer's"
                                        : "the buffer's",
        !broken      ? NULL
        : level == 2 ? "robustBufferAccess2: reads out of bounds must return zero"
                     : "robustBufferAccess: reads out of bounds must return zero or values of the "
                       "memory that is bound to the buffer",
        "%" PRIu32 " zeros, %" PRIu32 " values of the buffer's memory, %" PRIu32 " others%s", zeros,
        bound, other, !inside ? "; a read that is in bounds is wrong" : "");
}

/* ---- Writes --------------------------------------------------------------------------------- */

void topk_probe_robust_write(struct topk_probe_bench *bench)
{
    const uint32_t level = bench->argument;
    static uint32_t around[AROUND];
    uint32_t made[ACCESSES];
    struct memory memory;
    uint32_t inside = 0; /* out-of-bounds writes into the buffer's memory */
    uint32_t outside = 0;
    uint64_t first = AROUND;
    if (!has_robustness(bench, level) ||
        !access_memory(bench, TOPK_PROBE_SHADER_write, around, made, &memory)) {
        return;
    }
    bool kept = true;
    for (uint32_t i = 0; i < AROUND; i++) {
        const bool of_memory = i >= memory.from && i < memory.to;
        const uint64_t own = i - memory.from;
        if (of_memory && (own == indices[0] || own == indices[1])) {
            /* another write may have landed here, which is allowed without robustBufferAccess2 */
            kept = kept && around[i] >> 16 == 0xdead;
            inside += (around[i] & 0xffff) >= IN_BOUNDS;
        } else if (around[i] != (PATTERN | i)) {
            inside += of_memory;
            outside += !of_memory;
            first = first == AROUND ? i : first;
        }
    }
    const bool broken = !kept || outside > 0 || (level == 2 && inside > 0);
    topk_probe_judge(
        bench,
        !kept         ? "wrong in bounds"
        : outside > 0 ? "other memory"
        : inside > 0  ? "into the buffer"
                      : "discarded",
        !broken      ? NULL
        : level == 2 ? "robustBufferAccess2: writes out of bounds must be discarded"
                     : "robustBufferAccess: writes out of bounds must be discarded or modify the "
                       "memory that is bound to the buffer",
        "of %u writes out of bounds %" PRIu32 " came into the buffer's memory, %" PRIu32
        " elsewhere%s",
        ACCESSES - IN_BOUNDS, inside, outside,
        !kept ? "; a write that is in bounds is not there" : "");
}
