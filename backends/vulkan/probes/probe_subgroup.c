/* Probes of subgroups: their size and the results of their operations, reconstructed from what each
 * invocation observed. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe.h"

#define LANES  128u /* greatest SubgroupSize */
#define GROUPS 3u

/* The same structure as in shaders/probe_subgroup.comp. */
struct seen {
    uint32_t size;
    uint32_t subgroup;
    uint32_t lane;
    uint32_t subgroups;
    uint32_t ballot[4];
    uint32_t before;
    uint32_t shuffled;
    uint32_t sum;
    uint32_t sum_before;
};

/* The observations in one pipeline. */
struct view {
    uint32_t group; /* invocations of a workgroup */
    struct seen *seen;
    const char *wrong; /* the first violated rule; NULL: none */
    uint32_t where;    /* the invocation where it was violated */
    bool full;         /* every subgroup has all its invocations */
};

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static void expect(struct view *view, bool held, const char *rule, uint32_t where)
{
    if (!held && view->wrong == NULL) {
        view->wrong = rule;
        view->where = where;
    }
}

static bool is_size(uint32_t size)
{
    return size > 0 && size <= LANES && (size & (size - 1)) == 0;
}

static bool odd(uint32_t invocation)
{
    return (invocation * 7 & 3) == 1;
}

/* The invocations of a subgroup by lane; UINT32_MAX for none. */
struct subgroup {
    uint32_t lanes[LANES];
    uint32_t count;
};

static void check_operations(struct view *view, const struct seen *group, uint32_t first,
                             const struct subgroup *subgroup)
{
    uint32_t ballot[4] = {0};
    uint32_t bits = 0;
    uint32_t sum = 0;
    uint32_t total = 0;
    for (uint32_t lane = 0; lane < LANES; lane++) {
        const uint32_t i = subgroup->lanes[lane];
        if (i != UINT32_MAX) {
            ballot[lane / 32] |= (uint32_t)odd(i) << lane % 32;
            total += i + 1;
        }
    }
    for (uint32_t lane = 0; lane < LANES; lane++) {
        const uint32_t i = subgroup->lanes[lane];
        if (i == UINT32_MAX) {
            continue;
        }
        const struct seen *seen = &group[i];
        const uint32_t beside = subgroup->lanes[lane ^ 1];
        expect(view, memcmp(seen->ballot, ballot, sizeof ballot) == 0,
               "OpGroupNonUniformBallot: a bit for each invocation", first + i);
        expect(view, seen->before == bits, "OpGroupNonUniformBallotBitCount, ExclusiveScan",
               first + i);
        expect(view, seen->sum == total, "OpGroupNonUniformIAdd, Reduce", first + i);
        expect(view, seen->sum_before == sum, "OpGroupNonUniformIAdd, ExclusiveScan", first + i);
        expect(view, beside == UINT32_MAX || seen->shuffled == beside * 3 + 1,
               "OpGroupNonUniformShuffle", first + i);
        bits += odd(i);
        sum += i + 1;
    }
}

/* Reconstructs the subgroups of one workgroup. first: number of its first invocation; subgroups has
 * room for one per invocation. Values from the device are used as indices and loop bounds only
 * after a check. */
