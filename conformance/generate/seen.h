/* Which cases came already: a set of the hashes of their texts. */
#ifndef TOPK_SEEN_H
#define TOPK_SEEN_H

#include "case/case.h"

struct topk_seen {
    uint64_t *hashes; /* owned; 0 is free */
    uint64_t room;    /* a power of two */
};

/* Makes an empty set for up to `most` cases, whose texts without literal data of more than a
 * thousand elements are told apart. False if memory is short. To be freed. */
bool topk_seen_make(struct topk_seen *seen, uint64_t most);
void topk_seen_free(struct topk_seen *seen);

/* Adds a case; false if it, or one of the same 64-bit hash, is there. */
bool topk_seen_add(struct topk_seen *seen, const struct topk_case *tc);

#endif
