/* Maps of data: what the second calls of relations put in place of the first call's elements. Each
 * is exact, and keeps or reverses the order of values: +0 and -0 stay equal. */
#ifndef TOPK_RELATION_DATA_H
#define TOPK_RELATION_DATA_H

#include <stdbool.h>
#include <stdint.h>

/* DUAL: the bits of the value whose place in the reverse order is that of `bits`. Of integers the
 * complement, of floats the negative. Its own inverse. */
uint64_t topk_data_dual(uint32_t type, uint64_t bits);

/* WIDEN: the same value in topk_type_wider(type), which must exist. A NaN stays a NaN. */
uint64_t topk_data_widen(uint32_t type, uint64_t bits);
/* The way back, for what topk_data_widen gives; of anything else the bits that fit. */
uint64_t topk_data_narrow(uint32_t type, uint64_t bits);

/* PERMUTE: where element `index` of a sequence of `length` goes. Every index has one place, every
 * place one index; sequences differ. index < length < 2^32. */
uint32_t topk_data_place(uint32_t index, uint32_t length, uint64_t sequence);

/* MONOTONE: a map of the values of one tensor, by their rank, over the whole range of their type.
 */
struct topk_spread {
    uint32_t type;
    uint64_t *keys; /* owned; the distinct order keys, ascending */
    uint64_t count; /* of them */
    uint64_t step;  /* from one value to the next, in values of the type */
};
/* Makes the map for `count` elements of one of the ten types, of which none is a NaN; bits becomes
 * its own. */
void topk_spread_make(struct topk_spread *spread, uint32_t type, uint64_t *bits, uint64_t count);
/* The new bits of an element that the map was made for. Never a NaN, and no FLOAT32 denormal. */
uint64_t topk_spread_map(const struct topk_spread *spread, uint64_t bits);
void topk_spread_free(struct topk_spread *spread);

/* Whether a FLOAT32 is a FLOAT16, exactly: computing by FLOAT16 (F06) cannot change its order. */
bool topk_data_is_half(uint64_t bits);

#endif