static void check_group(struct view *view, struct subgroup *subgroups, uint32_t first,
                        bool operations)
{
    const struct seen *group = view->seen + first;
    uint32_t found = 0;
    for (uint32_t i = 0; i < view->group; i++) {
        memset(subgroups[i].lanes, 0xff, sizeof subgroups[i].lanes);
        subgroups[i].count = 0;
    }
    for (uint32_t i = 0; i < view->group; i++) {
        const struct seen *seen = &group[i];
        expect(view, seen->lane < seen->size && seen->lane < LANES,
               "SubgroupLocalInvocationId is less than SubgroupSize", first + i);
        expect(view, seen->subgroups == group[0].subgroups, "NumSubgroups is one in a workgroup",
               first + i);
        expect(view, seen->subgroups <= view->group,
               "NumSubgroups counts sets of invocations: no more than there are invocations",
               first + i);
        expect(view, seen->subgroup < seen->subgroups, "SubgroupId is less than NumSubgroups",
               first + i);
        if (view->wrong != NULL) {
            return;
        }
        struct subgroup *of = &subgroups[seen->subgroup];
        expect(view, of->lanes[seen->lane] == UINT32_MAX,
               "SubgroupLocalInvocationId is a different one for each invocation", first + i);
        of->lanes[seen->lane] = i;
        found += of->count++ == 0;
    }
    expect(view, found == group[0].subgroups,
           "NumSubgroups counts sets of invocations: each SubgroupId below it has some", first);
    for (uint32_t s = 0; view->wrong == NULL && s < found; s++) {
        view->full = view->full && subgroups[s].count == group[0].size;
        if (operations) {
            check_operations(view, group, first, &subgroups[s]);
        }
    }
}

/* Runs the shader in workgroups of view->group, and checks each. size: the required SubgroupSize.
 * False, after setting the result, if that fails. The caller frees view->seen in any case. */
static bool look(struct topk_probe_bench *bench, struct view *view, uint32_t size, bool required,
                 bool operations)
{
    const uint32_t count = GROUPS * view->group;
    struct subgroup *subgroups = malloc(view->group * sizeof *subgroups);
    view->seen = calloc(count, sizeof *view->seen);
    view->full = true;
    if (subgroups == NULL || view->seen == NULL) {
        topk_probe_say(bench->probe, TOPK_BACKEND_PROBE_FAILED, "error", "out of memory");
        free(subgroups);
        return false;
    }
    struct topk_probe_dispatch dispatch = {
        .shader = operations ? TOPK_PROBE_SHADER_subgroup_all : TOPK_PROBE_SHADER_subgroup,
        .group = view->group,
        .subgroup = required ? size : 0,
        .x = GROUPS,
        .buffers = {
            [TOPK_PROBE_TARGET] = {view->seen, (uint64_t)count * sizeof *view->seen, 0, 0}}};
    const bool ran = topk_probe_run(bench, &dispatch);
    for (uint32_t i = 0; ran && i < count; i++) {
        expect(view, view->seen[i].size == size,
               required ? "SubgroupSize is what was required"
                        : "SubgroupSize is subgroupSize of the device",
               i);
    }
    for (uint32_t g = 0; ran && g < GROUPS && view->wrong == NULL; g++) {
        check_group(view, subgroups, g * view->group, operations);
    }
    free(subgroups);
    return ran;
}

static bool has_operations(struct topk_probe_bench *bench, bool all)
{
    const struct topk_vulkan_features *has = &bench->vulkan.features;
    if (!has->subgroup_basic ||
        (all && !(has->subgroup_ballot && has->subgroup_shuffle && has->subgroup_arithmetic))) {
        return topk_probe_say(bench->probe, TOPK_BACKEND_PROBE_UNSUPPORTED, "",
                              "needs subgroup operations in compute shaders: basic%s",
                              all ? ", ballot, shuffle, arithmetic" : "");
    }
    return true;
}

/* Whether the reported sizes are possible for subgroups, and fit into a workgroup. False, after
 * setting the result, if not. */
static bool has_sizes(struct topk_probe_bench *bench, const char *names, uint32_t least_size,
                      uint32_t most_size)
{
    if (!is_size(least_size) || !is_size(most_size) || least_size > most_size) {
        return topk_probe_say(bench->probe, TOPK_BACKEND_PROBE_VIOLATION, "wrong",
                              "%s: %" PRIu32 " to %" PRIu32
                              "; the size of a subgroup is a power of two, from 1 to %u",
                              names, least_size, most_size, LANES);
    }
    if (most_size > topk_probe_largest_group(bench)) {
        return topk_probe_say(bench->probe, TOPK_BACKEND_PROBE_UNSUPPORTED, "not tried",
                              "%s: %" PRIu32 ", and a workgroup has %" PRIu32
                              " invocations at most",
                              names, most_size, topk_probe_largest_group(bench));
    }
    return true;
}

