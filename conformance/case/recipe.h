/* Recipes make the data of a case. A recipe fills one sequence at a time, from its parameters and a
 * random stream for that sequence. The same name, version and parameters always give the same bits.
 * To change the output of a recipe, add a version: old case texts must keep their meaning. */
#ifndef TOPK_RECIPE_H
#define TOPK_RECIPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reference/pcg.h"

#define TOPK_RECIPE_PARAMETERS 3

/* One sequence to fill. */
struct topk_row {
    uint32_t type;              /* one of the ten valid types */
    uint32_t length;            /* elements */
    uint32_t k;                 /* K, at least 1 and at most length */
    bool increasing;            /* the K smallest are selected, not the K largest */
    uint64_t sequence;          /* number of the sequence */
    const uint64_t *parameters; /* as many as the recipe takes */
    struct topk_pcg pcg;        /* seeded with the last parameter; one stream per sequence */
    uint32_t from;              /* position of the first element to fill; 0 without parts */
    uint32_t count;             /* elements to fill; all without parts */
    uint64_t *bits;             /* room for count elements */
};

struct topk_recipe {
    const char *name;    /* "ties" */
    uint32_t version;    /* from 1 */
    uint32_t parameters; /* how many numbers follow the name; the last one is the seed */
    const char *names;   /* names of the parameters, "DISTINCT:SEED" */
    const char *example; /* parameters that show its effect, "3:7" */
    const char *about;   /* one line */
    void (*fill)(struct topk_row *row);
    bool parts; /* it can fill a sequence in parts, one after another */
};

/* All recipes, in the order of the table in recipe.c. */
extern const struct topk_recipe topk_recipes[];
extern const size_t topk_recipe_count;

/* Returns the recipe of a name of `length` characters and a version; NULL if there is none. */
const struct topk_recipe *topk_recipe_find(const char *name, size_t length, uint32_t version);

/* Fills row->bits; seeds row->pcg itself. */
void topk_recipe_fill(const struct topk_recipe *recipe, struct topk_row *row);
/* Fills the `count` elements of the sequence from `from` on into row->bits, for a recipe with
 * parts. The first part starts at 0, each other one at the end of the one before. */
void topk_recipe_fill_part(const struct topk_recipe *recipe, struct topk_row *row, uint32_t from,
                           uint32_t count);

/* The number of weak orders of up to 12 elements: 1, 3, 13, 75, 541, 4683, 47293, ... Recipe orders
 * uses one for each sequence, in order. */
uint64_t topk_order_count(uint32_t elements);

#endif
