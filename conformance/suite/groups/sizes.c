/* Sizes at which kernels change their method: 2^p-1, 2^p, 2^p+1 as length, K and number of rows. */
#include "group.h"

const struct topk_test topk_group_sizes[] = {
    {"sizes", "lengths", "axis sizes around powers of two up to 4097",
     .product = "p: 1..12; n: (1<<p)-1..(1<<p)+1; k: distinct 1, n/2, n; if k > 0;"
                "type: f32, i64, u8; mode = both[p + #k + #type]; data = shuffle(mix(type, n, k))"},
    /* 3 is next to both 2 and 4 */
    {"sizes", "selected", "K around powers of two up to 513",
     .product = "n = 1031; p: 1..9; k: (1<<p)-(p!=2)..(1<<p)+1; type: f32, f16, i32;"
                "(mode, data): (largest, uniform(s)), (smallest, shuffle(s)); s = mix(type, n, k)"},
    {"sizes", "rows", "numbers of sequences around powers of two up to 4097",
     .product = "rows: 2, 3, 15, 16, 17, 24, 31, 32, 33, 63, 64, 65, 97, 255, 256, 257, 511, 1023,"
                "1025, 4097; type: f32, u8; axis: 0, 1; sizes = axis == 0 ? [5,rows] : [rows,5];"
                "mode = both[#rows]; k = 2; data = few(4, mix(type, rows, axis))"},
    /* every length that a workgroup or a tile can have, and every number of sequences */
    {"sizes", "every", "every axis size from 33 to 1056",
     .product = "n: 33..1056; type = types[n]; mode = both[n / 2 + 1];"
                "k = 1 + mix(n, 1, 1) % (n % 3 == 0 ? n : 40); s = mix(type, n, k);"
                "data = n % 4 ? shuffle(s) : uniform(s)"},
    {"sizes", "counts", "every number of sequences up to 140",
     .product = "rows: 1..140; axis = rows % 2; n = 3 + rows % 13;"
                "sizes = axis == 0 ? [n,rows] : [rows,n]; type = types[rows]; mode = modes[rows];"
                "k = 1 + rows % 3; data = few(5, mix(type, rows, axis))"},
    {"sizes", "large", "axes up to 131073, and 70000 sequences",
     .product = "{ n: 8191, 8192, 8193, 65535, 65536, 65537, 131071, 131073;"
                "  (mode, type, k, data): (largest, f32, 8, uniform(s)),"
                "    (smallest, f32, 100, shuffle(s)), (largest, f16, 2049, uniform(s)),"
                "    (smallest, i64, 1, uniform(s)); s = mix(type, n, k) }"
                "{ rows: 65535, 65536, 65537, 70000; sizes = [rows,3]; mode = largest; type = u16;"
                "  k = 2; data = uniform(rows) }"},
    {0},
};
