/* Probes of workgroups: each one runs once, barriers make writes visible, atomic operations count
 * correctly, and loops have the right number of iterations. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "probe.h"

/* Runs a shader on dwords of the target; without dwords, if a limit of the device is 0. */
static bool run_dwords(struct topk_probe_bench *bench, struct topk_probe_dispatch *dispatch,
                       void *dwords, uint64_t count)
{
    if (count == 0) {
        return topk_probe_say(bench->probe, TOPK_BACKEND_PROBE_UNSUPPORTED, "not tried",
                              "the device has no room for an invocation, by its limits");
    }
    if (dwords == NULL) {
        return topk_probe_say(bench->probe, TOPK_BACKEND_PROBE_FAILED, "error", "out of memory");
    }
    dispatch->buffers[TOPK_PROBE_TARGET] = (struct topk_probe_buffer){dwords, count * 4, 0, 0};
    return topk_probe_run(bench, dispatch);
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* ---- Many workgroups ------------------------------------------------------------------------ */

#define MANY_GROUPS 131075u /* 2^17 + 3 */

void topk_probe_dispatch_many(struct topk_probe_bench *bench)
{
    const uint32_t x = least(MANY_GROUPS, bench->vulkan.limits.maxComputeWorkGroupCount[0]);
    const uint32_t y = x < MANY_GROUPS ? 3 : 1;
    const uint32_t count = x * y;
    uint32_t *dwords = calloc(count, sizeof *dwords);
    struct topk_probe_dispatch dispatch = {
        .shader = TOPK_PROBE_SHADER_count, .group = 1, .x = x, .y = y, .count = count};
    uint64_t wrong = 0;
    if (run_dwords(bench, &dispatch, dwords, count)) {
        for (uint32_t i = 0; i < count; i++) {
            wrong += dwords[i] != 1;
        }
        TOPK_PROBE_JUDGE_COUNT(bench, wrong, "vkCmdDispatch: each workgroup is to run once",
                               "%" PRIu32 " * %" PRIu32 " workgroups: %" PRIu64 " values are wrong",
                               x, y, wrong);
    }
    free(dwords);
}

/* ---- Barriers ------------------------------------------------------------------------------- */

#define SHARED_GROUPS 8u
#define SHARED_ROUNDS 32u

/* computes what the shader computes in one workgroup */
static void share(uint32_t *values, uint32_t *row, uint32_t group, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        values[i] = (group * n + i) * 2654435761u;
    }
    for (uint32_t round = 0; round < SHARED_ROUNDS; round++) {
        memcpy(row, values, n * sizeof *row);
        for (uint32_t i = 0; i < n; i++) {
            values[i] = values[i] * 5 + row[(i * 7 + round * 13 + 1) % n];
        }
    }
}

static void probe_barrier(struct topk_probe_bench *bench, enum topk_probe_shader shader,
                          const char *memory, const char *demand)
{
    const uint32_t n = topk_probe_largest_group(bench);
    static uint32_t dwords[SHARED_GROUPS * 1024]; /* static, because the stack may be small */
    uint32_t values[1024];
    uint32_t row[1024];
    struct topk_probe_dispatch dispatch = {.shader = shader, .group = n, .x = SHARED_GROUPS};
    uint64_t wrong = 0;
    memset(dwords, 0xcc, sizeof dwords);
    if (!run_dwords(bench, &dispatch, dwords, (uint64_t)SHARED_GROUPS * n)) {
        return;
    }
    for (uint32_t group = 0; group < SHARED_GROUPS; group++) {
        share(values, row, group, n);
        for (uint32_t i = 0; i < n; i++) {
            wrong += dwords[group * n + i] != values[i];
        }
    }
    TOPK_PROBE_JUDGE_COUNT(bench, wrong, demand,
                           "%u rounds over %s in workgroups of %" PRIu32 " invocations: %" PRIu64
                           " values are wrong",
                           SHARED_ROUNDS, memory, n, wrong);
}

void topk_probe_barrier_shared(struct topk_probe_bench *bench)
{
    probe_barrier(bench, TOPK_PROBE_SHADER_shared, "shared memory",
                  "OpControlBarrier: writes to shared memory before it must be visible after it");
}

void topk_probe_barrier_buffer(struct topk_probe_bench *bench)
{
    probe_barrier(bench, TOPK_PROBE_SHADER_buffer, "a coherent buffer",
                  "OpControlBarrier between OpMemoryBarriers: writes to a buffer before it must be "
                  "visible after it");
}

