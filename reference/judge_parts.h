/* What the parts of the judge share: judge.c, which walks a result; judge_exact.c, which is fast
 * where a result holds by DirectML's rules; judge_contract.c, which knows the orders of elements,
 * DirectML's and those of declared contracts; judge_explain.c, which names what is wrong. */
#ifndef TOPK_JUDGE_PARTS_H
#define TOPK_JUDGE_PARTS_H

#include <string.h>

#include "element.h"
#include "judge.h"

static inline uint64_t load_index(const struct topk_sequence *s, uint32_t position)
{
    const unsigned char *const from = s->index + position * s->index_step;
    if (s->index_bytes == 4) {
        uint32_t index;
        memcpy(&index, from, sizeof index);
        return index;
    }
    return topk_element_load(from, s->index_bytes);
}

static inline uint64_t load_value(const struct topk_sequence *s, uint32_t position)
{
    return topk_element_load(s->value + position * s->value_step, topk_type_bytes(s->type));
}

static inline uint64_t load_input(const struct topk_sequence *s, uint64_t position)
{
    return topk_element_load(s->input + position * s->input_step, topk_type_bytes(s->type));
}

/* Whether a contract makes an option; NULL makes none. */
static inline bool chooses(const struct topk_contract *contract, enum topk_contract_option option)
{
    return contract != NULL && topk_contract_has(contract, option);
}

/* of a bitmap with one bit an element */
static inline bool bitmap_test_and_set(unsigned char *bitmap, uint64_t bit)
{
    unsigned char mask = (unsigned char)(1u << bit % 8);
    bool was = (bitmap[bit / 8] & mask) != 0;
    bitmap[bit / 8] |= mask;
    return was;
}

/* ---- judge_exact.c --------------------------------------------------------------------------- */

/* Whether a sequence holds exactly by DirectML's rules. *denormal gets true if it does and has a
 * denormal. */
bool topk_exact_holds(const struct topk_sequence *s, bool *denormal);

/* Whether a sequence, with no contract, holds if the denormals of floats are equal to zeros (F04).
 * False if it has a NaN. */
bool topk_exact_flushed_holds(const struct topk_sequence *s);

/* The same of topk_exact_columns() sequences together, whose inputs begin side by side, with a step
 * that is not 0: whether all hold. The outputs of each lie as many bytes behind those before. */
bool topk_exact_columns_hold(const struct topk_sequence *first, uint64_t value_apart,
                             uint64_t index_apart, bool *denormal);
uint32_t topk_exact_columns(uint32_t type);

/* ---- judge_contract.c ------------------------------------------------------------------------ */

/* The order of NaN that the contract asks for; TOPK_ORDER_EXACT: none. */
enum topk_order topk_judge_nan_order(const struct topk_contract *contract);

/* The key of an element under an order; less is earlier in the output. */
uint64_t topk_judge_key(const struct topk_sequence *s, enum topk_order order, uint64_t bits);

/* Whether an output's value is the element that its index names, as far as the rules ask. */
bool topk_judge_same(const struct topk_sequence *s, uint64_t value, uint64_t named);

/* How equal elements of indices a and b stand: whether a may come right before b. */
bool topk_judge_tie(const struct topk_contract *contract, uint64_t a, uint64_t b);

/* Whether no index comes twice; all of them are in range. */
bool topk_judge_distinct(const struct topk_sequence *s);

/* The outputs of a sequence as a set: the worst of them decides who has to be inside. */
struct topk_judge_bound {
    uint64_t key;
    uint64_t index; /* of equal keys the last in the order of ties */
    uint32_t position;
    uint32_t better; /* outputs of better keys */
};

struct topk_judge_bound topk_judge_bound(const struct topk_sequence *s, enum topk_order order);

/* Whether an element that comes before the bound by its tie is to be selected. */
bool topk_judge_tie_inside(const struct topk_contract *contract, uint64_t index, uint64_t bound);

/* What topk_sequence_holds() says for rules that are not DirectML's: outputs that are distinct and
 * the elements that they name, in the order that is asked for, and nobody outside who had to be
 * inside. */
bool topk_judge_holds(const struct topk_sequence *s, enum topk_order order);

/* ---- judge_explain.c ------------------------------------------------------------------------- */

/* where a sequence's findings go, and how its positions are named */
struct topk_judge_report {
    const struct topk_operator *op;
    enum topk_order order; /* by which it is wrong */
    struct topk_judgement *judgement;
    uint64_t sequence;
    uint32_t at[TOPK_RANK_MAX];
    uint32_t first; /* first wrong position, UINT32_MAX: none yet */
};

/* Names all that is wrong with one sequence that does not hold. */
void topk_judge_explain(const struct topk_sequence *s, struct topk_judge_report *report,
                        bool has_nan);

#endif
