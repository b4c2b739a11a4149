/* Explains a sequence that is not correct: which clauses it breaks, and where. */
#include "judge_parts.h"

#include <stdlib.h>
#include <string.h>

/* one bit per element */
static unsigned char *bitmap_new(uint64_t bits)
{
    return calloc((size_t)(bits / 8 + 1), 1);
}

static bool bitmap_has(const unsigned char *bitmap, uint64_t bit)
{
    return (bitmap[bit / 8] >> bit % 8 & 1) != 0;
}

static void report_position(struct topk_judge_report *report, enum topk_clause clause,
                            enum topk_mismatch mismatch, enum topk_role role, uint32_t position,
                            uint64_t expected, uint64_t actual)
{
    struct topk_finding finding = {.clause = clause,
                                   .mismatch = mismatch,
                                   .role = role,
                                   .rank = report->op->tensors[role].rank,
                                   .expected = expected,
                                   .actual = actual,
                                   .count = 1};
    memcpy(finding.at, report->at, sizeof finding.at);
    finding.at[report->op->axis] = position;
    topk_judgement_add(report->judgement, &finding);
    if (position < report->first) {
        report->first = position;
    }
}

/* whether two 64-bit integers are equal as doubles or in their low halves */
static bool hidden_in_64_bits(uint32_t type, uint64_t a, uint64_t b)
{
    if (topk_type_bytes(type) != 8) {
        return false;
    }
    if ((a & UINT32_MAX) == (b & UINT32_MAX)) {
        return true;
    }
    return topk_type_signed(type) ? (double)(int64_t)a == (double)(int64_t)b
                                  : (double)a == (double)b;
}

/* whether two floats are equal if denormals are zeros */
static bool hidden_in_denormals(uint32_t type, uint64_t a, uint64_t b)
{
    bool small_a = topk_element_denormal(type, a) || topk_element_zero(type, a);
    bool small_b = topk_element_denormal(type, b) || topk_element_zero(type, b);
    return small_a && small_b;
}

/* whether two floats are zeros of different sign */
static bool zeros_of_both_signs(uint32_t type, uint64_t a, uint64_t b)
{
    return a != b && topk_element_zero(type, a) && topk_element_zero(type, b);
}

/* whether two floats are equal if infinities are the greatest finite values */
static bool hidden_in_infinity(uint32_t type, uint64_t a, uint64_t b)
{
    return (topk_element_inf(type, a) && a - 1 == b) || (topk_element_inf(type, b) && b - 1 == a);
}

/* the clause that two misplaced elements with different values break: the special one if it
 * explains them, else the general one */
static enum topk_clause clause_of_order(const struct topk_contract *contract, uint32_t type,
                                        uint64_t a, uint64_t b, enum topk_clause general)
{
    if (!topk_type_float(type)) {
        return hidden_in_64_bits(type, a, b) ? TOPK_CLAUSE_F07 : general;
    }
    if (topk_element_normal(type, a) && topk_element_normal(type, b)) {
        return general; /* by far the most frequent case */
    }
    if (topk_element_nan(type, a) || topk_element_nan(type, b)) {
        return TOPK_CLAUSE_F02; /* the contract orders NaN */
    }
    if (hidden_in_infinity(type, a, b)) {
        return TOPK_CLAUSE_F03;
    }
    if (zeros_of_both_signs(type, a, b)) {
        return TOPK_CLAUSE_F01; /* the contract orders zeros */
    }
    if (!hidden_in_denormals(type, a, b)) {
        return general;
    }
    return type == TOPK_TYPE_F16                            ? TOPK_CLAUSE_F05
           : chooses(contract, TOPK_OPTION_DENORMALS_EXACT) ? TOPK_CLAUSE_F04
                                                            : general;
}

/* the clause that two misplaced elements with equal values break */
static enum topk_clause clause_of_tie(uint32_t type, uint64_t a, uint64_t b,
                                      enum topk_clause general)
{
    return zeros_of_both_signs(type, a, b)              ? TOPK_CLAUSE_F01
           : a == b || !hidden_in_denormals(type, a, b) ? general
           : type == TOPK_TYPE_F16                      ? TOPK_CLAUSE_F05
                                                        : TOPK_CLAUSE_F04;
}

static enum topk_clause clause_of_bits(uint32_t type, uint64_t expected, uint64_t actual)
{
    if (topk_element_zero(type, expected) && topk_element_zero(type, actual)) {
        return TOPK_CLAUSE_F01;
    }
    if (type == TOPK_TYPE_F16 && topk_element_denormal(type, expected)) {
        return TOPK_CLAUSE_F05;
    }
    return TOPK_CLAUSE_S05;
}

