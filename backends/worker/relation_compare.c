/* Compares a second call with the first. */
#include <stdlib.h>
#include <string.h>

#include "case/case.h"
#include "case/sort.h"
#include "reference/element.h"
#include "relation.h"
#include "relation_data.h"

/* ---- what is open ---------------------------------------------------------------------------- */

/* how much a second call differs from the first */
enum distance {
    DISTANCE_NONE,   /* the same call: all bytes are required to be equal (S14), also for NaN */
    DISTANCE_AROUND, /* the same shape and values; other binding or flags */
    DISTANCE_FAR     /* another shape, layout, direction or type, or other values */
};

static bool same_call(enum topk_check check)
{
    return check == TOPK_CHECK_REPEAT || check == TOPK_CHECK_AFTER ||
           check == TOPK_CHECK_CONCURRENT || check == TOPK_CHECK_SOAK;
}

bool topk_relation_promised_same(enum topk_check check, const struct topk_contract *contract)
{
    return same_call(check) && !topk_contract_has(contract, TOPK_OPTION_REPEAT_VALUES);
}

static enum distance distance_of(const struct topk_case *tc, const struct topk_contract *contract)
{
    if (topk_relation_promised_same(tc->check, contract)) {
        return DISTANCE_NONE;
    }
    if (same_call(tc->check)) {
        return DISTANCE_FAR; /* each call may choose differently where clauses leave a choice */
    }
    switch (tc->check) {
    case TOPK_CHECK_TWIN:
    case TOPK_CHECK_PADDING:
    case TOPK_CHECK_OFFSET:
        return DISTANCE_AROUND;
    case TOPK_CHECK_FLAGS:
        /* a metacommand may decide whether FLOAT16 arithmetic is used */
        return tc->op.execution & TOPK_EXECUTION_HALF ? DISTANCE_FAR : DISTANCE_AROUND;
    default:
        return DISTANCE_FAR;
    }
}

static bool element_is_open(const struct topk_operator *op, const struct topk_contract *contract,
                            enum distance distance, uint64_t bits)
{
    uint32_t type = op->tensors[TOPK_INPUT].type;
    if (topk_element_nan(type, bits)) {
        return true;
    }
    if (distance != DISTANCE_FAR) {
        return false;
    }
    if (topk_contract_has(contract, TOPK_OPTION_DENORMALS_FLUSH) &&
        topk_element_denormal(type, bits)) {
        return true;
    }
    if (topk_contract_has(contract, TOPK_OPTION_ZERO_SIGNED) && topk_element_zero(type, bits)) {
        return true; /* the second values assume that both zeros are equal */
    }
    return type == TOPK_TYPE_F32 &&
           (topk_element_denormal(type, bits) ||
            ((op->execution & TOPK_EXECUTION_HALF) != 0 && !topk_data_is_half(bits)));
}

/* whether a sequence has elements that are equal under the contract */
static bool row_has_ties(const struct topk_call *call, uint32_t at[TOPK_RANK_MAX])
{
    const struct topk_operator *op = &call->tc.op;
    const struct topk_tensor *input = &op->tensors[TOPK_INPUT];
    const uint32_t length = input->sizes[op->axis];
    struct topk_keyed *elements = malloc((size_t)length * 2 * sizeof *elements);
    bool ties = elements == NULL; /* without memory, the sequence counts as having ties */
    for (uint32_t i = 0; !ties && i < length; i++) {
        at[op->axis] = i;
        elements[i].bits = topk_call_input(call, at);
        elements[i].key = topk_element_key_flushed(input->type, elements[i].bits);
    }
    const struct topk_keyed *sorted =
        ties ? NULL : topk_sort_keyed(elements, elements + length, length);
    for (uint32_t i = 1; !ties && i < length; i++) {
        ties = sorted[i].key == sorted[i - 1].key;
    }
    free(elements);
    return ties;
}

/* whether clauses and contract leave the result of the sequence at `sequence_at` open, see
 * relation.h */
