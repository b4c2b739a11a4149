/* Relations between calls. */
#include "relation.h"

#include <string.h>

#include "element.h"

/* a case of sequence `number` alone: all sizes but the axis's are 1, everything packed */
static void isolate_row(struct topk_case *test, const struct topk_operator *op)
{
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        struct topk_tensor *tensor = &test->op.tensors[role];
        for (uint32_t d = 0; d < tensor->rank; d++) {
            tensor->sizes[d] = d == op->axis ? tensor->sizes[d] : 1;
        }
        tensor->strided = false;
        tensor->total_bytes = topk_tensor_least_bytes(tensor);
    }
}

/* copies sequence `number` of the first call's input over the input of the second */
static void copy_row(struct topk_call *related, const struct topk_call *base, uint32_t number)
{
    const struct topk_tensor *from = &base->test.op.tensors[TOPK_INPUT];
    uint32_t bytes = topk_type_bytes(from->type);
    uint32_t axis = base->test.op.axis;
    uint32_t at[TOPK_RANK_MAX] = {0};
    topk_operator_sequence_at(&base->test.op, number, at);
    for (uint32_t i = 0; i < from->sizes[axis]; i++) {
        at[axis] = i;
        uint64_t source = base->offset[TOPK_INPUT] + topk_tensor_offset(from, at) * bytes;
        uint64_t target = related->offset[TOPK_INPUT] + (uint64_t)i * bytes;
        memcpy(related->live[TOPK_INPUT].data + target, base->before[TOPK_INPUT].data + source,
               bytes);
        memcpy(related->before[TOPK_INPUT].data + target, base->before[TOPK_INPUT].data + source,
               bytes);
    }
}

/* changes a copy of the first call's case into that of its second call; false if it has none */
static bool vary(struct topk_case *test, enum topk_poison *poison)
{
    struct topk_operator *op = &test->op;
    switch (test->check) {
    case TOPK_CHECK_REPEAT:
        *poison = TOPK_POISON_ONES;
        return true;
    case TOPK_CHECK_TWIN:
        if (topk_operator_increasing(op) || op->direction != TOPK_DECREASING ||
            op->level < TOPK_LEVEL_2_1) {
            return false;
        }
        op->kind = op->kind == TOPK_TOP_K ? TOPK_TOP_K1 : TOPK_TOP_K;
        return true;
    case TOPK_CHECK_PREFIX:
        op->k--;
        for (int role = TOPK_VALUE; role <= TOPK_INDEX; role++) {
            op->tensors[role].sizes[op->axis] = op->k;
        }
        return op->k > 0;
    case TOPK_CHECK_FLAGS:
        op->execution ^= TOPK_EXECUTION_NO_METACOMMAND | TOPK_EXECUTION_VOLATILE;
        return true;
    case TOPK_CHECK_PADDING:
        test->padding = (enum topk_padding)((test->padding + 1) % TOPK_PADDING_COUNT);
        return true;
    case TOPK_CHECK_OFFSET:
        for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
            uint32_t alignment =
                op->tensors[role].alignment < 256 ? 256 : op->tensors[role].alignment;
            op->tensors[role].alignment = alignment;
            test->offset[role] = (test->offset[role] / alignment + 1) * alignment;
        }
        return true;
    default:
        return false;
    }
}

