/* Functions that several recipes use. */
#ifndef TOPK_RECIPE_STEPS_H
#define TOPK_RECIPE_STEPS_H

#include "recipe.h"
#include "reference/element.h"
#include "value.h"

/* the value of rank i of `count`, counted from the one selected first */
static inline uint64_t nth_best(const struct topk_row *row, uint64_t i, uint64_t count)
{
    return topk_value_of_rank(row->type, row->increasing ? i : count - 1 - i, count);
}

/* brings a row into random order */
static inline void shuffle(struct topk_row *row)
{
    struct topk_pcg pcg = row->pcg; /* a copy, which no element can alias */
    uint64_t *const bits = row->bits;
    for (uint32_t i = row->length; i > 1; i--) {
        uint32_t j = topk_pcg_below(&pcg, i);
        uint64_t swap = bits[i - 1];
        bits[i - 1] = bits[j];
        bits[j] = swap;
    }
    row->pcg = pcg;
}

/* Fills with files of their own: recipe_tied.c, recipe_every.c, recipe_rows.c, recipe_parts.c. */
void topk_fill_tied(struct topk_row *row);
void topk_fill_orders(struct topk_row *row);
void topk_fill_every(struct topk_row *row);
void topk_fill_comb(struct topk_row *row);
void topk_fill_nearly(struct topk_row *row);
void topk_fill_close(struct topk_row *row);
void topk_fill_uneven(struct topk_row *row);
void topk_fill_tiles(struct topk_row *row);
void topk_fill_mask(struct topk_row *row);

#endif
