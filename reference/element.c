/* The element types, as bit patterns. */
#include "element.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* indexed by DML_TENSOR_DATA_TYPE */
const struct topk_type_row topk_type_rows[TOPK_TYPE_ROWS] = {
#define X(name, text, number, bytes, kind) [number] = {text, bytes, TOPK_KIND_##kind},
    TOPK_TYPE_LIST(X)
#undef X
        [TOPK_TYPE_UNKNOWN] = {"unknown", 0, TOPK_KIND_NONE},
    [TOPK_TYPE_F64] = {"f64", 8, TOPK_KIND_NONE},
    [TOPK_TYPE_U4] = {"u4", 0, TOPK_KIND_NONE},
    [TOPK_TYPE_I4] = {"i4", 0, TOPK_KIND_NONE},
};

const uint32_t topk_types[TOPK_TYPE_COUNT] = {
#define X(name, text, number, bytes, kind) TOPK_TYPE_##name,
    TOPK_TYPE_LIST(X)
#undef X
};

void topk_type_print(uint32_t type, char text[TOPK_TYPE_TEXT])
{
    if (type < TOPK_TYPE_ROWS) {
        snprintf(text, TOPK_TYPE_TEXT, "%s", topk_type_rows[type].text);
    } else {
        snprintf(text, TOPK_TYPE_TEXT, "type%" PRIu32, type);
    }
}

bool topk_type_parse(const char *text, uint32_t *type, size_t *length)
{
    size_t run = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789");
    for (uint32_t i = 0; i < TOPK_TYPE_ROWS; i++) {
        if (strlen(topk_type_rows[i].text) == run &&
            memcmp(topk_type_rows[i].text, text, run) == 0) {
            *type = i;
            *length = run;
            return true;
        }
    }
    if (run < 5 || run > 14 || memcmp(text, "type", 4) != 0 || text[4] == '0') {
        return false;
    }
    uint64_t number = 0;
    for (size_t i = 4; i < run; i++) {
        if (text[i] < '0' || text[i] > '9') {
            return false;
        }
        number = number * 10 + (uint64_t)(text[i] - '0');
    }
    if (number < TOPK_TYPE_ROWS || number > UINT32_MAX) {
        return false;
    }
    *type = (uint32_t)number;
    *length = run;
    return true;
}

void topk_elements_turn(void *data, uint32_t bytes, uint64_t length)
{
    unsigned char *at = data;
    if (bytes < 2 || topk_machine_little_endian()) {
        return;
    }
    for (; length >= bytes; length -= bytes, at += bytes) {
        for (uint32_t i = 0; i < bytes / 2; i++) {
            const unsigned char first = at[i];
            at[i] = at[bytes - 1 - i];
            at[bytes - 1 - i] = first;
        }
    }
}

uint64_t topk_element_key(uint32_t type, uint64_t bits)
{
    uint64_t sign = topk_type_sign(type);
    switch (topk_type_kind(type)) {
    case TOPK_KIND_FLOAT:
        /* maps sign and magnitude to one scale, in which -0 equals +0 */
        return bits & sign ? sign - (bits & (sign - 1)) : sign + bits;
    case TOPK_KIND_SIGNED:
        return bits ^ sign;
    default:
        return bits;
    }
}

uint64_t topk_element_key_flushed(uint32_t type, uint64_t bits)
{
    return topk_element_key(type, topk_element_denormal(type, bits) ? 0 : bits);
}

static uint64_t key_half(uint64_t bits, bool nearest)
{
    uint64_t sign = bits >> 16 & 0x8000u;
    uint64_t magnitude = bits & 0x7fffffffu;
    uint64_t half;
    if (magnitude >= 0x47800000u) {
        half = nearest || magnitude == 0x7f800000u ? 0x7c00 : 0x7bff; /* 2^16 and more */
    } else {
        /* drops the fraction bits that FLOAT16 lacks; rounding to nearest breaks ties to even */
        uint64_t exponent = magnitude >> 23;
        uint64_t fraction = (magnitude & 0x7fffffu) | (exponent != 0 ? 0x800000u : 0);
        uint64_t drop = exponent >= 113 ? 13 : exponent >= 101 ? 126 - exponent : 25;
        uint64_t kept = fraction >> drop;
        uint64_t rest = fraction & (((uint64_t)1 << drop) - 1);
        uint64_t tie = (uint64_t)1 << (drop - 1);
        kept += nearest && (rest > tie || (rest == tie && (kept & 1) != 0));
        /* a carry out of the fraction increments the exponent, up to infinity */
        half = exponent >= 113 ? ((exponent - 113) << 10) + kept : kept;
    }
    return topk_element_key(TOPK_TYPE_F16, sign | half);
}

uint64_t topk_element_key_half(uint64_t bits)
{
    return key_half(bits, true);
}

