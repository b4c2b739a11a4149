/* K at its edges: 1, n-1, n. */
#include "build.h"

static void edges(struct topk_sink *sink)
{
    static const uint32_t lengths[] = {1, 2, 3, 5, 16, 100};
    for (int t = 0; t < TOPK_TYPE_COUNT; t++) {
        for (int mode = 0; mode < TOPK_MODE_COUNT; mode++) {
            for (int n = 0; n < 6; n++) {
                const uint32_t ks[] = {1, lengths[n] - 1, lengths[n]};
                for (int k = 0; k < 3; k++) {
                    if (ks[k] == 0 || (k > 0 && (ks[k] == ks[0] || ks[k] == ks[k - 1]))) {
                        continue;
                    }
                    struct topk_case test;
                    topk_build_row(&test, (enum topk_mode)mode, topk_types[t], lengths[n], ks[k]);
                    topk_build_data(&test, "shuffle", topk_mix(topk_types[t], lengths[n], ks[k]),
                                    0);
                    topk_emit(sink, &test);
                }
            }
        }
    }
}

/* every K of one row: a result for K is the prefix of the one for K+1 */
static void all(struct topk_sink *sink)
{
    static const uint32_t types[] = {TOPK_TYPE_F32, TOPK_TYPE_F16, TOPK_TYPE_I64, TOPK_TYPE_U8};
    for (int t = 0; t < 4; t++) {
        for (int mode = TOPK_MODE_LARGEST; mode <= TOPK_MODE_SMALLEST; mode++) {
            for (uint32_t k = 1; k <= 40; k++) {
                struct topk_case test;
                topk_build_row(&test, (enum topk_mode)mode, types[t], 40, k);
                topk_build_data(&test, "few", 12, types[t]);
                topk_emit(sink, &test);
            }
        }
    }
}

/* every K of every short row */
static void table(struct topk_sink *sink)
{
    for (uint32_t n = 1; n <= 32; n++) {
        for (uint32_t k = 1; k <= n; k++) {
            struct topk_case test;
            const uint32_t type = topk_types[(n + k) % TOPK_TYPE_COUNT];
            topk_build_row(&test, (n * 3 + k) % 2 ? TOPK_MODE_LARGEST : TOPK_MODE_SMALLEST, type, n,
                           k);
            topk_build_data(&test, "few", 1 + n / 3, topk_mix(type, n, k));
            topk_emit(sink, &test);
        }
    }
}

const struct topk_test topk_group_k[] = {
    {"k", "edges", "K = 1, n-1 and n", edges, NULL, NULL},
    {"k", "all", "every K of one row of 40 with ties", all, NULL, NULL},
    {"k", "table", "every K of every row of up to 32", table, NULL, NULL},
    {0},
};
