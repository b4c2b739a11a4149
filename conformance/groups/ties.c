/* Ties: inside the selection, across its boundary, everywhere, and across the blocks of kernels. */
#include "build.h"

static void spread(struct topk_sink *sink, const char *recipe, uint64_t first, bool seeded_second)
{
    static const uint32_t lengths[] = {4, 17, 33, 100};
    for (int t = 0; t < TOPK_TYPE_COUNT; t++) {
        for (int mode = 0; mode < TOPK_MODE_COUNT; mode++) {
            for (int n = 0; n < 4; n++) {
                const uint32_t ks[] = {2, lengths[n] / 2, lengths[n] - 1};
                for (int k = 0; k < 3; k++) {
                    struct topk_case test;
                    uint64_t seed = topk_mix(topk_types[t], lengths[n], ks[k]);
                    topk_build_row(&test, (enum topk_mode)mode, topk_types[t], lengths[n], ks[k]);
                    topk_build_data(&test, recipe, seeded_second ? first : seed, seed);
                    if (n > 0 || k == 0 || ks[k] != ks[k - 1]) {
                        topk_emit(sink, &test);
                    }
                }
            }
        }
    }
}

static void inside(struct topk_sink *sink)
{
    spread(sink, "inside", 0, false);
}

static void boundary(struct topk_sink *sink)
{
    spread(sink, "boundary", 0, false);
}

static void few(struct topk_sink *sink)
{
    spread(sink, "few", 2, true);
}

static void equal(struct topk_sink *sink)
{
    static const uint32_t lengths[] = {1, 2, 5, 64, 100};
    for (int t = 0; t < TOPK_TYPE_COUNT; t++) {
        for (int mode = 0; mode < TOPK_MODE_COUNT; mode++) {
            for (int n = 0; n < 5; n++) {
                struct topk_case test;
                topk_build_row(&test, (enum topk_mode)mode, topk_types[t], lengths[n],
                               (lengths[n] + 1) / 2);
                topk_build_data(&test, "few", 1, 0);
                topk_emit(sink, &test);
            }
        }
    }
}

static void blocks(struct topk_sink *sink)
{
    static const uint32_t types[] = {TOPK_TYPE_F32, TOPK_TYPE_F16, TOPK_TYPE_I64, TOPK_TYPE_U8};
    static const uint32_t lengths[] = {130, 520, 1100, 2500};
    static const uint32_t ks[] = {1, 63, 64, 65, 127, 128, 129, 255, 257, 513, 1000, 1025, 2049};
    for (int t = 0; t < 4; t++) {
        for (int mode = TOPK_MODE_LARGEST; mode <= TOPK_MODE_SMALLEST; mode++) {
            for (int n = 0; n < 4; n++) {
                for (size_t k = 0; k < sizeof ks / sizeof ks[0] && ks[k] < lengths[n]; k++) {
                    struct topk_case test;
                    topk_build_row(&test, (enum topk_mode)mode, types[t], lengths[n], ks[k]);
                    topk_build_data(&test, "few", 1 + k % 3, topk_mix(types[t], lengths[n], ks[k]));
                    topk_emit(sink, &test);
                }
            }
        }
    }
}

const struct topk_test topk_group_ties[] = {
    {"ties", "inside", "equal values inside the selection, none across its boundary", inside, NULL,
     NULL},
    {"ties", "boundary", "equal values across the K boundary", boundary, NULL, NULL},
    {"ties", "few", "two values only", few, NULL, NULL},
    {"ties", "equal", "one value only", equal, NULL, NULL},
    {"ties", "blocks", "ties across the borders of blocks of 64 to 2048", blocks, NULL, NULL},
    {0},
};
