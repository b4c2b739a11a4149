/* Which clause allows a valid call: that of its rarest property. */
#include "support.h"

/* a call of four dimensions without rare properties */
static struct topk_operator plain(void)
{
    struct topk_operator op;
    memset(&op, 0, sizeof op);
    op.kind = TOPK_TOP_K1;
    op.level = TOPK_LEVEL_5_0;
    op.axis = 3;
    op.k = 2;
    struct topk_tensor *input = &op.tensors[TOPK_INPUT];
    input->present = true;
    input->type = TOPK_TYPE_F32;
    input->rank = 4;
    for (uint32_t d = 0; d < 4; d++) {
        input->sizes[d] = 4;
    }
    input->total_bytes = topk_tensor_least_bytes(input);
    topk_operator_derive_outputs(&op, TOPK_TYPE_U32);
    return op;
}

static void give_strides(struct topk_tensor *tensor, uint32_t first)
{
    const uint32_t strides[] = {first, 16, 4, 1};
    tensor->strided = true;
    memcpy(tensor->strides, strides, sizeof strides);
    tensor->total_bytes = topk_tensor_least_bytes(tensor);
}

static void change(struct topk_operator *op, int what)
{
    struct topk_tensor *input = &op->tensors[TOPK_INPUT];
    switch (what) {
    case 1:
        op->axis = 2;
        break;
    case 2:
        op->tensors[TOPK_INPUT].rank = 3;
        op->axis = 2;
        input->total_bytes = topk_tensor_least_bytes(input);
        topk_operator_derive_outputs(op, TOPK_TYPE_U32);
        break;
    case 3:
        input->type = TOPK_TYPE_I32;
        break;
    case 4:
        op->k = 1;
        topk_operator_derive_outputs(op, TOPK_TYPE_U32);
        break;
    case 5:
        op->k = 4;
        topk_operator_derive_outputs(op, TOPK_TYPE_U32);
        break;
    case 6:
        topk_operator_derive_outputs(op, TOPK_TYPE_U64);
        break;
    case 7:
        op->execution = TOPK_EXECUTION_NO_METACOMMAND;
        break;
    case 8:
        op->tensors[TOPK_VALUE].alignment = 16;
        break;
    case 9:
        give_strides(&op->tensors[TOPK_INDEX], 64);
        break;
    case 10:
        input->rank = 1;
        op->axis = 0;
        input->total_bytes = topk_tensor_least_bytes(input);
        topk_operator_derive_outputs(op, TOPK_TYPE_U32);
        break;
    case 11:
        give_strides(input, 0);
        break;
    case 12:
        input->flags = TOPK_TENSOR_FLAG_OWNED;
        break;
    case 13:
        op->tensors[TOPK_VALUE].total_bytes += 4;
        break;
    case 14:
        give_strides(input, 0x40000000u);
        break;
    case 15:
        give_strides(input, 0x80000000u);
        break;
    case 17: /* has no effect, because there is only one row */
        input->sizes[0] = 1;
        topk_operator_derive_outputs(op, TOPK_TYPE_U32);
        give_strides(input, 0);
        break;
    case 16:
        input->rank = TOPK_RANK_VALID;
        for (uint32_t d = 4; d < TOPK_RANK_VALID; d++) {
            input->sizes[d] = 2;
        }
        input->total_bytes = topk_tensor_least_bytes(input);
        op->axis = TOPK_RANK_VALID - 1;
        topk_operator_derive_outputs(op, TOPK_TYPE_U32);
        break;
    default:
        break;
    }
}

static void clause_of_what_is_rare(void **state)
{
    (void)state;
    static const enum topk_clause clauses[] = {
        TOPK_CLAUSE_V14, TOPK_CLAUSE_V01, TOPK_CLAUSE_V08, TOPK_CLAUSE_V09, TOPK_CLAUSE_V02,
        TOPK_CLAUSE_V03, TOPK_CLAUSE_V07, TOPK_CLAUSE_M09, TOPK_CLAUSE_T10, TOPK_CLAUSE_T06,
        TOPK_CLAUSE_V08, TOPK_CLAUSE_T05, TOPK_CLAUSE_T11, TOPK_CLAUSE_T08, TOPK_CLAUSE_T09,
        TOPK_CLAUSE_T12, TOPK_CLAUSE_V08, TOPK_CLAUSE_T06};
    for (int i = 0; i < (int)COUNT(clauses); i++) {
        struct topk_operator op = plain();
        change(&op, i);
        if (topk_operator_allowed_by(&op) != clauses[i]) {
            fail_msg("change %d: %s, not %s", i, topk_clause_id(topk_operator_allowed_by(&op)),
                     topk_clause_id(clauses[i]));
        }
    }
}

/* of two properties the rarer one counts: a padded tensor of another type and rank */
static void rarer_first(void **state)
{
    (void)state;
    struct topk_operator op = plain();
    change(&op, 2);
    change(&op, 3);
    assert_int_equal(topk_operator_allowed_by(&op), TOPK_CLAUSE_V09);
    change(&op, 13);
    assert_int_equal(topk_operator_allowed_by(&op), TOPK_CLAUSE_T08);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clause_of_what_is_rare),
        cmocka_unit_test(rarer_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
