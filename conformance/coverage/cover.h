/* Covering the combinations of classes (see aspect.h): which of them exist at all, a few cases that
 * show them all, and a case of any classes that go together.
 *
 * A full assignment is an array of one class an aspect. It exists if all rules hold; for each that
 * exists topk_cover_build makes a case. A combination, some classes of different aspects, is
 * possible if a full assignment that exists has them. */
#ifndef TOPK_COVER_H
#define TOPK_COVER_H

#include "aspect.h"

/* In an assignment: the aspect is open. */
#define TOPK_CLASS_OPEN 255

/* ---- rules: cover_rules.def, cover_rules.c --------------------------------------------------- */

struct topk_rule {
    uint32_t aspects; /* those that it looks at, a bit each */
    bool (*holds)(const unsigned char classes[TOPK_ASPECT_COUNT]);
    const char *reason; /* what it says, with its clause */
};

/* At most 64. */
extern const struct topk_rule topk_rules[];
extern const unsigned topk_rule_count;

/* All rules as a set, a bit each. */
uint64_t topk_rules_all(void);

/* The rules of a set that a full assignment breaks. */
uint64_t topk_rules_broken(const unsigned char classes[TOPK_ASPECT_COUNT], uint64_t rules);

/* ---- lengths and K: cover_shape.c ------------------------------------------------------------ */

/* Whether the type has values enough for the ties and the specials of an assignment, with the
 * shortest length of its class and the least K of its own. */
bool topk_cover_room(const unsigned char classes[TOPK_ASPECT_COUNT]);

/* Settles on a length and a K of an assignment that leave such room; false if there are none. */
bool topk_cover_shape(const unsigned char classes[TOPK_ASPECT_COUNT], struct topk_pcg *pcg,
                      uint32_t *length, uint32_t *k);

/* ---- combinations: cover_search.c ------------------------------------------------------------ */

/* Most classes of a combination. */
#define TOPK_STRENGTH_MAX 3

/* Fills what is open in an assignment so that the rules of a set hold. False, and classes as they
 * were, if that cannot be done: their combination is impossible. */
bool topk_cover_extend(unsigned char classes[TOPK_ASPECT_COUNT], uint64_t rules);

/* Rules that make an impossible assignment impossible, none of which could be left out. */
uint64_t topk_cover_reason(const unsigned char classes[TOPK_ASPECT_COUNT]);

/* A set of combinations of one strength. */
struct topk_combinations {
    unsigned strength;   /* 1..TOPK_STRENGTH_MAX */
    unsigned char *bits; /* owned */
};

/* An empty set. False if memory is short. To be freed either way. */
bool topk_combinations_start(struct topk_combinations *set, unsigned strength);
void topk_combinations_free(struct topk_combinations *set);

/* combination: as many classes as the strength says, ascending, of different aspects. */
bool topk_combinations_has(const struct topk_combinations *set, const unsigned char combination[]);
void topk_combinations_add(struct topk_combinations *set, const unsigned char combination[]);
/* Adds all combinations of a full assignment. */
void topk_combinations_add_all(struct topk_combinations *set,
                               const unsigned char classes[TOPK_ASPECT_COUNT]);

/* Calls a function with every combination of a full assignment. */
void topk_combinations_visit(unsigned strength, const unsigned char classes[TOPK_ASPECT_COUNT],
                             void (*visit)(void *context, const unsigned char combination[]),
                             void *context);

/* Steps to the next of all combinations of a strength, in order; before the first of them
 * combination[0] is TOPK_CLASS_OPEN. False behind the last. */
bool topk_combination_next(unsigned strength, unsigned char combination[TOPK_STRENGTH_MAX]);

/* The assignment that has the classes of a combination and is open otherwise. */
void topk_combination_assign(unsigned strength, const unsigned char combination[],
                             unsigned char classes[TOPK_ASPECT_COUNT]);

/* ---- covering arrays: cover_array.c ---------------------------------------------------------- */

/* Yields full assignments that together have every possible combination of a strength, until take
 * returns false. The same ones always. False if memory was short. */
bool topk_cover_array(unsigned strength,
                      bool (*take)(void *context, const unsigned char classes[TOPK_ASPECT_COUNT]),
                      void *context);

/* ---- cases: cover_build.c -------------------------------------------------------------------- */

/* Makes the case of a full assignment that exists; topk_aspects_of gives the assignment back. seed:
 * varies what the classes leave open (lengths, sizes, strides, data). Of an assignment that breaks
 * a rule it makes some other case, or returns false if not even that can be done. */
bool topk_cover_build(const unsigned char classes[TOPK_ASPECT_COUNT], uint32_t seed,
                      struct topk_case *tc);

#endif
