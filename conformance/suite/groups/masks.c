/* Masked rows: fewer than K elements matter, and all others hold a value with which a kernel may
 * also pad. If the kernel's padding wins a tie against a mask, or gets index -1, the kernel did not
 * handle a row shorter than its rounded length. */
#include "group.h"

/* around each power of two, and odd lengths in between */
#define LENGTHS                                                                                    \
    "n: 2..5, 7, 8, 9, 11, 15, 16, 17, 23, 31, 32, 33, 47, 63, 64, 65, 95, 127, 128, 129, 191,"    \
    "  255, 256, 257, 383, 511, 512, 513, 767, 1023, 1024, 1025, 1535, 2047, 2048, 2049, 3071,"    \
    "  4095, 4096, 4097, 6143, 8191, 8192, 8193, 12287, 16383, 16384, 16385, 24575, 32767, 32768," \
    "  32769, 49151, 65535, 65536, 65537;"
#define MASK "k = kept > n ? n : kept; s = mix(n, kind, place); data = mask(kind, place, s)"

const struct topk_test topk_group_masks[] = {
    /* masks are the worst value, as in the field */
    {"masks", "worst", "masks of the worst values, at lengths around each power of two",
     .product = LENGTHS
     "count; { type: floats; mode: both; kind: 0, 1; place = (number + kind + mode) % 4;"
     "  kept = [1,n/2+1,n,2,n/8+1][number + type + kind]; wide = number % 7 == 0; sizes = "
     "[2,n];" MASK
     "} { type = types[number]; mode = modes[number]; kind = number % 5; place = number / 5 % 4;"
     "  kept = [n/2+1,2,n,17][number]; sizes = number % 2 ? [n,2] : [n]; axis = 0;" MASK "}"},
    {"masks", "all", "masks of every kind and place in every type, around each power of two",
     .product = LENGTHS
     "type: types; kind: 0..4; place: 0..3; count; if n < 4096 || number % 4 == 0;"
     "mode = modes[number + #n + kind]; kept = [n/2+1,1,n,n/8+2,33][number / 3 + place];"
     "sizes = number % 5 ? [1,n] : [n,3]; axis = number % 5 ? 1 : 0;" MASK},
    {"masks", "lengths", "masks in rows of every length up to 600",
     .product = "n: 2..600; type: f32, f16, i32, u8; mode: both; kind = (n + #type + mode) % 3;"
                "place = n / 3 % 4; kept: distinct 1, n/2+1, n; sizes = [n];" MASK},
    {0},
};
