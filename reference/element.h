/* The ten element types, as bit patterns. An element is the low bits of a uint64_t. Values are
 * never in floating-point registers, so that every NaN payload is preserved. Types are numbered as
 * in DML_TENSOR_DATA_TYPE; a description may contain any number. */
#ifndef TOPK_ELEMENT_H
#define TOPK_ELEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* X(NAME, text, number, bytes, kind): kind is FLOAT, SIGNED or UNSIGNED. */
#define TOPK_TYPE_LIST(X)                                                                          \
    X(F32, "f32", 1, 4, FLOAT)                                                                     \
    X(F16, "f16", 2, 2, FLOAT)                                                                     \
    X(I64, "i64", 11, 8, SIGNED)                                                                   \
    X(I32, "i32", 6, 4, SIGNED)                                                                    \
    X(I16, "i16", 7, 2, SIGNED)                                                                    \
    X(I8, "i8", 8, 1, SIGNED)                                                                      \
    X(U64, "u64", 10, 8, UNSIGNED)                                                                 \
    X(U32, "u32", 3, 4, UNSIGNED)                                                                  \
    X(U16, "u16", 4, 2, UNSIGNED)                                                                  \
    X(U8, "u8", 5, 1, UNSIGNED)

enum topk_type {
#define X(name, text, number, bytes, kind) TOPK_TYPE_##name = (number),
    TOPK_TYPE_LIST(X)
#undef X
    /* numbers that TOP_K never accepts; cases use them to test refusals (V07, V09) */
    TOPK_TYPE_UNKNOWN = 0,
    TOPK_TYPE_F64 = 9,
    TOPK_TYPE_U4 = 12,
    TOPK_TYPE_I4 = 13
};

enum {
#define X(name, text, number, bytes, kind) TOPK_TYPE_PLACE_##name,
    TOPK_TYPE_LIST(X)
#undef X
    TOPK_TYPE_COUNT
};
/* All types in the order of TOPK_TYPE_LIST. */
extern const uint32_t topk_types[TOPK_TYPE_COUNT];

/* Greatest length of the texts of topk_element_print and topk_type_print, with the terminator. */
#define TOPK_ELEMENT_TEXT 40
#define TOPK_TYPE_TEXT    16

/* The properties of type numbers; numbers without a row have none. */
#define TOPK_TYPE_ROWS 14u

enum topk_kind {
    TOPK_KIND_NONE, /* TOP_K never accepts it */
    TOPK_KIND_FLOAT,
    TOPK_KIND_SIGNED,
    TOPK_KIND_UNSIGNED
};

struct topk_type_row {
    const char *text;
    uint32_t bytes;
    enum topk_kind kind;
};

extern const struct topk_type_row topk_type_rows[TOPK_TYPE_ROWS];

/* The row of a number; that of TOPK_TYPE_UNKNOWN if it has none. */
static inline const struct topk_type_row *topk_type_row(uint32_t type)
{
    return &topk_type_rows[type < TOPK_TYPE_ROWS ? type : TOPK_TYPE_UNKNOWN];
}

static inline enum topk_kind topk_type_kind(uint32_t type)
{
    return topk_type_row(type)->kind;
}

/* Whether a number is one of the ten types. */
static inline bool topk_type_known(uint32_t type)
{
    return topk_type_kind(type) != TOPK_KIND_NONE;
}

/* Size of an element: 1, 2, 4 or 8; 0 if the type is unknown or its size is not a whole number of
 * bytes. */
static inline uint32_t topk_type_bytes(uint32_t type)
{
    return topk_type_row(type)->bytes;
}

static inline bool topk_type_float(uint32_t type)
{
    return topk_type_kind(type) == TOPK_KIND_FLOAT;
}

static inline bool topk_type_signed(uint32_t type)
{
    return topk_type_kind(type) == TOPK_KIND_SIGNED;
}

/* The sign bit of one of the ten types, or the top bit of an unsigned one. Meaningless for
 * others. */
