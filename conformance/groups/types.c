/* Element and index types: extremes, values that narrower views confuse, and feature levels. */
#include "build.h"

static void extremes(struct topk_sink *sink)
{
    static const uint32_t lengths[] = {8, 20};
    for (int t = 0; t < TOPK_TYPE_COUNT; t++) {
        for (int mode = 0; mode < TOPK_MODE_COUNT; mode++) {
            for (int n = 0; n < 2; n++) {
                for (int wide = 0; wide < 2; wide++) {
                    for (uint64_t seed = 0; seed < 2; seed++) {
                        struct topk_case test;
                        topk_build_row(&test, (enum topk_mode)mode, topk_types[t], lengths[n],
                                       lengths[n] - 1 - (uint32_t)seed * 3);
                        if (wide) {
                            topk_build_wide_index(&test);
                        }
                        topk_build_data(&test, "extremes", seed, 0);
                        topk_emit(sink, &test);
                    }
                }
            }
        }
    }
}

static void hidden(struct topk_sink *sink)
{
    static const uint32_t lengths[] = {2, 8, 40};
    for (int t = 0; t < TOPK_TYPE_COUNT; t++) {
        for (int mode = 0; mode < TOPK_MODE_COUNT; mode++) {
            for (uint64_t kind = 0; kind < 4; kind++) {
                for (int n = 0; n < 3; n++) {
                    struct topk_case test;
                    topk_build_row(&test, (enum topk_mode)mode, topk_types[t], lengths[n],
                                   lengths[n] / 2);
                    topk_build_data(&test, "hidden", kind, topk_mix(topk_types[t], kind, 7));
                    topk_emit(sink, &test);
                }
            }
        }
    }
}

static void sentinels(struct topk_sink *sink)
{
    static const uint32_t lengths[] = {5, 33, 48};
    for (int t = 0; t < TOPK_TYPE_COUNT; t++) {
        for (int mode = TOPK_MODE_LARGEST; mode <= TOPK_MODE_SMALLEST; mode++) {
            for (uint64_t kind = 0; kind < 4; kind++) {
                for (int n = 0; n < 3; n++) {
                    struct topk_case test;
                    topk_build_row(&test, (enum topk_mode)mode, topk_types[t], lengths[n],
                                   kind % 2 ? lengths[n] : lengths[n] / 2 + 1);
                    topk_build_data(&test, "sentinels", kind, topk_mix(topk_types[t], kind, 3));
                    topk_emit(sink, &test);
                }
            }
        }
    }
}

/* Bits of a pattern that none of them, turned over, makes a NaN or an infinity. */
static uint64_t harmless(uint32_t type, uint64_t bits)
{
    static const uint64_t exponents[] = {0x7c00, 0x2800, 0x7f800000, 0x2a800000};
    const int i = type == TOPK_TYPE_F32 ? 2 : 0;
    return topk_type_float(type) ? (bits & ~exponents[i]) | exponents[i + 1] : bits;
}

/* a row for each bit, which alone decides it */
static void bits(struct topk_sink *sink)
{
    for (int t = 0; t < TOPK_TYPE_COUNT; t++) {
        const uint32_t type = topk_types[t];
        const uint32_t count = 8 * topk_type_bytes(type);
        for (int mode = TOPK_MODE_LARGEST; mode <= TOPK_MODE_SMALLEST; mode++) {
            const uint32_t sizes[] = {1, 1, count, 4};
            uint64_t literal[64 * 4];
            struct topk_case test;
            topk_build(&test, (enum topk_mode)mode, type, 4, sizes, 3, 2);
            for (uint32_t bit = 0; bit < count; bit++) {
                const uint64_t draw =
                    topk_mix(type, bit, (uint64_t)mode) * UINT64_C(0x9e3779b97f4a7c15);
                const uint64_t base = harmless(type, draw >> (64 - count));
                for (uint32_t i = 0; i < 4; i++) {
                    literal[bit * 4 + i] = base ^ (uint64_t)(i % 2) << bit;
                }
            }
            test.literal = literal;
            test.literal_count = count * 4;
            topk_emit(sink, &test);
        }
    }
}

/* every value of an 8-bit type, and a row of every 16-bit pattern that is no NaN */
static void every(struct topk_sink *sink)
{
    static const uint32_t narrow[] = {TOPK_TYPE_I8, TOPK_TYPE_U8};
    static const uint32_t wide[] = {TOPK_TYPE_I16, TOPK_TYPE_U16, TOPK_TYPE_F16};
    for (int mode = TOPK_MODE_LARGEST; mode <= TOPK_MODE_SMALLEST; mode++) {
        for (int t = 0; t < 2; t++) {
            struct topk_case test;
            topk_build_row(&test, (enum topk_mode)mode, narrow[t], 256, 256);
            topk_build_data(&test, "shuffle", 1, 0);
            topk_emit(sink, &test);
        }
        for (int t = 0; t < 3; t++) {
            struct topk_case test;
            topk_build_row(&test, (enum topk_mode)mode, wide[t], t == 2 ? 63487 : 65536,
                           t == 2 ? 63487 : 65536);
            topk_build_data(&test, "shuffle", 2, 0);
            topk_emit(sink, &test);
        }
    }
}

/* each level with all that it allows, and with what lower ones do (V08, V09, V13, V14) */
static void levels(struct topk_sink *sink)
{
    for (int l = 0; l < TOPK_LEVEL_COUNT; l++) {
        for (int t = 0; t < TOPK_TYPE_COUNT; t++) {
            for (int mode = 0; mode < TOPK_MODE_COUNT; mode++) {
                for (uint32_t rank = 1; rank <= TOPK_RANK_VALID; rank++) {
                    for (int wide = 0; wide < 2; wide++) {
                        static const uint32_t sizes[] = {1, 2, 1, 3, 2, 1, 1, 2};
                        struct topk_case test;
                        topk_build(&test, (enum topk_mode)mode, topk_types[t], rank, sizes,
                                   rank > 3 ? 3 : rank - 1, 1);
                        if (wide) {
                            topk_build_wide_index(&test);
                        }
                        topk_build_data(&test, "uniform", (uint64_t)t, 0);
                        test.op.level = topk_levels[l];
                        uint32_t least = topk_operator_least_level(&test.op);
                        /* all types in rank 4, other ranks for every third type */
                        if (least <= test.op.level && (rank == 4 || t % 3 == l % 3)) {
                            topk_emit(sink, &test);
                        }
                    }
                }
            }
        }
    }
}

const struct topk_test topk_group_types[] = {
    {"types", "extremes", "least and greatest values of every element and index type", extremes,
     NULL, NULL},
    {"types", "hidden", "values that a narrower view takes as equal or orders wrongly", hidden,
     NULL, NULL},
    {"types", "bits", "rows that one bit decides, each bit of each type", bits, NULL, NULL},
    {"types", "sentinels", "rows of the values that kernels pad with", sentinels, NULL, NULL},
    {"types", "every", "every value of the 8 and 16 bit types", every, NULL, NULL},
    {"types", "levels", "every feature level with the types and ranks that it allows", levels, NULL,
     NULL},
    {0},
};
