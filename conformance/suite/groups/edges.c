/* Inner edges: where a kernel passes from one block of a row to the next, from one group of rows to
 * the next, or from one method to another; levels that add nothing; and descriptions that are valid
 * but too large to be run. */
#include "group.h"

#define TYPES "few_types = f32, u32, i64, f16, u8;"
/* each tensor; the index with both of its types */
#define OF "of: input, value, index; wide: 0, 1; if !wide || of == index;"
/* The greatest number of elements: 2^32-1 bytes, minus the rounding of the least size. */
#define MOST                                                                                       \
    "unit = bytes(of != index ? type : wide ? u64 : u32);"                                         \
    "most = unit == 1 ? 0xfffffffc : unit == 2 ? 0xfffffffe : 0xffffffff;"

const struct topk_test topk_group_edges[] = {
    /* just before, at and after each border, and at the end */
    {"edges", "positions", "the best element around the borders of blocks",
     .product = TYPES
     "n: 300, 1537, 4097, 6145, 12289, 32769, 65537, 131073;"
     "border: 32, 64, 128, 256, 512, 1024, 2048, 4096, 6144, 8192, 12288, 16384, 32768, 65536,"
     "  131072; if border < n; at: border-1..border+1; count; if at < n;"
     "mode = modes[number]; type = few_types[number]; sizes = [n]; k = number % 2 ? 8 : 1;"
     "data = walk(at)"},
    {"edges", "rows", "one row more than groups of rows take",
     .product = TYPES
     "rows: 33, 65, 129, 257, 513, 1025, 4097, 8193, 16385, 32769; n: 3, 33, 257; count;"
     "if rows * n <= 1<<20; axis = number % 4 != 3; sizes = axis == 1 ? [rows,n] : [n,rows];"
     "mode = modes[number]; type = few_types[number]; k = (n + 1) / 2;"
     "data = few(40, mix(rows, n, 0))"},
    {"edges", "k", "K around three times a power of two, and around 256 in every type",
     .product = TYPES
     "sizes = [n];"
     "{ p: 4..11; k: (3<<p)-1..(3<<p)+1; count; n: k+k/2, 7000; if k <= n;"
     "  mode = modes[number + #n]; type = few_types[number];"
     "  data = #n == 1 ? boundary(1000) : few(1000, k) }"
     "{ type: types; k: 255..257; n = 6000; mode = modes[#type + k]; data = few(3000, k) }"},
    /* level 3.1 and above allow three dimensions */
    {"edges", "levels", "feature levels that bring nothing new (V13)",
     .product = "level: 0x3000, 0x4000, 0x4100; type: types; mode: modes; k = 4;"
                "sizes = level >= 0x3100 && mode == largest ? [1,3,9] : [2,1,3,9];"
                "if least_level <= level; data = few(5, #type)"},
    /* Large total sizes; many elements in an input that takes one element of memory; large strides,
     * of which the last is almost the greatest possible. */
    {"edges", "giant", "valid descriptions that are too large to be run, to be created (T08, T09)",
     .product = TYPES
     "{ bytes: 1<<31, (1<<32)-4, 1<<32, (1<<32)+16, 0xffffffff*bytes(role == index ? u32 : type);"
     "  of: input, value, index; total = role == of ? bytes : least; sizes = [1,1,3,6]; k = 2;"
     "  mode = modes[#bytes]; type = few_types[#bytes] }"
     "{ (a, b): (65536, 32768), (65535, 65537), (1, 0xffffffff), (65537, 65535);"
     "  sizes = [1,1,a,b]; k = 1; layout = broadcast-all;"
     "  mode = modes[#a]; type = few_types[#a] }"
     "{ stride: 0x40000001, 0x7fffffff, 0x80000000, 0xffffffff-16; of: input, value, index;"
     "  last = role == input ? 6 : 2; layout = role == of ? {2*last, 2*last, stride, 1} : packed;"
     "  sizes = [1,1,2,6]; k = 2; mode = modes[#stride]; type = few_types[#stride + 1] }"},
    /* The greatest that T07 to T09 allow without a stride of 0. Group invalid goes one step
       further. */
    {"edges", "most-elements", "as many elements as there may be, packed and permuted (T09)",
     .product = "(type, sizes, axis): (u8, [0xfffffffc], 0), (i8, [4,0x3fffffff], 1),"
                "  (u8, [2,2,3,0x15555555], 2), (f16, [0xfffffffe], 0), (u16, [2,0x7fffffff], 1),"
                "  (i16, [0x7fffffff,1,2], 0), (f32, [0xffffffff], 0), (i32, [65535,65537], 0),"
                "  (u32, [3,5,17,257,65537], 3), (f32, [3,0x55555555], 0), (i64, [0xffffffff], 0),"
                "  (u64, [65537,65535], 1), (i64, [1,3,1,5,17,1,257,65537], 7);"
                "k: distinct 1, length-1; count; mode = modes[number]; wide = number / 2 % 2;"
                "layout: packed, explicit, reversed; if rank > 1 || #layout < 2"},
    /* after rows, after groups of rows, along Axis */
    {"edges", "most-offset", "a last element as far away as there may be (T07, T09)",
     .product =
         "type: types;" OF MOST "count; mode = modes[number]; output = of != input;"
         "(sizes, k, there): ([1,1,2,3], 1, {1,1,most-own[3],1}),"
         "  ([1,3,2,6], 2, {1,8,most-16-own[3],1}), ([3,2+output], 1 + output, {1,most-own[0]});"
         "layout = role == of ? there : packed"},
    {"edges", "most-bytes", "a total size as large as there may be (T08, T09)",
     .product = "type: types;" OF MOST "rounded: 0, 1; if !rounded || unit < 4; count;"
                "sizes = [1,2,3,6]; k = 2; mode = modes[number];"
                "total = role != of ? least : (rounded ? most : 0xffffffff) * unit"},
    /* larger than any page; these cases can be run */
    {"edges", "alignments", "alignments from 2^17 to 2^31 (T10)",
     .product = TYPES
     "p: 17..31; of: input, value, index; alignment = role == of ? 1<<p : 0; sizes = [1,2,3,6];"
     "k = 2; mode = modes[p]; type = few_types[p]; data = few(5, p)"},
    {0},
};
