/* Edges that lie inside: where a kernel goes from one block of a row to the next, from one group of
 * rows to the next, from one way of selecting to another; levels between those that bring
 * something; and descriptions that are valid, but too large to be run. */
#include "group.h"

#define COUNT(array) ((uint32_t)(sizeof(array) / sizeof((array)[0])))

static const uint32_t types[] = {TOPK_TYPE_F32, TOPK_TYPE_U32, TOPK_TYPE_I64, TOPK_TYPE_F16,
                                 TOPK_TYPE_U8};

static enum topk_mode mode_of(uint32_t number)
{
    return (enum topk_mode)(number % TOPK_MODE_COUNT);
}

/* the best element just before, at and behind the border of a block, and at the very end */
static void positions(struct topk_sink *sink)
{
    static const uint32_t lengths[] = {300, 1537, 4097, 6145, 12289, 32769, 65537, 131073};
    static const uint32_t borders[] = {32,   64,   128,   256,   512,   1024,  2048,  4096,
                                       6144, 8192, 12288, 16384, 32768, 65536, 131072};
    uint32_t number = 0;
    for (uint32_t n = 0; n < COUNT(lengths); n++) {
        for (uint32_t b = 0; b < COUNT(borders) && borders[b] < lengths[n]; b++) {
            for (uint32_t at = borders[b] - 1; at <= borders[b] + 1; at++) {
                struct topk_case test;
                topk_build(&test, mode_of(number), types[number % COUNT(types)], 1, &lengths[n], 0,
                           number % 2 ? 8 : 1);
                topk_build_data(&test, "walk", at, 0);
                if (at < lengths[n]) {
                    topk_emit(sink, &test);
                }
                number++;
            }
        }
    }
}

/* one row more than groups of rows take, of rows that are longer than a vector */
static void rows(struct topk_sink *sink)
{
    static const uint32_t counts[] = {33, 65, 129, 257, 513, 1025, 4097, 8193, 16385, 32769};
    static const uint32_t lengths[] = {3, 33, 257};
    uint32_t number = 0;
    for (uint32_t r = 0; r < COUNT(counts); r++) {
        for (uint32_t n = 0; n < COUNT(lengths); n++, number++) {
            bool last = number % 4 != 3;
            const uint32_t sizes[] = {last ? counts[r] : lengths[n], last ? lengths[n] : counts[r]};
            struct topk_case test;
            topk_build(&test, mode_of(number), types[number % COUNT(types)], 2, sizes, last ? 1 : 0,
                       (lengths[n] + 1) / 2);
            topk_build_data(&test, "few", 40, topk_mix(counts[r], lengths[n], 0));
            if ((uint64_t)counts[r] * lengths[n] <= 1u << 20) {
                topk_emit(sink, &test);
            }
        }
    }
}

/* K around three times a power of two; and around 256 in every width of elements */
static void ks(struct topk_sink *sink)
{
    uint32_t number = 0;
    for (uint32_t p = 4; p <= 11; p++) {
        for (uint32_t d = 0; d < 3; d++, number++) {
            uint32_t k = ((uint32_t)3 << p) - 1 + d;
            const uint32_t lengths[] = {k + k / 2, 7000};
            for (uint32_t n = 0; n < 2; n++) {
                struct topk_case test;
                topk_build(&test, mode_of(number + n), types[number % COUNT(types)], 1, &lengths[n],
                           0, k);
                topk_build_data(&test, n ? "boundary" : "few", 1000, k);
                if (k <= lengths[n]) {
                    topk_emit(sink, &test);
                }
            }
        }
    }
    static const uint32_t length = 6000;
    for (int t = 0; t < TOPK_TYPE_COUNT; t++) {
        for (uint32_t k = 255; k <= 257; k++) {
            struct topk_case test;
            topk_build(&test, mode_of((uint32_t)t + k), topk_types[t], 1, &length, 0, k);
            topk_build_data(&test, "few", 3000, k);
            topk_emit(sink, &test);
        }
    }
}

