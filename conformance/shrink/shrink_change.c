/* Changes of a case that keep its description consistent. */
#include "shrink_state.h"

void topk_shrink_follow_total(struct topk_tensor *tensor, const struct topk_tensor *before)
{
    uint64_t old = topk_tensor_least_bytes(before);
    uint64_t least = topk_tensor_least_bytes(tensor);
    uint64_t total = before->total_bytes;
    if (total >= old) {
        uint64_t slack = total - old;
        tensor->total_bytes = least > UINT64_MAX - slack ? UINT64_MAX : least + slack;
    } else {
        uint64_t missing = old - total;
        tensor->total_bytes = least > missing ? least - missing : 0;
    }
}

void topk_shrink_set_k(struct topk_case *tc, uint32_t k)
{
    struct topk_operator *op = &tc->op;
    for (int role = TOPK_VALUE; role <= TOPK_INDEX; role++) {
        struct topk_tensor *output = &op->tensors[role];
        struct topk_tensor before = *output;
        if (op->axis < output->rank && output->sizes[op->axis] == op->k) {
            output->sizes[op->axis] = k;
            topk_shrink_follow_total(output, &before);
        }
    }
    op->k = k;
}

void topk_shrink_set_type(struct topk_case *tc, uint32_t type)
{
    struct topk_tensor *input = &tc->op.tensors[TOPK_INPUT];
    struct topk_tensor *value = &tc->op.tensors[TOPK_VALUE];
    struct topk_tensor before = *value;
    if (value->type == input->type) {
        value->type = type;
        topk_shrink_follow_total(value, &before);
    }
    before = *input;
    input->type = type;
    topk_shrink_follow_total(input, &before);
}

/* removes the literal elements at positions from..from+count-1 of a dimension */
static void remove_literal(struct topk_case *tc, uint32_t dimension, uint32_t from, uint32_t count)
{
    const struct topk_tensor *input = &tc->op.tensors[TOPK_INPUT];
    uint32_t inner = 1;
    for (uint32_t d = dimension + 1; d < input->rank; d++) {
        inner *= input->sizes[d];
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < tc->literal_count; i++) {
        uint32_t at = i / inner % input->sizes[dimension];
        if (at < from || at - from >= count) {
            tc->literal[kept++] = tc->literal[i];
        }
    }
    tc->literal_count = kept;
}

void topk_shrink_remove(struct topk_case *tc, uint32_t dimension, uint32_t from, uint32_t count)
{
    struct topk_operator *op = &tc->op;
    uint32_t size = op->tensors[TOPK_INPUT].sizes[dimension];
    if (tc->literal != NULL) {
        remove_literal(tc, dimension, from, count);
    }
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        struct topk_tensor *tensor = &op->tensors[role];
        struct topk_tensor before = *tensor;
        bool follows = role == TOPK_INPUT || dimension != op->axis;
        if (follows && dimension < tensor->rank && tensor->sizes[dimension] == size) {
            tensor->sizes[dimension] = size - count;
            topk_shrink_follow_total(tensor, &before);
        }
    }
}
