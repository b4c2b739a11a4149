/* Edges of K: 1, n-1, n, and values whose low bits are 0. */
#include "group.h"

const struct topk_test topk_group_k[] = {
    {"k", "edges", "K = 1, n-1 and n",
     .product = "type: types; mode: modes; n: 1, 2, 3, 5, 16, 100; k: distinct 1, n-1, n; if k > 0;"
                "data = shuffle(mix(type, n, k))"},
    /* the result for K is a prefix of that for K+1 */
    {"k", "all", "every K of one row of 40 with ties",
     .product = "type: f32, f16, i64, u8; mode: both; n = 40; k: 1..n; data = few(12, type)"},
    {"k", "table", "every K of every row of up to 32",
     .product = "n: 1..32; k: 1..n; type = types[n + k]; mode = both[n * 3 + k + 1];"
                "data = few(1 + n / 3, mix(type, n, k))"},
    /* a backend that truncates K to these bits takes it for 0; K < n, because K = n may be refused
     */
    {"k", "low-bits", "K whose lowest 8 or 16 bits are 0, below n",
     .product = "k: 256, 512, 65536, 131072; n: k + 1, k + k / 2; count; type = types[number];"
                "mode = modes[number]; sizes = number % 2 ? [n,2] : [n]; axis = 0;"
                "data = few(n / 4, number)"},
    {0},
};
