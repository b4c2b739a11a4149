/* Features: numbers that say what a case made a backend do. A case is worth keeping if it has one
 * that no case before it had. */
#ifndef TOPK_NOVELTY_H
#define TOPK_NOVELTY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Some features; zero it. */
struct topk_feature_list {
    uint32_t *list; /* owned */
    size_t count;
    size_t room;
};

/* Appends one. False if memory is short. */
bool topk_feature_list_add(struct topk_feature_list *features, uint32_t feature);
void topk_feature_list_free(struct topk_feature_list *features);

/* Which features came already. */
struct topk_novelty {
    uint64_t *bits; /* owned */
    uint32_t space; /* features are below */
    uint64_t count; /* that came */
};

/* False if memory is short. To be freed. */
bool topk_novelty_make(struct topk_novelty *novelty, uint32_t space);
void topk_novelty_free(struct topk_novelty *novelty);
/* Whether a feature has not come; notes it. */
bool topk_novelty_new(const struct topk_novelty *novelty, uint32_t feature);
void topk_novelty_note(struct topk_novelty *novelty, uint32_t feature);

#endif
