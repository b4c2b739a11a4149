/* Steps that the recipes share. */
#ifndef TOPK_RECIPE_STEPS_H
#define TOPK_RECIPE_STEPS_H

#include "element.h"
#include "recipe.h"

/* all bits that a type has */
static inline uint64_t mask_of(uint32_t type)
{
    return topk_type_bytes(type) == 8 ? UINT64_MAX
                                      : ((uint64_t)1 << (8 * topk_type_bytes(type))) - 1;
}

static inline int fraction_bits(uint32_t type)
{
    return type == TOPK_TYPE_F32 ? 23 : 10;
}

/* the bits of a whole number; of a float one that it holds exactly */
static inline uint64_t whole(uint32_t type, int64_t number)
{
    if (!topk_type_float(type)) {
        return (uint64_t)number & mask_of(type);
    }
    uint64_t magnitude = (uint64_t)(number < 0 ? -number : number);
    uint64_t bits = 0;
    if (magnitude != 0) {
        int exponent = 0;
        while (magnitude >> (exponent + 1) != 0) {
            exponent++;
        }
        uint64_t bias = type == TOPK_TYPE_F32 ? 127 : 15;
        uint64_t fraction = magnitude << (fraction_bits(type) - exponent);
        bits = ((uint64_t)exponent + bias - 1) << fraction_bits(type);
        bits += fraction; /* its leading one adds the missing one to the exponent */
    }
    return number < 0 ? bits | (mask_of(type) ^ mask_of(type) >> 1) : bits;
}

/* how many whole numbers in a row a type holds, 0: as many as a sequence can have */
static inline uint64_t whole_room(uint32_t type)
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

/* the value of rank i from the best, of count */
static inline uint64_t nth_best(const struct topk_row *row, uint64_t i, uint64_t count)
{
    return topk_value_of_rank(row->type, row->increasing ? i : count - 1 - i, count);
}

/* brings a row into random order */
static inline void shuffle(struct topk_row *row)
{
    for (uint32_t i = row->length; i > 1; i--) {
        uint32_t j = topk_pcg_below(&row->pcg, i);
        uint64_t swap = row->bits[i - 1];
        row->bits[i - 1] = row->bits[j];
        row->bits[j] = swap;
    }
}

/* The fills that have files of their own: recipe_tied.c, recipe_every.c, recipe_rows.c,
 * recipe_parts.c. */
void topk_fill_tied(struct topk_row *row);
void topk_fill_orders(struct topk_row *row);
void topk_fill_every(struct topk_row *row);
void topk_fill_comb(struct topk_row *row);
void topk_fill_nearly(struct topk_row *row);
void topk_fill_close(struct topk_row *row);
void topk_fill_uneven(struct topk_row *row);
void topk_fill_tiles(struct topk_row *row);

#endif
