/* What the parts of the shrinker share: shrink.c weighs candidates and has them tried,
 * shrink_steps.c and shrink_data.c propose them. Nobody else includes this. */
#ifndef TOPK_SHRINK_STATE_H
#define TOPK_SHRINK_STATE_H

#include "shrink.h"

/* Literal data of at most so many elements is plainer than any recipe. */
#define TOPK_SHRINK_LITERAL 64u

/* Where a step is: what it means is the step's affair. All 0 at the start of a step. */
struct topk_shrink_place {
    uint64_t dimension;
    uint64_t chunk;
    uint64_t at;
};

struct topk_shrinker;

/* A step proposes candidates made from the current case, in order, by topk_shrink_offer(), and
 * returns as soon as that says so. It is called again after each success, with the place of the
 * candidate that succeeded, until it has nothing more that does. */
struct topk_shrink_step {
    const char *name; /* for a reader who watches: "K", "strides" */
    void (*propose)(struct topk_shrinker *shrinker, const struct topk_case *current,
                    struct topk_shrink_place place);
};

/* The steps in the order in which they are tried; the last has no name. */
extern const struct topk_shrink_step topk_shrink_steps[];

/* Offers a candidate and clears it. It may be dropped: if it is not lighter than the current case,
 * is wrong in another way, or was tried before. Returns whether the step is to return: the current
 * case has changed, or shrinking is to end. */
bool topk_shrink_offer(struct topk_shrinker *shrinker, struct topk_case *candidate,
                       struct topk_shrink_place place);

/* Copies the current case for a candidate. False, and shrinking ends, if memory is short. */
bool topk_shrink_copy(struct topk_shrinker *shrinker, struct topk_case *candidate);

/* Ends shrinking: memory is short. */
void topk_shrink_no_memory(struct topk_shrinker *shrinker);

/* How plain the data of a case is: the less the plainer. What is of equal class is weighed. */
struct topk_shrink_plainness {
    uint64_t class;
    uint64_t weight;
};
struct topk_shrink_plainness topk_shrink_data_plainness(const struct topk_case *test);

/* How plain a type is: 0 is the plainest. */
uint32_t topk_shrink_type_plainness(uint32_t type);

/* Removes positions from..from+count-1 of a dimension of the input, those of literal data too, and
 * of outputs as far as they follow the input. Sizes[Axis] may become less than K. */
void topk_shrink_remove(struct topk_case *test, uint32_t dimension, uint32_t from, uint32_t count);

/* Sets K, and the outputs' sizes that follow it. */
void topk_shrink_set_k(struct topk_case *test, uint32_t k);

/* Sets the type of the input, and of the value output if it has the same. */
void topk_shrink_set_type(struct topk_case *test, uint32_t type);

/* Steps of shrink_data.c. */
void topk_shrink_propose_data(struct topk_shrinker *shrinker, const struct topk_case *current,
                              struct topk_shrink_place place);
void topk_shrink_propose_seeds(struct topk_shrinker *shrinker, const struct topk_case *current,
                               struct topk_shrink_place place);
void topk_shrink_propose_literal(struct topk_shrinker *shrinker, const struct topk_case *current,
                                 struct topk_shrink_place place);
void topk_shrink_propose_type(struct topk_shrinker *shrinker, const struct topk_case *current,
                              struct topk_shrink_place place);
void topk_shrink_propose_ranks(struct topk_shrinker *shrinker, const struct topk_case *current,
                               struct topk_shrink_place place);
void topk_shrink_propose_values(struct topk_shrinker *shrinker, const struct topk_case *current,
                                struct topk_shrink_place place);
void topk_shrink_propose_bits(struct topk_shrinker *shrinker, const struct topk_case *current,
                              struct topk_shrink_place place);

#endif
