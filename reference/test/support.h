/* Shared by the tests of the reference: a second decoder of element values that shares no code with
 * reference/, random elements and operators, and the buffers of a call. Include it first. */
#ifndef TOPK_REFERENCE_TEST_SUPPORT_H
#define TOPK_REFERENCE_TEST_SUPPORT_H

/* cmocka.h requires these before it */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reference/element.h"
#include "reference/judge.h"
#include "reference/operator.h"
#include "reference/oracle.h"
#include "reference/pcg.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* With the sanitizers everything is several times slower, so long loops are shortened. */
#ifndef TOPK_SANITIZED
#if defined(__SANITIZE_ADDRESS__)
#define TOPK_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TOPK_SANITIZED 1
#endif
#endif
#endif
#ifndef TOPK_SANITIZED
#define TOPK_SANITIZED 0
#endif

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 wide_unsigned;

/* ---- a second decoder of values -------------------------------------------------------------- */

static inline double double_of_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* decodes a FLOAT16 as a double */
static inline double decode_half(uint64_t bits)
{
    uint64_t sign = (bits & 0x8000) << 48;
    uint64_t exponent = bits >> 10 & 31;
    uint64_t fraction = bits & 1023;
    if (exponent == 0) {
        double magnitude = (double)fraction * 0x1p-24;
        return sign != 0 ? -magnitude : magnitude;
    }
    uint64_t wide_exponent = exponent == 31 ? 2047 : exponent + 1008;
    return double_of_bits(sign | wide_exponent << 52 | fraction << 42);
}

static inline double decode_float(uint32_t type, uint64_t bits)
{
    if (type == TOPK_TYPE_F16) {
        return decode_half(bits);
    }
    uint32_t low = (uint32_t)bits;
    float value;
    memcpy(&value, &low, sizeof value);
    return (double)value;
}

static inline wide decode_whole(uint32_t type, uint64_t bits)
{
    switch (type) {
    case TOPK_TYPE_I8:
        return bits < 0x80 ? (wide)bits : (wide)bits - 0x100;
    case TOPK_TYPE_I16:
        return bits < 0x8000 ? (wide)bits : (wide)bits - 0x10000;
    case TOPK_TYPE_I32:
        return bits < 0x80000000u ? (wide)bits : (wide)bits - 0x100000000;
    case TOPK_TYPE_I64:
        return bits <= INT64_MAX ? (wide)bits : (wide)bits - ((wide)1 << 64);
    default:
        return (wide)bits;
    }
}

static inline bool is_float(uint32_t type)
{
    return type == TOPK_TYPE_F32 || type == TOPK_TYPE_F16;
}

static inline bool is_nan(uint32_t type, uint64_t bits)
{
    return is_float(type) && decode_float(type, bits) != decode_float(type, bits);
}

static inline bool is_denormal(uint32_t type, uint64_t bits)
{
    double least = type == TOPK_TYPE_F32 ? 0x1p-126 : 0x1p-14;
    double value = is_float(type) ? decode_float(type, bits) : 0;
    return value != 0 && -least < value && value < least;
}

/* the sign of a - b; meaningless for NaN */
static inline int compare_values(uint32_t type, uint64_t a, uint64_t b)
{
    if (is_float(type)) {
        double x = decode_float(type, a);
        double y = decode_float(type, b);
        return (x > y) - (x < y);
    }
    wide x = decode_whole(type, a);
    wide y = decode_whole(type, b);
    return (x > y) - (x < y);
}

static inline uint32_t bytes_of(uint32_t type)
{
    switch (type) {
    case TOPK_TYPE_U8:
    case TOPK_TYPE_I8:
        return 1;
    case TOPK_TYPE_U16:
    case TOPK_TYPE_I16:
    case TOPK_TYPE_F16:
        return 2;
    case TOPK_TYPE_U64:
    case TOPK_TYPE_I64:
        return 8;
    default:
        return 4;
    }
}

/* element number i of a packed array */
static inline void put_element(unsigned char *array, uint32_t type, size_t i, uint64_t bits)
{
    topk_element_store(array + i * bytes_of(type), bytes_of(type), bits);
}

static inline uint64_t get_element(const unsigned char *array, uint32_t type, size_t i)
{
    return topk_element_load(array + i * bytes_of(type), bytes_of(type));
}

