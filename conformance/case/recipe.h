/* Recipes: how the data of a case is made. A recipe fills one sequence at a time from its
 * parameters and a random stream of its own; the same name, version and parameters always give the
 * same bits. To change what a recipe makes, add a version: old case texts keep their meaning. */
#ifndef TOPK_RECIPE_H
#define TOPK_RECIPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reference/pcg.h"

#define TOPK_RECIPE_PARAMETERS 3

/* One sequence to fill. */
struct topk_row {
    uint32_t type;              /* one of the ten */
    uint32_t length;            /* elements */
    uint32_t k;                 /* K, at least 1 and at most length */
    bool increasing;            /* the K smallest are selected */
    uint64_t sequence;          /* number of the sequence */
    const uint64_t *parameters; /* as many as the recipe has */
    struct topk_pcg pcg;        /* seeded with the last parameter, one stream a sequence */
    uint64_t *bits;             /* room for length elements */
};

struct topk_recipe {
    const char *name;    /* "ties" */
    uint32_t version;    /* 1.. */
    uint32_t parameters; /* how many numbers stand behind the name; the last one is the seed */
    const char *names;   /* of the parameters, "DISTINCT:SEED" */
    const char *example; /* parameters that show what it makes, "3:7" */
    const char *about;   /* one line */
    void (*fill)(struct topk_row *row);
};

/* The table, in the order of recipe.c. */
extern const struct topk_recipe topk_recipes[];
extern const size_t topk_recipe_count;

/* The recipe of that name and version; NULL if there is none. The name has `length` characters. */
const struct topk_recipe *topk_recipe_find(const char *name, size_t length, uint32_t version);

/* Fills row->bits; seeds row->pcg itself. */
void topk_recipe_fill(const struct topk_recipe *recipe, struct topk_row *row);

/* The number of weak orders of up to 12 elements: 1, 3, 13, 75, 541, 4683, 47293, ... recipe orders
 * runs through them, sequence by sequence. */
uint64_t topk_order_count(uint32_t elements);

#endif
