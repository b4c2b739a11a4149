/* Reach: kernels that are chosen by size, combined with everything else that varies. The other
 * groups vary one property of small shapes. Here long rows meet other axes, several sequences,
 * every type, layouts, levels, special values and wide indices. */
#include "group.h"

/* `first` is the data's first parameter, to make seeds distinct */
#define CALL "wide = (k + rank + type) % 2 == 0; s = mix(type + first, length, k);"

const struct topk_test topk_group_reach[] = {
    {"reach", "axes", "long axes that are not the last",
     .product = CALL
     "n: 12, 16, 17, 24, 31, 33, 48, 63, 65, 96, 127, 130, 257, 400, 513, 800, 1025, 2049, 3000;"
     "k: 1, 7, 17, n/2, n-1, n; if k <= n; i = #n + #k; some_types = f32, u8, i64, f16;"
     "shapes = ([n,5], 0), ([3,n,5], 1), ([2,n,1,9], 1);"
     "{ mode = modes[i]; type = some_types[i]; (sizes, axis) = shapes[i]; first = 7;"
     "  data = #k % 2 ? boundary(s) : few(first, s) }"
     "{ mode = modes[i + 1]; type = some_types[#n + #k / 2]; (sizes, axis) = shapes[i + 1];"
     "  first = 3; data = few(first, s) }"},
    {"reach", "batches", "long axes of many sequences",
     .product = CALL
     "rows: 2, 5, 33, 97; n: 17, 40, 64, 130, 300, 1025, 2049, 4097; k: 1, 8, 100, n/2; if k <= n;"
     "sizes = [rows,n]; i = #rows + #n + #k;"
     "{ mode = modes[i]; type = types[#rows + #n * 3 + #k]; first = 0; data = boundary(s) }"
     "{ mode = modes[i + 1]; type = f32; first = 9; data = few(first, s) }"},
    /* with and without ties */
    {"reach", "types", "every type on long rows",
     .product = CALL
     "type: types; (sizes, axis, k): ([2,520], 1, 65), ([1100], 0, 257), ([3,1100], 1, 1025),"
     "  ([1,2500], 1, 1), ([2500], 0, 2000), ([2,1300], 1, 192), ([70000], 0, 100),"
     "  ([6000], 0, 4097), ([1,3500], 1, 700), ([1,1,2,1100], 3, 40);"
     "{ mode: modes; (data, first): (few(40, s), 40), (uniform(s), 0) }"
     "{ mode = modes[#k]; first = 0; data = extremes(s) }"
     "{ first: 0..3; mode = modes[#k + first]; data: hidden(first, s), sentinels(first, s) }"},
    {"reach", "between", "lengths and K between the powers of two",
     .product = CALL
     "n: 1500, 2700, 3000, 3900, 5000, 6000, 7500, 10000, 12289, 20000, 40000, 60000, 100000,"
     "  200003, 262144; k: 1, 10, 50, 140, 200, 250, 600, 700, 1000, 1500, 3000, 4095, 4097, 10000;"
     "if #k % 2 == #n % 2 && k <= n; rank = 1 + #n % 3; size = d == axis ? n : 1; axis = #n % 3;"
     "mode = modes[#n + #k / 2]; type = #n % 2 ? f32 : types[#k]; first = 1000;"
     "data = [few(first, s), boundary(s), uniform(s)][#n + #k / 2]"},
    /* more than fit into a buffer of candidates */
    {"reach", "buckets", "thousands of equal values or equal top bits",
     .product = CALL
     "{ type: types; n: 5000, 10000, 20000; k: 1, 100, 2048; sizes = [1,n];"
     "  mode = modes[#n + #k + #type];"
     "  (data, first): (hidden(first, s), 1), (hidden(first, s), 3), (few(first, s), 1),"
     "    (boundary(s), 0) }"
     "{ sizes = [262144]; k = 2048; (mode, type, first): (largest, f32, 3), (smallest, u32, 1);"
     "  data = hidden(first, s) }"},
    {"reach", "floats", "zeros, infinities, denormals and NaN on all kinds of shapes",
     .product = CALL
     "type: floats; (sizes, axis, k): ([2,8], 1, 8), ([2,16], 1, 8), ([16], 0, 16),"
     "  ([3,32], 1, 16), ([3,64], 1, 1), ([2,65], 1, 40), ([128], 0, 128), ([2,257], 1, 100),"
     "  ([2,1024], 1, 16), ([2,1024], 1, 1024), ([1,1025], 1, 1), ([2,1100], 1, 300),"
     "  ([2048], 0, 2048), ([1,2049], 1, 500), ([5000], 0, 100), ([5000], 0, 5000),"
     "  ([33,5], 0, 9), ([300,3], 0, 70), ([2,64,3], 1, 20), ([65,12], 1, 5), ([7], 0, 3),"
     "  ([1,2,1,20,2], 3, 7);"
     "data: zeros(s), infinities(s), denormals(s), nan(first, s); first = 1 + #k % 2; more: 0, 1;"
     "mode = modes[#k + #data + more]"},
    /* lower levels may have kernels of their own */
    {"reach", "levels", "longer rows at the levels below 5.0",
     .product = "level: levels; if level < 0x5000; type: types; mode: modes;"
                "(sizes, axis, k): ([1,2,3,33], 3, 9), ([2,33,1,3], 1, 17), ([1,1,2,1025], 3, 100),"
                "  ([12,1,2,2], 0, 12), ([1,3,40,2], 2, 39); if least_level <= level;"
                "data = #k == 3 && float(type) ? zeros(#level) : few(7, mix(#level, #type, #k))"},
    /* also a stride that does not fit into 16 bits */
    {"reach", "layouts", "layouts and offsets of longer rows",
     .product = "{ of: padded-row, padded-all, interleaved, reversed, scattered, broadcast-last,"
                "    size-one, rotated, windows; n: 40, 100, 300, 1025; roles: 1, 6, 7; axis: 1, 3;"
                "  rank = 4; size = d == axis ? n : [2,3,1,3][d]; k = n / 2; i = #of + #n + roles;"
                "  mode = modes[#of + #n + axis]; type = [f32,f16,i64,u8][i]; wide = i % 3 == 0;"
                "  layout = roles >> role & 1 ? of : packed;"
                "  offset = [0,16,48,4112,65552][#of + #n + role + axis];"
                "  data = few(20, mix(#of, #n, roles)) }"
                "{ mode: modes; type = f16; sizes = [3,40]; k = 13; data = few(11, mode);"
                "  layout = role == input ? {70001, mode == top_k ? 1 : 1601} : packed }"},
    {"reach", "execution", "execution flags on longer rows",
     .product = "execution: 1..7; (sizes, axis, k): ([2,33], 1, 20), ([3,300], 1, 100),"
                "  ([1100], 0, 40), ([50,4], 0, 25); type: types; if #k % 2 == 0 || #type % 2 == 0;"
                "mode = modes[execution + #k];"
                "data = float(type) && #k % 2 ? zeros(execution) : few(9, execution)"},
    {"reach", "many", "many sequences, and relations of large calls",
     .product = "few = few(30, #k); (type, sizes, axis, k, check, data):"
                "  (f32, [70000,5], 1, 2, none, few), (f32, [5,70000], 0, 3, none, few),"
                "  (u8, [3,65537], 0, 2, none, few), (f32, [131073,2], 1, 1, none, few),"
                "  (f32, [40,30000], 1, 5, none, few), (i64, [300,6,40], 1, 4, none, few),"
                "  (f32, [5,7175], 1, 5, repeat, uniform(#k)), (f32, [1,2500], 1, 12, repeat, few),"
                "  (u32, [20000], 0, 10, repeat, few), (f16, [2,1500], 1, 300, row, boundary(#k)),"
                "  (f32, [6,1100], 1, 64, row, few), (i32, [3,900], 0, 3, row, few),"
                "  (f32, [3000], 0, 1025, prefix, few), (f32, [3000], 0, 129, prefix, few);"
                "mode = both[#k]"},
    /* sequence counts and lengths that are neither powers of two nor next to one; each axis */
    {"reach", "rows", "odd numbers of sequences, with flags and offsets",
     .product =
         "rows: 5, 6, 7, 9, 10, 11, 12, 13, 14, 25, 50, 100, 130, 300, 700, 1000; axis: 0, 1;"
         "i = #rows * 3 + axis;"
         "n = [11,24,33,70,150,300,600,1100][i] / (rows > 500 ? 4 : 1) + 3;"
         "sizes = axis == 0 ? [n,rows] : [rows,n]; k = 1 + #rows * 7 % n % 40;"
         "mode = modes[#rows + axis]; type = types[i]; wide = #rows % 2 == 0;"
         "execution = (#rows + axis) % 8; offset = 16 * ((#rows * (role + 1) + axis) % 9);"
         "data = few(n / 4, mix(type, rows, axis))"},
    /* also a cube, whose axes differ only by number */
    {"reach", "ranks", "longer rows in every rank and axis",
     .product = "{ rank: 1..8; axis: 0..rank-1; size = d == axis ? 33 : 1 + (d + axis) % 2; k = 17;"
                "  mode = modes[rank + axis]; type = types[rank * 3 + axis];"
                "  data = few(12, mix(rank, axis, k)) }"
                "{ rank: 2..4; axis: 0..rank-1; size = 4; mode = largest; type = f32; k = 4;"
                "  data = few(5, 1) }"},
    {0},
};
