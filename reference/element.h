/* The ten element types, by bit pattern. An element is carried as the low bits of a uint64_t; no
 * value ever passes through a floating-point register, so every NaN payload survives.
 * Numbers of types are DML_TENSOR_DATA_TYPE; a description may hold any number. */
#ifndef TOPK_ELEMENT_H
#define TOPK_ELEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
    /* numbers that TOP_K never takes, needed to ask for them (V07, V09) */
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

/* Longest text of topk_element_print and topk_type_print, with the terminator. */
#define TOPK_ELEMENT_TEXT 40
#define TOPK_TYPE_TEXT    16

/* Whether a number is one of the ten types. */
bool topk_type_known(uint32_t type);
/* Bytes of an element: 1, 2, 4, 8; 0 if the type has no size in whole bytes or is unknown. */
uint32_t topk_type_bytes(uint32_t type);
bool topk_type_float(uint32_t type);
bool topk_type_signed(uint32_t type);
/* Writes the text of any type number: "f32", "type14". */
void topk_type_print(uint32_t type, char text[TOPK_TYPE_TEXT]);
/* Reads what topk_type_print writes; *length gets the characters read. False if there is none. */
bool topk_type_parse(const char *text, uint32_t *type, size_t *length);

/* Loads and stores the bits of an element of `bytes` (1, 2, 4, 8) at any address, in
 * the byte order of the machine. */
uint64_t topk_element_load(const void *from, uint32_t bytes);
void topk_element_store(void *to, uint32_t bytes, uint64_t bits);

/* Turns elements of `bytes` (1, 2, 4, 8) in `length` bytes from the byte order of the machine to
 * little-endian, or back; nothing to do on a little-endian machine. What is left at the end stays.
 */
void topk_elements_turn(void *data, uint32_t bytes, uint64_t length);

/* The order key of an element of one of the ten types: keys compare as unsigned integers as the
 * values compare (F01: both zeros have one key; F03). Of a NaN the key has no meaning. */
uint64_t topk_element_key(uint32_t type, uint64_t bits);
/* The same with denormals of floats taken as zeros (F04 of FLOAT32; denormals=flush). */
uint64_t topk_element_key_flushed(uint32_t type, uint64_t bits);
/* The order key of a FLOAT32 rounded to the nearest FLOAT16 (F06). */
uint64_t topk_element_key_half(uint64_t bits);
/* The same of one rounded towards zero, finite values to finite ones, as Direct3D's data conversion
 * rules have it of a narrower float. */
uint64_t topk_element_key_half_truncated(uint64_t bits);

bool topk_element_nan(uint32_t type, uint64_t bits);
bool topk_element_zero(uint32_t type, uint64_t bits); /* of a float: +0 or -0 */
bool topk_element_inf(uint32_t type, uint64_t bits);
bool topk_element_denormal(uint32_t type, uint64_t bits);
/* Whether a float is neither zero nor denormal, infinite or NaN. */
bool topk_element_normal(uint32_t type, uint64_t bits);

/* The bits of the least and the greatest value of a type (infinities for floats). */
uint64_t topk_element_least(uint32_t type);
uint64_t topk_element_greatest(uint32_t type);

/* Writes a text from which the value is known exactly: "-7", "0.1", "-0", "inf", "nan(7fc00001)".
 * Reading it back with strtod and rounding to the type gives the same bits, NaN apart. */
void topk_element_print(uint32_t type, uint64_t bits, char text[TOPK_ELEMENT_TEXT]);

#endif
