/* Stress: large sizes, and every threshold that a kernel may have, crossed one by one. */
#include "group.h"

static const uint32_t types[] = {TOPK_TYPE_F32, TOPK_TYPE_U8, TOPK_TYPE_I64, TOPK_TYPE_F16,
                                 TOPK_TYPE_U32};
static const char *const recipes[] = {"few", "boundary", "uniform", "shuffle"};

static void emit(struct topk_sink *sink, uint32_t number, uint32_t rows, uint32_t length,
                 uint32_t k)
{
    bool last = number % 3 != 2;
    const uint32_t sizes[] = {last ? rows : length, last ? length : rows};
    struct topk_case test;
    topk_build(&test, (enum topk_mode)(number % TOPK_MODE_COUNT), types[number % 5], 2, sizes,
               last ? 1 : 0, k);
    if (number % 4 == 3) {
        topk_build_wide_index(&test);
    }
    const char *recipe = recipes[number / 5 % 4];
    uint64_t seed = topk_mix(rows, length, k);
    topk_build_data(&test, recipe, recipe[0] == 'f' ? 1000 : seed, seed);
    topk_emit(sink, &test);
}

/* around every power of two: the length, at K of 1, a few and most */
static void lengths(struct topk_sink *sink)
{
    uint32_t number = 0;
    for (uint32_t p = 1; p <= 20; p++) {
        for (uint32_t d = 0; d < 3; d++) {
            uint32_t length = ((uint32_t)1 << p) - 1 + d;
            const uint32_t ks[] = {1, 8, 100, length / 2, length};
            for (uint32_t i = 0; i < 5; i++) {
                if (ks[i] > 0 && ks[i] <= length) {
                    emit(sink, number++, 1, length, ks[i]);
                }
            }
        }
    }
}

/* around every power of two: K, of a row that is little longer, and much */
static void ks(struct topk_sink *sink)
{
    uint32_t number = 0;
    for (uint32_t p = 1; p <= 17; p++) {
        for (uint32_t d = 0; d < 3; d++) {
            uint32_t k = ((uint32_t)1 << p) - 1 + d;
            emit(sink, number++, 1, k + k / 8 + 1, k);
            emit(sink, number++, 2, 4 * k + 3, k);
            emit(sink, number++, 1, 262144, k);
        }
    }
}

/* around every power of two: the number of sequences */
static void rows(struct topk_sink *sink)
{
    static const uint32_t lengths_used[] = {1, 3, 17};
    uint32_t number = 0;
    for (uint32_t p = 1; p <= 17; p++) {
        for (uint32_t d = 0; d < 3; d++) {
            for (uint32_t i = 0; i < 3; i++) {
                uint32_t length = lengths_used[i];
                emit(sink, number++, ((uint32_t)1 << p) - 1 + d, length, (length + 1) / 2);
            }
        }
    }
    emit(sink, number++, 1000003, 3, 2);
}

/* lengths by K by rows in between, where one kernel hands over to another */
static void grid(struct topk_sink *sink)
{
    static const uint32_t lengths_used[] = {15,   16,   17,   31,   33,   63,   65,   127,
                                            129,  255,  257,  511,  513,  1023, 1025, 1536,
                                            2047, 2049, 4095, 4097, 8191, 8193};
    static const uint32_t ks_used[] = {1,   2,   3,   4,   5,    7,    8,    9,    15,   16,  17,
                                       31,  32,  33,  63,  64,   65,   127,  128,  129,  255, 256,
                                       257, 511, 512, 513, 1023, 1024, 1025, 2047, 2048, 2049};
    uint32_t number = 0;
    for (uint32_t n = 0; n < sizeof lengths_used / sizeof lengths_used[0]; n++) {
        for (uint32_t k = 0; k < sizeof ks_used / sizeof ks_used[0]; k++) {
            if (ks_used[k] <= lengths_used[n]) {
                emit(sink, number, 1, lengths_used[n], ks_used[k]);
                emit(sink, number + 7, 33, lengths_used[n], ks_used[k]);
                number++;
            }
        }
    }
}

/* indices that a float does not hold: sorted so that the last elements are the best */
static void far(struct topk_sink *sink)
{
    static const uint32_t lengths[] = {16777217, 16777221, 20000003, 33554435};
    for (uint32_t n = 0; n < 4; n++) {
        for (int mode = TOPK_MODE_LARGEST; mode <= TOPK_MODE_SMALLEST; mode++) {
            struct topk_case test;
            topk_build(&test, (enum topk_mode)mode, n % 2 ? TOPK_TYPE_U32 : TOPK_TYPE_I32, 1,
                       &lengths[n], 0, 7);
            topk_build_data(&test, "sorted", mode == TOPK_MODE_SMALLEST, 0);
            topk_emit(sink, &test);
        }
    }
}

/* millions of elements */
static void large(struct topk_sink *sink)
{
    static const struct {
        uint32_t rows;
        uint32_t length;
        uint32_t k;
    } shapes[] = {{1, 1000000, 8},     {1, 1000000, 5000}, {1, 4194305, 100}, {1, 1048577, 1048577},
                  {4, 1000000, 2048},  {2120, 5000, 5},    {70000, 40, 7},    {300000, 11, 11},
                  {1, 16777221, 1000}, {3, 3000000, 65537}};
    for (uint32_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
        for (uint32_t i = 0; i < 5; i++) {
            emit(sink, s + 7 * i, shapes[s].rows, shapes[s].length, shapes[s].k);
        }
    }
}

const struct topk_test topk_group_stress[] = {
    {"stress", "lengths", "axes around every power of two up to 2^20", .enumerate = lengths},
    {"stress", "k", "K around every power of two up to 2^17", .enumerate = ks},
    {"stress", "rows", "sequences around every power of two up to 2^17, and a million",
     .enumerate = rows},
    {"stress", "grid", "lengths by K around every threshold up to 8193", .enumerate = grid},
    {"stress", "far", "indices above 2^24", .enumerate = far},
    {"stress", "large", "millions of elements", .enumerate = large},
    {0},
};
