/* Order and selection: every type and direction, with data of many shapes. */
#include "group.h"

const struct topk_test topk_group_order[] = {
    {"order", "values", "every type and direction, random and ordered data, six sequences",
     .product = "type: types; mode: modes;"
                "data: shuffle(s), uniform(s), sorted(0), sorted(1), organ(0), organ(1), few(5, s);"
                "n: 7, 33; sizes = [1,2,3,n]; k = 1 + (#data + #type) % (n - 1);"
                "s = mix(type, #data, n)"},
    /* finds an element that a kernel never reads */
    {"order", "walk", "one best element on every position of a row",
     .product = "n: 33, 64; at: 0..n-1; mode: both; type = at % 2 ? i32 : f32; k = 1 + at % 3;"
                "data = walk(at)"},
    {0},
};
