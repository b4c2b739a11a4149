/* See import_case.h. */
#include "import_case.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reference/element.h"

void cli_imported_clear(struct cli_imported *imported)
{
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        topk_packed_clear(&imported->tensors[role]);
    }
}

bool cli_imported_axis_fits(const struct cli_imported *imported, char reason[256])
{
    const int64_t rank = imported->tensors[TOPK_INPUT].rank;
    const bool fits = imported->axis >= -rank && imported->axis < rank;
    if (!fits) {
        snprintf(reason, 256, "the axis is %" PRId64 ", and the input has %" PRId64 " dimensions",
                 imported->axis, rank);
    }
    return fits;
}

bool cli_imported_k_fits(const struct cli_imported *imported, char reason[256])
{
    const struct topk_packed *input = &imported->tensors[TOPK_INPUT];
    const int64_t axis = imported->axis;
    const uint32_t length = input->sizes[axis < 0 ? axis + input->rank : axis];
    const bool fits = imported->k >= 1 && imported->k <= length;
    if (!fits) {
        snprintf(reason, 256, "K is %" PRId64 ", and the axis is %" PRIu32 " long; K is 1 to that",
                 imported->k, length);
    }
    return fits;
}

static bool check(const struct cli_imported *imported, char reason[256])
{
    const struct topk_packed *input = &imported->tensors[TOPK_INPUT];
    if (input->rank == 0) {
        snprintf(reason, 256, "the input has no dimensions; a tensor of TOP_K has 1 to %d",
                 TOPK_RANK_VALID);
        return false;
    }
    if (!cli_imported_axis_fits(imported, reason) || !cli_imported_k_fits(imported, reason)) {
        return false;
    }
    if (input->elements > TOPK_LITERAL_MAX) {
        snprintf(reason, 256, "the input has %" PRIu64 " elements; the text of a case holds %u",
                 input->elements, TOPK_LITERAL_MAX);
        return false;
    }
    return true;
}

static bool take_literal(const struct topk_packed *input, struct topk_case *tc, char reason[256])
{
    tc->literal = malloc((size_t)input->elements * sizeof *tc->literal);
    if (tc->literal == NULL) {
        snprintf(reason, 256, "out of memory");
        return false;
    }
    tc->literal_count = (uint32_t)input->elements;
    for (uint32_t i = 0; i < tc->literal_count; i++) {
        tc->literal[i] = topk_packed_get(input, i);
    }
    return true;
}

bool cli_imported_case(const struct cli_imported *imported, struct topk_case *tc, char reason[256])
{
    const struct topk_packed *input = &imported->tensors[TOPK_INPUT];
    const struct topk_packed *index = &imported->tensors[TOPK_INDEX];
    *tc = (struct topk_case){0};
    if (!check(imported, reason) || !take_literal(input, tc, reason)) {
        return false;
    }
    struct topk_operator *op = &tc->op;
    struct topk_tensor *tensor = &op->tensors[TOPK_INPUT];
    tensor->present = true;
    tensor->type = input->type;
    tensor->rank = input->rank;
    memcpy(tensor->sizes, input->sizes, sizeof input->sizes);
    tensor->total_bytes = topk_tensor_least_bytes(tensor);
    op->kind = TOPK_TOP_K1;
    op->axis = (uint32_t)(imported->axis < 0 ? imported->axis + input->rank : imported->axis);
    op->k = (uint32_t)imported->k;
    op->direction = imported->direction;
    const bool wide = index->data != NULL && index->type == TOPK_TYPE_U64;
    topk_operator_derive_outputs(op, wide ? TOPK_TYPE_U64 : TOPK_TYPE_U32);
    op->level = topk_operator_least_level(op);
    if (op->level == 0) {
        snprintf(reason, 256, "no feature level has such a call");
        topk_case_clear(tc);
        return false;
    }
    return true;
}

/* ---- judging --------------------------------------------------------------------------------- */

/* Prints "[2,3]". */
static void print_sizes(char text[128], const uint32_t *sizes, uint32_t rank)
{
    size_t used = 0;
    for (uint32_t d = 0; d < rank; d++) {
        used +=
            (size_t)snprintf(text + used, 128 - used, "%s%" PRIu32, d == 0 ? "[" : ",", sizes[d]);
    }
    snprintf(text + used, 128 - used, rank == 0 ? "[]" : "]");
}

static bool fits(const struct topk_packed *given, const struct topk_tensor *tensor,
                 const char *name, char reason[256])
{
    char sizes[2][128];
    bool same = given->rank == tensor->rank;
    for (uint32_t d = 0; same && d < given->rank; d++) {
        same = given->sizes[d] == tensor->sizes[d];
    }
    if (!same) {
        print_sizes(sizes[0], given->sizes, given->rank);
        print_sizes(sizes[1], tensor->sizes, tensor->rank);
        snprintf(reason, 256,
                 "the %s output has sizes %.89s; the input's, with K on the axis, are %.89s", name,
                 sizes[0], sizes[1]);
    }
    return same;
}

