/* Combinations of classes (see aspect.h): which of them are possible, a small set of cases that
 * contains them all, and a case for any possible one.
 *
 * A full assignment is an array with one class for each aspect. It exists if all rules hold, and
 * then topk_cover_build can make a case for it. A combination is a set of classes of different
 * aspects. It is possible if an existing full assignment contains it.
 */
#ifndef TOPK_COVER_H
#define TOPK_COVER_H

#include "aspect.h"

/* In an assignment: the aspect has no class yet. */
#define TOPK_CLASS_OPEN 255

/* ---- rules: cover_rules.def, cover_rules.c --------------------------------------------------- */

struct topk_rule {
    uint32_t aspects; /* the aspects that it depends on, one bit each */
    bool (*holds)(const unsigned char classes[TOPK_ASPECT_COUNT]);
    const char *reason; /* the rule in words, with its clause */
};

/* At most 64. */
extern const struct topk_rule topk_rules[];
extern const unsigned topk_rule_count;

/* The set of all rules, one bit each. */
uint64_t topk_rules_all(void);

/* The subset of `rules` that a full assignment breaks. */
uint64_t topk_rules_broken(const unsigned char classes[TOPK_ASPECT_COUNT], uint64_t rules);

/* ---- lengths and K: cover_shape.c ------------------------------------------------------------ */

/* Whether the type has enough values for the ties and specials of an assignment, for the shortest
 * length and the least K of its classes. */
bool topk_cover_room(const unsigned char classes[TOPK_ASPECT_COUNT]);

/* Chooses a length and a K of an assignment for which the type has enough values. Returns false if
 * there are none. */
bool topk_cover_shape(const unsigned char classes[TOPK_ASPECT_COUNT], struct topk_pcg *pcg,
                      uint32_t *length, uint32_t *k);

/* ---- combinations: cover_search.c ------------------------------------------------------------ */

/* Greatest number of classes in a combination. */
#define TOPK_STRENGTH_MAX 3

/* Completes an assignment so that a set of rules holds. Returns false, with classes unchanged, if
 * that is impossible. */
bool topk_cover_extend(unsigned char classes[TOPK_ASPECT_COUNT], uint64_t rules);

/* A minimal set of rules that makes an impossible assignment impossible. */
uint64_t topk_cover_reason(const unsigned char classes[TOPK_ASPECT_COUNT]);

/* A set of combinations of one strength, the number of classes in each. */
struct topk_combinations {
    unsigned strength;   /* 1..TOPK_STRENGTH_MAX */
    unsigned char *bits; /* owned */
};

/* Makes an empty set. Returns false if memory is short. Free it in both cases. */
bool topk_combinations_start(struct topk_combinations *set, unsigned strength);
void topk_combinations_free(struct topk_combinations *set);

/* combination: `strength` classes of different aspects, ascending. */
bool topk_combinations_has(const struct topk_combinations *set, const unsigned char combination[]);
void topk_combinations_add(struct topk_combinations *set, const unsigned char combination[]);
/* Adds every combination that a full assignment contains. */
void topk_combinations_add_all(struct topk_combinations *set,
                               const unsigned char classes[TOPK_ASPECT_COUNT]);

/* Calls `visit` for every combination that a full assignment contains. */
void topk_combinations_visit(unsigned strength, const unsigned char classes[TOPK_ASPECT_COUNT],
                             void (*visit)(void *context, const unsigned char combination[]),
                             void *context);

/* Advances to the next combination of a strength, in order. To start, set combination[0] to
 * TOPK_CLASS_OPEN. Returns false after the last. */
bool topk_combination_next(unsigned strength, unsigned char combination[TOPK_STRENGTH_MAX]);

/* Makes the assignment that contains a combination and is open otherwise. */
void topk_combination_assign(unsigned strength, const unsigned char combination[],
                             unsigned char classes[TOPK_ASPECT_COUNT]);

/* ---- covering arrays: cover_array.c ---------------------------------------------------------- */

/* Yields full assignments that together contain every possible combination of a strength, until
 * `take` returns false. The result is deterministic. Returns false if memory was short. */
bool topk_cover_array(unsigned strength,
                      bool (*take)(void *context, const unsigned char classes[TOPK_ASPECT_COUNT]),
                      void *context);

/* ---- cases: cover_build.c -------------------------------------------------------------------- */

/* Makes a case for an existing full assignment; topk_aspects_of() returns the same assignment for
 * it. seed varies what the classes leave open: lengths, sizes, strides, data. For an assignment
 * that breaks a rule, makes a different case or returns false. Clear *tc. */
bool topk_cover_build(const unsigned char classes[TOPK_ASPECT_COUNT], uint32_t seed,
                      struct topk_case *tc);

#endif
