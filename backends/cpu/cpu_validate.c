/* Validates a call: first the table of types and the search for overlapping elements, then the
 * checks in the order in which they are made. */
#include "cpu.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define LEVEL_2_0 0x2000u
#define LEVEL_2_1 0x2100u
#define LEVEL_3_1 0x3100u
#define LEVEL_5_0 0x5000u

#define LEGACY_RANK 4u /* the only rank below level 3.1 */
#define KNOWN_EXECUTION_FLAGS                                                                      \
    (TOPK_EXECUTION_ALLOW_HALF_PRECISION | TOPK_EXECUTION_DISABLE_METACOMMANDS |                   \
     TOPK_EXECUTION_DESCRIPTORS_VOLATILE)

static const char *const tensor_names[TOPK_CPU_TENSORS] = {"InputTensor", "OutputValueTensor",
                                                           "OutputIndexTensor"};

struct type_traits {
    uint32_t since; /* first feature level that allows it as value type, 0: none; clause V09 */
    uint32_t width; /* bytes */
    bool is_float;
    uint64_t bias; /* a signed integer is xored with this to compare as unsigned, else 0 */
};

/* A macro, so that compilers check the arguments against the format. Its value is false. */
#define ANSWER(answer, code, ...)                                                                  \
    (snprintf((answer)->reason, sizeof((answer)->reason), __VA_ARGS__), (answer)->status = (code), \
     false)
#define REFUSE(answer, ...) ANSWER(answer, TOPK_BACKEND_REFUSED, __VA_ARGS__)

static struct type_traits traits_of(uint32_t data_type)
{
    static const struct type_traits table[] = {
        [TOPK_BACKEND_FLOAT32] = {LEVEL_2_0, 4, true, 0},
        [TOPK_BACKEND_FLOAT16] = {LEVEL_2_0, 2, true, 0},
        [TOPK_BACKEND_UINT32] = {LEVEL_2_1, 4, false, 0},
        [TOPK_BACKEND_UINT16] = {LEVEL_2_1, 2, false, 0},
        [TOPK_BACKEND_UINT8] = {LEVEL_2_1, 1, false, 0},
        [TOPK_BACKEND_INT32] = {LEVEL_2_1, 4, false, UINT64_C(1) << 31},
        [TOPK_BACKEND_INT16] = {LEVEL_2_1, 2, false, UINT64_C(1) << 15},
        [TOPK_BACKEND_INT8] = {LEVEL_2_1, 1, false, UINT64_C(1) << 7},
        [TOPK_BACKEND_UINT64] = {LEVEL_5_0, 8, false, 0},
        [TOPK_BACKEND_INT64] = {LEVEL_5_0, 8, false, UINT64_C(1) << 63},
    };
    return table[data_type < sizeof table / sizeof table[0] ? data_type : TOPK_BACKEND_UNKNOWN];
}

/* ---- Overlap of output elements: clause T14 -------------------------------------------------- */

/* Two elements share memory if a vector of steps, not all 0 and each within +-most of its
 * dimension, leads from one to the other with sum(step * stride) == 0. Sums fit into int64_t: T09
 * bounds the sizes, so that with two or more dimensions sum(most) < 2^31. */
struct extent {
    int64_t most; /* size - 1, positive */
    int64_t stride;
};

static int64_t floor_div(int64_t a, int64_t positive)
{
    return a / positive - (a % positive < 0);
}

/* Whether steps in `count` dimensions can cancel `sum`; if nothing has moved yet, at least one step
 * must not be 0. Steps that the later dimensions cannot cancel are not tried, so that a search is
 * short except for contrived, nearly equal strides, and the last dimension needs no search. */
static bool steps_cancel(const struct extent *extents, uint32_t count, int64_t sum, bool moved)
{
    int64_t stride = extents[0].stride;
    if (count == 1) {
        return moved && sum % stride == 0 && llabs(sum / stride) <= extents[0].most;
    }
    int64_t reach = 0;
    for (uint32_t i = 1; i < count; i++) {
        reach += extents[i].most * extents[i].stride;
    }
    int64_t low = -floor_div(sum + reach, stride);
    int64_t high = floor_div(reach - sum, stride);
    low = low < -extents[0].most ? -extents[0].most : low;
    high = high > extents[0].most ? extents[0].most : high;
    /* Before the first step only one sign must be tried, because opposite steps cancel in the same
     * way. */
    for (int64_t step = moved ? low : 0; step <= high; step++) {
        if (steps_cancel(extents + 1, count - 1, sum + step * stride, moved || step != 0)) {
            return true;
        }
    }
    return false;
}

static int by_stride(const void *left, const void *right)
{
    const struct extent *a = left;
    const struct extent *b = right;
    return (a->stride > b->stride) - (a->stride < b->stride);
}

