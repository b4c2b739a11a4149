/* Memory around the logical elements: padding, offsets, alignments, slack, flags. */
#include "build.h"

static void padding(struct topk_sink *sink)
{
    static const enum topk_layout layouts[] = {TOPK_LAYOUT_PADDED_ROW, TOPK_LAYOUT_INTERLEAVED,
                                               TOPK_LAYOUT_SCATTERED, TOPK_LAYOUT_SLACK};
    static const uint32_t sizes[] = {1, 2, 3, 5};
    for (int t = 0; t < TOPK_TYPE_COUNT; t++) {
        for (int mode = TOPK_MODE_LARGEST; mode <= TOPK_MODE_SMALLEST; mode++) {
            for (int pad = 0; pad < TOPK_PADDING_COUNT; pad++) {
                for (int l = 0; l < 4; l++) {
                    struct topk_case test;
                    uint32_t axis = 1 + (uint32_t)(t + pad + l) % 3;
                    topk_build(&test, (enum topk_mode)mode, topk_types[t], 4, sizes, axis,
                               sizes[axis] - 1);
                    topk_layout_apply(layouts[l], &test.op.tensors[TOPK_INPUT]);
                    topk_build_data(&test, "few", 4, topk_mix((uint64_t)t, (uint64_t)pad, 1));
                    test.padding = (enum topk_padding)pad;
                    topk_emit(sink, &test);
                }
            }
        }
    }
}

static void offsets(struct topk_sink *sink)
{
    static const uint64_t bytes[] = {16, 32, 48, 256, 4112, 65536};
    for (int t = 0; t < TOPK_TYPE_COUNT; t++) {
        for (int o = 0; o < 6; o++) {
            for (unsigned roles = 1; roles < 8; roles = roles == 4 ? 7 : roles * 2) {
                struct topk_case test;
                topk_build_row(&test, (enum topk_mode)((t + o) % 3), topk_types[t], 11, 4);
                for (unsigned role = 0; role < TOPK_ROLE_COUNT; role++) {
                    test.offset[role] = roles >> role & 1 ? bytes[o] : 0;
                }
                topk_build_data(&test, "few", 5, bytes[o] + roles);
                topk_emit(sink, &test);
            }
        }
    }
}

static void alignments(struct topk_sink *sink)
{
    static const uint32_t bytes[] = {16,   32,   64,   128,   256,    512,
                                     1024, 2048, 4096, 65536, 131072, 1048576};
    for (int t = 0; t < TOPK_TYPE_COUNT; t++) {
        for (int a = 0; a < 12; a++) {
            struct topk_case test;
            topk_build_row(&test, (enum topk_mode)((t + a) % 3), topk_types[t], 9, 5);
            for (unsigned role = 0; role < TOPK_ROLE_COUNT; role++) {
                /* all three the same, or each its own */
                uint32_t alignment = bytes[t % 3 == 0 ? (a + (int)role * 3) % 12 : a];
                test.op.tensors[role].alignment = alignment;
                test.offset[role] = a % 2 && alignment <= 65536 ? alignment : 0;
            }
            topk_build_data(&test, "few", 4, bytes[a]);
            topk_emit(sink, &test);
        }
    }
}

/* totals larger than needed, of no multiple of 4 too, on each tensor */
static void slack(struct topk_sink *sink)
{
    static const uint64_t bytes[] = {1, 2, 3, 4, 12, 20000};
    for (int t = 0; t < TOPK_TYPE_COUNT; t++) {
        for (int s = 0; s < 6; s++) {
            struct topk_case test;
            topk_build_row(&test, (enum topk_mode)((t + s) % 3), topk_types[t], 7, 3);
            test.op.tensors[s % 3].total_bytes += bytes[s];
            test.op.tensors[TOPK_INPUT].total_bytes += 4;
            topk_build_data(&test, "few", 4, bytes[s]);
            topk_emit(sink, &test);
        }
    }
}

/* tensors whose elements end within a word of 4 bytes: what kernels of wider words write beyond */
static void tails(struct topk_sink *sink)
{
    static const uint32_t narrow[] = {TOPK_TYPE_U8, TOPK_TYPE_I8, TOPK_TYPE_F16, TOPK_TYPE_U16};
    for (int t = 0; t < 4; t++) {
        for (uint32_t k = 1; k <= 9; k++) {
            for (int mode = TOPK_MODE_LARGEST; mode <= TOPK_MODE_SMALLEST; mode++) {
                struct topk_case test;
                topk_build_row(&test, (enum topk_mode)mode, narrow[t], 9, k);
                topk_build_data(&test, "uniform", k, 0);
                topk_emit(sink, &test);
            }
        }
    }
}

static void owned(struct topk_sink *sink)
{
    for (int t = 0; t < TOPK_TYPE_COUNT; t++) {
        for (int mode = 0; mode < TOPK_MODE_COUNT; mode++) {
            struct topk_case test;
            topk_build_row(&test, (enum topk_mode)mode, topk_types[t], 6, 2);
            if (mode == TOPK_MODE_SMALLEST) {
                topk_layout_apply(TOPK_LAYOUT_INTERLEAVED, &test.op.tensors[TOPK_INPUT]);
            }
            test.op.tensors[TOPK_INPUT].flags = TOPK_TENSOR_FLAG_OWNED;
            topk_build_data(&test, "shuffle", (uint64_t)t, 0);
            topk_emit(sink, &test);
        }
    }
}

static void execution(struct topk_sink *sink)
{
    for (int t = 0; t < TOPK_TYPE_COUNT; t++) {
        for (int mode = 0; mode < TOPK_MODE_COUNT; mode++) {
            for (uint32_t flags = 1; flags < 8; flags++) {
                struct topk_case test;
                topk_build_row(&test, (enum topk_mode)mode, topk_types[t], 12, 5);
                test.op.execution = flags;
                /* FLOAT32 values that collide in FLOAT16 are what ALLOW_HALF may confuse (F06) */
                topk_build_data(&test, flags % 2 ? "hidden" : "few", flags % 2 ? 2 : 4, flags);
                topk_emit(sink, &test);
            }
        }
    }
}

const struct topk_test topk_group_memory[] = {
    {"memory", "padding", "the input's padding holds all kinds of values", padding, NULL, NULL},
    {"memory", "offsets", "binding offsets on each tensor and on all", offsets, NULL, NULL},
    {"memory", "alignments", "guaranteed alignments, with and without an offset", alignments, NULL,
     NULL},
    {"memory", "slack", "total sizes larger than needed", slack, NULL, NULL},
    {"memory", "tails", "outputs that end within a word", tails, NULL, NULL},
    {"memory", "owned", "OWNED_BY_DML on the input", owned, NULL, NULL},
    {"memory", "execution", "every combination of execution flags", execution, NULL, NULL},
    {0},
};
