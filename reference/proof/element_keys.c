/* The order keys of elements compare like the values in C, and the classes of floats are those of
 * C, for each type and all bit patterns. */
#include <math.h>

#include "element.h"
#include "prove.h"

/* a type of C and its unsigned integer */
#define KEYS(NAME, VALUE, BITS, any)                                                               \
    static VALUE value_##NAME(BITS bits)                                                           \
    {                                                                                              \
        VALUE value;                                                                               \
        memcpy(&value, &bits, sizeof value);                                                       \
        return value;                                                                              \
    }                                                                                              \
    static void prove_##NAME(void)                                                                 \
    {                                                                                              \
        const BITS a = any();                                                                      \
        const BITS b = any();                                                                      \
        const VALUE x = value_##NAME(a);                                                           \
        const VALUE y = value_##NAME(b);                                                           \
        const uint32_t type = TOPK_TYPE_##NAME;                                                    \
        const uint64_t key_a = topk_element_key(type, a);                                          \
        const uint64_t key_b = topk_element_key(type, b);                                          \
        const VALUE least = value_##NAME((BITS)topk_element_least(type));                          \
        const VALUE greatest = value_##NAME((BITS)topk_element_greatest(type));                    \
        BITS stored;                                                                               \
        PROVE(topk_element_nan(type, a) == (x != x));                                              \
        PROVE(topk_element_zero(type, a) == (x == 0));                                             \
        PROVE(x != x || y != y || (key_a < key_b) == (x < y));                                     \
        PROVE(x != x || y != y || (key_a == key_b) == (x == y));                                   \
        PROVE(x != x || (least <= x && x <= greatest));                                            \
        topk_element_store(&stored, sizeof stored, a);                                             \
        PROVE(stored == a && topk_element_load(&stored, sizeof stored) == a);                      \
        PROVE(topk_type_bytes(type) == sizeof(BITS) && topk_type_known(type));                     \
    }

KEYS(F32, float, uint32_t, nondet_u32)
KEYS(F16, _Float16, uint16_t, nondet_u16)
KEYS(I64, int64_t, uint64_t, nondet_u64)
KEYS(I32, int32_t, uint32_t, nondet_u32)
KEYS(I16, int16_t, uint16_t, nondet_u16)
KEYS(I8, int8_t, uint8_t, nondet_u8)
KEYS(U64, uint64_t, uint64_t, nondet_u64)
KEYS(U32, uint32_t, uint32_t, nondet_u32)
KEYS(U16, uint16_t, uint16_t, nondet_u16)
KEYS(U8, uint8_t, uint8_t, nondet_u8)

/* the least normal values */
#define NORMAL_F32 0x1p-126f
#define NORMAL_F16 ((_Float16)0x1p-14f)

#define CLASSES(NAME, VALUE, BITS, any)                                                            \
    static VALUE flushed_##NAME(VALUE x)                                                           \
    {                                                                                              \
        return x > -NORMAL_##NAME && x < NORMAL_##NAME ? 0 : x;                                    \
    }                                                                                              \
    static void prove_classes_##NAME(void)                                                         \
    {                                                                                              \
        const BITS a = any();                                                                      \
        const BITS b = any();                                                                      \
        const VALUE x = value_##NAME(a);                                                           \
        const VALUE y = value_##NAME(b);                                                           \
        const uint32_t type = TOPK_TYPE_##NAME;                                                    \
        const VALUE infinity = (VALUE)INFINITY;                                                    \
        const bool small = x > -NORMAL_##NAME && x < NORMAL_##NAME;                                \
        PROVE(topk_element_inf(type, a) == (x == infinity || x == -infinity));                     \
        PROVE(topk_element_denormal(type, a) == (small && x != 0));                                \
        PROVE(topk_element_normal(type, a) ==                                                      \
              (!small && x == x && x != infinity && x != -infinity));                              \
        ASSUME(x == x && y == y);                                                                  \
        PROVE((topk_element_key_flushed(type, a) < topk_element_key_flushed(type, b)) ==           \
              (flushed_##NAME(x) < flushed_##NAME(y)));                                            \
    }

CLASSES(F32, float, uint32_t, nondet_u32)
CLASSES(F16, _Float16, uint16_t, nondet_u16)

int main(void)
{
#define X(name, text, number, bytes, kind) prove_##name();
    TOPK_TYPE_LIST(X)
#undef X
    prove_classes_F32();
    prove_classes_F16();
    REACHED(true);
}