/* Returns the bits of an index in the case's type. An index that does not fit becomes the greatest
 * number, which is invalid in every sequence: truncation could make a wrong index right. */
static uint64_t index_bits(const struct topk_packed *given, uint64_t element, uint32_t type)
{
    const uint64_t bits = topk_packed_get(given, element);
    const uint64_t most = type == TOPK_TYPE_U64 ? UINT64_MAX : UINT32_MAX;
    const uint32_t width = 8 * topk_type_bytes(given->type);
    const bool negative = topk_type_signed(given->type) && bits >> (width - 1) != 0;
    return negative || bits > most ? most : bits;
}

static void take_window(const struct topk_operator *op, unsigned char *const outputs[],
                        struct topk_result *result)
{
    uint32_t at[TOPK_RANK_MAX] = {0};
    if (!result->judgement.has_sequence) {
        return;
    }
    const uint32_t position = result->judgement.position;
    result->window_from = position < TOPK_WINDOW / 2 ? 0 : position - TOPK_WINDOW / 2;
    topk_operator_sequence_at(op, result->judgement.sequence, at);
    for (uint32_t j = result->window_from; j < op->k && result->window_count < TOPK_WINDOW; j++) {
        at[op->axis] = j;
        const uint32_t i = result->window_count++;
        for (int role = TOPK_VALUE; role <= TOPK_INDEX; role++) {
            const struct topk_tensor *tensor = &op->tensors[role];
            const uint32_t bytes = topk_type_bytes(tensor->type);
            const uint64_t bits =
                topk_element_load(outputs[role] + topk_tensor_offset(tensor, at) * bytes, bytes);
            *(role == TOPK_VALUE ? &result->window_values[i] : &result->window_indices[i]) = bits;
        }
    }
}

static void judge(const struct topk_operator *op, unsigned char *const tensors[TOPK_ROLE_COUNT],
                  struct topk_result *result)
{
    struct topk_exhibit exhibits[TOPK_ROLE_COUNT];
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        exhibits[role] = (struct topk_exhibit){.before = tensors[role],
                                               .after = tensors[role],
                                               .bytes = op->tensors[role].total_bytes};
    }
    topk_judge_result(op, exhibits, &result->judgement);
    take_window(op, tensors, result);
    if (result->judgement.count > 0) {
        result->verdict = TOPK_VERDICT_FAIL;
        topk_result_explain(result, topk_diagnose(op, NULL, exhibits, &result->judgement));
        result->clause = topk_reading_clause(result->reading, op, &result->judgement);
    }
}

bool cli_imported_judge(const struct cli_imported *imported, const struct topk_case *tc,
                        struct topk_result *result, char reason[256])
{
    const struct topk_operator *op = &tc->op;
    const struct topk_packed *value = &imported->tensors[TOPK_VALUE];
    const struct topk_packed *index = &imported->tensors[TOPK_INDEX];
    unsigned char *tensors[TOPK_ROLE_COUNT] = {NULL};
    memset(result, 0, sizeof *result);
    result->verdict = TOPK_VERDICT_PASS;
    result->clause = TOPK_CLAUSE_NONE;
    if (!fits(value, &op->tensors[TOPK_VALUE], "value", reason) ||
        !fits(index, &op->tensors[TOPK_INDEX], "index", reason)) {
        return false;
    }
    if (value->type != op->tensors[TOPK_VALUE].type || topk_type_float(index->type)) {
        snprintf(reason, 256,
                 value->type != op->tensors[TOPK_VALUE].type
                     ? "the value output has another type than the input"
                     : "the index output has a floating-point type");
        return false;
    }
    bool ok = true;
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        tensors[role] = calloc(1, (size_t)op->tensors[role].total_bytes);
        ok = ok && tensors[role] != NULL;
    }
    ok = ok && topk_case_fill(tc, tensors[TOPK_INPUT]);
    for (uint64_t i = 0; ok && i < value->elements; i++) {
        const uint32_t bytes = topk_type_bytes(value->type);
        const uint32_t index_type = op->tensors[TOPK_INDEX].type;
        const uint32_t index_bytes = topk_type_bytes(index_type);
        topk_element_store(tensors[TOPK_VALUE] + i * bytes, bytes, topk_packed_get(value, i));
        topk_element_store(tensors[TOPK_INDEX] + i * index_bytes, index_bytes,
                           index_bits(index, i, index_type));
    }
    snprintf(reason, 256, "out of memory");
    if (ok) {
        judge(op, tensors, result);
        ok = !result->judgement.no_memory && !result->judgement.contradiction;
        if (result->judgement.contradiction) {
            snprintf(reason, 256,
                     "the judge rejects the outputs and finds nothing wrong with them");
        }
    }
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        free(tensors[role]);
    }
    return ok;
}