static inline uint64_t all_ones(uint32_t type)
{
    return UINT64_MAX >> (64 - 8 * bytes_of(type));
}

/* The greatest finite FLOAT16 that is not above a magnitude, found by binary search. */
static inline uint64_t half_below(double magnitude)
{
    uint64_t low = 0;
    uint64_t high = 0x7c00;
    while (high - low > 1) {
        uint64_t middle = (low + high) / 2;
        if (decode_half(middle) <= magnitude) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

static inline uint64_t half_sign(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits >> 48 & 0x8000;
}

/* The FLOAT16 nearest to a value that is not NaN, ties to even. */
static inline uint64_t round_to_half(double value)
{
    double magnitude = value < 0 ? -value : value;
    uint64_t low = half_below(magnitude);
    double below = decode_half(low);
    /* as if 2^16 were the next value */
    double above = low == 0x7bff ? 65536 : decode_half(low + 1);
    double to_below = magnitude - below;
    double to_above = above - magnitude;
    bool up = to_above < to_below || (to_above == to_below && (low & 1) != 0);
    return half_sign(value) | (up ? low + 1 : low);
}

/* The next FLOAT16 towards 0; infinity only for infinity. */
static inline uint64_t truncate_to_half(double value)
{
    double magnitude = value < 0 ? -value : value;
    return half_sign(value) | (magnitude > 1e300 ? 0x7c00 : half_below(magnitude));
}

/* the bits of a small whole number, |number| <= 2048 */
static inline uint64_t bits_of(uint32_t type, int number)
{
    if (type == TOPK_TYPE_F32) {
        float value = (float)number;
        uint32_t bits;
        memcpy(&bits, &value, sizeof bits);
        return bits;
    }
    if (type == TOPK_TYPE_F16) {
        return round_to_half(number);
    }
    return (uint64_t)(int64_t)number & all_ones(type);
}

/* ---- random elements and operators ----------------------------------------------------------- */

/* bits of values at borders; those of a wider type are truncated */
static inline uint64_t special_bits(struct topk_pcg *pcg, uint32_t type)
{
    static const uint32_t f32[] = {0,          0x80000000, 1,          0x80000001, 0x007fffff,
                                   0x807fffff, 0x00800000, 0x80800000, 0x3f800000, 0xbf800000,
                                   0x3f800001, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000,
                                   0x7fc00000, 0xffc00000, 0x7f800001, 0xffffffff, 0x40000000};
    static const uint16_t f16[] = {0,      0x8000, 1,      0x8001, 0x03ff, 0x83ff, 0x0400,
                                   0x8400, 0x3c00, 0xbc00, 0x3c01, 0x7bff, 0xfbff, 0x7c00,
                                   0xfc00, 0x7e00, 0xfe00, 0x7c01, 0xffff, 0x4000};
    if (type == TOPK_TYPE_F32) {
        return f32[topk_pcg_below(pcg, COUNT(f32))];
    }
    if (type == TOPK_TYPE_F16) {
        return f16[topk_pcg_below(pcg, COUNT(f16))];
    }
    /* about the ends, the middle, and for 64 bits about 2^32 and 2^53 */
    uint64_t sign = all_ones(type) / 2 + 1;
    uint64_t centres[] = {0, sign, (uint64_t)1 << 32, (uint64_t)1 << 53,
                          sign + ((uint64_t)1 << 53)};
    uint64_t centre = centres[topk_pcg_below(pcg, bytes_of(type) == 8 ? 5 : 2)];
    return (centre + topk_pcg_below(pcg, 5) - 2) & all_ones(type);
}

/* a number of any magnitude: `bits` (32, 64) uniform ones, moved down by any number of places */
static inline uint64_t random_magnitude(struct topk_pcg *pcg, uint32_t bits)
{
    uint32_t places = 64 - bits + topk_pcg_below(pcg, bits);
    return topk_pcg_next64(pcg) >> places;
}

enum draw {
    DRAW_ANY,     /* any bits */
    DRAW_NO_NAN,  /* any but NaN */
    DRAW_DECIDED, /* no NaN, no FLOAT32 denormal: only one result is right */
};

static inline uint64_t random_bits(struct topk_pcg *pcg, uint32_t type, enum draw draw)
{
    for (;;) {
        uint32_t way = topk_pcg_below(pcg, 4);
        uint64_t bits = way == 0   ? topk_pcg_next64(pcg) & all_ones(type)
                        : way == 1 ? bits_of(type, (int)topk_pcg_below(pcg, 5) - 2)
                                   : special_bits(pcg, type);
        bool undecided = draw == DRAW_DECIDED && type == TOPK_TYPE_F32 && is_denormal(type, bits);
        if ((draw == DRAW_ANY || !is_nan(type, bits)) && !undecided) {
            return bits;
        }
    }
}

/* Gives a tensor of known sizes a random layout without overlap, or, if `broadcast`, with a stride
 * of 0 here and there; and a total size of at least the least. */
static inline void random_layout(struct topk_pcg *pcg, struct topk_tensor *tensor, bool broadcast)
{
    tensor->strided = topk_pcg_below(pcg, 3) != 0;
    uint32_t order[TOPK_RANK_MAX] = {0};
    for (uint32_t i = 0; i < tensor->rank; i++) {
        uint32_t j = topk_pcg_below(pcg, i + 1);
        order[i] = order[j];
        order[j] = i;
    }
    bool shuffled = topk_pcg_below(pcg, 2) != 0;
    uint32_t span = 0;
    for (uint32_t i = 0; i < tensor->rank && tensor->strided; i++) {
        uint32_t dimension = shuffled ? order[i] : tensor->rank - 1 - i;
        uint32_t gap = topk_pcg_below(pcg, 4) == 0 ? topk_pcg_below(pcg, 4) : 0;
        uint32_t *stride = &tensor->strides[dimension];
        if (tensor->sizes[dimension] == 1) {
            *stride = topk_pcg_next(pcg); /* of no effect */
        } else if (broadcast && topk_pcg_below(pcg, 4) == 0) {
            *stride = 0;
        } else {
            *stride = span + 1 + gap;
            span += (tensor->sizes[dimension] - 1) * *stride;
        }
    }
    tensor->total_bytes = topk_tensor_least_bytes(tensor) +
                          (topk_pcg_below(pcg, 2) != 0 ? topk_pcg_below(pcg, 40) : 0);
}

/* A valid operator at level 5.0 of at most about `most` elements. */
static inline struct topk_operator random_operator(struct topk_pcg *pcg, uint32_t type,
                                                   uint32_t index_type, uint32_t most)
{
    struct topk_operator op;
    memset(&op, 0, sizeof op);
    op.kind = topk_pcg_below(pcg, 2) != 0 ? TOPK_TOP_K1 : TOPK_TOP_K;
    op.level = TOPK_LEVEL_5_0;
    op.direction = op.kind == TOPK_TOP_K1 ? topk_pcg_below(pcg, 2) : TOPK_DECREASING;
    struct topk_tensor *input = &op.tensors[TOPK_INPUT];
    input->present = true;
    input->type = type;
    input->rank = 1 + topk_pcg_below(pcg, TOPK_RANK_VALID);
    op.axis = topk_pcg_below(pcg, input->rank);
    uint32_t left = most;
    for (uint32_t i = 0; i < input->rank; i++) {
        uint32_t dimension = (op.axis + i) % input->rank;
        input->sizes[dimension] = 1 + topk_pcg_below(pcg, i == 0 ? left : left < 4 ? left : 4);
        left /= input->sizes[dimension];
    }
    op.k = 1 + topk_pcg_below(pcg, input->sizes[op.axis]);
    topk_operator_derive_outputs(&op, index_type);
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        random_layout(pcg, &op.tensors[role], role == TOPK_INPUT);
    }
    return op;
}

/* A valid operator of one row at level 5.0. */
static inline struct topk_operator row_operator(enum topk_operator_kind kind, uint32_t type,
                                                bool increasing, uint32_t length, uint32_t k,
                                                uint32_t index_type)
{
    struct topk_operator op;
    memset(&op, 0, sizeof op);
    op.kind = kind;
    op.level = TOPK_LEVEL_5_0;
    op.direction = increasing ? TOPK_INCREASING : TOPK_DECREASING;
    op.k = k;
    op.tensors[TOPK_INPUT] =
        (struct topk_tensor){.present = true, .type = type, .rank = 1, .sizes = {length}};
    op.tensors[TOPK_INPUT].total_bytes = topk_tensor_least_bytes(&op.tensors[TOPK_INPUT]);
    topk_operator_derive_outputs(&op, index_type);
    return op;
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* An operator and its buffers, each `margin` bytes longer on both sides than the tensor. */
struct call {
    struct topk_operator op;
    unsigned char *before[TOPK_ROLE_COUNT];
    unsigned char *after[TOPK_ROLE_COUNT];
    struct topk_exhibit exhibits[TOPK_ROLE_COUNT];
};

#define CALL_MARGIN 16u

/* buffers full of a pattern */
static inline void call_make(struct call *call, const struct topk_operator *op)
{
    call->op = *op;
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        uint64_t bytes = op->tensors[role].total_bytes + (uint64_t)2 * CALL_MARGIN;
        call->before[role] = malloc(bytes);
        call->after[role] = malloc(bytes);
        assert_non_null(call->before[role]);
        assert_non_null(call->after[role]);
        for (uint64_t i = 0; i < bytes; i++) {
            call->before[role][i] = (unsigned char)(0xa0 + i % 31);
        }
        memcpy(call->after[role], call->before[role], bytes);
        call->exhibits[role] = (struct topk_exhibit){.before = call->before[role],
                                                     .after = call->after[role],
                                                     .bytes = bytes,
                                                     .offset = CALL_MARGIN};
    }
}

static inline void call_free(struct call *call)
{
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        free(call->before[role]);
        free(call->after[role]);
    }
}

