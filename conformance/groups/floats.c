/* Special values of the two floating-point types. */
#include "build.h"

static void spread(struct topk_sink *sink, const char *recipe, bool parameter)
{
    static const uint32_t lengths[] = {2, 4, 9, 17, 40};
    static const uint32_t types[] = {TOPK_TYPE_F32, TOPK_TYPE_F16};
    for (int t = 0; t < 2; t++) {
        for (int mode = 0; mode < TOPK_MODE_COUNT; mode++) {
            for (int n = 0; n < 5; n++) {
                const uint32_t ks[] = {1, lengths[n] / 2, lengths[n]};
                for (int k = lengths[n] == 2 ? 1 : 0; k < 3; k++) {
                    for (uint64_t seed = 0; seed < 2; seed++) {
                        struct topk_case test;
                        const uint32_t sizes[] = {1, 1, 3, lengths[n]};
                        topk_build(&test, (enum topk_mode)mode, types[t], 4, sizes, 3, ks[k]);
                        uint64_t draw = topk_mix(lengths[n], ks[k], seed);
                        topk_build_data(&test, recipe, parameter ? 1 + seed : draw, draw);
                        topk_emit(sink, &test);
                    }
                }
            }
        }
    }
}

static void zeros(struct topk_sink *sink)
{
    spread(sink, "zeros", false);
}

static void infinities(struct topk_sink *sink)
{
    spread(sink, "infinities", false);
}

static void denormals(struct topk_sink *sink)
{
    spread(sink, "denormals", false);
}

/* every two kinds of values beside each other, in either order */
static void pairs(struct topk_sink *sink)
{
    static const struct {
        uint32_t type;
        uint64_t sign;
        uint64_t magnitudes[7]; /* zero, denormals, the least normal, 1, the greatest, infinity */
    } rows[] = {
        {TOPK_TYPE_F32, 0x80000000, {0, 1, 0x7fffff, 0x800000, 0x3f800000, 0x7f7fffff, 0x7f800000}},
        {TOPK_TYPE_F16, 0x8000, {0, 1, 0x3ff, 0x400, 0x3c00, 0x7bff, 0x7c00}}};
    static const uint32_t sizes[] = {1, 14, 14, 2};
    for (int r = 0; r < 2; r++) {
        for (int mode = TOPK_MODE_LARGEST; mode <= TOPK_MODE_SMALLEST; mode++) {
            for (uint32_t k = 1; k <= 2; k++) {
                uint64_t literal[14 * 14 * 2];
                struct topk_case test;
                topk_build(&test, (enum topk_mode)mode, rows[r].type, 4, sizes, 3, k);
                for (uint32_t i = 0; i < 14 * 14 * 2; i++) {
                    const uint32_t value = i % 2 == 0 ? i / 2 / 14 : i / 2 % 14;
                    literal[i] = rows[r].magnitudes[value / 2] | (value % 2 ? rows[r].sign : 0);
                }
                test.literal = literal;
                test.literal_count = 14 * 14 * 2;
                topk_emit(sink, &test);
            }
        }
    }
}

/* NaN in every sequence, then in every second one */
static void nan_rows(struct topk_sink *sink)
{
    spread(sink, "nan", true);
}

/* the same call again must give the same bytes, NaN or not (S14) */
static void nan_again(struct topk_sink *sink)
{
    static const uint32_t types[] = {TOPK_TYPE_F32, TOPK_TYPE_F16};
    for (int t = 0; t < 2; t++) {
        for (int mode = 0; mode < TOPK_MODE_COUNT; mode++) {
            for (uint32_t k = 1; k <= 9; k += 4) {
                struct topk_case test;
                topk_build_row(&test, (enum topk_mode)mode, types[t], 9, k);
                topk_build_data(&test, "nan", 1, k);
                test.check = TOPK_CHECK_REPEAT;
                topk_emit(sink, &test);
            }
        }
    }
}

const struct topk_test topk_group_floats[] = {
    {"floats", "zeros", "+0 and -0 tie, and keep their signs", zeros, NULL, NULL},
    {"floats", "infinities", "infinities among greatest finite values", infinities, NULL, NULL},
    {"floats", "denormals", "denormals, zeros and least normals", denormals, NULL, NULL},
    {"floats", "pairs", "every two of zero, denormals, normals and infinities beside each other",
     pairs, NULL, NULL},
    {"floats", "nan", "NaNs of all kinds, in all or half of the sequences", nan_rows, NULL, NULL},
    {"floats", "nan-again", "NaNs, twice the same bytes", nan_again, NULL, NULL},
    {0},
};
