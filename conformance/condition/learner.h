/* Samples as sets of bits, so that learn.c finds the samples that satisfy a term without examining
 * them again. Only files of this folder include this. */
#ifndef TOPK_LEARNER_H
#define TOPK_LEARNER_H

#include "learn.h"

/* If a number has more distinct values, neighbouring ones share a level. */
#define LEVELS_MOST 256u

typedef uint64_t *topk_set; /* a bit per sample */

struct topk_learner {
    const struct topk_sample *const *samples; /* not owned */
    size_t count;
    size_t words; /* in each set */
    /* samples with each word; a sample whose word is unknown is in none of them */
    topk_set by_word[TOPK_CATEGORY_COUNT][TOPK_CATEGORY_WORDS];
    unsigned category_words[TOPK_CATEGORY_COUNT];
    struct topk_levels {
        unsigned count;
        uint64_t greatest;               /* greatest value that occurs */
        uint64_t least[LEVELS_MOST];     /* least value of each level, ascending */
        topk_set below[LEVELS_MOST + 1]; /* samples in lower levels */
    } * numbers;                         /* TOPK_NUMBER_COUNT of them */
    topk_set pass;
    /* scratch space of describe() */
    const struct topk_sample **failures; /* of the part */
    size_t failure_count;
    topk_set room;
};

/* Prepares to learn from `count` samples, which must outlive the learner. Returns false if memory
 * is short; free it in any case. */
bool topk_learner_start(struct topk_learner *learner, const struct topk_sample *const *samples,
                        size_t count);
void topk_learner_free(struct topk_learner *learner);

/* Returns an empty set; free it. Returns NULL if memory is short. */
topk_set topk_set_new(const struct topk_learner *learner);
bool topk_set_holds(const uint64_t *of, size_t number);
void topk_set_put(uint64_t *into, size_t number);
uint64_t topk_set_count(const struct topk_learner *learner, const uint64_t *of);

/* Writes to `within` the members of `from` for which a term holds or, with `may`, is unknown.
 * Values on one level are not distinguished. */
void topk_learner_restrict(const struct topk_learner *learner, const struct topk_term *term,
                           bool may, const uint64_t *from, uint64_t *within);

/* Computes the tightest term of a category that holds for all failures for which it is known.
 * Returns false if that term holds for all cases, or if it is known for less than half of the
 * failures. */
bool topk_tight_words(const struct topk_sample *const *failures, size_t count,
                      enum topk_category category, struct topk_term *term);
/* The same for a number, with both bounds. */
bool topk_tight_bounds(const struct topk_sample *const *failures, size_t count,
                       enum topk_number number, struct topk_term *term);

/* Learns the conditions of as many bugs as can be told apart, and sets part_of[i] to the number of
 * the bug of failure i. Returns false if memory is short. */
bool topk_learn(const struct topk_sample *const *samples, size_t count,
                struct topk_condition conditions[TOPK_BUGS_MAX], unsigned char *part_of,
                size_t *part_count);

#endif
