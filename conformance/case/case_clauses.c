/* Which clauses a case can show to be broken. The description decides, and for some clauses the
 * data: a case exercises a tie clause only if it contains a tie. */
#include <stdlib.h>
#include <string.h>

#include "case.h"
#include "check.h"
#include "reference/element.h"
#include "sort.h"

static void add(struct topk_clause_set *set, enum topk_clause clause, bool condition)
{
    if (condition) {
        topk_clause_set_add(set, clause);
    }
}

/* clauses that a valid tensor exercises because something in it is unusual */
static void tensor_clauses(const struct topk_operator *op, enum topk_role role,
                           struct topk_clause_set *set)
{
    const struct topk_tensor *tensor = &op->tensors[role];
    struct topk_tensor packed = *tensor;
    packed.strided = false;
    uint64_t strides[TOPK_RANK_MAX];
    topk_tensor_strides(&packed, strides);
    bool unusual = false;
    bool broadcast = false;
    bool long_dimension = false;
    for (uint32_t i = 0; i < tensor->rank; i++) {
        long_dimension = long_dimension || tensor->sizes[i] > 1;
        unusual = unusual || (tensor->strided && tensor->strides[i] != strides[i]);
        broadcast =
            broadcast || (tensor->strided && tensor->sizes[i] > 1 && tensor->strides[i] == 0);
    }
    add(set, TOPK_CLAUSE_T03, !tensor->strided && long_dimension);
    add(set, TOPK_CLAUSE_T04, tensor->strided && long_dimension);
    add(set, TOPK_CLAUSE_T05, broadcast);
    add(set, TOPK_CLAUSE_T06, unusual);
    /* at exactly the least size: a backend that requires more refuses it */
    add(set, TOPK_CLAUSE_T07, tensor->total_bytes == topk_tensor_least_bytes(tensor));
    add(set, TOPK_CLAUSE_T08, tensor->total_bytes > topk_tensor_least_bytes(tensor));
    add(set, TOPK_CLAUSE_T10, tensor->alignment >= 16);
    add(set, TOPK_CLAUSE_T11, role == TOPK_INPUT && tensor->flags != 0);
    add(set, TOPK_CLAUSE_T02, tensor->rank == TOPK_RANK_VALID || tensor->rank == 1);
    add(set, TOPK_CLAUSE_M04,
        role == TOPK_INPUT && (unusual || tensor->total_bytes > topk_tensor_least_bytes(&packed)));
    add(set, TOPK_CLAUSE_M06, tensor->alignment >= 16);
}

/* Whether a lower level accepts the call, too. If any does, the next lower one does. */
static bool valid_below(const struct topk_operator *op)
{
    struct topk_validity validity;
    int next = -1;
    for (int i = 0; i < TOPK_LEVEL_COUNT && topk_levels[i] < op->level; i++) {
        next = i;
    }
    if (next < 0) {
        return false;
    }
    topk_operator_validate(op, topk_levels[next], &validity);
    return topk_clause_set_empty(&validity.broken);
}

static void operator_clauses(const struct topk_case *tc, struct topk_clause_set *set)
{
    static const enum topk_clause always[] = {TOPK_CLAUSE_S05, TOPK_CLAUSE_S07, TOPK_CLAUSE_S12,
                                              TOPK_CLAUSE_V04, TOPK_CLAUSE_V05, TOPK_CLAUSE_V06,
                                              TOPK_CLAUSE_V07, TOPK_CLAUSE_V08, TOPK_CLAUSE_V09,
                                              TOPK_CLAUSE_V14, TOPK_CLAUSE_M01, TOPK_CLAUSE_M02};
    const struct topk_operator *op = &tc->op;
    const struct topk_tensor *input = &op->tensors[TOPK_INPUT];
    uint32_t length = input->sizes[op->axis];
    for (size_t i = 0; i < sizeof always / sizeof always[0]; i++) {
        topk_clause_set_add(set, always[i]);
    }
    add(set, TOPK_CLAUSE_S01, topk_operator_sequences(op) > 1);
    add(set, op->kind == TOPK_TOP_K ? TOPK_CLAUSE_S02 : TOPK_CLAUSE_S03, length > op->k);
    add(set, TOPK_CLAUSE_S04, op->k > 1);
    add(set, TOPK_CLAUSE_S06, length > 1);
    add(set, TOPK_CLAUSE_V01, op->axis + 1 == input->rank);
    add(set, TOPK_CLAUSE_V02, op->k == 1);
    add(set, TOPK_CLAUSE_V03b, op->k + 1 == length);
    uint64_t index_bytes = topk_type_bytes(op->tensors[TOPK_INDEX].type);
    add(set, TOPK_CLAUSE_V10, index_bytes == 8 || topk_type_bytes(input->type) != 4);
    add(set, TOPK_CLAUSE_V13, valid_below(op));
    add(set, TOPK_CLAUSE_M05, index_bytes == 8);
    add(set, TOPK_CLAUSE_M09, (op->execution & ~TOPK_EXECUTION_HALF) != 0);
    add(set, TOPK_CLAUSE_F06,
        input->type == TOPK_TYPE_F32 && (op->execution & TOPK_EXECUTION_HALF) != 0);
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        tensor_clauses(op, (enum topk_role)role, set);
        add(set, TOPK_CLAUSE_M06, tc->offset[role] != 0);
        uint64_t logical =
            topk_tensor_elements(&op->tensors[role]) * topk_type_bytes(op->tensors[role].type);
        add(set, TOPK_CLAUSE_M03, role != TOPK_INPUT && op->tensors[role].total_bytes > logical);
    }
    if (topk_check_applies(tc)) {
        topk_clause_set_add(set, topk_check_row(tc->check)->clause);
    }
}

