/* Coverage: which combinations of classes (see aspect.h, cover.h) some cases exercise, which are
 * impossible and why, and which are missing. */
#ifndef TOPK_COVERAGE_H
#define TOPK_COVERAGE_H

#include "cover.h"
#include "neighbours.h"

struct topk_coverage {
    struct topk_combinations exercised;
    uint64_t classes[TOPK_CLASS_COUNT]; /* cases that count, of each class */
    uint64_t counted;
    uint64_t invalid;                  /* they have to be refused */
    uint64_t open;                     /* a refusal passes, so they need not show anything */
    uint64_t large;                    /* of an input above 1 GiB, which is not looked into */
    struct topk_neighbours neighbours; /* of sequences, of which the last call is counted above */
};

enum topk_coverage_status {
    TOPK_COVERAGE_ADDED,
    TOPK_COVERAGE_NO_MEMORY,
    TOPK_COVERAGE_CONTRADICTION /* the case has classes that the rules call impossible */
};

/* Begins without any case. strength: classes of a combination, 1..TOPK_STRENGTH_MAX. False if
 * memory is short; to be freed either way. */
bool topk_coverage_start(struct topk_coverage *coverage, unsigned strength);
void topk_coverage_free(struct topk_coverage *coverage);

/* Counts a case. classes gets those of a case that contradicts the rules. */
enum topk_coverage_status topk_coverage_add(struct topk_coverage *coverage,
                                            const struct topk_case *tc,
                                            unsigned char classes[TOPK_ASPECT_COUNT]);

enum topk_combination_state {
    TOPK_COMBINATION_EXERCISED,
    TOPK_COMBINATION_MISSING,
    TOPK_COMBINATION_IMPOSSIBLE
};

/* Says of every combination, in order, how it stands. rules: of an impossible one the reason, a set
 * of rules; the same for all that are impossible by the same two classes. False if memory is short.
 */
bool topk_coverage_each(const struct topk_coverage *coverage,
                        void (*visit)(void *context, const unsigned char combination[],
                                      enum topk_combination_state state, uint64_t rules),
                        void *context);

#endif
