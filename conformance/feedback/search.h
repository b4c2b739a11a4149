/* The cases that were kept, and drawing around them.
 *
 * A case is drawn from the seed, its position, and the cases that were kept before a position; so
 * it can be drawn again at any time. Kept cases are inputs as of the fuzz target `differential`:
 * choices for the generator, or the text of a case. */
#ifndef TOPK_SEARCH_H
#define TOPK_SEARCH_H

#include "generate/generate.h"

/* a case that was kept, or one to begin with */
struct topk_kept {
    unsigned char *bytes; /* owned */
    size_t length;
    uint64_t after;    /* it is drawn around from this position on */
    uint64_t elements; /* of all its calls */
};

struct topk_kept_list {
    struct topk_kept *list; /* owned; by `after` */
    size_t count;
    size_t room;
};

/* Most constants that are remembered. */
#define TOPK_SEARCH_NUMBERS 1024u

/* Constants that the backend compares with, which become sizes and K. */
struct topk_numbers {
    uint32_t list[TOPK_SEARCH_NUMBERS];
    uint64_t after[TOPK_SEARCH_NUMBERS]; /* each is used from this position on */
    uint32_t count;
};

/* Zero it, and set the first three. */
struct topk_search {
    uint64_t seed;
    uint64_t from;                    /* the first position */
    const struct topk_limits *limits; /* of cases that are drawn as without feedback; outlives it */
    struct topk_kept_list first;      /* inputs that are run first, in this order */
    struct topk_kept_list kept;
    struct topk_numbers numbers;
    /* of the case that was drawn last */
    size_t length;
    unsigned char *bytes; /* owned, TOPK_CASE_TEXT of them; NULL: nothing was drawn */
};

void topk_search_free(struct topk_search *search);

/* Adds an input that is run before others are drawn. False if memory is short. */
bool topk_search_first(struct topk_search *search, const unsigned char *bytes, size_t length);

/* Keeps the case of a position: it is drawn around from `after` on, which does not become less from
 * one to the next. False if memory is short. */
bool topk_search_keep(struct topk_search *search, uint64_t position, uint64_t after);

/* Whether a constant is worth noting, and has not been; notes it, see topk_search_keep(). */
bool topk_search_wants(const struct topk_search *search, uint64_t number);
void topk_search_note(struct topk_search *search, uint64_t number, uint64_t after);

/* Draws the case of a position from the cases that were kept before it: one to begin with, one
 * that explore draws there without feedback, or a changed one. *tc is to be cleared. False if
 * memory is short. */
bool topk_search_draw(struct topk_search *search, uint64_t position, struct topk_case *tc);

#endif