int topk_relation_prepare(struct topk_call *related, const struct topk_call *base, uint32_t number)
{
    struct topk_case test = base->test;
    enum topk_poison poison = TOPK_POISON_RANDOM;
    if (test.check == TOPK_CHECK_ROW) {
        if (number >= TOPK_RELATED_MAX || number >= topk_operator_sequences(&test.op)) {
            return 0;
        }
        isolate_row(&test, &base->test.op);
        test.literal = NULL; /* the data is copied, not made */
        test.recipe = NULL;
        if (!topk_call_prepare(related, &test, poison)) {
            return -1;
        }
        copy_row(related, base, number);
        return 1;
    }
    /* REPEAT runs over ones, then over zeros; the others have one second call */
    if (number >= (test.check == TOPK_CHECK_REPEAT ? 2u : 1u) || !vary(&test, &poison)) {
        return 0;
    }
    if (number == 1) {
        poison = TOPK_POISON_ZEROS;
    }
    if (topk_call_bytes(&test) > 2 * topk_call_bytes(&base->test) + ((uint64_t)1 << 20)) {
        return 0; /* at a multiple of a huge alignment: more than the case itself may take */
    }
    if (!topk_call_prepare(related, &test, poison)) {
        return -1;
    }
    if (test.check == TOPK_CHECK_PREFIX) {
        /* recipes look at K: the data is that of the first call */
        memcpy(related->live[TOPK_INPUT].data, base->live[TOPK_INPUT].data,
               base->bytes[TOPK_INPUT]);
        memcpy(related->before[TOPK_INPUT].data, base->live[TOPK_INPUT].data,
               base->bytes[TOPK_INPUT]);
    }
    return 1;
}

/* whether the clauses leave the result of a sequence open: by NaN (F02); and from one shape of call
 * to another, as of ROW and PREFIX, by FLOAT32 denormals (F04) */
static bool row_is_open(const struct topk_call *call, const uint32_t sequence_at[TOPK_RANK_MAX])
{
    enum topk_check check = call->test.check;
    bool reshaped = check == TOPK_CHECK_ROW || check == TOPK_CHECK_PREFIX;
    const struct topk_tensor *input = &call->test.op.tensors[TOPK_INPUT];
    uint32_t bytes = topk_type_bytes(input->type);
    uint32_t axis = call->test.op.axis;
    uint32_t at[TOPK_RANK_MAX];
    memcpy(at, sequence_at, sizeof at);
    for (uint32_t i = 0; topk_type_float(input->type) && i < input->sizes[axis]; i++) {
        at[axis] = i;
        const unsigned char *from = call->before[TOPK_INPUT].data + call->offset[TOPK_INPUT] +
                                    topk_tensor_offset(input, at) * bytes;
        uint64_t bits = topk_element_load(from, bytes);
        if (topk_element_nan(input->type, bits) || (reshaped && input->type == TOPK_TYPE_F32 &&
                                                    topk_element_denormal(input->type, bits))) {
            return true;
        }
    }
    return false;
}

void topk_relation_compare(const struct topk_call *related, const struct topk_call *base,
                           uint32_t number, struct topk_judgement *judgement)
{
    const struct topk_operator *op = &related->test.op;
    const struct topk_check_row *check = topk_check_row(base->test.check);
    bool row = base->test.check == TOPK_CHECK_ROW;
    uint64_t sequences = topk_operator_sequences(op);
    for (uint64_t s = 0; s < sequences; s++) {
        uint64_t base_sequence = row ? number : s;
        uint32_t at[TOPK_RANK_MAX] = {0};
        uint32_t base_at[TOPK_RANK_MAX] = {0};
        topk_operator_sequence_at(op, s, at);
        topk_operator_sequence_at(&base->test.op, base_sequence, base_at);
        if (base->test.check != TOPK_CHECK_REPEAT && row_is_open(base, base_at)) {
            continue;
        }
        for (uint32_t j = 0; j < op->k; j++) {
            at[op->axis] = j;
            base_at[op->axis] = j;
            for (int role = TOPK_VALUE; role <= TOPK_INDEX; role++) {
                uint64_t expected = topk_call_output(base, (enum topk_role)role, base_at);
                uint64_t actual = topk_call_output(related, (enum topk_role)role, at);
                if (expected == actual) {
                    continue;
                }
                struct topk_finding finding = {.clause = check->clause,
                                               .mismatch = (enum topk_mismatch)check->mismatch,
                                               .role = (enum topk_role)role,
                                               .rank = op->tensors[role].rank,
                                               .expected = expected,
                                               .actual = actual,
                                               .count = 1};
                memcpy(finding.at, base_at, sizeof finding.at);
                topk_judgement_add(judgement, &finding);
            }
        }
    }
}
