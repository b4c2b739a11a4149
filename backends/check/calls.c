/* The calls in the check's frames. */
#include "frame.h"
#include "reference/element.h"

static void set_input(struct topk_operator *op, uint32_t type, uint32_t rank, uint32_t rows,
                      uint32_t length)
{
    struct topk_tensor *input = &op->tensors[TOPK_INPUT];
    *input = (struct topk_tensor){.present = true, .type = type, .rank = rank};
    for (uint32_t d = 0; d < rank; d++) {
        input->sizes[d] = d + 1 == rank ? length : d + 2 == rank ? rows : 1;
    }
    input->total_bytes = topk_tensor_least_bytes(input);
}

struct check_call check_call_plain(uint32_t k, uint32_t length)
{
    struct check_call call = {.op = {.kind = TOPK_TOP_K, .axis = 3, .k = k}};
    set_input(&call.op, TOPK_TYPE_F32, 4, 3, length);
    topk_operator_derive_outputs(&call.op, TOPK_TYPE_U32);
    return call;
}

struct check_call check_call_typed(uint32_t type, uint32_t index_type)
{
    struct check_call call = check_call_plain(4, 7);
    set_input(&call.op, type, 4, 3, 7);
    topk_operator_derive_outputs(&call.op, index_type);
    return call;
}

struct check_call check_call_ranked(uint32_t rank)
{
    struct check_call call = check_call_plain(2, 5);
    set_input(&call.op, TOPK_TYPE_F32, rank, 2, 5);
    call.op.axis = rank - 1;
    topk_operator_derive_outputs(&call.op, TOPK_TYPE_U32);
    return call;
}

static void set_strides(struct topk_tensor *tensor, uint32_t rows, uint32_t row, uint32_t element)
{
    tensor->strided = true;
    tensor->strides[0] = tensor->strides[1] = rows;
    tensor->strides[2] = row;
    tensor->strides[3] = element;
    tensor->total_bytes = topk_tensor_least_bytes(tensor);
}

struct check_call check_call_strided(void)
{
    struct check_call call = check_call_plain(4, 7);
    set_strides(&call.op.tensors[TOPK_INPUT], 60, 20, 2);
    set_strides(&call.op.tensors[TOPK_VALUE], 51, 15, 3);
    set_strides(&call.op.tensors[TOPK_INDEX], 42, 1, 5);
    return call;
}

struct check_call check_call_invalid(struct check_call call)
{
    call.invalid = call.create_only = true;
    return call;
}
