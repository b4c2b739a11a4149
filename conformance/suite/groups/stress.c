/* Stress: large sizes, and values on both sides of each threshold that a kernel may have. */
#include "group.h"

/* completes a call from rows, n and k; i rotates the other properties */
#define CALL                                                                                       \
    "i = number; axis = i % 3 != 2; sizes = axis == 1 ? [rows,n] : [n,rows]; mode = modes[i];"     \
    "type = [f32,u8,i64,f16,u32][i]; wide = i % 4 == 3; s = mix(rows, n, k);"                      \
    "data = [few(1000, s), boundary(s), uniform(s), shuffle(s)][i / 5];"

const struct topk_test topk_group_stress[] = {
    {"stress", "lengths", "axes around every power of two up to 2^20",
     .product = CALL "rows = 1; p: 1..20; n: (1<<p)-1..(1<<p)+1; k: 1, 8, 100, n/2, n;"
                     "if k > 0 && k <= n; count"},
    /* in a row slightly longer than K, and in a much longer one */
    {"stress", "k", "K around every power of two up to 2^17",
     .product = CALL "p: 1..17; k: (1<<p)-1..(1<<p)+1;"
                     "(rows, n): (1, k + k / 8 + 1), (2, 4 * k + 3), (1, 262144); count"},
    {"stress", "rows", "sequences around every power of two up to 2^17, and a million",
     .product = CALL "{ p: 1..17; rows: (1<<p)-1..(1<<p)+1; n: 1, 3, 17; k = (n + 1) / 2; count }"
                     "{ rows = 1000003; n = 3; k = 2; count }"},
    /* between the thresholds, where one kernel takes over from another */
    {"stress", "grid", "lengths by K around every threshold up to 8193",
     .product = CALL
     "n: 15, 16, 17, 31, 33, 63, 65, 127, 129, 255, 257, 511, 513, 1023, 1025, 1536, 2047, 2049,"
     "  4095, 4097, 8191, 8193;"
     "k: 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257,"
     "  511, 512, 513, 1023, 1024, 1025, 2047, 2048, 2049; if k <= n; count;"
     "(rows, i): (1, number), (33, number + 7)"},
    /* indices that a float cannot represent; the data is sorted so that the last elements are the
     * best */
    {"stress", "far", "indices above 2^24",
     .product = "n: 16777217, 16777221, 20000003, 33554435; mode: both; type = [i32,u32][#n];"
                "sizes = [n]; k = 7; data = sorted(mode == smallest)"},
    {"stress", "large", "millions of elements",
     .product = CALL
     "(rows, n, k): (1, 1000000, 8), (1, 1000000, 5000), (1, 4194305, 100), (1, 1048577, 1048577),"
     "  (4, 1000000, 2048), (2120, 5000, 5), (70000, 40, 7), (300000, 11, 11),"
     "  (1, 16777221, 1000), (3, 3000000, 65537); turn: 0..4; i = #rows + 7 * turn"},
    {0},
};
