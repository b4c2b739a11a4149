/* Order and selection: every type and direction over data of every shape. */
#include "build.h"

static const struct {
    const char *recipe;
    bool seeded;    /* the seed is the first parameter */
    uint64_t first; /* else this is */
} patterns[] = {{"shuffle", true, 0}, {"uniform", true, 0}, {"sorted", false, 0},
                {"sorted", false, 1}, {"organ", false, 0},  {"organ", false, 1},
                {"few", false, 5}};
#define PATTERNS (sizeof patterns / sizeof patterns[0])

static void values(struct topk_sink *sink)
{
    static const uint32_t lengths[] = {7, 33};
    for (int t = 0; t < TOPK_TYPE_COUNT; t++) {
        for (int mode = 0; mode < TOPK_MODE_COUNT; mode++) {
            for (size_t p = 0; p < PATTERNS; p++) {
                for (int n = 0; n < 2; n++) {
                    struct topk_case test;
                    uint32_t length = lengths[n];
                    const uint32_t sizes[] = {1, 2, 3, length};
                    topk_build(&test, (enum topk_mode)mode, topk_types[t], 4, sizes, 3,
                               1 + (uint32_t)(p + (size_t)t) % (length - 1));
                    uint64_t seed = topk_mix(topk_types[t], p, length);
                    topk_build_data(&test, patterns[p].recipe,
                                    patterns[p].seeded ? seed : patterns[p].first, seed);
                    topk_emit(sink, &test);
                }
            }
        }
    }
}

/* one extreme on every position in turn: what is looked at nowhere is missed somewhere */
static void walk(struct topk_sink *sink)
{
    static const uint32_t lengths[] = {33, 64};
    for (int n = 0; n < 2; n++) {
        for (uint32_t at = 0; at < lengths[n]; at++) {
            for (int mode = TOPK_MODE_LARGEST; mode <= TOPK_MODE_SMALLEST; mode++) {
                struct topk_case test;
                topk_build_row(&test, (enum topk_mode)mode, at % 2 ? TOPK_TYPE_I32 : TOPK_TYPE_F32,
                               lengths[n], 1 + at % 3);
                topk_build_data(&test, "walk", at, 0);
                topk_emit(sink, &test);
            }
        }
    }
}

const struct topk_test topk_group_order[] = {
    {"order", "values", "every type and direction, random and ordered data, six sequences", values,
     NULL, NULL},
    {"order", "walk", "one best element on every position of a row", walk, NULL, NULL},
    {0},
};