static bool row_is_open(const struct topk_call *call, const struct topk_contract *contract,
                        enum distance distance, const uint32_t sequence_at[TOPK_RANK_MAX])
{
    const struct topk_operator *op = &call->tc.op;
    const struct topk_tensor *input = &op->tensors[TOPK_INPUT];
    uint32_t at[TOPK_RANK_MAX];
    memcpy(at, sequence_at, sizeof at);
    if (distance != DISTANCE_NONE && op->kind == TOPK_TOP_K1 && op->direction > TOPK_DECREASING) {
        return true; /* V12: either direction is allowed, and may change from call to call */
    }
    if (distance != DISTANCE_NONE &&
        ((topk_contract_has(contract, TOPK_OPTION_ORDER_ANY) && op->k > 1) ||
         (topk_contract_has(contract, TOPK_OPTION_TIES_ANY) && row_has_ties(call, at)))) {
        return true;
    }
    if (distance == DISTANCE_NONE || !topk_type_float(input->type)) {
        return false;
    }
    for (uint32_t i = 0; i < input->sizes[op->axis]; i++) {
        at[op->axis] = i;
        if (element_is_open(op, contract, distance, topk_call_input(call, at))) {
            return true;
        }
    }
    return false;
}

/* ---- one sequence ---------------------------------------------------------------------------- */

/* an output of the first call, and the corresponding one of the second */
struct pair {
    const struct topk_call *first;
    const struct topk_call *second;
    struct topk_judgement *judgement;
    uint64_t sequence;
    uint32_t first_at[TOPK_RANK_MAX];
    uint32_t second_at[TOPK_RANK_MAX];
};

static void add_as(const struct pair *pair, enum topk_mismatch mismatch, enum topk_role role,
                   uint64_t expected, uint64_t actual)
{
    const struct topk_case *tc = &pair->first->tc;
    struct topk_finding finding = {.clause = topk_check_row(tc->check)->clause,
                                   .mismatch = mismatch,
                                   .role = role,
                                   .rank = tc->op.tensors[role].rank,
                                   .expected = expected,
                                   .actual = actual,
                                   .count = 1};
    memcpy(finding.at, pair->first_at, sizeof finding.at);
    topk_judgement_add(pair->judgement, &finding);
}

static void add(const struct pair *pair, enum topk_role role, uint64_t expected, uint64_t actual)
{
    const struct topk_check_row *check = topk_check_row(pair->first->tc.check);
    add_as(pair, (enum topk_mismatch)check->mismatch, role, expected, actual);
}

/* an element of the input of a call, in the sequence of a pair */
static uint64_t element(const struct topk_call *call, const uint32_t at[TOPK_RANK_MAX],
                        uint64_t index)
{
    uint32_t there[TOPK_RANK_MAX];
    memcpy(there, at, sizeof there);
    there[call->tc.op.axis] = (uint32_t)index;
    return topk_call_input(call, there);
}

static bool in_range(const struct topk_call *call, uint64_t index)
{
    const struct topk_operator *op = &call->tc.op;
    return index < op->tensors[TOPK_INPUT].sizes[op->axis];
}

/* compares a value of the first call, with its index, with that of the second */
static void compare_value(const struct pair *pair, uint64_t expected, uint64_t index,
                          uint64_t actual)
{
    uint32_t type = pair->first->tc.op.tensors[TOPK_INPUT].type;
    switch (pair->first->tc.check) {
    case TOPK_CHECK_DUAL:
        actual = topk_data_dual(type, actual);
        break;
    case TOPK_CHECK_WIDEN:
        if (topk_data_widen(type, topk_data_narrow(type, actual)) != actual) {
            add_as(pair, TOPK_MISMATCH_UNEQUAL_WIDE_BITS, TOPK_VALUE, expected, expected);
            return;
        }
        actual = topk_data_narrow(type, actual);
        break;
    case TOPK_CHECK_MONOTONE:
        if (!in_range(pair->first, index)) {
            return; /* the judge has reported that already */
        }
        expected = element(pair->second, pair->second_at, index);
        break;
    default:
        break;
    }
    if (actual != expected) {
        add(pair, TOPK_VALUE, expected, actual);
    }
}

