/* Which clause allows the rarest property of a valid call: a refusal breaks it. */
#include "element.h"
#include "operator.h"

static bool is_padded(const struct topk_tensor *tensor)
{
    return tensor->total_bytes > topk_tensor_least_bytes(tensor);
}

static bool is_huge(const struct topk_tensor *tensor)
{
    return tensor->total_bytes > INT32_MAX || topk_tensor_elements(tensor) > INT32_MAX;
}

static bool is_owned(const struct topk_tensor *tensor)
{
    return tensor->flags != 0;
}

static bool is_aligned(const struct topk_tensor *tensor)
{
    return tensor->alignment != 0;
}

static bool is_strided(const struct topk_tensor *tensor)
{
    return tensor->strided;
}

static bool has_stride(const struct topk_tensor *tensor, uint32_t from, uint32_t to)
{
    bool found = false;
    for (uint32_t d = 0; tensor->strided && d < tensor->rank; d++) {
        found |= tensor->sizes[d] > 1 && tensor->strides[d] >= from && tensor->strides[d] <= to;
    }
    return found;
}

static bool is_broadcast(const struct topk_tensor *tensor)
{
    return has_stride(tensor, 0, 0);
}

static bool has_huge_stride(const struct topk_tensor *tensor)
{
    return has_stride(tensor, 0x80000000u, UINT32_MAX);
}

/* whether one of the tensors has a property */
static bool any(const struct topk_operator *op, bool (*is)(const struct topk_tensor *tensor))
{
    return is(&op->tensors[TOPK_INPUT]) || is(&op->tensors[TOPK_VALUE]) ||
           is(&op->tensors[TOPK_INDEX]);
}

enum topk_clause topk_operator_allowed_by(const struct topk_operator *op)
{
    const struct topk_tensor *input = &op->tensors[TOPK_INPUT];
    const uint32_t rank = input->rank;
    /* rare properties before common ones, because common ones are rarely the reason for a refusal
     */
    const struct {
        enum topk_clause clause;
        bool asked; /* whether the call has the property */
    } rows[] = {
        {TOPK_CLAUSE_T12, any(op, has_huge_stride)},
        {TOPK_CLAUSE_T09, any(op, is_huge)},
        {TOPK_CLAUSE_T08, any(op, is_padded)},
        {TOPK_CLAUSE_T11, any(op, is_owned)},
        {TOPK_CLAUSE_T05, any(op, is_broadcast)},
        {TOPK_CLAUSE_V08, rank == 1 || rank == TOPK_RANK_VALID},
        {TOPK_CLAUSE_T06, any(op, is_strided)},
        {TOPK_CLAUSE_T10, any(op, is_aligned)},
        {TOPK_CLAUSE_M09, op->execution != 0},
        {TOPK_CLAUSE_V07, op->tensors[TOPK_INDEX].type == TOPK_TYPE_U64},
        {TOPK_CLAUSE_V03, op->k == input->sizes[op->axis]},
        {TOPK_CLAUSE_V02, op->k == 1},
        {TOPK_CLAUSE_V09, input->type != TOPK_TYPE_F32},
        {TOPK_CLAUSE_V08, rank != 4},
        {TOPK_CLAUSE_V01, op->axis + 1 != rank},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].asked) {
            return rows[i].clause;
        }
    }
    return TOPK_CLAUSE_V14;
}