/* where an element lies in a buffer; the arithmetic of strides once more */
static inline unsigned char *call_place(const struct call *call, enum topk_role role,
                                        unsigned char *buffer, const uint32_t at[])
{
    const struct topk_tensor *tensor = &call->op.tensors[role];
    uint64_t offset = 0;
    uint64_t packed = 1;
    for (uint32_t i = tensor->rank; i-- > 0;) {
        offset += at[i] * (tensor->strided ? (uint64_t)tensor->strides[i] : packed);
        packed *= tensor->sizes[i];
    }
    return buffer + CALL_MARGIN + offset * bytes_of(tensor->type);
}

static inline uint64_t call_get(const struct call *call, enum topk_role role, const uint32_t at[])
{
    return topk_element_load(call_place(call, role, call->after[role], at),
                             bytes_of(call->op.tensors[role].type));
}

/* an element of an output as the call left it, or of the input before and after */
static inline void call_set(struct call *call, enum topk_role role, const uint32_t at[],
                            uint64_t bits)
{
    uint32_t bytes = bytes_of(call->op.tensors[role].type);
    topk_element_store(call_place(call, role, call->after[role], at), bytes, bits);
    if (role == TOPK_INPUT) {
        topk_element_store(call_place(call, role, call->before[role], at), bytes, bits);
    }
}