static void say_view(struct topk_probe_bench *bench, const struct view *view, const char *value)
{
    if (view->wrong != NULL) {
        const struct seen *seen = &view->seen[view->where];
        topk_probe_say(bench->probe, TOPK_BACKEND_PROBE_VIOLATION, "wrong",
                       "workgroups of %" PRIu32 ", invocation %" PRIu32 ": SubgroupSize %" PRIu32
                       ", SubgroupId %" PRIu32 ", SubgroupLocalInvocationId %" PRIu32
                       ", NumSubgroups %" PRIu32 "; %s",
                       view->group, view->where, seen->size, seen->subgroup, seen->lane,
                       seen->subgroups, view->wrong);
        return;
    }
    topk_probe_say(bench->probe, TOPK_BACKEND_PROBE_OBSERVED, value,
                   "workgroups of %" PRIu32 ": SubgroupSize %" PRIu32 ", NumSubgroups %" PRIu32
                   ", %s",
                   view->group, view->seen[0].size, view->seen[0].subgroups,
                   view->full ? "all full" : "not all full");
}

/* ---- The probes ----------------------------------------------------------------------------- */

void topk_probe_subgroup_size(struct topk_probe_bench *bench)
{
    const uint32_t size = bench->vulkan.features.subgroup_size;
    struct view view = {.group = least(4 * size, topk_probe_largest_group(bench))};
    char value[16];
    snprintf(value, sizeof value, "%" PRIu32, size);
    if (has_operations(bench, false) && has_sizes(bench, "subgroupSize", size, size) &&
        look(bench, &view, size, false, false)) {
        say_view(bench, &view, value);
    }
    free(view.seen);
}

void topk_probe_subgroup_operations(struct topk_probe_bench *bench)
{
    const uint32_t partial = bench->argument;
    const uint32_t size = bench->vulkan.features.subgroup_size;
    struct view view = {.group = least(4 * size, topk_probe_largest_group(bench))};
    if (partial != 0) {
        view.group = view.group - size + size / 2 + 1; /* the last subgroup is partial */
    }
    if (has_operations(bench, true) && has_sizes(bench, "subgroupSize", size, size) &&
        look(bench, &view, size, false, true)) {
        say_view(bench, &view, "coherent");
    }
    free(view.seen);
}

void topk_probe_subgroup_required(struct topk_probe_bench *bench)
{
    const struct topk_vulkan_features *has = &bench->vulkan.features;
    const bool all = has->subgroup_ballot && has->subgroup_shuffle && has->subgroup_arithmetic;
    char value[48] = "";
    if (!has_operations(bench, false)) {
        return;
    }
    if (!has->subgroup_control) {
        topk_probe_say(bench->probe, TOPK_BACKEND_PROBE_UNSUPPORTED, "not reported",
                       "needs subgroupSizeControl of Vulkan 1.3, for compute shaders");
        return;
    }
    if (!has_sizes(bench, "minSubgroupSize and maxSubgroupSize", has->subgroup_least,
                   has->subgroup_most)) {
        return;
    }
    for (uint32_t size = has->subgroup_least; size <= has->subgroup_most; size *= 2) {
        /* at least two, but no more than a workgroup may have */
        struct view view = {.group =
                                least(2 * size, topk_probe_largest_group(bench)) / size * size};
        const size_t used = strlen(value);
        const bool ran = look(bench, &view, size, true, all);
        if (ran) {
            expect(&view, view.full || !has->subgroup_full,
                   "VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT: all are full", 0);
            snprintf(value + used, sizeof value - used, "%s%" PRIu32, used == 0 ? "" : ", ", size);
            say_view(bench, &view, value);
        }
        free(view.seen);
        if (!ran || view.wrong != NULL) {
            return;
        }
    }
    topk_probe_say(bench->probe, TOPK_BACKEND_PROBE_OBSERVED, value,
                   "each size that may be required is what SubgroupSize is%s",
                   has->subgroup_full ? ", and all are full" : "");
}
