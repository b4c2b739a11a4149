/* Counts which combinations some cases contain. */
#include "coverage.h"

#include <stdlib.h>
#include <string.h>

bool topk_coverage_start(struct topk_coverage *coverage, unsigned strength)
{
    memset(coverage, 0, sizeof *coverage);
    return topk_combinations_start(&coverage->exercised, strength);
}

void topk_coverage_free(struct topk_coverage *coverage)
{
    topk_combinations_free(&coverage->exercised);
}

enum topk_coverage_status topk_coverage_add(struct topk_coverage *coverage,
                                            const struct topk_case *tc,
                                            unsigned char classes[TOPK_ASPECT_COUNT])
{
    struct topk_validity validity;
    if (!topk_neighbours_add(&coverage->neighbours, tc)) {
        return TOPK_COVERAGE_NO_MEMORY;
    }
    topk_operator_validate(&tc->op, tc->op.level, &validity);
    if (!topk_clause_set_empty(&validity.broken)) {
        coverage->invalid++;
        return TOPK_COVERAGE_ADDED;
    }
    if (!topk_aspects_count(tc)) {
        coverage->open++;
        return TOPK_COVERAGE_ADDED;
    }
    if (topk_case_too_large(tc)) {
        coverage->large++;
        return TOPK_COVERAGE_ADDED;
    }
    if (!topk_aspects_of(tc, classes)) {
        return TOPK_COVERAGE_NO_MEMORY;
    }
    if (topk_rules_broken(classes, topk_rules_all()) != 0) {
        return TOPK_COVERAGE_CONTRADICTION;
    }
    coverage->counted++;
    for (unsigned i = 0; i < TOPK_ASPECT_COUNT; i++) {
        coverage->classes[classes[i]]++;
    }
    topk_combinations_add_all(&coverage->exercised, classes);
    return TOPK_COVERAGE_ADDED;
}

/* For each pair of classes the rules that exclude it, 0 if they allow it; computed once. The caller
 * frees it. NULL if memory is short. */
static uint64_t *find_pairs(void)
{
    uint64_t *pairs = calloc((size_t)TOPK_CLASS_COUNT * TOPK_CLASS_COUNT, sizeof *pairs);
    if (pairs == NULL) {
        return NULL;
    }
    unsigned char combination[TOPK_STRENGTH_MAX] = {TOPK_CLASS_OPEN};
    while (topk_combination_next(2, combination)) {
        unsigned char classes[TOPK_ASPECT_COUNT];
        topk_combination_assign(2, combination, classes);
        if (!topk_cover_extend(classes, topk_rules_all())) {
            pairs[(size_t)combination[0] * TOPK_CLASS_COUNT + combination[1]] =
                topk_cover_reason(classes);
        }
    }
    return pairs;
}

/* the rules that exclude a combination; 0 if it is possible */
static uint64_t reason_of(const uint64_t *pairs, unsigned strength,
                          const unsigned char combination[])
{
    for (unsigned i = 0; i < strength; i++) {
        for (unsigned j = i + 1; j < strength; j++) {
            uint64_t rules = pairs[(size_t)combination[i] * TOPK_CLASS_COUNT + combination[j]];
            if (rules != 0) {
                return rules;
            }
        }
    }
    unsigned char classes[TOPK_ASPECT_COUNT];
    topk_combination_assign(strength, combination, classes);
    return topk_cover_extend(classes, topk_rules_all()) ? 0 : topk_cover_reason(classes);
}

bool topk_coverage_each(const struct topk_coverage *coverage,
                        void (*visit)(void *context, const unsigned char combination[],
                                      enum topk_combination_state state, uint64_t rules),
                        void *context)
{
    uint64_t *pairs = find_pairs();
    unsigned strength = coverage->exercised.strength;
    unsigned char combination[TOPK_STRENGTH_MAX] = {TOPK_CLASS_OPEN};
    if (pairs == NULL) {
        return false;
    }
    while (topk_combination_next(strength, combination)) {
        uint64_t rules = 0;
        enum topk_combination_state state = TOPK_COMBINATION_EXERCISED;
        if (!topk_combinations_has(&coverage->exercised, combination)) {
            rules = reason_of(pairs, strength, combination);
            state = rules == 0 ? TOPK_COMBINATION_MISSING : TOPK_COMBINATION_IMPOSSIBLE;
        }
        visit(context, combination, state, rules);
    }
    free(pairs);
    return true;
}
