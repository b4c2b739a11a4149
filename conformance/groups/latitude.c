/* Where text and field disagree (grade PRACTICE) or the text is silent (OBSERVE): either choice is
 * allowed, and what was chosen is recorded. K = n is in group k, denormals and NaN in group floats.
 */
#include "build.h"

static void directions(struct topk_sink *sink)
{
    static const uint32_t values[] = {2, 3, 0x7fffffffu, 0xffffffffu};
    for (int v = 0; v < 4; v++) {
        for (int t = 0; t < TOPK_TYPE_COUNT; t++) {
            struct topk_case test;
            topk_build_row(&test, TOPK_MODE_LARGEST, topk_types[t], 9, 4);
            test.op.direction = values[v];
            topk_build_data(&test, "shuffle", (uint64_t)t, 0);
            topk_emit(sink, &test);
        }
    }
}

static void alignments(struct topk_sink *sink)
{
    for (int t = 0; t < TOPK_TYPE_COUNT; t++) {
        for (uint32_t alignment = topk_type_bytes(topk_types[t]); alignment < 16; alignment *= 2) {
            for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
                if (role == TOPK_INDEX && alignment < 4) {
                    continue;
                }
                struct topk_case test;
                topk_build_row(&test, TOPK_MODE_LARGEST, topk_types[t], 9, 4);
                test.op.tensors[role].alignment = alignment;
                topk_build_data(&test, "shuffle", (uint64_t)t, 0);
                topk_emit(sink, &test);
            }
        }
    }
}

/* outputs whose elements share memory: results cannot be judged, containment can */
static void output_overlap(struct topk_sink *sink)
{
    static const uint32_t strides[][3] = {{3, 2, 1}, {0, 4, 1}, {8, 0, 1}, {8, 4, 0}, {0, 0, 0}};
    static const uint32_t sizes[] = {2, 2, 6};
    for (int s = 0; s < 5; s++) {
        for (int role = TOPK_VALUE; role <= TOPK_INDEX; role++) {
            struct topk_case test;
            topk_build(&test, TOPK_MODE_LARGEST, TOPK_TYPE_F32, 3, sizes, 2, 4);
            struct topk_tensor *tensor = &test.op.tensors[role];
            tensor->strided = true;
            for (int d = 0; d < 3; d++) {
                tensor->strides[d] = strides[s][d];
            }
            tensor->total_bytes = topk_tensor_least_bytes(tensor);
            topk_build_data(&test, "shuffle", (uint64_t)s, 0);
            topk_emit(sink, &test);
        }
    }
}

/* what only a higher level has, asked for at a lower one: a device may be of the higher one */
static void above_level(struct topk_sink *sink)
{
    static const uint32_t sizes[] = {2, 3, 1, 5, 2};
    for (int l = 0; l < TOPK_LEVEL_COUNT; l++) {
        for (int t = 0; t < TOPK_TYPE_COUNT; t++) {
            for (uint32_t rank = 3; rank <= 5; rank++) {
                for (int mode = 0; mode < TOPK_MODE_COUNT; mode++) {
                    for (int wide = 0; wide < 2; wide++) {
                        struct topk_case test;
                        topk_build(&test, (enum topk_mode)mode, topk_types[t], rank, sizes, 1, 2);
                        if (wide) {
                            topk_build_wide_index(&test);
                        }
                        topk_build_data(&test, "shuffle", (uint64_t)t, 0);
                        test.op.level = topk_levels[l];
                        if (topk_operator_least_level(&test.op) > test.op.level &&
                            (rank == 4 || t % 3 == 0)) {
                            topk_emit(sink, &test);
                        }
                    }
                }
            }
        }
    }
}

const struct topk_test topk_group_latitude[] = {
    {"latitude", "directions", "AxisDirection outside 0 and 1 (V12)", directions, NULL, NULL},
    {"latitude", "alignments", "alignments below 16 (T10b)", alignments, NULL, NULL},
    {"latitude", "output-overlap", "outputs whose elements overlap (T14)", output_overlap, NULL,
     NULL},
    {"latitude", "above-level", "what only a higher feature level has (V08, V09, V14, V07)",
     above_level, NULL, NULL},
    {0},
};
