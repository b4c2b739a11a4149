/* Elements as numbers, and their comparison. */
#include "contracts.h"

#include <float.h>
#include <string.h>

#define HALF_INFINITY 0x7c00u
#define HALF_FRACTION 0x3ffu

bool contracts_float(uint32_t type)
{
    return type == TOPK_BACKEND_FLOAT32 || type == TOPK_BACKEND_FLOAT16;
}

bool contracts_signed(uint32_t type)
{
    return type == TOPK_BACKEND_INT64 || type == TOPK_BACKEND_INT32 || type == TOPK_BACKEND_INT16 ||
           type == TOPK_BACKEND_INT8;
}

uint32_t contracts_bytes(uint32_t type)
{
    switch (type) {
    case TOPK_BACKEND_INT64:
    case TOPK_BACKEND_UINT64:
        return 8;
    case TOPK_BACKEND_FLOAT32:
    case TOPK_BACKEND_INT32:
    case TOPK_BACKEND_UINT32:
        return 4;
    case TOPK_BACKEND_INT8:
    case TOPK_BACKEND_UINT8:
        return 1;
    default:
        return 2;
    }
}

uint64_t contracts_load(const unsigned char *from, uint32_t bytes)
{
    uint64_t bits = 0;
    for (uint32_t i = bytes; i-- > 0;) {
        bits = bits << 8 | from[i];
    }
    return bits;
}

void contracts_store(unsigned char *to, uint32_t bytes, uint64_t bits)
{
    for (uint32_t i = 0; i < bytes; i++) {
        to[i] = (unsigned char)(bits >> 8 * i);
    }
}

uint64_t contracts_sign(uint32_t type)
{
    return UINT64_C(1) << (8 * contracts_bytes(type) - 1);
}

static float single(uint64_t bits)
{
    const uint32_t low = (uint32_t)bits;
    float value;
    memcpy(&value, &low, sizeof value);
    return value;
}

bool contracts_nan(uint32_t type, uint64_t bits)
{
    if (type == TOPK_BACKEND_FLOAT16) {
        return (bits & 0x7fffu) > HALF_INFINITY;
    }
    return type == TOPK_BACKEND_FLOAT32 && single(bits) != single(bits);
}

double contracts_least_normal(uint32_t type)
{
    return type == TOPK_BACKEND_FLOAT16 ? 0x1p-14 : (double)FLT_MIN;
}

uint64_t contracts_zero_of(uint32_t type, uint64_t bits)
{
    return bits & contracts_sign(type);
}

uint64_t contracts_infinity_of(uint32_t type, uint64_t bits)
{
    (void)bits;
    return type == TOPK_BACKEND_FLOAT16 ? HALF_INFINITY : 0x7f800000u;
}

bool contracts_is_zero(uint32_t type, uint64_t bits)
{
    return (bits & (contracts_sign(type) - 1)) == 0;
}

double contracts_real(uint32_t type, uint64_t bits)
{
    if (contracts_nan(type, bits)) {
        return 0;
    }
    if (type == TOPK_BACKEND_FLOAT32) {
        return (double)single(bits);
    }
    double magnitude = (double)(bits & HALF_FRACTION) * 0x1p-24;
    const uint64_t exponent = (bits & HALF_INFINITY) >> 10;
    if (exponent == 31) {
        magnitude = (double)single(0x7f800000u);
    } else if (exponent != 0) {
        magnitude = (double)single((exponent + 112) << 23 | (bits & HALF_FRACTION) << 13);
    }
    return bits & 0x8000u ? -magnitude : magnitude;
}

bool contracts_denormal(uint32_t type, uint64_t bits)
{
    const double real = contracts_float(type) ? contracts_real(type, bits) : 0;
    return real != 0 && real < contracts_least_normal(type) && real > -contracts_least_normal(type);
}

bool contracts_is_least_normal(uint32_t type, uint64_t bits)
{
    const double real = contracts_real(type, bits);
    return real == contracts_least_normal(type) || real == -contracts_least_normal(type);
}

int8_t contracts_nan_place(enum nan_rule rule, bool smallest)
{
    switch (rule) {
    case NAN_GREATEST:
        return smallest ? 1 : -1;
    case NAN_LEAST:
        return smallest ? -1 : 1;
    case NAN_FIRST:
        return -1;
    default:
        return 1;
    }
}

int64_t contracts_unsigned(uint32_t type, uint64_t bits)
{
    const bool wide = type == TOPK_BACKEND_UINT64 || type == TOPK_BACKEND_INT64;
    return wide && bits >> 63 == 0 ? (int64_t)bits - INT64_MAX - 1
                                   : (int64_t)(wide ? bits ^ contracts_sign(type) : bits);
}

static struct number read_number(const struct row *row, uint64_t bits)
{
    struct number number = {.minus = false};
    const uint64_t sign = contracts_sign(row->type);
    if (contracts_nan(row->type, bits)) {
        number.open = row->family->nan == NAN_OPEN;
        number.place = contracts_nan_place(row->family->nan, row->smallest);
    } else if (contracts_float(row->type)) {
        const bool flush = (row->rules & RULE_FLUSH_ORDER) != 0;
        number.minus = (bits & sign) != 0;
        number.real =
            flush && contracts_denormal(row->type, bits) ? 0 : contracts_real(row->type, bits);
    } else if (contracts_signed(row->type)) {
        number.whole = bits & sign ? -(int64_t)(~bits & (sign - 1)) - 1 : (int64_t)bits;
    } else {
        number.whole = contracts_unsigned(row->type, bits);
    }
    return number;
}

void contracts_order_as(struct row *row, uint32_t index, uint64_t bits)
{
    row->codes[index] = bits;
    row->numbers[index] = read_number(row, bits);
}

void contracts_read(struct row *row)
{
    for (uint32_t i = 0; i < row->length; i++) {
        contracts_order_as(row, i, row->bits[i]);
        row->order[i] = i;
    }
}
