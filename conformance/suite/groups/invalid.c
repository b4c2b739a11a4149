/* Each kind of description that the V and T clauses call invalid, as the only violation, in each
 * tensor, for both operators. */
#include "group.h"

/* Valid calls to be broken. What no level allows is refused at each. Types and ranks that only some
 * levels allow are in group latitude. */
#define CALLS                                                                                      \
    "k = 3; (mode, type, level, sizes, axis): (top_k, f32, 0x5000, [1,2,3,6], 3),"                 \
    "  (smallest, f16, 0x5000, [1,2,3,6], 3), (largest, i64, 0x5000, [1,2,3,6], 3),"               \
    "  (smallest, u8, 0x3100, [1,2,3,6], 3), (top_k, f16, 0x2000, [1,2,3,6], 3),"                  \
    "  (top_k, i32, 0x5000, [1,2,3,6], 3), (largest, u64, 0x5000, [1,2,3,6], 3),"                  \
    "  (smallest, u16, 0x2100, [1,2,3,6], 3), (smallest, i8, 0x5000, [2,6,3,5], 1),"               \
    "  (top_k, u32, 0x5000, [2,6,3,5], 1), (largest, i16, 0x5000, [2,6,3,5], 1);"
#define OF "of: input, value, index;"
/* Other element sizes, or 16 bits, can make a description valid after all; and rows that choose
 * their own types yield some cases twice. */
#define BROKEN            "if invalid; once"
#define ROOM_FOR_ANY_TYPE "1024"

/* The same with something that a backend may accept or refuse: a direction above 1, an alignment of
 * 8, K = n, windows, overlapping outputs. */
#define OPEN_CALLS                                                                                 \
    "k = 3; sizes = [1,2,3,6]; axis = 3; level = 0x5000; type = types[number];"                    \
    "open: 0..6; mode = open < 3 ? largest : modes[number];"                                       \
    "direction = [2,3,0xffffffff,mode != smallest][open < 3 ? open : 3];"                          \
    "k = open == 4 ? 6 : 3; alignment = open == 3 ? 8 : 0;"                                        \
    "layout = open == 5 ? windows : open == 6 && role != input ? {1,1,1,1} : packed;"
#define COUNTED "count;" BROKEN
/* The stride of dimension d. With `flat` it becomes 0: in the dimension of the size, in all others,
 * or in all. */
#define STRIDE(d, stride) "flat == 2 || flat == (at != " #d ") ? 0 : " #stride