static inline uint64_t topk_type_sign(uint32_t type)
{
    return (uint64_t)1 << ((8 * topk_type_bytes(type) - 1) & 63);
}

/* The bits of +infinity of a float type: all ones in the exponent. */
static inline uint64_t topk_type_infinity(uint32_t type)
{
    return type == TOPK_TYPE_F32 ? 0x7f800000u : 0x7c00u;
}

/* Writes the text of any type number: "f32", "type14". */
void topk_type_print(uint32_t type, char text[TOPK_TYPE_TEXT]);
/* Reads the text of topk_type_print; *length is set to the number of characters read. Returns false
 * if there is none. */
bool topk_type_parse(const char *text, uint32_t *type, size_t *length);

/* Load and store the bits of an element of 1, 2, 4 or 8 bytes at any address, in the machine's byte
 * order. */
static inline uint64_t topk_element_load(const void *from, uint32_t bytes)
{
    uint16_t bits16;
    uint32_t bits32;
    uint64_t bits64;
    switch (bytes) { /* copies of a constant size are single instructions */
    case 1:
        return *(const uint8_t *)from;
    case 2:
        memcpy(&bits16, from, sizeof bits16);
        return bits16;
    case 4:
        memcpy(&bits32, from, sizeof bits32);
        return bits32;
    default:
        memcpy(&bits64, from, sizeof bits64);
        return bits64;
    }
}

static inline void topk_element_store(void *to, uint32_t bytes, uint64_t bits)
{
    const uint16_t bits16 = (uint16_t)bits;
    const uint32_t bits32 = (uint32_t)bits;
    switch (bytes) {
    case 1:
        *(uint8_t *)to = (uint8_t)bits;
        break;
    case 2:
        memcpy(to, &bits16, sizeof bits16);
        break;
    case 4:
        memcpy(to, &bits32, sizeof bits32);
        break;
    default:
        memcpy(to, &bits, sizeof bits);
        break;
    }
}

/* Whether the machine is little-endian. */
static inline bool topk_machine_little_endian(void)
{
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 1;
}

/* Converts elements of 1, 2, 4 or 8 bytes between the machine's byte order and little-endian; does
 * nothing on a little-endian machine. An incomplete element at the end stays unchanged. */
void topk_elements_turn(void *data, uint32_t bytes, uint64_t length);

/* The order key of an element of one of the ten types: keys, as unsigned integers, compare like
 * values (F01: both zeros have the same key; F03). Meaningless for NaN. */
uint64_t topk_element_key(uint32_t type, uint64_t bits);
/* The same with float denormals as zeros (F04 for FLOAT32; denormals=flush). */
uint64_t topk_element_key_flushed(uint32_t type, uint64_t bits);
/* The order key of a FLOAT32 rounded to the nearest FLOAT16 (F06). */
uint64_t topk_element_key_half(uint64_t bits);
/* The same rounded towards zero, with finite values staying finite, as Direct3D's data conversion
 * rules require for conversion to a narrower float. */
uint64_t topk_element_key_half_truncated(uint64_t bits);

static inline bool topk_element_nan(uint32_t type, uint64_t bits)
{
    return topk_type_float(type) && (bits & (topk_type_sign(type) - 1)) > topk_type_infinity(type);
}
bool topk_element_zero(uint32_t type, uint64_t bits); /* for a float, +0 or -0 */
bool topk_element_inf(uint32_t type, uint64_t bits);
bool topk_element_denormal(uint32_t type, uint64_t bits);
/* Whether a float is normal: not zero, denormal, infinite or NaN. */
bool topk_element_normal(uint32_t type, uint64_t bits);

/* The bits of the least and the greatest value of a type (infinities for floats). */
uint64_t topk_element_least(uint32_t type);
uint64_t topk_element_greatest(uint32_t type);

/* Writes a text that determines the value: "-7", "0.1", "-0", "inf", "nan(7fc00001)". Except for
 * NaN, strtod() and rounding to the type give the same bits. */
void topk_element_print(uint32_t type, uint64_t bits, char text[TOPK_ELEMENT_TEXT]);

#endif