uint64_t topk_element_key_half_truncated(uint64_t bits)
{
    return key_half(bits, false);
}

bool topk_element_zero(uint32_t type, uint64_t bits)
{
    return topk_type_float(type) ? (bits & (topk_type_sign(type) - 1)) == 0 : bits == 0;
}

bool topk_element_inf(uint32_t type, uint64_t bits)
{
    return topk_type_float(type) && (bits & (topk_type_sign(type) - 1)) == topk_type_infinity(type);
}

bool topk_element_denormal(uint32_t type, uint64_t bits)
{
    return topk_type_float(type) && (bits & topk_type_infinity(type)) == 0 &&
           !topk_element_zero(type, bits);
}

bool topk_element_normal(uint32_t type, uint64_t bits)
{
    const uint64_t exponent = bits & topk_type_infinity(type);
    return topk_type_float(type) && exponent != 0 && exponent != topk_type_infinity(type);
}

uint64_t topk_element_least(uint32_t type)
{
    switch (topk_type_kind(type)) {
    case TOPK_KIND_FLOAT:
        return topk_type_sign(type) | topk_type_infinity(type);
    case TOPK_KIND_SIGNED:
        return topk_type_sign(type);
    default:
        return 0;
    }
}

uint64_t topk_element_greatest(uint32_t type)
{
    switch (topk_type_kind(type)) {
    case TOPK_KIND_FLOAT:
        return topk_type_infinity(type);
    case TOPK_KIND_SIGNED:
        return topk_type_sign(type) - 1;
    default:
        return topk_type_sign(type) - 1 + topk_type_sign(type);
    }
}

/* the magnitude of a finite float; exact, since double holds every F32 and F16 */
static double magnitude(uint32_t type, uint64_t bits)
{
    int fraction_bits = type == TOPK_TYPE_F32 ? 23 : 10;
    int bias = type == TOPK_TYPE_F32 ? 127 : 15;
    uint64_t fraction = bits & (((uint64_t)1 << fraction_bits) - 1);
    int exponent = (int)((bits & topk_type_infinity(type)) >> fraction_bits);
    if (exponent == 0) {
        return ldexp((double)fraction, 1 - bias - fraction_bits);
    }
    return ldexp((double)(fraction | (uint64_t)1 << fraction_bits),
                 exponent - bias - fraction_bits);
}

/* uses the fewest digits that identify the value; whole numbers have no exponent */
static void print_finite(uint32_t type, double exact, const char *minus,
                         char text[TOPK_ELEMENT_TEXT])
{
    if (exact < 1e6 && exact == floor(exact)) {
        snprintf(text, TOPK_ELEMENT_TEXT, "%s%.0f", minus, exact);
        return;
    }
    bool f32 = type == TOPK_TYPE_F32;
    int exponent = 0;
    frexp(exact, &exponent);
    /* the distance to the next value; towards 0 it is half of this for a power of two */
    double gap = fmax(ldexp(1, exponent - (f32 ? 24 : 11)), ldexp(1, f32 ? -149 : -24));
    double back = 0;
    int digits = 0;
    do {
        digits++;
        snprintf(text, TOPK_ELEMENT_TEXT, "%s%.*g", minus, digits, exact);
        back = strtod(text + strlen(minus), NULL);
    } while (fabs(back - exact) >= gap / 4 && digits < 17);
}

static void print_float(uint32_t type, uint64_t bits, char text[TOPK_ELEMENT_TEXT])
{
    const char *minus = bits & topk_type_sign(type) ? "-" : "";
    if (topk_element_nan(type, bits)) {
        snprintf(text, TOPK_ELEMENT_TEXT, "nan(%0*" PRIx64 ")", (int)(2 * topk_type_bytes(type)),
                 bits);
    } else if (topk_element_inf(type, bits)) {
        snprintf(text, TOPK_ELEMENT_TEXT, "%sinf", minus);
    } else {
        print_finite(type, magnitude(type, bits), minus, text);
    }
}

void topk_element_print(uint32_t type, uint64_t bits, char text[TOPK_ELEMENT_TEXT])
{
    switch (topk_type_kind(type)) {
    case TOPK_KIND_FLOAT:
        print_float(type, bits, text);
        break;
    case TOPK_KIND_SIGNED: {
        uint64_t sign = topk_type_sign(type);
        if (bits & sign) {
            /* computes two's complement without conversions that the language leaves open */
            snprintf(text, TOPK_ELEMENT_TEXT, "-%" PRIu64, sign - (bits & (sign - 1)));
        } else {
            snprintf(text, TOPK_ELEMENT_TEXT, "%" PRIu64, bits);
        }
        break;
    }
    default:
        snprintf(text, TOPK_ELEMENT_TEXT, "%" PRIu64, bits);
        break;
    }
}
