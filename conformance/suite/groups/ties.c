/* Ties: inside the selection, across its boundary, everywhere, and across the blocks of kernels. */
#include "group.h"

#define SPREAD                                                                                     \
    "type: types; mode: modes; n: 4, 17, 33, 100; k: distinct 2, n/2, n-1; s = mix(type, n, k);"

const struct topk_test topk_group_ties[] = {
    {"ties", "inside", "equal values inside the selection, none across its boundary",
     .product = SPREAD "data = inside(s)"},
    {"ties", "boundary", "equal values across the K boundary",
     .product = SPREAD "data = boundary(s)"},
    {"ties", "few", "two values only", .product = SPREAD "data = few(2, s)"},
    {"ties", "equal", "one value only",
     .product = "type: types; mode: modes; n: 1, 2, 5, 64, 100; k = (n + 1) / 2; data = few(1, 0)"},
    {"ties", "blocks", "ties across the borders of blocks of 64 to 2048",
     .product = "type: f32, f16, i64, u8; mode: both; n: 130, 520, 1100, 2500;"
                "k: 1, 63, 64, 65, 127, 128, 129, 255, 257, 513, 1000, 1025, 2049; if k < n;"
                "data = few(1 + #k % 3, mix(type, n, k))"},
    {0},
};
