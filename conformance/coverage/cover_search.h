/* Shared by the searches of cover_search.c and cover_array.c: a partial assignment, with the
 * classes that its open aspects can still have. */
#ifndef TOPK_COVER_SEARCH_H
#define TOPK_COVER_SEARCH_H

#include "cover.h"

struct topk_partial {
    unsigned char classes[TOPK_ASPECT_COUNT];
    uint16_t left[TOPK_ASPECT_COUNT]; /* for an open aspect, one bit per class from the lowest */
    uint32_t open;                    /* the open aspects, one bit each */
    uint64_t rules;                   /* those with two open aspects or more, which cannot decide */
};

/* Starts from an assignment with open aspects. Returns false if it breaks one of the rules or
 * leaves an aspect without classes. Applies only rules with at most one open aspect. */
bool topk_partial_start(struct topk_partial *partial,
                        const unsigned char classes[TOPK_ASPECT_COUNT], uint64_t rules);

/* Sets an open aspect to one of its remaining classes. Returns false as above. */
bool topk_partial_settle(struct topk_partial *partial, unsigned aspect, unsigned char class);

#endif
