/* What the searches of cover_search.c and cover_array.c share: an assignment that is being filled,
 * with the classes that its open aspects can still have. */
#ifndef TOPK_COVER_SEARCH_H
#define TOPK_COVER_SEARCH_H

#include "cover.h"

struct topk_partial {
    unsigned char classes[TOPK_ASPECT_COUNT];
    uint16_t left[TOPK_ASPECT_COUNT]; /* of an open aspect: a bit a class, the first lowest */
};

/* Begins with an assignment that has open aspects. False if it breaks a rule, or leaves an aspect
 * without a class, as far as rules tell of which all aspects but one are settled. */
bool topk_partial_start(struct topk_partial *partial,
                        const unsigned char classes[TOPK_ASPECT_COUNT], uint64_t rules);

/* Settles an open aspect on a class that is left to it. False as above. */
bool topk_partial_settle(struct topk_partial *partial, unsigned aspect, unsigned char class,
                         uint64_t rules);

#endif