/* neighbours in order that are equal as doubles or in their low halves */
static bool hidden(uint32_t type, uint64_t a, uint64_t b)
{
    bool low = (a & UINT32_MAX) == (b & UINT32_MAX);
    bool in_double =
        topk_type_signed(type) ? (double)(int64_t)a == (double)(int64_t)b : (double)a == (double)b;
    bool low_disagrees = (a < b) != ((a & UINT32_MAX) < (b & UINT32_MAX));
    return a != b && (low || in_double || low_disagrees);
}

/* clauses that the order of one sequence exercises; `sorted` in the direction of selection */
static void order_clauses(const struct topk_operator *op, const struct topk_keyed *sorted,
                          struct topk_clause_set *set)
{
    const struct topk_tensor *input = &op->tensors[TOPK_INPUT];
    const uint32_t type = input->type;
    const uint32_t length = input->sizes[op->axis];
    /* only the selected elements and the first one after them matter */
    for (uint32_t i = 1; i < length && i <= op->k; i++) {
        const struct topk_keyed *before = &sorted[i - 1];
        bool tie = before->key == sorted[i].key;
        add(set, i == op->k ? TOPK_CLAUSE_S09 : TOPK_CLAUSE_S08, tie);
        add(set, TOPK_CLAUSE_F01, tie && before->bits != sorted[i].bits);
        add(set, TOPK_CLAUSE_F07,
            topk_type_bytes(type) == 8 && hidden(type, before->bits, sorted[i].bits));
        add(set, TOPK_CLAUSE_F06,
            type == TOPK_TYPE_F32 && !tie &&
                topk_element_key_half(before->bits) == topk_element_key_half(sorted[i].bits));
    }
}

/* all clauses that the order of data of the type can exercise */
static void order_clauses_possible(const struct topk_operator *op, struct topk_clause_set *set)
{
    const struct topk_tensor *input = &op->tensors[TOPK_INPUT];
    add(set, TOPK_CLAUSE_S08, op->k > 1);
    add(set, TOPK_CLAUSE_S09, input->sizes[op->axis] > op->k);
    add(set, TOPK_CLAUSE_F01, topk_type_float(input->type));
    add(set, TOPK_CLAUSE_F06, input->type == TOPK_TYPE_F32);
    add(set, TOPK_CLAUSE_F07, topk_type_bytes(input->type) == 8);
}

/* All clauses that data of the type can exercise. When all have been seen, the search ends. */
static void data_clauses_possible(const struct topk_operator *op, struct topk_clause_set *set)
{
    const uint32_t type = op->tensors[TOPK_INPUT].type;
    bool is_float = topk_type_float(type);
    order_clauses_possible(op, set);
    add(set, TOPK_CLAUSE_F02, is_float);
    add(set, TOPK_CLAUSE_F03, is_float);
    add(set, type == TOPK_TYPE_F32 ? TOPK_CLAUSE_F04 : TOPK_CLAUSE_F05, is_float);
}

static bool has_all(const struct topk_clause_set *set, const struct topk_clause_set *all)
{
    for (size_t i = 0; i < sizeof set->bits / sizeof set->bits[0]; i++) {
        if ((all->bits[i] & ~set->bits[i]) != 0) {
            return false;
        }
    }
    return true;
}

/* The clauses that one sequence of floats exercises by what its elements are. Returns false if it
 * has a NaN: then no order is prescribed. */
static bool float_clauses(uint32_t type, const struct topk_keyed *elements, uint32_t length,
                          struct topk_clause_set *set)
{
    const uint64_t infinity = topk_type_infinity(type);
    const uint64_t all = topk_type_sign(type) - 1;
    bool nan = false;
    bool infinite = false;
    bool denormal = false;
    for (uint32_t i = 0; i < length; i++) {
        const uint64_t magnitude = elements[i].bits & all;
        nan |= magnitude > infinity;
        infinite |= magnitude == infinity;
        denormal |= magnitude != 0 && (magnitude & infinity) == 0;
    }
    add(set, TOPK_CLAUSE_F02, nan);
    add(set, TOPK_CLAUSE_F03, infinite && !nan);
    add(set, type == TOPK_TYPE_F32 ? TOPK_CLAUSE_F04 : TOPK_CLAUSE_F05, denormal && !nan);
    return !nan;
}