static int by_size(const void *left, const void *right)
{
    const struct extent *a = left;
    const struct extent *b = right;
    return (a->most > b->most) - (a->most < b->most);
}

/* With extents sorted by stride, counts those that an overlap can involve. The last ones cannot be
 * involved if their strides exceed the reach of all smaller dimensions. The result is 0 for every
 * layout of nested dimensions. Crowded: there are more elements than positions. */
static uint32_t entangled_extents(const struct extent *extents, uint32_t count, bool *crowded)
{
    uint32_t entangled = 0;
    uint64_t elements = 1;
    uint64_t reach = 0;
    for (uint32_t i = 0; i < count; i++) {
        if ((uint64_t)extents[i].stride <= reach) {
            entangled = i + 1;
        }
        elements *= (uint64_t)extents[i].most + 1;
        reach += (uint64_t)extents[i].most * (uint64_t)extents[i].stride;
        if (elements - 1 > reach) {
            *crowded = true;
        }
    }
    return entangled;
}

static bool elements_overlap(const struct topk_backend_tensor *desc)
{
    struct extent extents[TOPK_CPU_MAX_RANK];
    uint32_t count = 0;
    for (uint32_t i = 0; i < desc->dimension_count; i++) {
        if (desc->sizes[i] > 1) {
            if (desc->strides[i] == 0) {
                return true;
            }
            extents[count++] = (struct extent){desc->sizes[i] - INT64_C(1), desc->strides[i]};
        }
    }
    qsort(extents, count, sizeof extents[0], by_stride);
    bool crowded = false;
    count = entangled_extents(extents, count, &crowded);
    if (count == 0 || crowded) {
        return crowded;
    }
    /* the largest is last, because it is not searched */
    qsort(extents, count, sizeof extents[0], by_size);
    return steps_cancel(extents, count, 0, false);
}

/* ---- Validation ----------------------------------------------------------------------------- */

static bool check_operator(const struct topk_backend_call *call, struct topk_backend_answer *answer)
{
    if (call->operator_type != TOPK_OPERATOR_TOP_K && call->operator_type != TOPK_OPERATOR_TOP_K1) {
        return REFUSE(answer, "V14: operator type %" PRIu32 " is neither TOP_K nor TOP_K1",
                      call->operator_type);
    }
    bool is_top_k1 = call->operator_type == TOPK_OPERATOR_TOP_K1;
    uint32_t since = is_top_k1 ? LEVEL_2_1 : LEVEL_2_0;
    if (call->feature_level < since) {
        return REFUSE(answer, "V14: %s needs feature level %#" PRIx32 ", the call has %#" PRIx32,
                      is_top_k1 ? "TOP_K1" : "TOP_K", since, call->feature_level);
    }
    if (is_top_k1 && call->direction != TOPK_DIRECTION_INCREASING &&
        call->direction != TOPK_DIRECTION_DECREASING) {
        return REFUSE(answer, "V12: AxisDirection %" PRIu32 " is neither 0 nor 1", call->direction);
    }
    if ((call->execution_flags & ~KNOWN_EXECUTION_FLAGS) != 0) {
        return REFUSE(answer, "M09: execution flags %#" PRIx32 " hold an unknown one",
                      call->execution_flags);
    }
    return true;
}

static bool check_rank(const struct topk_backend_tensor *const descs[TOPK_CPU_TENSORS],
                       uint32_t level, struct topk_backend_answer *answer)
{
    for (int i = 0; i < TOPK_CPU_TENSORS; i++) {
        const char *name = tensor_names[i];
        if (descs[i] == NULL || (descs[i]->sizes == NULL && descs[i]->dimension_count > 0)) {
            return REFUSE(answer, "V11: %s is missing", name);
        }
        uint32_t rank = descs[i]->dimension_count;
        if (rank > TOPK_CPU_MAX_RANK) {
            return REFUSE(answer, "T02: %s has %" PRIu32 " dimensions, more than %u", name, rank,
                          TOPK_CPU_MAX_RANK);
        }
        if (rank == 0 || (level < LEVEL_3_1 && rank != LEGACY_RANK)) {
            return REFUSE(answer, "V08: %s has %" PRIu32 " dimensions at feature level %#" PRIx32,
                          name, rank, level);
        }
        if (rank != descs[TOPK_CPU_INPUT]->dimension_count) {
            return REFUSE(answer, "V05: %s has %" PRIu32 " dimensions, InputTensor %" PRIu32, name,
                          rank, descs[TOPK_CPU_INPUT]->dimension_count);
        }
    }
    return true;
}

