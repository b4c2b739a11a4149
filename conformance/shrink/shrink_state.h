/* What the parts of the shrinker share: shrink.c goes through the steps of shrink_steps.c and
 * shrink_data.c, which change a case by shrink_change.c and offer it to shrink_offer.c, which has
 * what shrink_weight.c calls lighter tried. Nobody else includes this. */
#ifndef TOPK_SHRINK_STATE_H
#define TOPK_SHRINK_STATE_H

#include "shrink.h"

/* ---- weights: shrink_weight.c ---------------------------------------------------------------- */

/* Literal data of at most so many elements is plainer than any recipe. */
#define TOPK_SHRINK_LITERAL 64u

/* Lighter is what is less in the first number that differs. */
#define TOPK_SHRINK_WEIGHTS 11
struct topk_shrink_weight {
    uint64_t of[TOPK_SHRINK_WEIGHTS];
};

struct topk_shrink_weight topk_shrink_weigh(const struct topk_case *tc);
bool topk_shrink_lighter(const struct topk_shrink_weight *a, const struct topk_shrink_weight *b);

/* The level that says least: the lowest that has what the case asks for. */
uint32_t topk_shrink_plain_level(const struct topk_operator *op);

/* How plain a type is: 0 is the plainest. */
uint32_t topk_shrink_type_plainness(uint32_t type);

/* How plain an element is: small whole numbers, then specials, then what has few bits. */
uint64_t topk_shrink_value_weight(uint32_t type, uint64_t bits);

/* Makes the data that of a plain recipe; the lower its number, the plainer. */
#define TOPK_SHRINK_PLAIN_RECIPES 76u
void topk_shrink_set_recipe(struct topk_case *tc, size_t number);

/* ---- changes: shrink_change.c ---------------------------------------------------------------- */

/* Changes the total size as the least size has changed: what was more or less stays so. */
void topk_shrink_follow_total(struct topk_tensor *tensor, const struct topk_tensor *before);

/* Sets K, and the outputs' sizes that follow it. */
void topk_shrink_set_k(struct topk_case *tc, uint32_t k);

/* Sets the type of the input, and of the value output if it has the same. */
void topk_shrink_set_type(struct topk_case *tc, uint32_t type);

/* Removes positions from..from+count-1 of a dimension of the input, those of literal data too, and
 * of outputs as far as they follow the input. Sizes[Axis] may become less than K. */
void topk_shrink_remove(struct topk_case *tc, uint32_t dimension, uint32_t from, uint32_t count);

/* ---- candidates: shrink_offer.c -------------------------------------------------------------- */

/* Where a step is: what it means is the step's affair. All 0 at the start of a step. */
struct topk_shrink_place {
    uint64_t dimension;
    uint64_t chunk;
    uint64_t at;
};

struct topk_shrinker {
    const struct topk_shrink_options *options;
    struct topk_shrink_report *report;
    /* While a call of a sequence is made plainer, it and the last call have changed places here,
     * and in candidates until they are offered: so every step looks at the case proper. */
    struct topk_case *current;
    uint32_t turned;                  /* its number in current->before; before_count: none */
    struct topk_shrink_weight weight; /* of the current case */
    struct topk_validity validity;    /* of the current case */
    uint64_t max_runs;
    /* candidates that wait to be tried together */
    struct topk_case waiting[TOPK_SHRINK_BATCH];
    struct topk_shrink_place places[TOPK_SHRINK_BATCH];
    uint32_t waiting_count;
    uint32_t batch; /* how many are tried together: more as long as none succeeds */
    /* digests of texts that were tried: an open hash table */
    uint64_t *tried;
    size_t tried_count;
    size_t tried_room; /* a power of two */
    /* the result of the last batch */
    bool found;                     /* one took the place of the current case */
    struct topk_shrink_place place; /* where the step was with it */
    bool ended;
    char *text; /* room for one case */
};

/* Offers a candidate and clears it. It may be dropped: if it is not lighter than the current case,
 * is wrong in another way, or was tried before. Returns whether the step is to return: the current
 * case has changed, or shrinking is to end. place: where the step is with it. */
bool topk_shrink_offer_at(struct topk_shrinker *shrinker, struct topk_case *candidate,
                          struct topk_shrink_place place);
/* The same for a step that starts anew after a success. */
bool topk_shrink_offer(struct topk_shrinker *shrinker, struct topk_case *candidate);

/* Offers a candidate that has other calls than the current case: lighter or not, and valid or not.
 */
bool topk_shrink_offer_calls(struct topk_shrinker *shrinker, struct topk_case *candidate);

/* Lets the last call of a case and call `number` of those before change places, or puts them back.
 */
void topk_shrink_turn(struct topk_case *tc, uint32_t number);

/* Changes the calls before the last one of a candidate as the last one differs from that of the
 * current case, as far as they are like it. In shrink_spread.c. False if none of them becomes
 * lighter, or one does not stay as valid and as light: the candidate is then to be cleared. */
bool topk_shrink_spread(const struct topk_case *current, struct topk_case *candidate);

/* Notes the current case anew, once it was changed. */
void topk_shrink_note_current(struct topk_shrinker *shrinker);

/* Tries the candidates that wait. */
void topk_shrink_try(struct topk_shrinker *shrinker);

/* Copies the current case for a candidate. If memory is short, it has no literal data, and offering
 * it ends shrinking. */
struct topk_case topk_shrink_copy(struct topk_shrinker *shrinker);

/* Ends shrinking: memory is short. */
void topk_shrink_no_memory(struct topk_shrinker *shrinker);

/* ---- steps: shrink_steps.c, shrink_data.c ---------------------------------------------------- */

/* A step proposes candidates made from the current case, in order, by topk_shrink_offer(), and
 * returns as soon as that says so. It is called again after each success, with the place of the
 * candidate that succeeded, until it has nothing more that does. */
struct topk_shrink_step {
    const char *name; /* for a reader who watches: "K", "strides" */
    void (*propose)(struct topk_shrinker *shrinker);
};

/* The steps in the order in which they are tried; the last has no name. */
extern const struct topk_shrink_step topk_shrink_steps[];

/* Drops calls of a sequence, and has one take literal data instead of an output. In shrink_calls.c;
 * no step of the table, as it looks at all calls. */
extern const struct topk_shrink_step topk_shrink_calls;

/* Steps of shrink_data.c. */
void topk_shrink_propose_data(struct topk_shrinker *shrinker);
void topk_shrink_propose_seeds(struct topk_shrinker *shrinker);
void topk_shrink_propose_literal(struct topk_shrinker *shrinker);
void topk_shrink_propose_type(struct topk_shrinker *shrinker);
void topk_shrink_propose_ranks(struct topk_shrinker *shrinker);
void topk_shrink_propose_values(struct topk_shrinker *shrinker);
void topk_shrink_propose_bits(struct topk_shrinker *shrinker);

#endif