#define CHAIN_GROUP  64u
#define CHAIN_GROUPS 128u
#define CHAIN_COUNT  8192u /* invocations */
#define CHAIN_PASSES 32u

void topk_probe_barrier_dispatches(struct topk_probe_bench *bench)
{
    static uint32_t dwords[2 * CHAIN_COUNT];
    static uint32_t values[2 * CHAIN_COUNT];
    struct topk_probe_dispatch dispatch = {.shader = TOPK_PROBE_SHADER_chain,
                                           .group = CHAIN_GROUP,
                                           .x = CHAIN_GROUPS,
                                           .passes = CHAIN_PASSES,
                                           .count = CHAIN_COUNT};
    uint64_t wrong = 0;
    for (uint32_t i = 0; i < 2 * CHAIN_COUNT; i++) {
        dwords[i] = i * 2654435761u;
        values[i] = dwords[i];
    }
    if (!run_dwords(bench, &dispatch, dwords, UINT64_C(2) * CHAIN_COUNT)) {
        return;
    }
    for (uint32_t pass = 0; pass < CHAIN_PASSES; pass++) {
        const uint32_t *from = values + (pass % 2 == 0 ? 0 : CHAIN_COUNT);
        uint32_t *to = values + (pass % 2 == 0 ? CHAIN_COUNT : 0);
        for (uint32_t i = 0; i < CHAIN_COUNT; i++) {
            to[i] = from[i] * 3 + from[(i * 17 + pass * 101 + 1) % CHAIN_COUNT];
        }
    }
    for (uint32_t i = 0; i < 2 * CHAIN_COUNT; i++) {
        wrong += dwords[i] != values[i];
    }
    TOPK_PROBE_JUDGE_COUNT(
        bench, wrong, "vkCmdPipelineBarrier: a memory dependency makes writes visible",
        "%u dispatches, each of what the one before it wrote: %" PRIu64 " values are wrong",
        CHAIN_PASSES, wrong);
}

/* ---- Atomic operations ---------------------------------------------------------------------- */

#define TICKET_GROUP  64u
#define TICKET_GROUPS 256u
#define TICKETS       (TICKET_GROUP * TICKET_GROUPS)

void topk_probe_atomic_tickets(struct topk_probe_bench *bench)
{
    static uint32_t dwords[1 + TICKETS];
    static unsigned char seen[TICKETS];
    struct topk_probe_dispatch dispatch = {.shader = TOPK_PROBE_SHADER_tickets,
                                           .group = TICKET_GROUP,
                                           .x = TICKET_GROUPS,
                                           .count = TICKETS};
    uint64_t wrong = 0;
    memset(dwords, 0, sizeof dwords);
    memset(seen, 0, sizeof seen);
    if (!run_dwords(bench, &dispatch, dwords, 1 + TICKETS)) {
        return;
    }
    wrong += dwords[0] != TICKETS;
    for (uint32_t i = 0; i < TICKETS; i++) {
        const uint32_t owner = dwords[1 + i] - 1;
        const bool fresh = owner < TICKETS && seen[owner] == 0;
        wrong += !fresh;
        if (fresh) {
            seen[owner] = 1;
        }
    }
    TOPK_PROBE_JUDGE_COUNT(bench, wrong, "OpAtomicIAdd: each must get a number of its own",
                           "%u invocations take a ticket each: %" PRIu64 " values are wrong",
                           TICKETS, wrong);
}

/* ---- Loops ---------------------------------------------------------------------------------- */

#define TURN_GROUP 16u
#define TURNS      200000u

void topk_probe_loop_turns(struct topk_probe_bench *bench)
{
    uint32_t dwords[TURN_GROUP] = {0};
    struct topk_probe_dispatch dispatch = {
        .shader = TOPK_PROBE_SHADER_turns, .group = TURN_GROUP, .x = 1, .count = TURNS};
    uint64_t wrong = 0;
    if (!run_dwords(bench, &dispatch, dwords, TURN_GROUP)) {
        return;
    }
    for (uint32_t i = 0; i < TURN_GROUP; i++) {
        uint32_t value = i;
        for (uint32_t turn = 0; turn < TURNS; turn++) {
            value = value * 1664525u + turn;
        }
        wrong += dwords[i] != value;
    }
    TOPK_PROBE_JUDGE_COUNT(bench, wrong, "OpLoopMerge: nothing but its condition ends a loop",
                           "%u invocations go round a loop %u times: %" PRIu64 " values are wrong",
                           TURN_GROUP, TURNS, wrong);
}