static bool sequences_clauses(const struct topk_case *tc, const unsigned char *tensor,
                              struct topk_clause_set *set)
{
    const struct topk_operator *op = &tc->op;
    const struct topk_tensor *input = &op->tensors[TOPK_INPUT];
    const uint32_t type = input->type;
    const uint32_t bytes = topk_type_bytes(type);
    const uint32_t length = input->sizes[op->axis];
    /* twice the length: sorting needs scratch space */
    struct topk_keyed *elements = malloc((size_t)length * 2 * sizeof *elements);
    if (elements == NULL) {
        return false;
    }
    uint64_t strides[TOPK_RANK_MAX];
    topk_tensor_strides(input, strides);
    const uint64_t step = strides[op->axis] * bytes;
    const uint64_t sequences = topk_operator_sequences(op);
    const uint64_t flip = topk_operator_increasing(op) ? 0 : UINT64_MAX;
    struct topk_clause_set possible = {{0}};
    struct topk_clause_set ordered = {{0}};
    data_clauses_possible(op, &possible);
    order_clauses_possible(op, &ordered);
    for (uint64_t s = 0; s < sequences && !has_all(set, &possible); s++) {
        uint32_t at[TOPK_RANK_MAX];
        topk_operator_sequence_at(op, s, at);
        const unsigned char *from = tensor + topk_tensor_offset(input, at) * bytes;
        for (uint32_t i = 0; i < length; i++) {
            elements[i].bits = topk_element_load(from + i * step, bytes);
        }
        if ((topk_type_float(type) && !float_clauses(type, elements, length, set)) ||
            has_all(set, &ordered)) {
            continue;
        }
        for (uint32_t i = 0; i < length; i++) {
            elements[i].key = topk_element_key(type, elements[i].bits) ^ flip;
        }
        order_clauses(op, topk_sort_first(elements, elements + length, length, op->k + 1), set);
    }
    free(elements);
    return true;
}

/* a valid description that is not run shows only that it is accepted */
static void created_clauses(const struct topk_case *tc, struct topk_clause_set *set)
{
    topk_clause_set_add(set, TOPK_CLAUSE_T07);
    topk_clause_set_add(set, TOPK_CLAUSE_T08);
    add(set, TOPK_CLAUSE_T09,
        topk_tensor_elements(&tc->op.tensors[TOPK_INPUT]) > TOPK_CASE_ELEMENTS);
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        const struct topk_tensor *tensor = &tc->op.tensors[role];
        for (uint32_t d = 0; tensor->strided && d < tensor->rank; d++) {
            add(set, TOPK_CLAUSE_T12, tensor->sizes[d] > 1 && tensor->strides[d] >= 0x80000000u);
        }
    }
}

/* the clauses of one call; those that unread data could exercise go to *maybe */
static bool call_clauses(const struct topk_case *tc, uint64_t elements,
                         struct topk_clause_set *clauses, struct topk_clause_set *maybe)
{
    struct topk_validity validity;
    topk_operator_validate(&tc->op, tc->op.level, &validity);
    *clauses = validity.latitude;
    if (!topk_clause_set_empty(&validity.broken)) {
        *clauses = validity.broken;
        /* T08 and T12 apply the arithmetic of T07 */
        add(clauses, TOPK_CLAUSE_T07, topk_clause_set_has(clauses, TOPK_CLAUSE_T08));
        return true;
    }
    if (topk_case_too_large(tc)) {
        created_clauses(tc, clauses);
        return true;
    }
    operator_clauses(tc, clauses);
    if (topk_tensor_elements(&tc->op.tensors[TOPK_INPUT]) > elements) {
        data_clauses_possible(&tc->op, maybe);
        return true;
    }
    uint64_t bytes = topk_tensor_least_bytes(&tc->op.tensors[TOPK_INPUT]);
    unsigned char *tensor = calloc((size_t)bytes, 1);
    bool ok =
        tensor != NULL && topk_case_fill(tc, tensor) && sequences_clauses(tc, tensor, clauses);
    free(tensor);
    return ok;
}

bool topk_case_clauses_within(const struct topk_case *tc, uint64_t elements,
                              struct topk_clause_set *clauses, struct topk_clause_set *maybe)
{
    memset(maybe, 0, sizeof *maybe);
    if (tc->before_count == 0) {
        return call_clauses(tc, elements, clauses, maybe);
    }
    bool ok = true;
    memset(clauses, 0, sizeof *clauses);
    topk_clause_set_add(clauses, TOPK_CLAUSE_S14);
    for (uint32_t i = 1; ok && i <= tc->before_count + 1; i++) {
        struct topk_case alone;
        struct topk_clause_set own;
        ok = topk_case_alone(&alone, tc, i) && call_clauses(&alone, elements, &own, maybe);
        if (ok) {
            topk_clause_set_merge(clauses, &own);
        }
        topk_case_clear(&alone);
    }
    return ok;
}

bool topk_case_clauses(const struct topk_case *tc, struct topk_clause_set *clauses)
{
    struct topk_clause_set none;
    return topk_case_clauses_within(tc, UINT64_MAX, clauses, &none);
}
