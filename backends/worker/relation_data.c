/* The maps of data for second calls. */
#include "relation_data.h"

#include <stdlib.h>

#include "case/case.h"
#include "reference/element.h"

static uint64_t sign_of(uint32_t type)
{
    return (uint64_t)1 << (8 * topk_type_bytes(type) - 1);
}

static uint64_t mask_of(uint32_t type)
{
    return sign_of(type) | (sign_of(type) - 1);
}

/* ---- dual ------------------------------------------------------------------------------------ */

uint64_t topk_data_dual(uint32_t type, uint64_t bits)
{
    return topk_type_float(type) ? bits ^ sign_of(type) : ~bits & mask_of(type);
}

/* ---- widen ----------------------------------------------------------------------------------- */

static uint64_t widen_half(uint64_t bits)
{
    uint64_t sign = (bits & 0x8000u) << 16;
    uint64_t magnitude = bits & 0x7fffu;
    if (magnitude >= 0x7c00) {
        return sign | 0x7f800000u | (magnitude & 0x3ffu) << 13;
    }
    if (magnitude == 0) {
        return sign;
    }
    /* a FLOAT16 denormal is a normal FLOAT32: shift until its leading bit is the implied one */
    uint64_t exponent = magnitude >> 10;
    uint64_t fraction = magnitude & 0x3ffu;
    if (exponent == 0) {
        exponent = 1;
        while ((fraction & 0x400u) == 0) {
            fraction <<= 1;
            exponent--;
        }
        fraction &= 0x3ffu;
    }
    /* the exponent may have wrapped below 0; the sum is correct anyway */
    return sign | (exponent + 112) << 23 | fraction << 13;
}

uint64_t topk_data_widen(uint32_t type, uint64_t bits)
{
    if (type == TOPK_TYPE_F16) {
        return widen_half(bits);
    }
    bool minus = topk_type_signed(type) && (bits & sign_of(type)) != 0;
    uint64_t wide = minus ? bits | ~mask_of(type) : bits;
    return wide & mask_of(topk_type_wider(type));
}

/* the FLOAT16 from which topk_data_widen made a FLOAT32 */
static uint64_t narrow_float(uint64_t bits)
{
    uint64_t sign = bits >> 16 & 0x8000u;
    uint64_t exponent = bits >> 23 & 0xff;
    uint64_t fraction = (bits & 0x7fffffu) >> 13;
    if (exponent == 0xff) {
        return sign | 0x7c00 | fraction;
    }
    if (exponent >= 113) {
        return sign | ((((exponent - 112) << 10) | fraction) & 0x7fffu);
    }
    return exponent < 102 ? sign : sign | (fraction | 0x400u) >> (113 - exponent);
}

uint64_t topk_data_narrow(uint32_t type, uint64_t bits)
{
    return type == TOPK_TYPE_F16 ? narrow_float(bits) : bits & mask_of(type);
}

bool topk_data_is_half(uint64_t bits)
{
    uint64_t half = narrow_float(bits);
    return !topk_element_nan(TOPK_TYPE_F32, bits) && widen_half(half) == bits;
}

/* ---- permute --------------------------------------------------------------------------------- */

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b != 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

struct topk_permutation topk_data_permutation(uint32_t length, uint64_t sequence)
{
    uint64_t factor = (uint64_t)length * 5 / 8 | 1;
    while (common_divisor(factor, length) != 1) {
        factor++;
    }
    return (struct topk_permutation){length, factor, (sequence + length / 2) % length};
}

uint32_t topk_data_place(const struct topk_permutation *permutation, uint32_t index)
{
    return (uint32_t)((index * permutation->factor + permutation->shift) % permutation->length);
}

/* ---- monotone -------------------------------------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a;
    uint64_t y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* bits of the least positive float in the map; no FLOAT32 denormals (F04) */
static uint64_t first_positive(uint32_t type)
{
    return type == TOPK_TYPE_F32 ? 0x00800000u : 1;
}

/* the greatest position that topk_spread_map may use */
static uint64_t last_place(uint32_t type)
{
    if (!topk_type_float(type)) {
        return mask_of(type);
    }
    return 2 * (topk_element_greatest(type) - first_positive(type) + 1);
}

/* the value at a position, counted from the least value */
static uint64_t value_at(uint32_t type, uint64_t place)
{
    if (!topk_type_float(type)) {
        return topk_type_signed(type) ? place ^ sign_of(type) : place;
    }
    uint64_t zero = last_place(type) / 2;
    if (place == zero) {
        return 0;
    }
    return place > zero ? first_positive(type) + (place - zero - 1)
                        : sign_of(type) | (first_positive(type) + (zero - place - 1));
}

void topk_spread_make(struct topk_spread *spread, uint32_t type, uint64_t *bits, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        bits[i] = topk_element_key(type, bits[i]);
    }
    qsort(bits, (size_t)count, sizeof *bits, by_value);
    uint64_t distinct = 0;
    for (uint64_t i = 0; i < count; i++) {
        if (distinct == 0 || bits[distinct - 1] != bits[i]) {
            bits[distinct++] = bits[i];
        }
    }
    /* Each type has a position for each of its values that a tensor can have, so the step is at
     * least 1. FLOAT32 lacks positions for denormals, but has more than a case has elements. */
    uint64_t step = distinct > 1 ? last_place(type) / (distinct - 1) : 0;
    *spread = (struct topk_spread){type, bits, distinct, step};
}

uint64_t topk_spread_map(const struct topk_spread *spread, uint64_t bits)
{
    uint64_t key = topk_element_key(spread->type, bits);
    uint64_t from = 0;
    uint64_t to = spread->count;
    while (to - from > 1) {
        uint64_t middle = from + (to - from) / 2;
        if (spread->keys[middle] <= key) {
            from = middle;
        } else {
            to = middle;
        }
    }
    return value_at(spread->type, from * spread->step);
}

void topk_spread_free(struct topk_spread *spread)
{
    free(spread->keys);
    *spread = (struct topk_spread){0};
}
