/* Special values of the two floating-point types. */
#include "group.h"

#define SPREAD                                                                                     \
    "type: floats; mode: modes; n: 2, 4, 9, 17, 40; k: distinct 1, n/2, n; seed: 0, 1;"            \
    "sizes = [1,1,3,n]; s = mix(n, k, seed);"

const struct topk_test topk_group_floats[] = {
    {"floats", "zeros", "+0 and -0 tie, and keep their signs", .product = SPREAD "data = zeros(s)"},
    {"floats", "infinities", "infinities among greatest finite values",
     .product = SPREAD "data = infinities(s)"},
    {"floats", "denormals", "denormals, zeros and least normals",
     .product = SPREAD "data = denormals(s)"},
    {"floats", "pairs", "every two of zero, denormals, normals and infinities beside each other",
     .product = "(type, sign, values):"
                "  (f32, 0x80000000, [0,1,0x7fffff,0x800000,0x3f800000,0x7f7fffff,0x7f800000]),"
                "  (f16, 0x8000, [0,1,0x3ff,0x400,0x3c00,0x7bff,0x7c00]);"
                "mode: both; k: 1, 2; sizes = [1,14,14,2]; i = e % 2 ? e / 2 % 14 : e / 2 / 14;"
                "bits = values[i / 2] | (i % 2 ? sign : 0)"},
    {"floats", "nan", "NaNs of all kinds, in all or half of the sequences",
     .product = SPREAD "data = nan(1 + seed, s)"},
    /* a repeated call must return the same bytes, also for NaN (S14) */
    {"floats", "nan-again", "NaNs, twice the same bytes",
     .product = "type: floats; mode: modes; n = 9; k: 1, 5, 9; data = nan(1, k); check = repeat"},
    {0},
};
