/* Shared by the parts of the judge: judge.c, which iterates over a result; judge_exact.c, which is
 * fast for results that are correct by DirectML's rules; judge_contract.c, which has the orders of
 * elements, DirectML's and those of declared contracts; judge_explain.c, which names errors. */
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

/* Whether a contract contains an option; NULL contains none. */
static inline bool chooses(const struct topk_contract *contract, enum topk_contract_option option)
{
    return contract != NULL && topk_contract_has(contract, option);
}

/* for a bitmap with one bit per element */
static inline bool bitmap_test_and_set(unsigned char *bitmap, uint64_t bit)
{
    unsigned char mask = (unsigned char)(1u << bit % 8);
    bool was = (bitmap[bit / 8] & mask) != 0;
    bitmap[bit / 8] |= mask;
    return was;
}

/* ---- judge_exact.c --------------------------------------------------------------------------- */

/* Whether a sequence is exactly correct by DirectML's rules. If it is, *denormal says whether it
 * has a denormal. */
bool topk_exact_holds(const struct topk_sequence *s, bool *denormal);

/* Whether a sequence without a contract is correct if float denormals equal zero (F04). False if it
 * has a NaN. */
bool topk_exact_flushed_holds(const struct topk_sequence *s);

/* Whether topk_exact_columns() sequences are all correct. Their inputs start side by side, with a
 * step that is not 0; their outputs are value_apart and index_apart bytes apart. */
bool topk_exact_columns_hold(const struct topk_sequence *first, uint64_t value_apart,
                             uint64_t index_apart, bool *denormal);
uint32_t topk_exact_columns(uint32_t type);

/* ---- judge_contract.c ------------------------------------------------------------------------ */

/* The order of NaN that the contract requires; TOPK_ORDER_EXACT: none. */
enum topk_order topk_judge_nan_order(const struct topk_contract *contract);

/* The key of an element under an order; a smaller key comes earlier in the output. */
uint64_t topk_judge_key(const struct topk_sequence *s, enum topk_order order, uint64_t bits);

/* Whether an output's value is the element that its index names, as far as the rules require. */
bool topk_judge_same(const struct topk_sequence *s, uint64_t value, uint64_t named);

/* Whether, of equal elements, that with index a may come directly before that with index b. */
bool topk_judge_tie(const struct topk_contract *contract, uint64_t a, uint64_t b);

/* Whether all indices, which are in range, are distinct. */
bool topk_judge_distinct(const struct topk_sequence *s);

/* The outputs of a sequence as a set, with the worst of them as the bound of the selection. */
struct topk_judge_bound {
    uint64_t key;
    uint64_t index; /* of equal keys, the last in the order of ties */
    uint32_t position;
    uint32_t better; /* number of outputs with better keys */
};

struct topk_judge_bound topk_judge_bound(const struct topk_sequence *s, enum topk_order order);

/* Whether an element that equals the bound, and comes before it in the order of ties, must be
 * selected. */
bool topk_judge_tie_inside(const struct topk_contract *contract, uint64_t index, uint64_t bound);

/* topk_sequence_holds() for rules other than DirectML's: outputs are distinct, are the elements
 * that they name, are in the required order, and no element that must be selected is missing. */
bool topk_judge_holds(const struct topk_sequence *s, enum topk_order order);

/* ---- judge_explain.c ------------------------------------------------------------------------- */

/* where a sequence's findings go, and how its positions are named */
struct topk_judge_report {
    const struct topk_operator *op;
    enum topk_order order; /* the order under which it is wrong */
    struct topk_judgement *judgement;
    uint64_t sequence;
    uint32_t at[TOPK_RANK_MAX];
    uint32_t first; /* the first wrong position; UINT32_MAX: none yet */
};

/* Reports everything that is wrong in a sequence that is not correct. */
void topk_judge_explain(const struct topk_sequence *s, struct topk_judge_report *report,
                        bool has_nan);

#endif
