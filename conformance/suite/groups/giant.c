/* Giant calls: 2 GiB and more, or more than 2^24 sequences or elements of Axis. Most of it is
 * padding. A few elements lie where an offset does not fit into 31 or 32 bits, so that a kernel
 * which truncates it reads or writes elsewhere.
 *
 * Elements beyond 2^31 elements of the index are missing: they take 8 GiB, and three copies of that
 * exceed the memory that profile giant allows. T09 excludes elements beyond 2^32.
 */
#include "group.h"

const struct topk_test topk_group_giant[] = {
    /* `at` is where the second row starts, or the second element of each row */
    {"giant", "offsets", "elements behind 2^31 and 2^32 bytes of each tensor (T04)",
     .product = "(at, of, wide, type): (1<<31, input, 0, u8), (1<<31, input, 0, f16),"
                "  (1<<31, input, 1, f32), (1<<31, input, 0, i64), (1<<31, value, 0, i8),"
                "  (1<<31, value, 1, u16), (1<<31, value, 0, f32), (1<<31, value, 0, u64),"
                "  (1<<31, index, 0, f32), (1<<31, index, 1, i32), (1<<32, input, 0, f32),"
                "  (1<<32, input, 0, i16), (1<<32, input, 1, u64), (1<<32, value, 0, f32),"
                "  (1<<32, value, 0, f16), (1<<32, index, 0, f32), (1<<32, index, 1, f16);"
                "count; mode = modes[number]; unit = bytes(of != index ? type : wide ? u64 : u32);"
                "axis = number % 3 != 0; k = of == input && axis == 0 ? 1 : 2;"
                "sizes = axis == 1 ? [2,3] : [k+1,3]; layout = role == of ? {at/unit+3,1} : packed;"
                "data = uniform(number)"},
    {"giant", "sequences", "more than 2^22 and 2^24 sequences, of which the last differ",
     .product =
         "(sizes, axis): ([2,0x400007], 0), ([2049,3,2049], 1), ([2,0x1000009], 0),"
         "  ([0x1000005,2], 1); count; mode = both[number]; type = number % 2 ? i8 : u8; k = 1;"
         "data = uniform(number)"},
    {"giant", "blocks", "the best elements behind 2^24 others",
     .product = "type: u8, f32; n: 0x1000009, 0x1400003; count; mode = both[number]; sizes = [n];"
                "k = 3; data = walk(n - 2)"},
    {"giant", "most-sequences", "more than 2^27 sequences",
     .product = "(sizes, axis): ([2,0x8000009], 0), ([0x8000005,2], 1),"
                "  ([8193,3,16385], 1); count; mode = both[number];"
                "type = u8; k = 1; data = uniform(number)"},
    {"giant", "axes", "axes of more than 2^27 elements, and of more than 2^31",
     .product = "{ (type, n): (u8, 0x8000003), (f16, 0x9000001), (f32, 0x8000001); count; k = 5;"
                "  mode = both[number]; sizes = [n]; data = walk(n - 3) }"
                "{ mode: both; type = f32; sizes = [0x80000010]; k = 3; layout = broadcast-all }"},
    {0},
};
