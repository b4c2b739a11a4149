/* Paths: kernel libraries choose a kernel not only by the length of a row and by K, but also by the
 * stride of Axis, flags, the number and position of sequences, and the data itself. Each path is
 * tested with all types and with data that reveal a wrong comparison. */
#include "group.h"

/* a seed that differs from all others; `first` is the data's first parameter */
#define SEED "s = mix(elements, k + first, type);"
/* data that reveal a wrong comparison of elements; i selects */
#define DECISIVE                                                                                   \
    SEED "(data, first): (hidden(0, s), 0), (hidden(1, s), 1), (hidden(2, s), 2),"                 \
         "  (hidden(3, s), 3), (extremes(s), 0), (uniform(s), 0),"                                 \
         "  (close(first, i / 4 % 3, s), i % 4), (sentinels(2, s), 2), (boundary(s), 0),"          \
         "  (uneven(6, s), 6), (zeros(s), 0), (denormals(s), 0), (infinities(s), 0),"              \
         "  (nan(2, s), 2); if #data < 10 || float(type);"

const struct topk_test topk_group_paths[] = {
    /* an odd inner size makes a kernel divide to find a position; the layouts prevent merged
     * dimensions */
    {"paths", "middle", "every number of sequences on both sides of Axis",
     .product = SEED "inner: 1..140, 150, 191, 200, 257, 300, 513, 1025; i = #inner; n = 2 + i % 5;"
                     "k = 1 + i / 5 % n; first = 9; data = few(first, s);"
                     "(type, sizes, axis): (types[i], [3,n,inner], 1),"
                     "  (types[i + 3], [2,inner,n], 2), (types[i + 6], [n,3,inner], 0),"
                     "  (types[i + 9], [2,n,inner,2], 1); mode = modes[i + #type];"
                     "layout = #type > 0 ? padded-all : packed"},
    {"paths", "grids", "more than 65,535 sequences, in each dimension",
     .product =
         SEED "(type, sizes, axis, k): (u8, [65536,2,2], 1, 1), (u8, [2,2,65537], 1, 1),"
              "  (f16, [2,65537,2], 0, 2), (f16, [65537,2,2], 2, 1), (i32, [2,3,65537], 1, 2),"
              "  (u64, [2,65537], 0, 1), (i64, [65537,2], 1, 1), (f32, [65537,4], 1, 4),"
              "  (u32, [65537,1], 1, 1), (i8, [65537,2], 1, 2), (u16, [1,65537,3], 2, 2),"
              "  (i16, [257,256,2], 2, 1), (f32, [129,2,3,513], 1, 1), (u8, [3,66000], 0, 3);"
              "wide: 0, 1; mode = modes[#k + wide]; first = 9 - wide; data = few(first, s)"},
    {"paths", "counts", "hundreds and thousands of short sequences",
     .product =
         SEED "rows: 257, 300, 1025, 2050, 4099; type: types;"
              "(n, k): (1, 1), (2, 2), (2, 1), (5, 4), (3, 2), (9, 9); i = #rows + #type + #n;"
              "axis = i % 3 != 0; sizes = axis == 0 ? [n,rows] : [rows,n]; mode = modes[i];"
              "wide = (#rows + #type) % 2 == 0; special = float(type) && #n > 2;"
              "first = special ? 3 : 5;"
              "data = !special ? few(5, s) : #rows % 2 ? zeros(s) : nan(3, s)"},
    /* elements are not adjacent: Axis is not the last dimension, or its stride is 2 or more */
    {"paths", "strided", "a strided axis, with what decides in each type",
     .product = "type: types; n: 20, 33, 65, 130, 300, 1100, 2500; half: 0, 1;"
                "i = #type + #n + half; inner = i % 3 == 0 ? 1 : 2 + i % 2; sizes = [n,inner];"
                "axis = 0; k = half ? n / 2 : 1 + i % 3; mode = modes[#n + half];"
                "layout = inner == 1 ? padded-all : packed;" DECISIVE},
    {"paths", "flags", "execution flags, with what decides in each type",
     .product = "execution: 1..3; type: types; n: 9, 100, 2500; i = #type + #n + execution;"
                "sizes = [1+#n%2,n]; k = 1 + n / (2 + #type % 3); mode = modes[i];"
                "wide = i % 2 == 0;" DECISIVE},
    /* kernels cut such rows into parts */
    {"paths", "cut", "rows of many thousands, with what decides in each type",
     .product = "type: types; n: 8200, 20000, 70000; i = #type + #n;" DECISIVE
                "sizes = [n]; k = [1,20,3000][i + #data]; mode = modes[#type + #data / 2]"},
    /* lengths of common parts, and one element more; the best element is the last, or the last of
     * the last whole part */
    {"paths", "tiles", "rows whose parts differ in kind",
     .product = SEED "sizes = [n];"
                     "{ type: types; first: 32, 256, 1024, 4096; kind: 0..3; more: 0, 1;"
                     "  n = first * (2 + (#type + kind) % 5) + 1; k = kind % 2 ? 1 : 20;"
                     "  mode = modes[#type + #first + kind / 2 + more];"
                     "  data = tiles(first, kind, s) }"
                     "{ type: types; n = 65536 * (2 + #type % 5) + 1;"
                     "  { mode = modes[#type]; k = 1; first = 65536; data = tiles(first, 1, s) }"
                     "  { mode = modes[#type + 1]; k = 1 + #type % 2 * 99;"
                     "    data = walk(n - 1 - #type / 2 * 5000) } }"},
    {"paths", "equal", "more equal elements than 16 bits count",
     .product = SEED "type: types; sizes = [140000]; k = #type % 2 ? 70001 : 140000;"
                     "mode = modes[#type]; first = 2; data = few(first, s)"},
    /* what a kernel found out about one sequence is wrong for the others */
    {"paths", "uneven", "sequences of one call that differ in kind",
     .product = SEED "lengths = 5, 40, 300, 1100; data = uneven(first, s);"
                     "{ first: 0..89; n: lengths; type = types[first + 3 * #n + first / 10];"
                     "  sizes = [2+first%2,n]; k = 1 + (first * 7 + #n) % (n / 2);"
                     "  mode = modes[first + #n] }"
                     "{ type: types; i: 0..9; n = lengths[#type + i]; rows = i % 3 ? 11 : 300;"
                     "  axis = 1 - i % 2; sizes = axis == 0 ? [n,rows] : [rows,n];"
                     "  k = i < 5 ? 1 + i : (n + 1) / 2; mode = modes[#type + i];"
                     "  first = i * 11 % 90 }"},
    {"paths", "all-nan", "sequences of nothing but NaN, or little else",
     .product = "type: floats; n: 1, 2, 33, 65, 130, 300, 1025, 2049;"
                "k: distinct 1, (n == 2 ? 2 : (n + 1) / 2), n; kind: 1..3; sizes = [1+(#n+#k)%3,n];"
                "mode = modes[#n + #k + kind]; data = nan.2(kind, mix(type, #n, #k))"},
    {0},
};
