/* Stores the kept cases and derives new cases from them.
 *
 * A case depends only on the seed, its position, and what was kept for that position, so it can be
 * drawn again at any time. Inputs have the format of the fuzz target `differential`: choices for
 * the generator, or the text of a case. */
#ifndef TOPK_SEARCH_H
#define TOPK_SEARCH_H

#include "generate/generate.h"

/* A kept case, or an initial input. */
struct topk_kept {
    unsigned char *bytes; /* owned */
    size_t length;
    uint64_t after;    /* first position where it may be a parent */
    uint64_t elements; /* of the inputs of all calls */
};

struct topk_kept_list {
    struct topk_kept *list; /* owned; in ascending order of `after` */
    size_t count;
    size_t room;
};

/* Greatest number of constants that are noted. */
#define TOPK_SEARCH_NUMBERS 1024u

/* Constants that the backend compares with; they are tried as sizes and as K. */
struct topk_numbers {
    uint32_t list[TOPK_SEARCH_NUMBERS];
    uint64_t after[TOPK_SEARCH_NUMBERS]; /* first position where each may be used */
    uint32_t count;
};

/* Initialize it with zeros, then set the first three members. */
struct topk_search {
    uint64_t seed;
    uint64_t from;                    /* first position */
    const struct topk_limits *limits; /* for cases drawn without feedback; must outlive this */
    struct topk_kept_list first;      /* inputs that are run first, in this order */
    struct topk_kept_list kept;
    struct topk_numbers numbers;
    /* the input of the most recently drawn case */
    size_t length;
    unsigned char *bytes; /* owned, TOPK_CASE_TEXT bytes; NULL: no case was drawn */
};

void topk_search_free(struct topk_search *search);

/* Adds an input that is run before any case is drawn. Returns false if memory is short. */
bool topk_search_first(struct topk_search *search, const unsigned char *bytes, size_t length);

/* Keeps the case of a position as a parent for positions from `after` on. `after` must not decrease
 * between calls. Returns false if memory is short. */
bool topk_search_keep(struct topk_search *search, uint64_t position, uint64_t after);

/* topk_search_wants() returns whether a constant is useful and not yet noted; topk_search_note()
 * notes it, with `after` as in topk_search_keep(). */
bool topk_search_wants(const struct topk_search *search, uint64_t number);
void topk_search_note(struct topk_search *search, uint64_t number, uint64_t after);

/* Draws the case of a position: an initial input, the case that explore draws there without
 * feedback, or a case derived from those kept for that position. Clear *tc afterwards. Returns
 * false if memory is short. */
bool topk_search_draw(struct topk_search *search, uint64_t position, struct topk_case *tc);

#endif