const struct topk_test topk_group_invalid[] = {
    /* the outputs have the sizes of a wrapped or clamped Axis, or the input's, so that only Axis is
     * wrong */
    {"invalid", "axis", "Axis not below DimensionCount (V01)",
     .product =
         CALLS "kept: 1, 0; wrong: 4, 5, 8, 16, 255, 256, 65536, 0x7fffffff, 0xffffffff;"
               "{ if kept; op_axis = wrong;" BROKEN "} { if !kept; axis = wrong;" BROKEN "}"},
    {"invalid", "axis-ranks", "Axis just beyond every rank (V01)",
     .product = CALLS "rank: 1..8; size = 2; axis = 0; k = 2; op_axis = rank;" BROKEN},
    {"invalid", "k-axis", "K above Sizes[Axis], not above another size (V03b)",
     .product = CALLS "(sizes, axis, k): ([1,2,3,6], 1, 3), ([1,2,3,6], 1, 6), ([1,2,3,6], 0, 2),"
                      "  ([1,2,3,6], 2, 4), ([7,2,3,6], 3, 7), ([1,1,1,1], 3, 2),"
                      "  ([1,1,1,6], 3, 0x80000000), ([1,1,1,6], 3, 0xffffffff),"
                      "  ([1,1,1,6], 3, 0x10001);" BROKEN},
    /* with outputs for another K (also breaks V04), and with empty ones (also breaks T01) */
    {"invalid", "k-zero", "K = 0 (V02)", .product = CALLS "k: 3, 0; op_k = 0;" BROKEN},
    {"invalid", "k-large", "K above Sizes[Axis] (V03b)",
     .product = CALLS "k: 7, 8, 12, 36, 65536, 65542;" BROKEN},
    /* one more, two more, and one less unless that is 0 */
    {"invalid", "output-sizes", "one output's sizes are not the input's with K (V04)",
     .product = CALLS "by: 1, 2, -1; of: value, index; at: 0..3;"
                      "dimension = role != of || d != at ? own[d]"
                      "  : own[d] + by > 0 ? own[d] + by : 4;" BROKEN},
    {"invalid", "output-pairs", "both outputs' sizes are not the input's with K (V04)",
     .product = CALLS "(at, wrong): (3, 2), (3, 4), (3, 6), (1, 1), (1, 3), (0, 2), (2, 1), (2, 4);"
                      "dimension = role == input || d != at ? own[d] : wrong;" BROKEN},
    {"invalid", "output-permuted", "outputs of the right count, in other sizes (V04)",
     .product = CALLS
     "roles: 2, 4, 6; at: 1, 2, 0; dimension ="
     "  own[roles >> role & 1 && d == 3 ? at : roles >> role & 1 && d == at ? 3 : d];" BROKEN},
    /* fewer or more leading dimensions of size 1, with the same elements */
    {"invalid", "output-ranks", "dimension counts differ (V05)",
     .product =
         CALLS "ranks: [4,3,4], [4,4,3], [4,3,3], [4,5,4], [4,4,5], [4,5,5], [5,4,4], [3,4,4];"
               "dimensions = ranks[role]; op_axis = ranks[input] - 1;"
               "dimension = d + 4 < dimensions ? 1 : own[d + 4 - dimensions];" BROKEN},
    /* every other type, also those that the operator never accepts */
    {"invalid", "value-type", "value type is not the input's (V06)",
     .product =
         CALLS "wrong: f32, f16, i64, i32, i16, i8, u64, u32, u16, u8, 9, 0, 12, 14, type + 256,"
               "  type + 65536;"
               "other_type = role == value ? wrong : role == index ? u32 : type;"
               "total = role == value ? " ROOM_FOR_ANY_TYPE " : least;" BROKEN},
    {"invalid", "index-type", "index type is neither UINT32 nor UINT64 (V07)",
     .product = CALLS "wrong: f32, f16, i64, i32, i16, i8, u16, u8, 9, 0, 12, 13, 14, 0xffffffff,"
                      "  256 + u32, 65536 + u32, 256 + u64, 65536 + u64;"
                      "other_type = role == index ? wrong : type;"
                      "total = role == index ? " ROOM_FOR_ANY_TYPE " : least;" BROKEN},
    {"invalid", "element-type", "element type is not one of the ten (V09)",
     .product = CALLS "wrong: 0, 9, 12, 13, 14, 255, 256 + f32, 65536 + type, 0xffffffff;"
                      "other_type = role == index ? u32 : wrong;"
                      "total = role == index ? least : " ROOM_FOR_ANY_TYPE ";" BROKEN},
    {"invalid", "missing", "a tensor is missing (V11)",
     .product = CALLS "roles: 1, 2, 4, 6, 7; missing = roles >> role & 1;" BROKEN},
    /* in all three tensors, so that they agree */
    {"invalid", "size-zero", "a size is 0 (T01)",
     .product = CALLS
     "at: 0..3; dimension = d == at && (role == input || d != axis) ? 0 : own[d];" BROKEN},
    {"invalid", "size-zero-alone", "a size of one tensor is 0 (T01, V04)",
     .product = CALLS "at: 0..3;" OF "dimension = d == at && role == of ? 0 : own[d];" BROKEN},
    {"invalid", "ranks", "more than 8 dimensions, or none (T02)",
     .product = CALLS "rank: 9, 10, 16, 0; size = d < 4 ? sizes[d] : 1;" BROKEN},
    {"invalid", "total-small", "total below the least size (T08)",
     .product =
         CALLS "i: 0..3;" OF "total = role == of ? [least-1,least-4,4,0][i] : least;" BROKEN},
    /* the least size is rounded up to 4; the total is not */
    {"invalid", "total-unrounded", "total not rounded up to 4 (T07, T08)",
     .product =
         CALLS "sizes = [1,1,1,7]; axis = 3; doubled: 0, 1; of: input, value;"
               "type: u8, i8, f16, u16, i16; layout = doubled && role == of ? interleaved : packed;"
               "total = role != of ? least"
               "  : (doubled ? 2 * own[3] - 1 : own[3]) * bytes(type);" BROKEN},
    /* the least size includes the padding between elements */
    {"invalid", "total-strided", "total that leaves out padding (T07, T08)",
     .product = CALLS "by: 0, 4;" OF "layout = role == of ? interleaved : packed;"
                      "total = role != of ? least : by == 0 ? dense : least - by;" BROKEN},
    /* the total is the least size modulo 2^32, which is wrong only in 64-bit arithmetic */
    {"invalid", "total-wraps", "least size beyond 32 bits (T07, T08)",
     .product = CALLS "stride: 0x40000000, 0x80000000, 0x20000000;" OF
                      "layout = role == of ? {own[1]*own[2]*own[3], stride, own[3], 1} : packed;"
                      "total = least & 0xffffffff;" BROKEN},
    /* A wide index measured as a narrow one; only the largest extent of one dimension; 2^64 bytes
     * and slightly more; slightly too little of much. */
    {"invalid", "total-shortcuts", "totals that shortcuts would allow (T07, T08)",
     .product = CALLS
     "{ wide = 1; by: 0, 4; total = role != index ? least : by ? least - by : least / 2;" BROKEN "}"
     "{ sizes = [4,4]; axis = 1; k = 2; layout = role == input ? {3,3} : packed;"
     "  total = role == input ? 12 * bytes(type) : least;" BROKEN "}"
     "{ type = f32; sizes = [1,1,1,0x80000001]; axis = 3; k = 1;"
     "  layout = role == input ? {0,0,0,0x80000000} : packed; total = role == input ? 4 : "
     "least;" BROKEN "}"
     "{ sizes = [1,2,3,6000]; axis = 3; k = 5000;" OF "total = least - 4 * (role == of);" BROKEN
     "}"},
    {"invalid", "elements", "2^32 elements and more (T09)",
     .product = CALLS "sizes: [65536,65536,1,6], [1,0x80000000,2,6], [256,256,256,256],"
                      "  [0xffffffff,0xffffffff,1,6], [65536,65536,65536,65536];"
                      "layout = broadcast-all;" BROKEN},
    {"invalid", "total-large", "total size of more than 2^32-1 elements (T09)",
     .product = CALLS "i: 0..3;" OF "size = bytes(role == index ? u32 : type);"
                      "total = role != of ? least : [0xffffffff * size + 1, 0x100000000 * size,"
                      "  0x200000000 * size, 0 - 4][i];" BROKEN},
    /* one step beyond the greatest that group edges has */
    {"invalid", "beyond", "an element or a step of strides more than there may be (T08, T09)",
     .product = "{ k = 1; (type, sizes, axis): (u8, [0xfffffffd], 0), (i8, [0xffffffff], 0),"
                "    (f16, [0xffffffff], 0), (u16, [65535,65537], 1), (f32, [65536,65536], 0),"
                "    (i32, [2,0x80000000], 1), (u32, [0x80000000,2], 0), (i64, [65536,65536], 1),"
                "    (u64, [16,16,16,16,16,16,16,16], 7), (f32, [0xffffffff,2], 1);"
                "  wide: 0, 1; mode = modes[#type + wide];" BROKEN "}"
                "{ type: types;" OF "wide: 0, 1; if !wide || of == index; cut: 0, 1; count;"
                "  mode = modes[number]; unit = bytes(of != index ? type : wide ? u64 : u32);"
                "  most = unit == 1 ? 0xfffffffc : unit == 2 ? 0xfffffffe : 0xffffffff;"
                "  sizes = [1,1,2,3]; k = 1; layout = role == of ? {1,1,most-own[3]+1,1} : packed;"
                "  total = role == of && cut ? 0xffffffff * unit : least;" BROKEN "}"},
    {"invalid", "beside", "what is broken beside what alone would be left open",
     .product = OPEN_CALLS
     "{ op_axis: 4, 0xffffffff;" COUNTED "} { op_k: 0, 7;" COUNTED "}"
     "{" OF "missing = role == of;" COUNTED "}"
     "{ of: value, index; other_type = role == of ? 10 : role == index ? u32 : type;"
     "  total = role == of ? " ROOM_FOR_ANY_TYPE " : least;" COUNTED "}"
     "{" OF "dimension = role == of && d == 2 ? 0 : own[d];" COUNTED "}"
     "{ of: value, index; dimension = role == of && d == 1 ? 3 : own[d];" COUNTED "}"
     "{" OF "total = role == of ? least - 4 : least;" COUNTED "}"
     "{" OF "total = role == of ? 0xffffffff * 8 + 1 : least;" COUNTED "}"
     "{" OF "alignment = role == of ? 24 : open == 3 ? 8 : 0;" COUNTED "}"
     "{ of: value, index; flags = role == of;" COUNTED "}"
     "{ sizes = [1,1,1,1,1,1,2,3,6]; axis = 8; layout = open == 5 ? windows : packed;" COUNTED "}"},
    {"invalid", "long",
     "calls of long rows, broken in one way (V02, V06, V07, V09, V11, T02, T08, T11)",
     .product =
         "k = 100; level = 0x5000; wide: 0, 1; (mode, type, sizes, axis): (top_k, f32, [2,3000], "
         "1),"
         "  (smallest, i32, [3000,2], 0), (largest, u64, [1,3,2,600], 3), (top_k, u8, [777], 0);"
         "{ op_k: 0, 3001;" COUNTED "} {" OF "missing = role == of;" COUNTED "}"
         "{ wrong: f16, i16, u32, i64; if wrong != type;"
         "  other_type = role == value ? wrong : role == index ? u32 : type;" COUNTED "}"
         "{ wrong: i32, i64, f32; other_type = role == index ? wrong : type;" COUNTED "}"
         "{ other_type = role == index ? u32 : 10; total = 1 << 20;" COUNTED "}"
         "{" OF "all: 0, 4; total = role == of ? all : least;" COUNTED "}"
         "{ flags: 2, 4, 0x80000000;" COUNTED "}"
         "{ sizes = [1,1,1,1,1,1,2,1,600]; axis = 8;" COUNTED "}"},
    {"invalid", "empty", "sizes of 0 beside strides of 0, in one, two and all tensors (T01)",
     .product = "k = 3; sizes = [1,2,3,6]; axis = 3; level = 0x5000; at: 0..3; roles: 1..7;"
                "flat: 0..2; count; mode = modes[number]; type = types[number];"
                "dimension = roles >> role & 1 && d == at ? 0 : own[d];"
                "layout = roles >> role & 1 ? {" STRIDE(0, 36) "," STRIDE(1, 18) "," STRIDE(
                    2, 6) "," STRIDE(3, 1) "} : packed;" BROKEN},
    {"invalid", "alignment", "alignment that is not a power of two (T10)",
     .product = CALLS "wrong: 3, 5, 12, 15, 17, 24, 48, 257, 65537, 0xffffffff;" OF
                      "alignment = role == of ? wrong : 0;" BROKEN},
    /* a power of two; 7 if no smaller one exists */
    {"invalid", "alignment-small", "alignment smaller than the element (T10)",
     .product = CALLS "small: 1, 2, 4;" OF "wide = of == index && small == 4;"
                      "size = role != index ? bytes(type) : wide ? 8 : 4;"
                      "alignment = role != of ? 0 : small < size ? small : 7;" BROKEN},
    {"invalid", "tensor-flags", "OWNED_BY_DML on an output, unknown flags (T11)",
     .product = CALLS "all: [0,1,0], [0,0,1], [2,0,0], [0,2,0], [0,0,4], [3,0,0], [0x80000000,0,0],"
                      "  [0,1,1]; flags = all[role];" BROKEN},
    {"invalid", "stride-negative", "strides meant as negative numbers (T12)",
     .product = CALLS "at: 1..3;" OF "layout = role != of ? packed :"
                      "  {own[1]*own[2]*own[3], (at == 1 ? -1 : 1) * own[2] * own[3],"
                      "   (at == 2 ? -1 : 1) * own[3], at == 3 ? -1 : 1}; total = dense;" BROKEN},
    {0},
};
