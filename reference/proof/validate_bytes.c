/* topk_operator_validate() agrees with T08, T09 and T12 about the bytes of a tensor, given the
 * number of elements and the least size, which tensor_arithmetic.c covers: for an output of rank
 * RANK and type TYPE, and any sizes, strides and total. */
#include "operator.h"
#include "prove.h"

/* detecting overlaps takes long, and does not matter here */
#define topk_tensor_overlaps topk_tensor_overlaps_left_out
#include "../tensor.c"
#undef topk_tensor_overlaps
bool topk_tensor_overlaps(const struct topk_tensor *tensor)
{
    (void)tensor;
    return nondet_bool();
}

int main(void)
{
    struct topk_operator op = {.kind = TOPK_TOP_K};
    struct topk_tensor *tensor = &op.tensors[TOPK_VALUE];
    *tensor = (struct topk_tensor){.present = true,
                                   .strided = STRIDED,
                                   .type = TYPE,
                                   .rank = RANK,
                                   .total_bytes = nondet_u64()};
    bool huge = false; /* a stride, on a dimension of size > 1 */
    for (uint32_t d = 0; d < RANK; d++) {
        tensor->sizes[d] = nondet_u32();
        tensor->strides[d] = nondet_u32();
        huge = huge || (tensor->strided && tensor->sizes[d] > 1 && tensor->strides[d] > INT32_MAX);
    }
    struct topk_validity validity;
    topk_operator_validate(&op, TOPK_LEVEL_5_0, &validity);
    const uint64_t elements = topk_tensor_elements(tensor);
    const uint64_t least = topk_tensor_least_bytes(tensor);
    const uint64_t bytes = topk_type_bytes(tensor->type);
    const uint64_t total = tensor->total_bytes;
    const bool asked = elements != 0; /* otherwise T01 is broken */
    const bool small = bytes != 0 && (least == UINT64_MAX || total < least);
    const bool large = elements > UINT32_MAX || (bytes != 0 && total > bytes * UINT32_MAX);
    PROVE(topk_clause_set_has(&validity.broken, TOPK_CLAUSE_T08) == (asked && small));
    PROVE(topk_clause_set_has(&validity.broken, TOPK_CLAUSE_T09) == (asked && large));
    PROVE(topk_clause_set_has(&validity.broken, TOPK_CLAUSE_T12) == (asked && small && huge));
    REACHED(asked && small && huge);
    REACHED(asked && large);
    REACHED(asked && !small && !large);
}
