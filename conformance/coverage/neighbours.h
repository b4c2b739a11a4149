/* Neighbours: which aspects change between neighbouring calls of a sequence, and from which class
 * to which. A stale cache shows up when an aspect changes that its key lacks. */
#ifndef TOPK_NEIGHBOURS_H
#define TOPK_NEIGHBOURS_H

#include "aspect.h"

struct topk_neighbours {
    uint64_t pairs;                      /* neighbouring calls that both count */
    uint64_t refused;                    /* valid calls directly after an invalid one */
    uint64_t same;                       /* pairs in which no aspect changes */
    uint64_t changed[TOPK_ASPECT_COUNT]; /* pairs in which this aspect changes */
    uint64_t alone[TOPK_ASPECT_COUNT];   /* pairs in which only this aspect changes */
    /* changes from a class to another of its aspect that occurred */
    bool turned[TOPK_CLASS_COUNT][TOPK_CLASS_COUNT];
};

/* Counts the neighbouring calls of a case. A single call has none. Returns false if memory is
 * short. */
bool topk_neighbours_add(struct topk_neighbours *neighbours, const struct topk_case *tc);

/* How many changes from one class of an aspect to another occurred, out of n * (n - 1) for n
 * classes. */
unsigned topk_neighbours_turns(const struct topk_neighbours *neighbours, enum topk_aspect aspect);

#endif
