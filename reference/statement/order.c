/* The order of elements, by decoding them to numbers and insertion sort. */
#include "statement.h"

#include <math.h>

#include "reference/element.h"

/* a value of any of the ten types, exactly */
struct value {
    long double real; /* on x86 with 64 fraction bits, which hold every integer */
    bool nan;
};

static long double decode_float(uint64_t bits, int exponent_bits, int fraction_bits, bool *nan)
{
    const int bias = (1 << (exponent_bits - 1)) - 1;
    const int exponent = (int)(bits >> fraction_bits) & ((1 << exponent_bits) - 1);
    const uint64_t fraction = bits & (((uint64_t)1 << fraction_bits) - 1);
    const bool negative = (bits >> (exponent_bits + fraction_bits)) & 1;
    long double real = ldexpl((long double)fraction, 1 - bias - fraction_bits);
    if (exponent == 2 * bias + 1) {
        *nan = fraction != 0;
        real = HUGE_VALL;
    } else if (exponent != 0) {
        real = ldexpl(1 + ldexpl((long double)fraction, -fraction_bits), exponent - bias);
    }
    return negative ? -real : real;
}

static struct value decode(uint32_t type, uint64_t bits)
{
    struct value value = {.nan = false};
    const uint32_t width = 8 * topk_type_bytes(type);
    if (type == TOPK_TYPE_F32) {
        value.real = decode_float(bits, 8, 23, &value.nan);
    } else if (type == TOPK_TYPE_F16) {
        value.real = decode_float(bits, 5, 10, &value.nan);
    } else {
        value.real = (long double)bits;
        if (topk_type_signed(type) && (bits >> (width - 1) & 1) != 0) {
            value.real -= ldexpl(1, (int)width);
        }
    }
    return value;
}

bool stated_nan(uint32_t type, uint64_t bits)
{
    return decode(type, bits).nan;
}

bool stated_equal(uint32_t type, uint64_t a, uint64_t b)
{
    return decode(type, a).real == decode(type, b).real;
}

/* the nearest FLOAT16; of two, the one whose last bit is 0 */
static long double round_to_half(long double real)
{
    int exponent;
    if (real == 0 || isinf(real)) {
        return real;
    }
    frexpl(real, &exponent); /* 2^(exponent - 1) <= |real| < 2^exponent */
    const int unit = exponent - 11 < -24 ? -24 : exponent - 11;
    const long double rounded = ldexpl(nearbyintl(ldexpl(real, -unit)), unit);
    return fabsl(rounded) > 65504 ? copysignl(HUGE_VALL, real) : rounded;
}

/* the nearest FLOAT16 that is not farther from 0; finite if the value is */
static long double truncate_to_half(long double real)
{
    const long double rounded = round_to_half(real);
    if (fabsl(rounded) <= fabsl(real)) {
        return rounded;
    }
    if (isinf(rounded)) {
        return copysignl(65504, real);
    }
    int exponent;
    frexpl(real, &exponent);
    const int unit = exponent - 11 < -24 ? -24 : exponent - 11;
    return rounded - copysignl(ldexpl(1, unit), real);
}

static long double seen_as(long double real, enum stated_order by)
{
    if (by == STATED_DENORMAL_ZERO && fabsl(real) < ldexpl(1, -126)) {
        return 0;
    }
    if (by == STATED_HALF_TRUNCATED) {
        return truncate_to_half(real);
    }
    return by == STATED_HALF ? round_to_half(real) : real;
}

long double stated_value(uint32_t type, enum stated_order by, uint64_t bits)
{
    return seen_as(decode(type, bits).real, by);
}

void stated_sort(uint32_t type, bool increasing, enum stated_order by, const uint64_t *bits,
                 uint32_t length, uint32_t *order)
{
    for (uint32_t i = 0; i < length; i++) {
        const long double real = stated_value(type, by, bits[i]);
        uint32_t at = i;
        for (; at > 0; at--) {
            const long double before = stated_value(type, by, bits[order[at - 1]]);
            if (increasing ? before <= real : before >= real) {
                break; /* equal values stay in order of their indices */
            }
            order[at] = order[at - 1];
        }
        order[at] = i;
    }
}
