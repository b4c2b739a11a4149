/* Values that exist in every element type: small whole numbers, and lists of distinct values. The
 * functions are inline because the data of a case calls one for each element. */
#ifndef TOPK_VALUE_H
#define TOPK_VALUE_H

#include <string.h>

#include "reference/element.h"

/* A mask of all bits of a type. */
static inline uint64_t topk_value_mask(uint32_t type)
{
    return UINT64_MAX >> (64 - 8 * topk_type_bytes(type));
}

static inline int topk_value_fraction_bits(uint32_t type)
{
    return type == TOPK_TYPE_F32 ? 23 : 10;
}

/* The bits of a whole number. A float type must hold it exactly. */
static inline uint64_t topk_value_whole(uint32_t type, int64_t number)
{
    if (!topk_type_float(type)) {
        return (uint64_t)number & topk_value_mask(type);
    }
    /* the conversion is exact, so the bits are the same on every machine with these floats */
    const float value = (float)number;
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (type == TOPK_TYPE_F32 || number == 0) {
        return bits;
    }
    /* the same fraction, shorter, and an exponent with another bias */
    const uint32_t magnitude = ((bits & 0x7fffffff) >> 13) - ((127 - 15) << 10);
    return (bits >> 31 << 15) | magnitude;
}

/* How many consecutive whole numbers a type can hold; 0: more than a sequence has elements. */
static inline uint64_t topk_value_whole_room(uint32_t type)
{
    switch (type) {
    case TOPK_TYPE_F32:
        return (uint64_t)1 << 24;
    case TOPK_TYPE_F16:
        return (uint64_t)1 << 11;
    default:
        return topk_type_bytes(type) < 4 ? (uint64_t)1 << (8 * topk_type_bytes(type)) : 0;
    }
}

/* The float whose order key is `steps` below that of the greatest finite value; skips -0. */
static inline uint64_t topk_value_below_greatest(uint32_t type, uint64_t steps)
{
    /* the bits of infinity: the number of non-negative finite values */
    uint64_t positive = topk_element_greatest(type);
    uint64_t mask = topk_value_mask(type);
    return steps < positive ? positive - 1 - steps : (mask ^ mask >> 1) + (steps - positive) + 1;
}

/* The value of rank i < count in an ascending list of `count` values of a type. The values are
 * distinct if the type has enough of them, and small whole numbers if possible. */
static inline uint64_t topk_value_of_rank(uint32_t type, uint64_t i, uint64_t count)
{
    uint64_t room = topk_value_whole_room(type);
    bool crowded = room != 0 && count > room;
    if (topk_type_float(type)) {
        if (crowded) {
            uint64_t finite = 2 * topk_element_greatest(type) - 1;
            return topk_value_below_greatest(type, finite - 1 - i * (finite - 1) / (count - 1));
        }
        return topk_value_whole(type, (int64_t)i - (int64_t)(count / 2));
    }
    if (crowded) {
        uint64_t place = i * room / count;
        return topk_type_signed(type) ? topk_value_whole(type, (int64_t)place - (int64_t)(room / 2))
                                      : place;
    }
    return topk_type_signed(type) ? topk_value_whole(type, (int64_t)i - (int64_t)(count / 2)) : i;
}

#endif
