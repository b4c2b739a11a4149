/* Maps of data: how the second calls of relations change the first call's elements. Each map is
 * exact, and keeps or reverses the order of values; +0 and -0 stay equal. */
#ifndef TOPK_RELATION_DATA_H
#define TOPK_RELATION_DATA_H

#include <stdbool.h>
#include <stdint.h>

/* DUAL: the value with the opposite position in the order: the complement of an integer, the
 * negative of a float. Its own inverse. */
uint64_t topk_data_dual(uint32_t type, uint64_t bits);

/* WIDEN: the same value in topk_type_wider(type), which must exist. A NaN stays a NaN. */
uint64_t topk_data_widen(uint32_t type, uint64_t bits);
/* The inverse of topk_data_widen; for any other value, the bits that fit. */
uint64_t topk_data_narrow(uint32_t type, uint64_t bits);

/* PERMUTE: where the elements of a sequence move; a bijection that differs by sequence. */
struct topk_permutation {
    uint64_t length;
    uint64_t factor; /* coprime to length */
    uint64_t shift;
};
struct topk_permutation topk_data_permutation(uint32_t length, uint64_t sequence);
/* The new position of element `index` < length. */
uint32_t topk_data_place(const struct topk_permutation *permutation, uint32_t index);

/* MONOTONE: maps the values of one tensor by rank to the whole range of their type. */
struct topk_spread {
    uint32_t type;
    uint64_t *keys; /* owned; the distinct order keys, ascending */
    uint64_t count; /* of them */
    uint64_t step;  /* distance between values, counted in values of the type */
};
/* Makes the map for `count` elements of one of the ten types, without NaN. Takes ownership of
 * bits. */
void topk_spread_make(struct topk_spread *spread, uint32_t type, uint64_t *bits, uint64_t count);
/* The new bits of an element of the map. Never a NaN or a FLOAT32 denormal. */
uint64_t topk_spread_map(const struct topk_spread *spread, uint64_t bits);
void topk_spread_free(struct topk_spread *spread);

/* Whether a FLOAT32 is exactly a FLOAT16, so that FLOAT16 arithmetic (F06) cannot change its
 * order. */
bool topk_data_is_half(uint64_t bits);

#endif
