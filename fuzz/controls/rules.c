/* Validation as a table of rules, each of which says whether a call obeys it. A rule may rely on
 * those above it. */
#include "control.h"

#define MAX_RANK 8u

struct rule {
    const char *clause;
    bool (*obeyed)(const struct topk_backend_call *call);
};

static const struct topk_backend_tensor *tensor_of(const struct topk_backend_call *call, int which)
{
    return which == 0 ? call->input : which == 1 ? call->value : call->index;
}

static bool has_all(const struct topk_backend_call *call)
{
    return call->input != NULL && call->value != NULL && call->index != NULL;
}

static bool has_operator(const struct topk_backend_call *call)
{
    return (call->operator_type == TOPK_OPERATOR_TOP_K && call->feature_level >= 0x2000) ||
           (call->operator_type == TOPK_OPERATOR_TOP_K1 && call->feature_level >= 0x2100);
}

static bool has_direction(const struct topk_backend_call *call)
{
    return call->operator_type == TOPK_OPERATOR_TOP_K || (call->direction & ~1u) == 0;
}

static bool has_known_flags(const struct topk_backend_call *call)
{
    uint32_t known = TOPK_EXECUTION_ALLOW_HALF_PRECISION | TOPK_EXECUTION_DISABLE_METACOMMANDS |
                     TOPK_EXECUTION_DESCRIPTORS_VOLATILE;
    return (call->execution_flags | known) == known;
}

static bool has_ranks(const struct topk_backend_call *call)
{
    for (int t = 0; t < 3; t++) {
        uint32_t rank = tensor_of(call, t)->dimension_count;
        bool legal = rank == 4 || (call->feature_level >= 0x3100 && rank - 1 < MAX_RANK);
        if (!legal) {
            return false;
        }
    }
    return true;
}

static bool has_one_rank(const struct topk_backend_call *call)
{
    return call->input->dimension_count == call->value->dimension_count &&
           call->value->dimension_count == call->index->dimension_count;
}

static bool has_axis(const struct topk_backend_call *call)
{
    return call->axis < call->input->dimension_count;
}

/* The level from which a type holds values in the high half, its bytes in the low; 0 if it never
 * does. */
static uint32_t traits_of(uint32_t type)
{
    static const uint32_t traits[] = {
        [TOPK_BACKEND_FLOAT32] = 0x20000004, [TOPK_BACKEND_FLOAT16] = 0x20000002,
        [TOPK_BACKEND_UINT32] = 0x21000004,  [TOPK_BACKEND_UINT16] = 0x21000002,
        [TOPK_BACKEND_UINT8] = 0x21000001,   [TOPK_BACKEND_INT32] = 0x21000004,
        [TOPK_BACKEND_INT16] = 0x21000002,   [TOPK_BACKEND_INT8] = 0x21000001,
        [TOPK_BACKEND_UINT64] = 0x50000008,  [TOPK_BACKEND_INT64] = 0x50000008};
    return type < sizeof traits / sizeof *traits ? traits[type] : 0;
}

static bool has_value_type(const struct topk_backend_call *call)
{
    uint32_t traits = traits_of(call->input->data_type);
    return traits != 0 && call->feature_level >= traits >> 16;
}

static bool has_same_type(const struct topk_backend_call *call)
{
    return call->value->data_type == call->input->data_type;
}

static bool has_index_type(const struct topk_backend_call *call)
{
    return call->index->data_type == TOPK_BACKEND_UINT32 ||
           (call->index->data_type == TOPK_BACKEND_UINT64 && call->feature_level >= 0x5000);
}

static bool has_tensor_flags(const struct topk_backend_call *call)
{
    return (call->input->flags & ~TOPK_TENSOR_OWNED_BY_DML) == 0 &&
           (call->value->flags | call->index->flags) == 0;
}

static bool has_alignments(const struct topk_backend_call *call)
{
    for (int t = 0; t < 3; t++) {
        uint32_t alignment = tensor_of(call, t)->guaranteed_base_offset_alignment;
        uint32_t legal = traits_of(tensor_of(call, t)->data_type) & 0xff;
        while (legal != 0 && legal != alignment) {
            legal <<= 1;
        }
        if (alignment != 0 && legal == 0) {
            return false;
        }
    }
    return true;
}

static bool has_no_zeros(const struct topk_backend_call *call)
{
    for (uint32_t d = 0; d < call->input->dimension_count; d++) {
        if (call->input->sizes[d] == 0 || call->value->sizes[d] == 0 ||
            call->index->sizes[d] == 0) {
            return false;
        }
    }
    return true;
}

static bool has_k(const struct topk_backend_call *call)
{
    return call->k - 1 < call->input->sizes[call->axis];
}

static bool has_shapes(const struct topk_backend_call *call)
{
    uint32_t different = 0;
    for (uint32_t d = 0; d < call->input->dimension_count; d++) {
        uint32_t size = d == call->axis ? call->k : call->input->sizes[d];
        different |= (size ^ call->value->sizes[d]) | (size ^ call->index->sizes[d]);
    }
    return different == 0;
}

/* Whether elements are not too many: divides what is left instead of multiplying. */
static bool has_few_elements(const struct topk_backend_call *call)
{
    for (int t = 0; t < 3; t++) {
        const struct topk_backend_tensor *tensor = tensor_of(call, t);
        uint64_t width = traits_of(tensor->data_type) & 0xff;
        uint32_t left = UINT32_MAX;
        for (uint32_t d = 0; d < tensor->dimension_count; d++) {
            left /= tensor->sizes[d];
        }
        if (left == 0 || tensor->total_bytes > width * UINT32_MAX) {
            return false;
        }
    }
    return true;
}

/* Whether the bytes suffice: takes what each dimension needs from what there is. */
static bool has_bytes(const struct topk_backend_call *call)
{
    for (int t = 0; t < 3; t++) {
        const struct topk_backend_tensor *tensor = tensor_of(call, t);
        uint64_t width = traits_of(tensor->data_type) & 0xff;
        /* NOLINTNEXTLINE(clang-analyzer-core.DivideZero): the type was checked */
        uint64_t left = (tensor->total_bytes & ~(uint64_t)3) / width;
        uint64_t packed = 1;
        if (left == 0) {
            return false;
        }
        left--;
        for (uint32_t d = tensor->dimension_count; d-- > 0;) {
            uint64_t stride = tensor->strides != NULL ? tensor->strides[d] : packed;
            uint64_t needed = stride * (tensor->sizes[d] - 1);
            if (needed > left) {
                return false;
            }
            left -= needed;
            packed *= tensor->sizes[d];
        }
    }
    return true;
}

const char *control_refusal(const struct topk_backend_call *call)
{
    static const struct rule rules[] = {
        {"V11", has_all},          {"V14", has_operator},     {"V12", has_direction},
        {"M09", has_known_flags},  {"V08", has_ranks},        {"V05", has_one_rank},
        {"V01", has_axis},         {"V09", has_value_type},   {"V06", has_same_type},
        {"V07", has_index_type},   {"T11", has_tensor_flags}, {"T10", has_alignments},
        {"T01", has_no_zeros},     {"V03b", has_k},           {"V04", has_shapes},
        {"T09", has_few_elements}, {"T08", has_bytes}};
    for (uint32_t r = 0; r < sizeof rules / sizeof *rules; r++) {
        if (!rules[r].obeyed(call)) {
            return rules[r].clause;
        }
    }
    return NULL;
}
