/* What a case owns, and the calls of one that is a sequence. */
#include <stdlib.h>
#include <string.h>

#include "case.h"
#include "reference/element.h"
#include "reference/oracle.h"

void topk_case_clear(struct topk_case *tc)
{
    for (uint32_t i = 0; i < tc->before_count; i++) {
        free(tc->before[i].literal);
    }
    free(tc->before);
    free(tc->literal);
    memset(tc, 0, sizeof *tc);
}

/* copies one call; false, with none of what it owns, if memory is short */
static bool copy_call(struct topk_case *to, const struct topk_case *from)
{
    *to = *from;
    to->before = NULL;
    to->before_count = 0;
    if (from->literal == NULL) {
        return true;
    }
    to->literal = malloc(from->literal_count * sizeof *to->literal);
    if (to->literal == NULL) {
        to->literal_count = 0;
        return false;
    }
    memcpy(to->literal, from->literal, from->literal_count * sizeof *to->literal);
    return true;
}

bool topk_case_copy(struct topk_case *to, const struct topk_case *from)
{
    bool ok = copy_call(to, from);
    if (ok && from->before_count > 0) {
        to->before = calloc(from->before_count, sizeof *to->before);
        ok = to->before != NULL;
    }
    for (; ok && to->before_count < from->before_count; to->before_count++) {
        ok = copy_call(&to->before[to->before_count], &from->before[to->before_count]);
    }
    return ok;
}

bool topk_case_push(struct topk_case *tc)
{
    const uint32_t count = tc->before_count;
    struct topk_case *grown =
        count + 1 >= TOPK_CALLS_MAX ? NULL : realloc(tc->before, (count + 1) * sizeof *grown);
    if (grown == NULL) {
        return false;
    }
    grown[count] = *tc;
    grown[count].before = NULL;
    grown[count].before_count = 0;
    *tc = (struct topk_case){.before = grown, .before_count = count + 1};
    return true;
}

const struct topk_case *topk_case_call(const struct topk_case *tc, uint32_t number)
{
    return number == 0 || number > tc->before_count ? tc : &tc->before[number - 1];
}

/* ---- outputs as data ------------------------------------------------------------------------- */

/* whether the data of a call, whose number is from 1, is there */
static bool connected(const struct topk_case *tc, uint32_t number)
{
    const struct topk_case *call = topk_case_call(tc, number);
    if (call->out == 0) {
        return true;
    }
    if (call->out >= number) {
        return false;
    }
    const struct topk_tensor *input = &call->op.tensors[TOPK_INPUT];
    const struct topk_tensor *value =
        &topk_case_call(tc, number - call->out)->op.tensors[TOPK_VALUE];
    return input->present && value->present && input->type == value->type &&
           topk_type_bytes(input->type) > 0 && topk_tensor_elements(input) <= TOPK_LITERAL_MAX &&
           topk_tensor_elements(value) <= TOPK_LITERAL_MAX;
}

bool topk_case_connected(const struct topk_case *tc)
{
    bool all = true;
    for (uint32_t i = 1; i <= tc->before_count + 1; i++) {
        all = all && connected(tc, i);
    }
    return all;
}

uint64_t *topk_case_carry(const struct topk_case *tc, const uint64_t *output, uint32_t count)
{
    const uint64_t elements = topk_tensor_elements(&tc->op.tensors[TOPK_INPUT]);
    uint64_t *literal = calloc(elements + 1, sizeof *literal);
    for (uint64_t i = 0; literal != NULL && count > 0 && i < elements; i++) {
        literal[i] = output[i % count];
    }
    return literal;
}

/* The value output of a case of one call that the reference has for it, in row-major order;
 * *count is 0 if it is not computed. False if memory is short. */
static bool reference_output(const struct topk_case *tc, uint64_t **output, uint32_t *count)
{
    const struct topk_operator *op = &tc->op;
    struct topk_validity validity;
    topk_operator_validate(op, op->level, &validity);
    *output = NULL;
    *count = 0;
    if (!topk_clause_set_empty(&validity.broken) || topk_case_too_large(tc)) {
        return true;
    }
    const uint32_t elements = (uint32_t)topk_tensor_elements(&op->tensors[TOPK_VALUE]);
    unsigned char *tensor = calloc(1, (size_t)op->tensors[TOPK_INPUT].total_bytes);
    uint64_t *row = malloc((size_t)op->k * 2 * sizeof *row); /* and behind them indices */
    *output = malloc((size_t)elements * sizeof **output);
    bool ok = tensor != NULL && row != NULL && *output != NULL && topk_case_fill(tc, tensor);
    uint64_t inner = 1; /* elements from one along Axis to the next */
    for (uint32_t d = op->axis + 1; d < op->tensors[TOPK_VALUE].rank; d++) {
        inner *= op->tensors[TOPK_VALUE].sizes[d];
    }
    const uint64_t sequences = topk_operator_sequences(op);
    for (uint64_t s = 0; ok && s < sequences; s++) {
        ok = topk_oracle_sequence(op, tensor, s, row, row + op->k) != TOPK_ORACLE_NO_MEMORY;
        for (uint32_t j = 0; ok && j < op->k; j++) {
            (*output)[(s / inner * op->k + j) * inner + s % inner] = row[j];
        }
    }
    *count = ok ? elements : 0;
    free(tensor);
    free(row);
    return ok;
}

bool topk_case_alone(struct topk_case *to, const struct topk_case *tc, uint32_t number)
{
    const uint32_t own = number == 0 || number > tc->before_count ? tc->before_count + 1 : number;
    bool ok = copy_call(to, topk_case_call(tc, own));
    const uint32_t out = to->out;
    to->out = 0;
    if (!ok || out == 0 || !connected(tc, own) ||
        topk_tensor_elements(&to->op.tensors[TOPK_INPUT]) == 0) {
        return ok;
    }
    struct topk_case from = {0};
    uint64_t *output = NULL;
    uint32_t count = 0;
    ok = topk_case_alone(&from, tc, own - out) && reference_output(&from, &output, &count);
    if (ok) {
        to->literal = topk_case_carry(to, output, count);
        to->literal_count = (uint32_t)topk_tensor_elements(&to->op.tensors[TOPK_INPUT]);
        ok = to->literal != NULL;
    }
    topk_case_clear(&from);
    free(output);
    return ok;
}
