/* The ten types in C: VALUE and BITS of type T, and the value of bits. T is defined with, for
 * example, -D T=F32. */
#ifndef TOPK_PROOF_VALUES_H
#define TOPK_PROOF_VALUES_H

#include "element.h"
#include "prove.h"

#define VALUE_F32 float
#define VALUE_F16 _Float16
#define VALUE_I64 int64_t
#define VALUE_I32 int32_t
#define VALUE_I16 int16_t
#define VALUE_I8  int8_t
#define VALUE_U64 uint64_t
#define VALUE_U32 uint32_t
#define VALUE_U16 uint16_t
#define VALUE_U8  uint8_t
#define BITS_F32  uint32_t
#define BITS_F16  uint16_t
#define BITS_I64  uint64_t
#define BITS_I32  uint32_t
#define BITS_I16  uint16_t
#define BITS_I8   uint8_t
#define BITS_U64  uint64_t
#define BITS_U32  uint32_t
#define BITS_U16  uint16_t
#define BITS_U8   uint8_t

#define JOIN(a, b)   a##b
#define EXPAND(a, b) JOIN(a, b)
typedef EXPAND(VALUE_, T) VALUE;
typedef EXPAND(BITS_, T) BITS;
#define TYPE EXPAND(TOPK_TYPE_, T)

static inline VALUE value_of(uint64_t bits)
{
    const BITS narrow = (BITS)bits;
    VALUE value;
    memcpy(&value, &narrow, sizeof value);
    return value;
}

static inline bool is_nan(VALUE x)
{
    return x != x;
}

#endif
