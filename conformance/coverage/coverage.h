/* Coverage: which combinations of classes (see aspect.h, cover.h) a set of cases contains, which
 * are impossible and why, and which are missing. */
#ifndef TOPK_COVERAGE_H
#define TOPK_COVERAGE_H

#include "cover.h"
#include "neighbours.h"

struct topk_coverage {
    struct topk_combinations exercised;
    uint64_t classes[TOPK_CLASS_COUNT]; /* number of counted cases of each class */
    uint64_t counted;
    uint64_t invalid; /* cases that must be refused */
    /* cases that may pass by a refusal, and so may show nothing */
    uint64_t open;
    uint64_t large; /* cases with an input above 1 GiB, whose data is not read */
    /* of sequences; the members above count only the last call */
    struct topk_neighbours neighbours;
};

enum topk_coverage_status {
    TOPK_COVERAGE_ADDED,
    TOPK_COVERAGE_NO_MEMORY,
    TOPK_COVERAGE_CONTRADICTION /* the case has classes that the rules call impossible */
};

/* Starts without cases. strength: classes in a combination, 1..TOPK_STRENGTH_MAX. Returns false if
 * memory is short; free it in both cases. */
bool topk_coverage_start(struct topk_coverage *coverage, unsigned strength);
void topk_coverage_free(struct topk_coverage *coverage);

/* Counts a case. For a case that contradicts the rules, sets `classes` to its classes. */
enum topk_coverage_status topk_coverage_add(struct topk_coverage *coverage,
                                            const struct topk_case *tc,
                                            unsigned char classes[TOPK_ASPECT_COUNT]);

enum topk_combination_state {
    TOPK_COMBINATION_EXERCISED,
    TOPK_COMBINATION_MISSING,
    TOPK_COMBINATION_IMPOSSIBLE
};

/* Calls `visit` with the state of every combination, in order. rules: for an impossible one, the
 * set of rules that excludes it; combinations with the same two excluding classes have the same
 * reason. Returns false if memory is short. */
bool topk_coverage_each(const struct topk_coverage *coverage,
                        void (*visit)(void *context, const unsigned char combination[],
                                      enum topk_combination_state state, uint64_t rules),
                        void *context);

#endif
