/* A set of the cases that occurred already, as hashes of their texts. */
#ifndef TOPK_SEEN_H
#define TOPK_SEEN_H

#include "case/case.h"

struct topk_seen {
    uint64_t *hashes; /* owned; 0 is free */
    uint64_t room;    /* a power of two */
    char *text;       /* owned: room for the text of a case */
};

/* Makes an empty set for up to `most` cases. Texts with literal data of more than a thousand
 * elements may be mistaken for each other. Returns false if memory is short. Free it with
 * topk_seen_free(). */
bool topk_seen_make(struct topk_seen *seen, uint64_t most);
void topk_seen_free(struct topk_seen *seen);

/* Adds a case. Returns false if the set contains it, or a case with the same 64-bit hash. */
bool topk_seen_add(struct topk_seen *seen, const struct topk_case *tc);

#endif
