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
    for (uint32_t i = row->length; i > 1; i--) {
        uint32_t j = topk_pcg_below(&row->pcg, i);
        uint64_t swap = row->bits[i - 1];
        row->bits[i - 1] = row->bits[j];
        row->bits[j] = swap;
    }
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
