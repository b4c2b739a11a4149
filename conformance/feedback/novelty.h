/* Features: numbers that describe what a case made a backend do. A case is worth keeping if it has
 * a feature that no earlier case has. */
#ifndef TOPK_NOVELTY_H
#define TOPK_NOVELTY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A list of features; initialize it with zeros. */
struct topk_feature_list {
    uint32_t *list; /* owned */
    size_t count;
    size_t room;
};

/* Appends a feature. Returns false if memory is short. */
bool topk_feature_list_add(struct topk_feature_list *features, uint32_t feature);
void topk_feature_list_free(struct topk_feature_list *features);

/* The set of features seen so far. */
struct topk_novelty {
    uint64_t *bits; /* owned */
    uint32_t space; /* all features are less than this */
    uint64_t count; /* features in the set */
};

/* Makes an empty set. Returns false if memory is short. Free it in any case. */
bool topk_novelty_make(struct topk_novelty *novelty, uint32_t space);
void topk_novelty_free(struct topk_novelty *novelty);
/* topk_novelty_new() returns whether a feature is not in the set; topk_novelty_note() adds it. */
bool topk_novelty_new(const struct topk_novelty *novelty, uint32_t feature);
void topk_novelty_note(struct topk_novelty *novelty, uint32_t feature);

#endif
