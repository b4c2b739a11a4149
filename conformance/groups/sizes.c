/* Sizes at which kernels change their mind: 2^p-1, 2^p, 2^p+1 elements, selected, and rows. */
#include "build.h"

static void emit_row(struct topk_sink *sink, enum topk_mode mode, uint32_t type, uint32_t length,
                     uint32_t k, const char *recipe)
{
    struct topk_case test;
    topk_build_row(&test, mode, type, length, k);
    topk_build_data(&test, recipe, topk_mix(type, length, k), 0);
    topk_emit(sink, &test);
}

static void lengths(struct topk_sink *sink)
{
    static const uint32_t types[] = {TOPK_TYPE_F32, TOPK_TYPE_I64, TOPK_TYPE_U8};
    for (uint32_t p = 1; p <= 12; p++) {
        for (uint32_t length = (1u << p) - 1; length <= (1u << p) + 1; length++) {
            const uint32_t ks[] = {1, length / 2, length};
            for (int k = 0; k < 3; k++) {
                if (ks[k] == 0 || (k > 0 && (ks[k] == ks[0] || ks[k] == ks[k - 1]))) {
                    continue;
                }
                for (int t = 0; t < 3; t++) {
                    enum topk_mode mode = (p + (uint32_t)k + (uint32_t)t) % 2 == 0
                                              ? TOPK_MODE_LARGEST
                                              : TOPK_MODE_SMALLEST;
                    emit_row(sink, mode, types[t], length, ks[k], "shuffle");
                }
            }
        }
    }
}

static void selected(struct topk_sink *sink)
{
    static const uint32_t types[] = {TOPK_TYPE_F32, TOPK_TYPE_F16, TOPK_TYPE_I32};
    for (uint32_t p = 1; p <= 9; p++) {
        /* 3 is next to both 2 and 4 */
        for (uint32_t k = (1u << p) - (p == 2 ? 0 : 1); k <= (1u << p) + 1; k++) {
            for (int t = 0; t < 3; t++) {
                emit_row(sink, TOPK_MODE_LARGEST, types[t], 1031, k, "uniform");
                emit_row(sink, TOPK_MODE_SMALLEST, types[t], 1031, k, "shuffle");
            }
        }
    }
}

static void rows(struct topk_sink *sink)
{
    static const uint32_t counts[] = {2,  3,  15, 16,  17,  24,  31,  32,   33,   63,
                                      64, 65, 97, 255, 256, 257, 511, 1023, 1025, 4097};
    static const uint32_t types[] = {TOPK_TYPE_F32, TOPK_TYPE_U8};
    for (size_t r = 0; r < sizeof counts / sizeof counts[0]; r++) {
        for (int t = 0; t < 2; t++) {
            for (uint32_t axis = 0; axis < 2; axis++) {
                const uint32_t sizes[] = {axis == 0 ? 5 : counts[r], axis == 0 ? counts[r] : 5};
                struct topk_case test;
                topk_build(&test, r % 2 ? TOPK_MODE_SMALLEST : TOPK_MODE_LARGEST, types[t], 2,
                           sizes, axis, 2);
                topk_build_data(&test, "few", 4, topk_mix(types[t], counts[r], axis));
                topk_emit(sink, &test);
            }
        }
    }
}

/* every length that a workgroup or a tile may have, and every number of sequences */
static void every(struct topk_sink *sink)
{
    for (uint32_t length = 33; length <= 1056; length++) {
        const uint32_t type = topk_types[length % TOPK_TYPE_COUNT];
        emit_row(sink, length / 2 % 2 ? TOPK_MODE_LARGEST : TOPK_MODE_SMALLEST, type, length,
                 1 + (uint32_t)(topk_mix(length, 1, 1) % (length % 3 == 0 ? length : 40)),
                 length % 4 ? "shuffle" : "uniform");
    }
}

static void counts(struct topk_sink *sink)
{
    for (uint32_t count = 1; count <= 140; count++) {
        const uint32_t axis = count % 2;
        const uint32_t length = 3 + count % 13;
        const uint32_t sizes[] = {axis == 0 ? length : count, axis == 0 ? count : length};
        const uint32_t type = topk_types[count % TOPK_TYPE_COUNT];
        struct topk_case test;
        topk_build(&test, (enum topk_mode)(count % TOPK_MODE_COUNT), type, 2, sizes, axis,
                   1 + count % 3);
        topk_build_data(&test, "few", 5, topk_mix(type, count, axis));
        topk_emit(sink, &test);
    }
}

static void large(struct topk_sink *sink)
{
    static const uint32_t long_rows[] = {8191, 8192, 8193, 65535, 65536, 65537, 131071, 131073};
    for (int i = 0; i < 8; i++) {
        emit_row(sink, TOPK_MODE_LARGEST, TOPK_TYPE_F32, long_rows[i], 8, "uniform");
        emit_row(sink, TOPK_MODE_SMALLEST, TOPK_TYPE_F32, long_rows[i], 100, "shuffle");
        emit_row(sink, TOPK_MODE_LARGEST, TOPK_TYPE_F16, long_rows[i], 2049, "uniform");
        emit_row(sink, TOPK_MODE_SMALLEST, TOPK_TYPE_I64, long_rows[i], 1, "uniform");
    }
    static const uint32_t many[] = {65535, 65536, 65537, 70000};
    for (int i = 0; i < 4; i++) {
        const uint32_t sizes[] = {many[i], 3};
        struct topk_case test;
        topk_build(&test, TOPK_MODE_LARGEST, TOPK_TYPE_U16, 2, sizes, 1, 2);
        topk_build_data(&test, "uniform", many[i], 0);
        topk_emit(sink, &test);
    }
}

const struct topk_test topk_group_sizes[] = {
    {"sizes", "lengths", "axis sizes around powers of two up to 4097", lengths, NULL, NULL},
    {"sizes", "selected", "K around powers of two up to 513", selected, NULL, NULL},
    {"sizes", "rows", "numbers of sequences around powers of two up to 4097", rows, NULL, NULL},
    {"sizes", "every", "every axis size from 33 to 1056", every, NULL, NULL},
    {"sizes", "counts", "every number of sequences up to 140", counts, NULL, NULL},
    {"sizes", "large", "axes up to 131073, and 70000 sequences", large, NULL, NULL},
    {0},
};
