/* Which misreadings a case would reveal: makes its data again, and judges the outputs that each
 * misreading would give. */
#include <stdlib.h>

#include "case.h"

/* whether a result can contradict a reading: the call is valid and has only one meaning */
static bool says_something(const struct topk_case *tc)
{
    const struct topk_operator *op = &tc->op;
    struct topk_validity validity;
    topk_operator_validate(op, op->level, &validity);
    return topk_clause_set_first(&validity.broken) == TOPK_CLAUSE_NONE &&
           (op->kind == TOPK_TOP_K || op->direction <= TOPK_DECREASING) &&
           !topk_case_misbound(tc) &&
           topk_tensor_elements(&op->tensors[TOPK_INPUT]) <= TOPK_CONTRADICTED_ELEMENTS &&
           topk_case_place(tc, TOPK_INPUT).bytes <= TOPK_CONTRADICTED_BYTES;
}

bool topk_case_readings_differ(const struct topk_case *tc, const struct topk_contract *contract,
                               topk_reading_set set, topk_reading_set *differ)
{
    *differ = 0;
    if (set == 0 || !says_something(tc)) {
        return set == 0;
    }
    const struct topk_place place = topk_case_place(tc, TOPK_INPUT);
    unsigned char *buffer = malloc((size_t)place.bytes);
    bool known = buffer != NULL;
    if (known) {
        const struct topk_exhibit input = {
            .before = buffer, .after = buffer, .bytes = place.bytes, .offset = place.offset};
        topk_case_fill_padding(tc, buffer, place.bytes, place.offset);
        known = topk_case_fill(tc, buffer + place.offset) &&
                topk_readings_contradicted(&tc->op, contract, &input, set, differ);
    }
    free(buffer);
    return known;
}