/* levels that bring nothing to these operators (V13) */
static void levels(struct topk_sink *sink)
{
    static const uint32_t asked[] = {0x3000, 0x4000, 0x4100};
    static const uint32_t sizes[] = {2, 1, 3, 9};
    for (uint32_t l = 0; l < COUNT(asked); l++) {
        for (int t = 0; t < TOPK_TYPE_COUNT; t++) {
            for (int mode = 0; mode < TOPK_MODE_COUNT; mode++) {
                /* three dimensions from 3.1 on */
                bool flat = asked[l] >= TOPK_LEVEL_3_1 && mode == 1;
                struct topk_case test;
                topk_build(&test, (enum topk_mode)mode, topk_types[t], flat ? 3 : 4,
                           flat ? sizes + 1 : sizes, flat ? 2 : 3, 4);
                test.op.level = asked[l];
                topk_build_data(&test, "few", 5, (uint64_t)t);
                if (topk_operator_least_level(&test.op) <= asked[l]) {
                    topk_emit(sink, &test);
                }
            }
        }
    }
}

static void giant(struct topk_sink *sink)
{
    /* and what 2^32-1 elements take */
    static const uint64_t totals[] = {(uint64_t)1 << 31, ((uint64_t)1 << 32) - 4, (uint64_t)1 << 32,
                                      ((uint64_t)1 << 32) + 16, 0};
    static const uint32_t small[] = {1, 1, 3, 6};
    for (uint32_t i = 0; i < COUNT(totals); i++) {
        for (uint32_t role = 0; role < TOPK_ROLE_COUNT; role++) {
            struct topk_case test;
            topk_build(&test, mode_of(i), types[i], 4, small, 3, 2);
            struct topk_tensor *tensor = &test.op.tensors[role];
            tensor->total_bytes =
                totals[i] != 0 ? totals[i] : UINT32_MAX * (uint64_t)topk_type_bytes(tensor->type);
            topk_emit(sink, &test);
        }
    }
    /* elements, of an input that is one element in memory */
    static const uint32_t many[][2] = {
        {65536, 32768}, {65535, 65537}, {1, UINT32_MAX}, {65537, 65535}};
    for (uint32_t i = 0; i < COUNT(many); i++) {
        const uint32_t sizes[] = {1, 1, many[i][0], many[i][1]};
        struct topk_case test;
        topk_build(&test, mode_of(i), types[i], 4, sizes, 3, 1);
        topk_layout_apply(TOPK_LAYOUT_BROADCAST_ALL, &test.op.tensors[TOPK_INPUT]);
        topk_emit(sink, &test);
    }
    /* strides, of tensors that have the room: the last nearly all that there may be (T09) */
    static const uint32_t pair[] = {1, 1, 2, 6};
    static const uint32_t strides[] = {0x40000001u, 0x7fffffffu, 0x80000000u, UINT32_MAX - 16};
    for (uint32_t i = 0; i < COUNT(strides); i++) {
        for (uint32_t role = 0; role < TOPK_ROLE_COUNT; role++) {
            struct topk_case test;
            topk_build(&test, mode_of(i), types[i + 1], 4, pair, 3, 2);
            struct topk_tensor *tensor = &test.op.tensors[role];
            topk_layout_apply(TOPK_LAYOUT_EXPLICIT, tensor);
            tensor->strides[2] = strides[i];
            tensor->total_bytes = topk_tensor_least_bytes(tensor);
            topk_emit(sink, &test);
        }
    }
}

/* alignments beyond any page; these can be run */
static void alignments(struct topk_sink *sink)
{
    static const uint32_t small[] = {1, 2, 3, 6};
    for (uint32_t p = 17; p < 32; p++) {
        for (uint32_t role = 0; role < TOPK_ROLE_COUNT; role++) {
            struct topk_case test;
            topk_build(&test, mode_of(p), types[p % COUNT(types)], 4, small, 3, 2);
            test.op.tensors[role].alignment = (uint32_t)1 << p;
            topk_build_data(&test, "few", 5, p);
            topk_emit(sink, &test);
        }
    }
}

const struct topk_test topk_group_edges[] = {
    {"edges", "positions", "the best element around the borders of blocks", .enumerate = positions},
    {"edges", "rows", "one row more than groups of rows take", .enumerate = rows},
    {"edges", "k", "K around three times a power of two, and around 256 in every type",
     .enumerate = ks},
    {"edges", "levels", "feature levels that bring nothing new (V13)", .enumerate = levels},
    {"edges", "giant", "valid descriptions that are too large to be run, to be created (T08, T09)",
     .enumerate = giant},
    {"edges", "alignments", "alignments from 2^17 to 2^31 (T10)", .enumerate = alignments},
    {0},
};