static bool check_types(const struct topk_backend_tensor *const descs[TOPK_CPU_TENSORS],
                        uint32_t level, uint32_t since, struct topk_backend_answer *answer)
{
    uint32_t type = descs[TOPK_CPU_INPUT]->data_type;
    if (since == 0) {
        return REFUSE(answer, "V09: data type %" PRIu32 " is not supported", type);
    }
    if (level < since) {
        return REFUSE(answer,
                      "V09: data type %" PRIu32 " needs feature level %#" PRIx32
                      ", the call has %#" PRIx32,
                      type, since, level);
    }
    if (descs[TOPK_CPU_VALUE]->data_type != type) {
        return REFUSE(answer, "V06: value data type %" PRIu32 " is not the input's %" PRIu32,
                      descs[TOPK_CPU_VALUE]->data_type, type);
    }
    uint32_t index_type = descs[TOPK_CPU_INDEX]->data_type;
    if (index_type == TOPK_BACKEND_UINT64 && level < LEVEL_5_0) {
        return REFUSE(answer, "V07: a UINT64 index needs feature level %#x, the call has %#" PRIx32,
                      LEVEL_5_0, level);
    }
    if (index_type != TOPK_BACKEND_UINT32 && index_type != TOPK_BACKEND_UINT64) {
        return REFUSE(answer, "V07: index data type %" PRIu32 " is neither UINT32 nor UINT64",
                      index_type);
    }
    return true;
}

/* Checks sizes first, because the rest depends on them: clauses T01 and T09. */
static bool check_sizes(const struct topk_backend_tensor *desc, const char *name,
                        struct topk_backend_answer *answer)
{
    for (uint32_t i = 0; i < desc->dimension_count; i++) {
        if (desc->sizes[i] == 0) {
            return REFUSE(answer, "T01: %s Sizes[%" PRIu32 "] is 0", name, i);
        }
    }
    uint64_t elements = 1;
    for (uint32_t i = 0; i < desc->dimension_count; i++) {
        elements *= desc->sizes[i];
        if (elements > UINT32_MAX) {
            return REFUSE(answer, "T09: %s has more than %" PRIu32 " elements", name, UINT32_MAX);
        }
    }
    return true;
}

/* Returns false if the least size of the tensor does not fit into 64 bits. The offsets of its
 * elements do: the product of sizes is below 2^32, and strides are below 2^32, so the sum is below
 * 2^64. */
static bool measure(const struct topk_backend_tensor *desc, struct topk_cpu_view *view)
{
    uint64_t elements = 1;
    uint64_t packed = 1;
    for (uint32_t i = desc->dimension_count; i-- > 0;) {
        uint64_t stride = desc->strides != NULL ? desc->strides[i] : packed;
        packed *= desc->sizes[i];
        elements += (desc->sizes[i] - 1u) * stride;
        view->strides[i] = stride * view->width;
    }
    if (elements > (UINT64_MAX - 3) / view->width) {
        return false;
    }
    view->least_bytes = (elements * view->width + 3) & ~UINT64_C(3);
    view->sizes = desc->sizes;
    return true;
}

static bool check_tensor(const struct topk_backend_tensor *desc, enum topk_cpu_tensor which,
                         struct topk_cpu_view *view, struct topk_backend_answer *answer)
{
    const char *name = tensor_names[which];
    uint32_t width = view->width;
    uint32_t allowed = which == TOPK_CPU_INPUT ? TOPK_TENSOR_OWNED_BY_DML : 0;
    if ((desc->flags & ~allowed) != 0) {
        return REFUSE(answer, "T11: %s flags %#" PRIx32 " are not allowed there", name,
                      desc->flags);
    }
    if (!check_sizes(desc, name, answer)) {
        return false;
    }
    uint32_t alignment = desc->guaranteed_base_offset_alignment;
    if (alignment != 0 && ((alignment & (alignment - 1)) != 0 || alignment < width)) {
        return REFUSE(answer,
                      "T10: %s alignment %" PRIu32
                      " is not a power of two from element size %" PRIu32 " up",
                      name, alignment, width);
    }
    if (!measure(desc, view)) {
        return REFUSE(answer, "T08: %s needs more than %" PRIu64 " bytes", name, UINT64_MAX);
    }
    if (desc->total_bytes / width > UINT32_MAX ||
        (desc->total_bytes / width == UINT32_MAX && desc->total_bytes % width != 0)) {
        return REFUSE(answer, "T09: %s has %" PRIu64 " bytes, more than %" PRIu32 " elements", name,
                      desc->total_bytes, UINT32_MAX);
    }
    if (desc->total_bytes < view->least_bytes) {
        return REFUSE(answer, "T08: %s has %" PRIu64 " bytes, less than the %" PRIu64 " it needs",
                      name, desc->total_bytes, view->least_bytes);
    }
    return true;
}

