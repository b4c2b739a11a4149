/* Validation in one pass: each tensor by itself, then the three together. */
#include "control.h"

#define LEVEL_2_0 0x2000u
#define LEVEL_2_1 0x2100u
#define LEVEL_3_1 0x3100u
#define LEVEL_5_0 0x5000u

/* The size in bytes of a value type that a level has, or 0. */
static uint32_t value_width(uint32_t type, uint32_t level)
{
    if (type == TOPK_BACKEND_FLOAT32) {
        return 4;
    }
    if (type == TOPK_BACKEND_FLOAT16) {
        return 2;
    }
    if (level < LEVEL_2_1) {
        return 0;
    }
    switch (type) {
    case TOPK_BACKEND_UINT32:
    case TOPK_BACKEND_INT32:
        return 4;
    case TOPK_BACKEND_UINT16:
    case TOPK_BACKEND_INT16:
        return 2;
    case TOPK_BACKEND_UINT8:
    case TOPK_BACKEND_INT8:
        return 1;
    case TOPK_BACKEND_UINT64:
    case TOPK_BACKEND_INT64:
        return level >= LEVEL_5_0 ? 8 : 0;
    default:
        return 0;
    }
}

static uint32_t index_width(uint32_t type, uint32_t level)
{
    if (type == TOPK_BACKEND_UINT32) {
        return 4;
    }
    return type == TOPK_BACKEND_UINT64 && level >= LEVEL_5_0 ? 8 : 0;
}

static const char *tensor_refusal(const struct topk_backend_tensor *tensor, uint32_t width,
                                  bool is_input)
{
    if (tensor->flags > (is_input ? TOPK_TENSOR_OWNED_BY_DML : 0u)) {
        return "T11";
    }
    uint32_t alignment = tensor->guaranteed_base_offset_alignment;
    if (alignment != 0 && ((alignment & (alignment - 1)) != 0 || alignment < width)) {
        return "T10";
    }
    uint64_t elements = 1;
    uint64_t last = 0;
    for (uint32_t d = tensor->dimension_count; d-- > 0;) {
        uint64_t stride = tensor->strides != NULL ? tensor->strides[d] : elements;
        if (tensor->sizes[d] == 0) {
            return "T01";
        }
        elements *= tensor->sizes[d];
        if (elements > UINT32_MAX) {
            return "T09";
        }
        last += (tensor->sizes[d] - 1u) * stride;
    }
    if (last >= UINT32_MAX || tensor->total_bytes > (uint64_t)UINT32_MAX * width) {
        return "T09";
    }
    uint64_t least = ((last + 1) * width + 3) / 4 * 4;
    return tensor->total_bytes < least ? "T08" : NULL;
}

const char *control_refusal(const struct topk_backend_call *call)
{
    const struct topk_backend_tensor *tensors[] = {call->input, call->value, call->index};
    bool is_top_k1 = call->operator_type == TOPK_OPERATOR_TOP_K1;
    if (!is_top_k1 && call->operator_type != TOPK_OPERATOR_TOP_K) {
        return "V14";
    }
    if (call->feature_level < (is_top_k1 ? LEVEL_2_1 : LEVEL_2_0)) {
        return "V14";
    }
    if (is_top_k1 && call->direction > TOPK_DIRECTION_DECREASING) {
        return "V12";
    }
    if (call->execution_flags >= 8) {
        return "M09";
    }
    for (int t = 0; t < 3; t++) {
        if (tensors[t] == NULL) {
            return "V11";
        }
        uint32_t rank = tensors[t]->dimension_count;
        if (call->feature_level < LEVEL_3_1 ? rank != 4 : rank < 1 || rank > 8) {
            return "V08";
        }
        if (rank != call->input->dimension_count) {
            return "V05";
        }
    }
    if (call->axis >= call->input->dimension_count) {
        return "V01";
    }
    uint32_t width = value_width(call->input->data_type, call->feature_level);
    if (width == 0) {
        return "V09";
    }
    if (call->value->data_type != call->input->data_type) {
        return "V06";
    }
    uint32_t widths[] = {width, width, index_width(call->index->data_type, call->feature_level)};
    if (widths[2] == 0) {
        return "V07";
    }
    if (call->k == 0) {
        return "V02";
    }
    if (call->k > call->input->sizes[call->axis]) {
        return "V03b";
    }
    for (uint32_t d = 0; d < call->input->dimension_count; d++) {
        uint32_t wanted = d == call->axis ? call->k : call->input->sizes[d];
        if (call->value->sizes[d] != wanted || call->index->sizes[d] != wanted) {
            return "V04";
        }
    }
    for (int t = 0; t < 3; t++) {
        const char *broken = tensor_refusal(tensors[t], widths[t], t == 0);
        if (broken != NULL) {
            return broken;
        }
    }
    return NULL;
}