static void explain_index(const struct topk_sequence *s, struct topk_judge_report *report,
                          uint32_t position, uint64_t index)
{
    if (index > UINT32_MAX && (index & UINT32_MAX) < s->length) {
        report_position(report, TOPK_CLAUSE_M05, TOPK_MISMATCH_INDEX_UPPER, TOPK_INDEX, position,
                        index & UINT32_MAX, index);
    } else {
        report_position(report, TOPK_CLAUSE_S07, TOPK_MISMATCH_INDEX_RANGE, TOPK_INDEX, position,
                        s->length, index);
    }
}

/* the element of an output: the one that it names, if the value matches, else its value */
static uint64_t output_element(const struct topk_sequence *s, uint32_t position)
{
    const uint64_t value = load_value(s, position);
    const uint64_t index = load_index(s, position);
    const uint64_t named = index < s->length ? load_input(s, index) : value;
    return topk_judge_same(s, value, named) ? named : value;
}

/* S04, S08 and the clauses that refine them, between an output and the previous one */
static void explain_order(const struct topk_sequence *s, struct topk_judge_report *report,
                          uint32_t position)
{
    uint64_t before = output_element(s, position - 1);
    uint64_t value = output_element(s, position);
    if (topk_judge_nan_order(s->contract) == TOPK_ORDER_EXACT &&
        (topk_element_nan(s->type, before) || topk_element_nan(s->type, value))) {
        return;
    }
    uint64_t key_before = topk_judge_key(s, report->order, before);
    uint64_t key = topk_judge_key(s, report->order, value);
    if (key < key_before) {
        report_position(report,
                        clause_of_order(s->contract, s->type, before, value, TOPK_CLAUSE_S04),
                        TOPK_MISMATCH_VALUE_ORDER, TOPK_VALUE, position, before, value);
        return;
    }
    uint64_t index_before = load_index(s, position - 1);
    uint64_t index = load_index(s, position);
    if (key == key_before && index != index_before && index < s->length &&
        index_before < s->length && !topk_judge_tie(s->contract, index_before, index)) {
        report_position(report, clause_of_tie(s->type, before, value, TOPK_CLAUSE_S08),
                        TOPK_MISMATCH_TIE_ORDER, TOPK_INDEX, position, index_before, index);
    }
}

/* S02, S03, S09 and the clauses that refine them, if the indices are k distinct elements */
static void explain_selection(const struct topk_sequence *s, struct topk_judge_report *report,
                              const unsigned char *selected)
{
    const struct topk_judge_bound bound = topk_judge_bound(s, report->order);
    const uint64_t worst = load_input(s, bound.index);
    const bool lowest = !chooses(s->contract, TOPK_OPTION_TIES_HIGHEST);
    enum topk_clause general = report->op->kind == TOPK_TOP_K ? TOPK_CLAUSE_S02 : TOPK_CLAUSE_S03;
    for (uint32_t i = 0; i < s->length; i++) {
        if (bitmap_has(selected, i)) {
            continue;
        }
        uint64_t bits = load_input(s, i);
        uint64_t key = topk_judge_key(s, report->order, bits);
        if (key < bound.key) {
            report_position(report, clause_of_order(s->contract, s->type, bits, worst, general),
                            TOPK_MISMATCH_LEFT_OUT, TOPK_INDEX, bound.position, i, bound.index);
        } else if (key == bound.key && topk_judge_tie_inside(s->contract, i, bound.index)) {
            report_position(report, clause_of_tie(s->type, bits, worst, TOPK_CLAUSE_S09),
                            lowest ? TOPK_MISMATCH_TIE_LEFT_OUT : TOPK_MISMATCH_TIE_LEFT_OUT_LOW,
                            TOPK_INDEX, bound.position, i, bound.index);
        }
    }
}

void topk_judge_explain(const struct topk_sequence *s, struct topk_judge_report *report,
                        bool has_nan)
{
    unsigned char *selected = bitmap_new(s->length);
    if (selected == NULL) {
        report->judgement->no_memory = true;
        return;
    }
    bool a_set = true;
    for (uint32_t j = 0; j < s->k; j++) {
        uint64_t index = load_index(s, j);
        if (index >= s->length) {
            explain_index(s, report, j, index);
            a_set = false;
        } else {
            if (bitmap_test_and_set(selected, index)) {
                report_position(report, TOPK_CLAUSE_S07, TOPK_MISMATCH_INDEX_REPEATED, TOPK_INDEX,
                                j, index, index);
                a_set = false;
            }
            uint64_t named = load_input(s, index);
            uint64_t value = load_value(s, j);
            if (!topk_judge_same(s, value, named)) {
                report_position(report, clause_of_bits(s->type, named, value),
                                TOPK_MISMATCH_VALUE_BITS, TOPK_VALUE, j, named, value);
            }
        }
        if (j > 0 && !has_nan && !chooses(s->contract, TOPK_OPTION_ORDER_ANY)) {
            explain_order(s, report, j);
        }
    }
    if (a_set && !has_nan) {
        explain_selection(s, report, selected);
    }
    free(selected);
}