static bool check_shapes(const struct topk_cpu_plan *plan, struct topk_backend_answer *answer)
{
    if (plan->k > plan->length) {
        return REFUSE(answer, "V03b: K %" PRIu32 " is larger than Sizes[Axis] %" PRIu32, plan->k,
                      plan->length);
    }
    for (int which = TOPK_CPU_VALUE; which < TOPK_CPU_TENSORS; which++) {
        for (uint32_t i = 0; i < plan->rank; i++) {
            uint32_t size = plan->tensors[which].sizes[i];
            uint32_t wanted = i == plan->axis ? plan->k : plan->tensors[TOPK_CPU_INPUT].sizes[i];
            if (size != wanted) {
                return REFUSE(answer, "V04: %s Sizes[%" PRIu32 "] is %" PRIu32 ", not %" PRIu32,
                              tensor_names[which], i, size, wanted);
            }
        }
    }
    return true;
}

static bool check_axis_and_k(const struct topk_backend_call *call, uint32_t rank,
                             struct topk_backend_answer *answer)
{
    if (call->axis >= rank) {
        return REFUSE(answer, "V01: Axis %" PRIu32 " is not less than DimensionCount %" PRIu32,
                      call->axis, rank);
    }
    if (call->k == 0) {
        return REFUSE(answer, "V02: K is 0");
    }
    return true;
}

static bool make_plan(const struct topk_backend_call *call, struct topk_cpu_plan *plan,
                      struct topk_backend_answer *answer)
{
    const struct topk_backend_tensor *const descs[TOPK_CPU_TENSORS] = {call->input, call->value,
                                                                       call->index};
    uint32_t level = call->feature_level;
    if (!check_operator(call, answer) || !check_rank(descs, level, answer) ||
        !check_axis_and_k(call, descs[TOPK_CPU_INPUT]->dimension_count, answer)) {
        return false;
    }
    const struct type_traits type = traits_of(call->input->data_type);
    if (!check_types(descs, level, type.since, answer)) {
        return false;
    }
    plan->tensors[TOPK_CPU_INPUT].width = type.width;
    plan->tensors[TOPK_CPU_VALUE].width = type.width;
    plan->tensors[TOPK_CPU_INDEX].width =
        descs[TOPK_CPU_INDEX]->data_type == TOPK_BACKEND_UINT64 ? 8 : 4;
    for (int i = 0; i < TOPK_CPU_TENSORS; i++) {
        if (!check_tensor(descs[i], (enum topk_cpu_tensor)i, &plan->tensors[i], answer)) {
            return false;
        }
    }
    bool decreasing =
        call->operator_type == TOPK_OPERATOR_TOP_K || call->direction == TOPK_DIRECTION_DECREASING;
    plan->is_float = type.is_float;
    plan->flip = type.bias ^ (decreasing ? UINT64_MAX : 0);
    plan->rank = call->input->dimension_count;
    plan->axis = call->axis;
    plan->length = call->input->sizes[call->axis];
    plan->k = call->k;
    if (!check_shapes(plan, answer)) {
        return false;
    }
    for (int i = TOPK_CPU_VALUE; i < TOPK_CPU_TENSORS; i++) {
        if (descs[i]->strides != NULL && elements_overlap(descs[i])) {
            return REFUSE(answer, "T14: strides of %s put two elements in one place",
                          tensor_names[i]);
        }
    }
    return true;
}

/* Called with valid descriptions, so a buffer that is too small is a wrong binding. */
static bool check_bindings(const struct topk_backend_call *call, const struct topk_cpu_plan *plan,
                           struct topk_backend_answer *answer)
{
    const struct topk_backend_buffer *const buffers[TOPK_CPU_TENSORS] = {
        &call->input_buffer, &call->value_buffer, &call->index_buffer};
    for (int i = 0; i < TOPK_CPU_TENSORS; i++) {
        const struct topk_backend_buffer *buffer = buffers[i];
        uint64_t needed = plan->tensors[i].least_bytes;
        if (buffer->data == NULL || buffer->bytes > SIZE_MAX || buffer->offset > buffer->bytes ||
            buffer->bytes - buffer->offset < needed) {
            return ANSWER(
                answer, TOPK_BACKEND_FAILED,
                "M08: %s needs %" PRIu64 " bytes at offset %" PRIu64 ", its buffer has %" PRIu64,
                tensor_names[i], needed, buffer->offset, buffer->data == NULL ? 0 : buffer->bytes);
        }
    }
    return true;
}

bool topk_cpu_validate(const struct topk_backend_call *call, struct topk_cpu_plan *plan,
                       struct topk_backend_answer *answer)
{
    return make_plan(call, plan, answer) &&
           (call->create_only != 0 || check_bindings(call, plan, answer));
}
