/* Every axis of every rank. */
#include "group.h"

const struct topk_test topk_group_axis[] = {
    {"axis", "ranks", "every axis of every rank from 1 to 8",
     .product = "(type, wide): (f32, 0), (u8, 1); rank: 1..8; axis: 0..rank-1; mode: modes;"
                "k: 1, 3, 5; size = d == axis ? 5 : 1 + (d + rank) % 3; s = mix(rank, axis, k);"
                "data = k == 3 ? few(3, s) : shuffle(s)"},
    {"axis", "single", "an axis of size 1",
     .product = "type: types; axis: 0..3; k = 1; mode = modes[axis];"
                "rank = 4; size = d == axis ? 1 : [2,3,2,4][d]; data = uniform(axis)"},
    {0},
};
