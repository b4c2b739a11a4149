/* Element and index types: extremes, values that are equal when truncated, and feature levels. */
#include "group.h"

/* Bits that are neither NaN nor infinity, also with one of them flipped. */
static uint64_t harmless(uint32_t type, uint64_t bits)
{
    static const uint64_t exponents[] = {0x7c00, 0x2800, 0x7f800000, 0x2a800000};
    const int i = type == TOPK_TYPE_F32 ? 2 : 0;
    return topk_type_float(type) ? (bits & ~exponents[i]) | exponents[i + 1] : bits;
}

/* one row for each bit; only this bit decides the order */
static void bits(struct topk_sink *sink)
{
    for (int t = 0; t < TOPK_TYPE_COUNT; t++) {
        const uint32_t type = topk_types[t];
        const uint32_t count = 8 * topk_type_bytes(type);
        for (int mode = TOPK_MODE_LARGEST; mode <= TOPK_MODE_SMALLEST; mode++) {
            const uint32_t sizes[] = {1, 1, count, 4};
            uint64_t literal[64 * 4];
            struct topk_case tc;
            topk_build(&tc, (enum topk_mode)mode, type, 4, sizes, 3, 2);
            for (uint32_t bit = 0; bit < count; bit++) {
                const uint64_t draw =
                    topk_mix(type, bit, (uint64_t)mode) * UINT64_C(0x9e3779b97f4a7c15);
                const uint64_t base = harmless(type, draw >> (64 - count));
                for (uint32_t i = 0; i < 4; i++) {
                    literal[bit * 4 + i] = base ^ (uint64_t)(i % 2) << bit;
                }
            }
            tc.literal = literal;
            tc.literal_count = count * 4;
            topk_emit(sink, &tc);
        }
    }
}

const struct topk_test topk_group_types[] = {
    {"types", "extremes", "least and greatest values of every element and index type",
     .product = "type: types; mode: modes; n: 8, 20; wide: 0, 1; seed: 0, 1; k = n - 1 - seed * 3;"
                "data = extremes(seed)"},
    {"types", "hidden", "values that a narrower view takes as equal or orders wrongly",
     .product = "type: types; mode: modes; kind: 0..3; n: 2, 8, 40; k = n / 2;"
                "data = hidden(kind, mix(type, kind, 7))"},
    {"types", "bits", "rows that one bit decides, each bit of each type", .enumerate = bits},
    {"types", "sentinels", "rows of the values that kernels pad with",
     .product = "type: types; mode: both; kind: 0..3; n: 5, 33, 48; k = kind % 2 ? n : n / 2 + 1;"
                "data = sentinels(kind, mix(type, kind, 3))"},
    /* without the NaNs of FLOAT16 */
    {"types", "every", "every value of the 8 and 16 bit types",
     .product = "mode: both; (type, n, seed): (i8, 256, 1), (u8, 256, 1), (i16, 65536, 2),"
                "(u16, 65536, 2), (f16, 63487, 2); k = n; data = shuffle(seed)"},
    /* each level with all that it and lower ones allow (V08, V09, V13, V14); all types in rank 4 */
    {"types", "levels", "every feature level with the types and ranks that it allows",
     .product = "level: levels; type: types; mode: modes; rank: 1..8; wide: 0, 1; k = 1;"
                "size = [1,2,1,3,2,1,1,2][d]; axis = rank > 3 ? 3 : rank - 1;"
                "if least_level <= level && (rank == 4 || #type % 3 == #level % 3);"
                "data = uniform(#type)"},
    {0},
};