/* PERMUTE: the values must be equal, except for the sign of zero, and the index must name such an
 * element. With ties, another order selects other elements, so nothing more is known about the
 * index. */
static void compare_permuted(const struct pair *pair, const uint64_t expected[TOPK_ROLE_COUNT],
                             const uint64_t actual[TOPK_ROLE_COUNT])
{
    const struct topk_tensor *input = &pair->first->tc.op.tensors[TOPK_INPUT];
    uint32_t length = input->sizes[pair->first->tc.op.axis];
    uint64_t key = topk_element_key(input->type, expected[TOPK_VALUE]);
    uint64_t actual_key = topk_element_key(input->type, actual[TOPK_VALUE]);
    if (actual_key != key) {
        add(pair, TOPK_VALUE, expected[TOPK_VALUE], actual[TOPK_VALUE]);
    }
    bool named = in_range(pair->second, actual[TOPK_INDEX]) &&
                 element(pair->second, pair->second_at, actual[TOPK_INDEX]) == actual[TOPK_VALUE];
    if (!named && in_range(pair->first, expected[TOPK_INDEX])) {
        const struct topk_permutation permutation = topk_data_permutation(length, pair->sequence);
        const uint64_t place = topk_data_place(&permutation, (uint32_t)expected[TOPK_INDEX]);
        const uint64_t there = element(pair->second, pair->second_at, place);
        if (actual[TOPK_INDEX] != place) {
            add(pair, TOPK_INDEX, place, actual[TOPK_INDEX]);
        } else if (actual_key == key && topk_element_key(input->type, there) == key) {
            add(pair, TOPK_VALUE, there, actual[TOPK_VALUE]); /* the zero with the other sign */
        }
    }
}

static void compare_output(const struct pair *pair)
{
    uint64_t expected[TOPK_ROLE_COUNT] = {0};
    uint64_t actual[TOPK_ROLE_COUNT] = {0};
    for (int role = TOPK_VALUE; role <= TOPK_INDEX; role++) {
        expected[role] = topk_call_output(pair->first, (enum topk_role)role, pair->first_at);
        actual[role] = topk_call_output(pair->second, (enum topk_role)role, pair->second_at);
    }
    if (pair->first->tc.check == TOPK_CHECK_PERMUTE) {
        compare_permuted(pair, expected, actual);
        return;
    }
    compare_value(pair, expected[TOPK_VALUE], expected[TOPK_INDEX], actual[TOPK_VALUE]);
    if (expected[TOPK_INDEX] != actual[TOPK_INDEX]) {
        add(pair, TOPK_INDEX, expected[TOPK_INDEX], actual[TOPK_INDEX]);
    }
}

void topk_relation_compare(const struct topk_call *second, const struct topk_call *first,
                           uint32_t number, const struct topk_contract *contract,
                           struct topk_judgement *judgement)
{
    const struct topk_case *tc = &first->tc;
    enum distance distance = distance_of(tc, contract);
    bool row = tc->check == TOPK_CHECK_ROW;
    uint64_t sequences = topk_operator_sequences(&tc->op);
    struct pair pair = {.first = first, .second = second, .judgement = judgement};
    for (uint64_t s = row ? number : 0; s < (row ? (uint64_t)number + 1 : sequences); s++) {
        pair.sequence = s;
        topk_operator_sequence_at(&tc->op, s, pair.first_at);
        topk_relation_at(tc, number, pair.first_at, pair.second_at);
        if (row_is_open(first, contract, distance, pair.first_at) ||
            row_is_open(second, contract, distance, pair.second_at)) {
            continue;
        }
        for (uint32_t j = 0; j < second->tc.op.k; j++) {
            pair.first_at[tc->op.axis] = j;
            pair.second_at[second->tc.op.axis] = j;
            compare_output(&pair);
        }
    }
}
