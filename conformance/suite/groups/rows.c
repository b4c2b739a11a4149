/* Rows: kernel libraries choose a kernel by the length of a row and by K. Each window of both is
 * tested with the data that can matter there (zeros, denormals, worst values, order, neighbours)
 * and with other sequences or dimensions beside the row. */
#include "group.h"

/* the windows; `number` rotates other properties from one to the next */
#define WINDOWS                                                                                    \
    "n: 65, 130, 257, 400, 513, 700, 1025, 1500, 2049, 3000, 4097;"                                \
    "k: 1, 2, 9, 20, 33, 100, 129, 300; if k <= n; count;"
/* one row or two */
#define ROWS                                                                                       \
    WINDOWS "sizes = [1,1,1+number%2,n]; wide = number % 3 == 0; s = mix(n, k, type + first);"

const struct topk_test topk_group_rows[] = {
    /* across the K boundary, or all elements */
    {"rows", "zeros", "zeros of both signs tie, in each window of length and K",
     .product = ROWS "type: floats; first: 3, 4; more: 0, 1;"
                     "mode = modes[number + first + type + more]; data = tied(first, 2, s)"},
    {"rows", "denormals", "denormals decide, in each window",
     .product = ROWS "type: floats; mode: both; i = number + mode + type;"
                     "(data, first): (close(first, i / 2 % 3, s), i % 2), (denormals(s), 0)"},
    {"rows", "worst", "the worst values of a type are selected, in each window",
     .product = ROWS "type: types; mode = modes[number + #type]; first = number / 2 + #type;"
                     "data = sentinels(first, s)"},
    {"rows", "order", "rows that rise, fall, nearly do, or repeat, in each window",
     .product = ROWS "periods = 8, 4, 32, 16;"
                     "{ i: 0, 1; (data, first): (sorted(s), i), (nearly(i, s), i),"
                     "    (comb(first, 2 * i + number % 2, s), periods[number + i]),"
                     "    (comb(first, 2 * i + (number + 1) % 2, s), periods[number / 3 + i]);"
                     "  type = types[number + 5 * i + #data]; mode = modes[number + i] }"
                     "{ first = number % 2; data = organ(s); type = types[number + 4];"
                     "  mode = modes[number] }"},
    /* one of the last three */
    {"rows", "last", "the best element is one of the last, in each window",
     .product = WINDOWS "mode = modes[number]; type = types[number];"
                        "data = walk(n - 1 - number % 3)"},
    {"rows", "close", "neighbouring bit patterns decide, in each window",
     .product = ROWS "type: f32, f16, u64, i64, u32, i32; i = number + #type;"
                     "(mode, first, data): (modes[i], i % 4, close(first, i / 4 % 4, s)),"
                     "  (modes[i + 1], i / 2 % 2, close(first, i % 2, s))"},
    /* F02 does not affect other sequences. A kernel that orders zeros by sign selects the second
     * one. */
    {"rows", "beside-nan", "zeros of both signs beside a sequence with a NaN",
     .product =
         "(rows, n): (2, 2), (8, 2), (9, 2), (2, 3), (3, 5), (8, 8), (2, 40), (2, 65),"
         "  (3, 130), (2, 300); sizes = [1,1,rows,n]; i: 0..11;"
         "(type, minus, nan) = [(f32, 0x80000000, 0x7fc00000), (f16, 0x8000, 0x7e00)][i / 2];"
         "mode = i % 2 ? smallest : modes[i / 4 % 2]; k = i < 8 ? 1 : n / 2 + 1;"
         "row = i / 4 == 1 ? rows - 1 : 0;"
         "bits = e == row * n + i % n ? nan : (e % n + i) % 2 == 0 ? minus : 0"},
    {0},
};