/* the next coordinates in row-major order; false after the last */
static inline bool next_at(const struct topk_tensor *tensor, uint32_t at[TOPK_RANK_MAX])
{
    for (uint32_t i = tensor->rank; i-- > 0;) {
        if (++at[i] < tensor->sizes[i]) {
            return true;
        }
        at[i] = 0;
    }
    return false;
}

/* all bytes of the input's tensor random, so that its padding is; then its elements */
static inline void call_fill(struct call *call, struct topk_pcg *pcg, enum draw draw)
{
    const struct topk_tensor *input = &call->op.tensors[TOPK_INPUT];
    for (uint64_t i = 0; i < input->total_bytes; i++) {
        unsigned char byte = (unsigned char)topk_pcg_next(pcg);
        call->before[TOPK_INPUT][CALL_MARGIN + i] = byte;
        call->after[TOPK_INPUT][CALL_MARGIN + i] = byte;
    }
    uint32_t at[TOPK_RANK_MAX] = {0};
    do {
        call_set(call, TOPK_INPUT, at, random_bits(pcg, input->type, draw));
    } while (next_at(input, at));
}

static inline enum topk_oracle_status call_run_oracle(struct call *call)
{
    return topk_oracle_run(&call->op, call->before[TOPK_INPUT] + CALL_MARGIN,
                           call->after[TOPK_VALUE] + CALL_MARGIN,
                           call->after[TOPK_INDEX] + CALL_MARGIN);
}

#endif
