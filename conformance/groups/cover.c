/* Combinations: few cases that together show everything with everything, two aspects at a time and
 * three (see aspect.h). What no other group thought of meets here. */
#include "cover.h"
#include "build.h"

struct covering {
    struct topk_sink *sink;
    uint32_t number; /* of the case, its seed */
};

static bool take(void *context, const unsigned char classes[TOPK_ASPECT_COUNT])
{
    struct covering *covering = context;
    struct topk_case test;
    if (topk_cover_build(classes, ++covering->number, &test)) {
        topk_emit(covering->sink, &test);
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

const struct topk_test topk_group_cover[] = {
    {"cover", "pairs", "every possible pair of classes of two aspects", pairs, NULL, NULL},
    {"cover", "triples", "every possible triple of classes of three aspects", triples, NULL, NULL},
    {0},
};
