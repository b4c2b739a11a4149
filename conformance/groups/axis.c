/* Every axis of every rank. */
#include "build.h"

static void emit_ranks(struct topk_sink *sink, uint32_t type, bool wide)
{
    for (uint32_t rank = 1; rank <= TOPK_RANK_VALID; rank++) {
        for (uint32_t axis = 0; axis < rank; axis++) {
            for (int mode = 0; mode < TOPK_MODE_COUNT; mode++) {
                for (uint32_t k = 1; k <= 5; k += 2) {
                    uint32_t sizes[TOPK_RANK_VALID];
                    for (uint32_t d = 0; d < rank; d++) {
                        sizes[d] = d == axis ? 5 : 1 + (d + rank) % 3;
                    }
                    struct topk_case test;
                    topk_build(&test, (enum topk_mode)mode, type, rank, sizes, axis, k);
                    if (wide) {
                        topk_build_wide_index(&test);
                    }
                    topk_build_data(&test, k == 3 ? "few" : "shuffle",
                                    k == 3 ? 3 : topk_mix(rank, axis, k), topk_mix(rank, axis, k));
                    topk_emit(sink, &test);
                }
            }
        }
    }
}

static void ranks(struct topk_sink *sink)
{
    emit_ranks(sink, TOPK_TYPE_F32, false);
    emit_ranks(sink, TOPK_TYPE_U8, true);
}

/* an axis of size 1, whose one element is the result, in every place */
static void single(struct topk_sink *sink)
{
    for (int t = 0; t < TOPK_TYPE_COUNT; t++) {
        for (uint32_t axis = 0; axis < 4; axis++) {
            uint32_t sizes[] = {2, 3, 2, 4};
            sizes[axis] = 1;
            struct topk_case test;
            topk_build(&test, (enum topk_mode)(axis % 3), topk_types[t], 4, sizes, axis, 1);
            topk_build_data(&test, "uniform", axis, 0);
            topk_emit(sink, &test);
        }
    }
}

const struct topk_test topk_group_axis[] = {
    {"axis", "ranks", "every axis of every rank from 1 to 8", ranks, NULL, NULL},
    {"axis", "single", "an axis of size 1", single, NULL, NULL},
    {0},
};
