/* Neighbours: which aspects change from one call of a sequence to the next, and from which class to
 * which. State that a backend keeps shows where what it forgets has changed. */
#ifndef TOPK_NEIGHBOURS_H
#define TOPK_NEIGHBOURS_H

#include "aspect.h"

struct topk_neighbours {
    uint64_t pairs;                      /* of calls, one behind the other, that both count */
    uint64_t refused;                    /* valid calls right behind one that is to be refused */
    uint64_t same;                       /* pairs without a change */
    uint64_t changed[TOPK_ASPECT_COUNT]; /* pairs in which an aspect changes, */
    uint64_t alone[TOPK_ASPECT_COUNT];   /* and no other one does */
    bool turned[TOPK_CLASS_COUNT][TOPK_CLASS_COUNT]; /* from a class to another of its aspect */
};

/* Counts the neighbours in a case; one of a single call has none. False if memory is short. */
bool topk_neighbours_add(struct topk_neighbours *neighbours, const struct topk_case *tc);

/* How many changes of an aspect from a class to another are exercised; there are n * (n - 1) of n
 * classes. */
unsigned topk_neighbours_turns(const struct topk_neighbours *neighbours, enum topk_aspect aspect);

#endif
