/* Shared by the parts of the shrinker. shrink.c runs the steps of shrink_steps.c and shrink_data.c.
 * They change a case with shrink_change.c and offer it to shrink_offer.c, which runs it if
 * shrink_weight.c finds it lighter. Private to the shrinker. */
#ifndef TOPK_SHRINK_STATE_H
#define TOPK_SHRINK_STATE_H

#include "shrink.h"

/* ---- weights: shrink_weight.c ---------------------------------------------------------------- */

/* Literal data of up to this many elements is plainer than any recipe. */
#define TOPK_SHRINK_LITERAL 64u

/* The first number that differs decides which of two cases is lighter. */
#define TOPK_SHRINK_WEIGHTS 11
struct topk_shrink_weight {
    uint64_t of[TOPK_SHRINK_WEIGHTS];
};

struct topk_shrink_weight topk_shrink_weigh(const struct topk_case *tc);
bool topk_shrink_lighter(const struct topk_shrink_weight *a, const struct topk_shrink_weight *b);

/* The plainest level: the lowest that accepts the call. */
uint32_t topk_shrink_plain_level(const struct topk_operator *op);

/* How plain a type is; 0 is the plainest. */
uint32_t topk_shrink_type_plainness(uint32_t type);

/* The weight of an element: small whole numbers, then special values, then values with few bits. */
uint64_t topk_shrink_value_weight(uint32_t type, uint64_t bits);

/* Sets the data to a plain recipe; the lower the number, the plainer. */
#define TOPK_SHRINK_PLAIN_RECIPES 76u
void topk_shrink_set_recipe(struct topk_case *tc, size_t number);

/* ---- changes: shrink_change.c ---------------------------------------------------------------- */

/* Changes the total size by as much as the least size has changed. */
void topk_shrink_follow_total(struct topk_tensor *tensor, const struct topk_tensor *before);

/* Sets K and the sizes of the outputs that depend on it. */
void topk_shrink_set_k(struct topk_case *tc, uint32_t k);

/* Sets the type of the input, and of the value output if it was the same. */
void topk_shrink_set_type(struct topk_case *tc, uint32_t type);

/* Removes positions from..from+count-1 of a dimension from the input, from its literal data, and
 * from outputs that have the same dimension. Sizes[Axis] can become less than K. */
void topk_shrink_remove(struct topk_case *tc, uint32_t dimension, uint32_t from, uint32_t count);

/* ---- candidates: shrink_offer.c -------------------------------------------------------------- */

/* The position of a step; its meaning is private to the step. All 0 at the start of a step. */
struct topk_shrink_place {
    uint64_t dimension;
    uint64_t chunk;
    uint64_t at;
};

struct topk_shrinker {
    const struct topk_shrink_options *options;
    struct topk_shrink_report *report;
    /* While a call of a sequence is made plainer, it is exchanged with the last call, here and in
     * candidates until they are offered, so that each step changes the last call. */
    struct topk_case *current;
    /* the number of that call in current->before; before_count: none */
    uint32_t turned;
    struct topk_shrink_weight weight; /* of the current case */
    struct topk_validity validity;    /* of the current case */
    uint64_t max_runs;
    /* candidates that are not run yet */
    struct topk_case waiting[TOPK_SHRINK_BATCH];
    struct topk_shrink_place places[TOPK_SHRINK_BATCH];
    uint32_t waiting_count;
    uint32_t batch; /* how many are run together; increases while none succeeds */
    /* digests of the texts that were tried, in an open hash table */
    uint64_t *tried;
    size_t tried_count;
    size_t tried_room; /* a power of two */
    /* the result of the last batch */
    bool found;                     /* a candidate replaced the current case */
    struct topk_shrink_place place; /* the position of the step at that candidate */
    bool ended;
    char *text; /* buffer for one text */
};

/* Offers a candidate and clears it. Drops it if it is not lighter than the current case, if it
 * breaks other clauses, or if it was tried before. Returns true if the step must return, because
 * the current case has changed or shrinking ends. place: the position of the step. */
bool topk_shrink_offer_at(struct topk_shrinker *shrinker, struct topk_case *candidate,
                          struct topk_shrink_place place);
/* The same for a step that starts again after a success. */
bool topk_shrink_offer(struct topk_shrinker *shrinker, struct topk_case *candidate);

/* Offers a candidate with other calls than the current case, regardless of weight and validity. */
bool topk_shrink_offer_calls(struct topk_shrinker *shrinker, struct topk_case *candidate);

/* Exchanges the last call of a case with call `number` of those before; a second call undoes it. */
void topk_shrink_turn(struct topk_case *tc, uint32_t number);

/* Applies the difference between the last calls of the current case and of the candidate to the
 * candidate's other calls, as far as they are like it. In shrink_spread.c. Returns false if none of
 * them becomes lighter, or if one gets heavier or breaks other clauses; then clear the
 * candidate. */
bool topk_shrink_spread(const struct topk_case *current, struct topk_case *candidate);

/* Updates the state after the current case has changed. */
void topk_shrink_note_current(struct topk_shrinker *shrinker);

/* Runs the waiting candidates. */
void topk_shrink_try(struct topk_shrinker *shrinker);

/* Copies the current case for a candidate. If memory is short, the copy has no literal data, and
 * offering it ends shrinking. */
struct topk_case topk_shrink_copy(struct topk_shrinker *shrinker);

/* Ends shrinking because memory is short. */
void topk_shrink_no_memory(struct topk_shrinker *shrinker);

/* ---- steps: shrink_steps.c, shrink_data.c ---------------------------------------------------- */

/* A step makes candidates from the current case and passes them, in order, to topk_shrink_offer().
 * It returns when that returns true. After each success it is called again, with the position of
 * the successful candidate, until it has no more candidates. */
struct topk_shrink_step {
    const char *name; /* shown to users, such as "K" or "strides" */
    void (*propose)(struct topk_shrinker *shrinker);
};

/* The steps in order; the last row has no name. */
extern const struct topk_shrink_step topk_shrink_steps[];

/* Drops calls of a sequence, and replaces data that is an output by literal data. In
 * shrink_calls.c. Not in the table, because it changes all calls. */
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
