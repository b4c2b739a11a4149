/* Samples as sets of bits, for learn.c: it finds out which of them meet a term without looking at
 * them again. No other file includes this. */
#ifndef TOPK_LEARNER_H
#define TOPK_LEARNER_H

#include "learn.h"

/* More different values of a number are put together with their neighbours. */
#define LEVELS_MOST 256u

typedef uint64_t *topk_set; /* of samples, a bit each */

struct topk_learner {
    const struct topk_sample *const *samples; /* not owned */
    size_t count;
    size_t words; /* of a set */
    /* sets of the samples that have a word; those of which it is not known are in none */
    topk_set by_word[TOPK_CATEGORY_COUNT][TOPK_CATEGORY_WORDS];
    unsigned category_words[TOPK_CATEGORY_COUNT];
    struct topk_levels {
        unsigned count;
        uint64_t greatest;               /* value that there is */
        uint64_t least[LEVELS_MOST];     /* values of a level, ascending */
        topk_set below[LEVELS_MOST + 1]; /* of the samples in a lower level */
    } * numbers;                         /* TOPK_NUMBER_COUNT of them */
    topk_set pass;
    /* room for describe() */
    const struct topk_sample **failures; /* of the part */
    size_t failure_count;
    topk_set room;
};

/* Gets ready to learn from samples, `count` of them, which have to outlive it. False if memory is
 * short; it is to be freed in any case. */
bool topk_learner_start(struct topk_learner *learner, const struct topk_sample *const *samples,
                        size_t count);
void topk_learner_free(struct topk_learner *learner);

/* An empty set, to be freed; NULL if memory is short. */
topk_set topk_set_new(const struct topk_learner *learner);
bool topk_set_holds(const uint64_t *of, size_t number);
void topk_set_put(uint64_t *into, size_t number);
uint64_t topk_set_count(const struct topk_learner *learner, const uint64_t *of);

/* Leaves in `within` what is in `from` and of which a term holds or, if it `may`, is not known.
 * Values of a number that are on one level count as one. */
void topk_learner_restrict(const struct topk_learner *learner, const struct topk_term *term,
                           bool may, const uint64_t *from, uint64_t *within);

/* The tightest term of a category that holds of all failures of which it is known; false if it
 * holds of all cases, or if it is known of less than half of them. */
bool topk_tight_words(const struct topk_sample *const *failures, size_t count,
                      enum topk_category category, struct topk_term *term);
/* The same of a number, with both bounds. */
bool topk_tight_bounds(const struct topk_sample *const *failures, size_t count,
                       enum topk_number number, struct topk_term *term);

/* Learns the conditions of as many bugs as can be told apart: part_of[i] becomes the number of that
 * of failure i. False if memory is short. */
bool topk_learn(const struct topk_sample *const *samples, size_t count,
                struct topk_condition conditions[TOPK_BUGS_MAX], unsigned char *part_of,
                size_t *part_count);

#endif
