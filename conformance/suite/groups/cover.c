/* Covering arrays: a small set of cases that contains every combination of two classes and of three
 * (see aspect.h). It finds combinations that no other group contains. */
#include "coverage/coverage.h"
#include "group.h"

struct covering {
    struct topk_sink *sink;
    uint32_t number; /* of the case, its seed */
};

static bool take(void *context, const unsigned char classes[TOPK_ASPECT_COUNT])
{
    struct covering *covering = context;
    struct topk_case tc;
    if (topk_cover_build(classes, ++covering->number, &tc)) {
        topk_emit(covering->sink, &tc);
    }
    return !covering->sink->stopped;
}

static void pairs(struct topk_sink *sink)
{
    topk_cover_array(2, take, &(struct covering){.sink = sink});
}

static void triples(struct topk_sink *sink)
{
    topk_cover_array(3, take, &(struct covering){.sink = sink});
}

/* an offset that clause BIND allows; differs by number and role */
static uint64_t offset_of(uint32_t alignment, uint32_t number, uint32_t role)
{
    const uint64_t unit = alignment > 16 ? alignment : 16;
    return unit * (1 + (number * (2 * role + 1) + role) % (alignment > 256 ? 2 : 15));
}

/* Varies flags and offsets, which are not aspects, with the number of the case. */
static bool take_bound(void *context, const unsigned char classes[TOPK_ASPECT_COUNT])
{
    struct covering *covering = context;
    struct topk_case tc;
    const uint32_t number = ++covering->number;
    if (topk_cover_build(classes, number, &tc)) {
        tc.op.execution = 1 + number % 7;
        for (uint32_t role = 0; role < TOPK_ROLE_COUNT; role++) {
            tc.offset[role] = offset_of(tc.op.tensors[role].alignment, number, role);
        }
        topk_emit(covering->sink, &tc);
    }
    return !covering->sink->stopped;
}

static void bound(struct topk_sink *sink)
{
    topk_cover_array(2, take_bound, &(struct covering){.sink = sink});
}

const struct topk_test topk_group_cover[] = {
    {"cover", "pairs", "every possible pair of classes of two aspects", .enumerate = pairs},
    {"cover", "bound", "the same pairs, with execution flags and every buffer at an offset",
     .enumerate = bound},
    {"cover", "triples", "every possible triple of classes of three aspects", .enumerate = triples},
    {0},
};
