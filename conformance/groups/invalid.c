/* Every description that the V and T clauses name as invalid, broken alone, on each tensor, for
 * both operators. A breaker takes a valid case and a number and spoils it; it says when it has no
 * more. */
#include "group.h"
#include "seen.h"

#include <string.h>

typedef bool breaker(struct topk_case *test, uint32_t number);

static bool of(uint32_t number, uint32_t count)
{
    return number < count;
}

static enum topk_mode mode_of(const struct topk_operator *op)
{
    if (op->kind == TOPK_TOP_K) {
        return TOPK_MODE_TOP_K;
    }
    return op->direction == TOPK_INCREASING ? TOPK_MODE_SMALLEST : TOPK_MODE_LARGEST;
}

static void resize(struct topk_case *test, enum topk_role role, uint32_t dimension, uint32_t size)
{
    struct topk_tensor *tensor = &test->op.tensors[role];
    tensor->sizes[dimension] = size;
    tensor->total_bytes = topk_tensor_least_bytes(tensor);
}

static void rerank(struct topk_case *test, uint32_t rank)
{
    struct topk_tensor *input = &test->op.tensors[TOPK_INPUT];
    for (uint32_t d = input->rank; d < rank; d++) {
        input->sizes[d] = 1;
    }
    input->rank = rank;
    input->total_bytes = topk_tensor_least_bytes(input);
    topk_operator_derive_outputs(&test->op, TOPK_TYPE_U32);
}

static bool axis(struct topk_case *test, uint32_t number)
{
    static const uint32_t values[] = {4, 5, 8, 16, 255, 256, 65536, 0x7fffffffu, 0xffffffffu};
    if (!of(number, 18)) {
        return false;
    }
    test->op.axis = values[number % 9];
    /* the outputs keep the sizes that a wrapped or clamped axis would ask for, or have the input's:
     * then nothing but Axis is wrong */
    if (number >= 9) {
        topk_operator_derive_outputs(&test->op, TOPK_TYPE_U32);
    }
    return true;
}

/* with outputs of another K (V04 too), and with empty ones (T01 too): there is no third way */
static bool k_zero(struct topk_case *test, uint32_t number)
{
    test->op.k = 0;
    if (number == 1) {
        topk_operator_derive_outputs(&test->op, TOPK_TYPE_U32);
    }
    return of(number, 2);
}

static bool k_large(struct topk_case *test, uint32_t number)
{
    static const uint32_t values[] = {7, 8, 12, 36, 65536, 65542};
    if (!of(number, 6)) {
        return false;
    }
    test->op.k = values[number];
    topk_operator_derive_outputs(&test->op, TOPK_TYPE_U32);
    return true;
}

/* K above Sizes[Axis], but not above another size; and K that is negative as a signed number */
static bool k_axis(struct topk_case *test, uint32_t number)
{
    static const struct {
        uint32_t sizes[4];
        uint32_t axis;
        uint32_t k;
    } values[] = {{{1, 2, 3, 6}, 1, 3},           {{1, 2, 3, 6}, 1, 6},
                  {{1, 2, 3, 6}, 0, 2},           {{1, 2, 3, 6}, 2, 4},
                  {{7, 2, 3, 6}, 3, 7},           {{1, 1, 1, 1}, 3, 2},
                  {{1, 1, 1, 6}, 3, 0x80000000u}, {{1, 1, 1, 6}, 3, 0xffffffffu},
                  {{1, 1, 1, 6}, 3, 0x10001u}};
    if (!of(number, 9)) {
        return false;
    }
    topk_build(test, mode_of(&test->op), test->op.tensors[TOPK_INPUT].type, 4, values[number].sizes,
               values[number].axis, values[number].k);
    return true;
}

/* Axis just beyond every rank */
static bool axis_ranks(struct topk_case *test, uint32_t number)
{
    static const uint32_t sizes[] = {2, 2, 2, 2, 2, 2, 2, 2};
    if (!of(number, TOPK_RANK_VALID)) {
        return false;
    }
    topk_build(test, mode_of(&test->op), test->op.tensors[TOPK_INPUT].type, number + 1, sizes, 0,
               2);
    test->op.axis = number + 1;
    return true;
}

static bool output_sizes(struct topk_case *test, uint32_t number)
{
    if (!of(number, 24)) {
        return false;
    }
    uint32_t dimension = number % 4;
    struct topk_tensor *output = &test->op.tensors[number & 4 ? TOPK_INDEX : TOPK_VALUE];
    /* one more, two more, and one less where that is not 0 */
    uint32_t less = output->sizes[dimension] > 1 ? output->sizes[dimension] - 1 : 4;
    output->sizes[dimension] = number < 16 ? output->sizes[dimension] + 1 + number / 8 : less;
    output->total_bytes = topk_tensor_least_bytes(output);
    return true;
}

/* both outputs agree, and disagree with K or the input */
static bool output_pairs(struct topk_case *test, uint32_t number)
{
    static const struct {
        uint32_t dimension;
        uint32_t size;
    } values[] = {{3, 2}, {3, 4}, {3, 6}, {1, 1}, {1, 3}, {0, 2}, {2, 1}, {2, 4}};
    if (!of(number, 8)) {
        return false;
    }
    resize(test, TOPK_VALUE, values[number].dimension, values[number].size);
    resize(test, TOPK_INDEX, values[number].dimension, values[number].size);
    return true;
}

/* as many elements as there should be, in other sizes */
static bool output_permuted(struct topk_case *test, uint32_t number)
{
    static const uint32_t others[] = {1, 2, 0};
    if (!of(number, 9)) {
        return false;
    }
    for (uint32_t role = TOPK_VALUE; role <= TOPK_INDEX; role++) {
        if ((number / 3 + 1) >> (role - 1) & 1) {
            struct topk_tensor *output = &test->op.tensors[role];
            uint32_t other = others[number % 3];
            uint32_t swap = output->sizes[3];
            output->sizes[3] = output->sizes[other];
            output->sizes[other] = swap;
            output->total_bytes = topk_tensor_least_bytes(output);
        }
    }
    return true;
}

static bool output_ranks(struct topk_case *test, uint32_t number)
{
    static const uint32_t ranks[][3] = {{4, 3, 4}, {4, 4, 3}, {4, 3, 3}, {4, 5, 4},
                                        {4, 4, 5}, {4, 5, 5}, {5, 4, 4}, {3, 4, 4}};
    if (!of(number, 8)) {
        return false;
    }
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        struct topk_tensor *tensor = &test->op.tensors[role];
        uint32_t rank = ranks[number][role];
        uint32_t sizes[5] = {1, tensor->sizes[0], tensor->sizes[1], tensor->sizes[2],
                             tensor->sizes[3]};
        /* fewer or more leading dimensions of size 1: the same elements */
        memcpy(tensor->sizes, sizes + 5 - rank, rank * sizeof sizes[0]);
        tensor->rank = rank;
        tensor->total_bytes = topk_tensor_least_bytes(tensor);
    }
    test->op.axis = ranks[number][TOPK_INPUT] - 1;
    return true;
}

/* every other type, of the ten and beyond */
static bool value_type(struct topk_case *test, uint32_t number)
{
    static const uint32_t others[] = {TOPK_TYPE_F64, TOPK_TYPE_UNKNOWN, TOPK_TYPE_U4, 14};
    if (!of(number, TOPK_TYPE_COUNT + 4)) {
        return false;
    }
    struct topk_tensor *value = &test->op.tensors[TOPK_VALUE];
    value->type = number < TOPK_TYPE_COUNT ? topk_types[number] : others[number - TOPK_TYPE_COUNT];
    value->total_bytes = 1024; /* room for any type, so that no other clause is broken */
    return true;
}

static bool index_type(struct topk_case *test, uint32_t number)
{
    static const uint32_t values[] = {TOPK_TYPE_F32,
                                      TOPK_TYPE_F16,
                                      TOPK_TYPE_I64,
                                      TOPK_TYPE_I32,
                                      TOPK_TYPE_I16,
                                      TOPK_TYPE_I8,
                                      TOPK_TYPE_U16,
                                      TOPK_TYPE_U8,
                                      TOPK_TYPE_F64,
                                      TOPK_TYPE_UNKNOWN,
                                      TOPK_TYPE_U4,
                                      TOPK_TYPE_I4,
                                      14,
                                      0xffffffffu};
    if (!of(number, 14)) {
        return false;
    }
    struct topk_tensor *index = &test->op.tensors[TOPK_INDEX];
    index->type = values[number];
    /* room for any type, so that no other clause is broken */
    index->total_bytes = 1024;
    return true;
}

static bool element_type(struct topk_case *test, uint32_t number)
{
    static const uint32_t values[] = {
        TOPK_TYPE_UNKNOWN, TOPK_TYPE_F64, TOPK_TYPE_U4, TOPK_TYPE_I4, 14, 255,
        256 + 1,           0xffffffffu};
    if (!of(number, 8)) {
        return false;
    }
    for (int role = TOPK_INPUT; role <= TOPK_VALUE; role++) {
        test->op.tensors[role].type = values[number];
        test->op.tensors[role].total_bytes = 1024;
    }
    return true;
}

static bool missing(struct topk_case *test, uint32_t number)
{
    static const unsigned roles[] = {1, 2, 4, 6, 7};
    if (!of(number, 5)) {
        return false;
    }
    for (unsigned role = 0; role < TOPK_ROLE_COUNT; role++) {
        if (roles[number] >> role & 1) {
            memset(&test->op.tensors[role], 0, sizeof test->op.tensors[role]);
        }
    }
    return true;
}

/* a 0 in all three sizes, so that the tensors agree */
static bool size_zero(struct topk_case *test, uint32_t number)
{
    if (!of(number, 4)) {
        return false;
    }
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        if (role == TOPK_INPUT || number != test->op.axis) {
            resize(test, (enum topk_role)role, number, 0);
        }
    }
    return true;
}

/* a 0 in the sizes of one tensor only */
static bool size_zero_alone(struct topk_case *test, uint32_t number)
{
    if (!of(number, 12)) {
        return false;
    }
    resize(test, (enum topk_role)(number % 3), number / 3, 0);
    return true;
}

static bool ranks(struct topk_case *test, uint32_t number)
{
    static const uint32_t values[] = {9, 10, 16, 0};
    if (!of(number, 4)) {
        return false;
    }
    rerank(test, values[number]);
    return true;
}

static bool total_small(struct topk_case *test, uint32_t number)
{
    if (!of(number, 12)) {
        return false;
    }
    struct topk_tensor *tensor = &test->op.tensors[number % 3];
    const uint64_t totals[] = {tensor->total_bytes - 1, tensor->total_bytes - 4, 4, 0};
    tensor->total_bytes = totals[number / 3];
    return true;
}

/* the least size is rounded up to 4: what the elements alone take is too little */
static bool total_unrounded(struct topk_case *test, uint32_t number)
{
    static const uint32_t narrow[] = {TOPK_TYPE_U8, TOPK_TYPE_I8, TOPK_TYPE_F16, TOPK_TYPE_U16,
                                      TOPK_TYPE_I16};
    static const uint32_t sizes[] = {1, 1, 1, 7};
    if (!of(number, 20)) {
        return false;
    }
    topk_build(test, mode_of(&test->op), narrow[number % 5], 4, sizes, 3, 3);
    struct topk_tensor *tensor = &test->op.tensors[number / 5 % 2];
    uint64_t elements = topk_tensor_elements(tensor);
    if (number >= 10) {
        topk_layout_apply(TOPK_LAYOUT_INTERLEAVED, tensor);
        elements = 2 * elements - 1;
    }
    tensor->total_bytes = elements * topk_type_bytes(tensor->type);
    return true;
}

/* padding counts for the least size */
static bool total_strided(struct topk_case *test, uint32_t number)
{
    if (!of(number, 6)) {
        return false;
    }
    struct topk_tensor *tensor = &test->op.tensors[number % 3];
    uint64_t packed = tensor->total_bytes;
    topk_layout_apply(TOPK_LAYOUT_INTERLEAVED, tensor);
    tensor->total_bytes = number < 3 ? packed : tensor->total_bytes - 4;
    return true;
}

/* least sizes beyond 2^32 bytes, whose low 32 bits are the total: wrong in 32 bits only (T07) */
static bool total_wraps(struct topk_case *test, uint32_t number)
{
    static const uint32_t strides[] = {0x40000000u, 0x80000000u, 0x20000000u};
    if (!of(number, 9)) {
        return false;
    }
    struct topk_tensor *tensor = &test->op.tensors[number % 3];
    topk_layout_apply(TOPK_LAYOUT_EXPLICIT, tensor);
    tensor->strides[1] = strides[number / 3];
    tensor->total_bytes = topk_tensor_least_bytes(tensor) & 0xffffffffu;
    return true;
}

/* what shortcuts for the least size get wrong */
static bool total_shortcuts(struct topk_case *test, uint32_t number)
{
    static const uint32_t square[] = {4, 4};
    static const uint32_t large[] = {1, 2, 3, 6000};
    static const uint32_t wrapping[] = {1, 1, 1, 0x80000001u};
    uint32_t type = test->op.tensors[TOPK_INPUT].type;
    struct topk_tensor *input = &test->op.tensors[TOPK_INPUT];
    struct topk_tensor *index = &test->op.tensors[TOPK_INDEX];
    switch (number) {
    case 0: /* a wide index measured as a narrow one */
    case 1:
        topk_build_wide_index(test);
        index->total_bytes = number == 0 ? index->total_bytes / 2 : index->total_bytes - 4;
        return true;
    case 2: /* the largest extent of one dimension */
        topk_build(test, mode_of(&test->op), type, 2, square, 1, 2);
        input->strided = true;
        input->strides[0] = 3;
        input->strides[1] = 3;
        input->total_bytes = (uint64_t)12 * topk_type_bytes(type);
        return true;
    case 3: /* 2^64 bytes and a little more */
        topk_build(test, mode_of(&test->op), TOPK_TYPE_F32, 4, wrapping, 3, 1);
        input->strided = true;
        input->strides[3] = 0x80000000u;
        input->total_bytes = 4;
        return true;
    case 4: /* little short of much */
    case 5:
    case 6:
        topk_build(test, mode_of(&test->op), type, 4, large, 3, 5000);
        test->op.tensors[number - 4].total_bytes -= 4;
        return true;
    default:
        return false;
    }
}

static bool elements(struct topk_case *test, uint32_t number)
{
    static const uint32_t sizes[][4] = {{65536, 65536, 1, 6},
                                        {1, 0x80000000u, 2, 6},
                                        {256, 256, 256, 256},
                                        {0xffffffffu, 0xffffffffu, 1, 6},
                                        {65536, 65536, 65536, 65536}};
    if (!of(number, 5)) {
        return false;
    }
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        struct topk_tensor *tensor = &test->op.tensors[role];
        memcpy(tensor->sizes, sizes[number], sizeof sizes[number]);
        if (role != TOPK_INPUT) {
            tensor->sizes[test->op.axis] = test->op.k;
        } else {
            topk_layout_apply(TOPK_LAYOUT_BROADCAST_ALL, tensor);
        }
        tensor->total_bytes = topk_tensor_least_bytes(tensor);
    }
    return true;
}

/* more bytes than 2^32-1 elements take */
static bool total_large(struct topk_case *test, uint32_t number)
{
    if (!of(number, 12)) {
        return false;
    }
    struct topk_tensor *tensor = &test->op.tensors[number % 3];
    const uint64_t bytes = topk_type_bytes(tensor->type);
    const uint64_t totals[] = {UINT32_MAX * bytes + 1, (UINT32_MAX + UINT64_C(1)) * bytes,
                               (UINT32_MAX + UINT64_C(1)) * bytes * 2, UINT64_MAX - 3};
    tensor->total_bytes = totals[number / 3];
    return true;
}

static bool alignment(struct topk_case *test, uint32_t number)
{
    static const uint32_t values[] = {3, 5, 12, 15, 17, 24, 48, 257, 65537, 0xffffffffu};
    if (!of(number, 30)) {
        return false;
    }
    test->op.tensors[number % 3].alignment = values[number / 3];
    return true;
}

/* a power of two, but smaller than the element, on each tensor; 3 where there is none */
static bool alignment_small(struct topk_case *test, uint32_t number)
{
    if (!of(number, 9)) {
        return false;
    }
    struct topk_tensor *tensor = &test->op.tensors[number % 3];
    uint32_t alignment = 1u << number / 3;
    if (number % 3 == TOPK_INDEX && alignment == 4) {
        topk_build_wide_index(test);
    }
    tensor->alignment = alignment < topk_type_bytes(tensor->type) ? alignment : 7;
    return true;
}

static bool tensor_flags(struct topk_case *test, uint32_t number)
{
    static const struct {
        enum topk_role role;
        uint32_t flags;
    } values[] = {{TOPK_VALUE, 1}, {TOPK_INDEX, 1}, {TOPK_INPUT, 2},          {TOPK_VALUE, 2},
                  {TOPK_INDEX, 4}, {TOPK_INPUT, 3}, {TOPK_INPUT, 0x80000000u}};
    if (!of(number, 8)) {
        return false;
    }
    if (number == 7) {
        test->op.tensors[TOPK_VALUE].flags = TOPK_TENSOR_FLAG_OWNED;
        test->op.tensors[TOPK_INDEX].flags = TOPK_TENSOR_FLAG_OWNED;
        return true;
    }
    test->op.tensors[values[number].role].flags = values[number].flags;
    return true;
}

/* strides that would be right as negative numbers */
static bool stride_negative(struct topk_case *test, uint32_t number)
{
    if (!of(number, 9)) {
        return false;
    }
    struct topk_tensor *tensor = &test->op.tensors[number % 3];
    uint64_t total = tensor->total_bytes;
    topk_layout_apply(TOPK_LAYOUT_EXPLICIT, tensor);
    uint32_t dimension = 1 + number / 3;
    tensor->strides[dimension] = -tensor->strides[dimension];
    tensor->total_bytes = total;
    return true;
}

/* most cases of a breaker; those that choose types of their own meet again */
#define CASES_MAX 512u

/* what no level has is refused at each; types and ranks that a level lacks are in latitude */
static void emit_all(struct topk_sink *sink, breaker *spoil)
{
    static const uint32_t last[] = {1, 2, 3, 6};
    static const uint32_t second[] = {2, 6, 3, 5};
    static const struct {
        enum topk_mode mode;
        uint32_t type;
        uint32_t level;
        const uint32_t *sizes;
        uint32_t axis;
    } bases[] = {{TOPK_MODE_TOP_K, TOPK_TYPE_F32, TOPK_LEVEL_5_0, last, 3},
                 {TOPK_MODE_SMALLEST, TOPK_TYPE_F16, TOPK_LEVEL_5_0, last, 3},
                 {TOPK_MODE_LARGEST, TOPK_TYPE_I64, TOPK_LEVEL_5_0, last, 3},
                 {TOPK_MODE_SMALLEST, TOPK_TYPE_U8, TOPK_LEVEL_3_1, last, 3},
                 {TOPK_MODE_TOP_K, TOPK_TYPE_F16, TOPK_LEVEL_2_0, last, 3},
                 {TOPK_MODE_TOP_K, TOPK_TYPE_I32, TOPK_LEVEL_5_0, last, 3},
                 {TOPK_MODE_LARGEST, TOPK_TYPE_U64, TOPK_LEVEL_5_0, last, 3},
                 {TOPK_MODE_SMALLEST, TOPK_TYPE_U16, TOPK_LEVEL_2_1, last, 3},
                 {TOPK_MODE_SMALLEST, TOPK_TYPE_I8, TOPK_LEVEL_5_0, second, 1},
                 {TOPK_MODE_TOP_K, TOPK_TYPE_U32, TOPK_LEVEL_5_0, second, 1},
                 {TOPK_MODE_LARGEST, TOPK_TYPE_I16, TOPK_LEVEL_5_0, second, 1}};
    struct topk_seen seen;
    if (!topk_seen_make(&seen, CASES_MAX)) {
        sink->no_memory = true;
        return;
    }
    for (size_t b = 0; b < sizeof bases / sizeof bases[0]; b++) {
        for (uint32_t number = 0;; number++) {
            struct topk_case test;
            topk_build(&test, bases[b].mode, bases[b].type, 4, bases[b].sizes, bases[b].axis, 3);
            if (!spoil(&test, number)) {
                break;
            }
            test.op.level = bases[b].level;
            struct topk_validity validity;
            topk_operator_validate(&test.op, test.op.level, &validity);
            /* of another element size, or in 16 bits, some are valid after all */
            if (!topk_clause_set_empty(&validity.broken) && topk_seen_add(&seen, &test)) {
                topk_emit(sink, &test);
            }
        }
    }
    topk_seen_free(&seen);
}

#define INVALID(name)                                                                              \
    static void emit_##name(struct topk_sink *sink)                                                \
    {                                                                                              \
        emit_all(sink, name);                                                                      \
    }
INVALID(axis)
INVALID(axis_ranks)
INVALID(k_zero)
INVALID(k_axis)
INVALID(k_large)
INVALID(output_sizes)
INVALID(output_pairs)
INVALID(output_permuted)
INVALID(output_ranks)
INVALID(value_type)
INVALID(index_type)
INVALID(element_type)
INVALID(missing)
INVALID(size_zero)
INVALID(size_zero_alone)
INVALID(ranks)
INVALID(total_small)
INVALID(total_unrounded)
INVALID(total_strided)
INVALID(total_wraps)
INVALID(total_shortcuts)
INVALID(elements)
INVALID(total_large)
INVALID(alignment)
INVALID(alignment_small)
INVALID(tensor_flags)
INVALID(stride_negative)

const struct topk_test topk_group_invalid[] = {
    {"invalid", "axis", "Axis not below DimensionCount (V01)", .enumerate = emit_axis},
    {"invalid", "axis-ranks", "Axis just beyond every rank (V01)", .enumerate = emit_axis_ranks},
    {"invalid", "k-axis", "K above Sizes[Axis], not above another size (V03b)",
     .enumerate = emit_k_axis},
    {"invalid", "k-zero", "K = 0 (V02)", .enumerate = emit_k_zero},
    {"invalid", "k-large", "K above Sizes[Axis] (V03b)", .enumerate = emit_k_large},
    {"invalid", "output-sizes", "one output's sizes are not the input's with K (V04)",
     .enumerate = emit_output_sizes},
    {"invalid", "output-pairs", "both outputs' sizes are not the input's with K (V04)",
     .enumerate = emit_output_pairs},
    {"invalid", "output-permuted", "outputs of the right count, in other sizes (V04)",
     .enumerate = emit_output_permuted},
    {"invalid", "output-ranks", "dimension counts differ (V05)", .enumerate = emit_output_ranks},
    {"invalid", "value-type", "value type is not the input's (V06)", .enumerate = emit_value_type},
    {"invalid", "index-type", "index type is neither UINT32 nor UINT64 (V07)",
     .enumerate = emit_index_type},
    {"invalid", "element-type", "element type is none of the ten (V09)",
     .enumerate = emit_element_type},
    {"invalid", "missing", "a tensor is missing (V11)", .enumerate = emit_missing},
    {"invalid", "size-zero", "a size is 0 (T01)", .enumerate = emit_size_zero},
    {"invalid", "size-zero-alone", "a size of one tensor is 0 (T01, V04)",
     .enumerate = emit_size_zero_alone},
    {"invalid", "ranks", "more than 8 dimensions, or none (T02)", .enumerate = emit_ranks},
    {"invalid", "total-small", "total below the least size (T08)", .enumerate = emit_total_small},
    {"invalid", "total-unrounded", "total not rounded up to 4 (T07, T08)",
     .enumerate = emit_total_unrounded},
    {"invalid", "total-strided", "total that leaves out padding (T07, T08)",
     .enumerate = emit_total_strided},
    {"invalid", "total-wraps", "least size beyond 32 bits (T07, T08)",
     .enumerate = emit_total_wraps},
    {"invalid", "total-shortcuts", "totals that shortcuts would allow (T07, T08)",
     .enumerate = emit_total_shortcuts},
    {"invalid", "elements", "2^32 elements and more (T09)", .enumerate = emit_elements},
    {"invalid", "total-large", "total size of more than 2^32-1 elements (T09)",
     .enumerate = emit_total_large},
    {"invalid", "alignment", "alignment that is no power of two (T10)",
     .enumerate = emit_alignment},
    {"invalid", "alignment-small", "alignment smaller than the element (T10)",
     .enumerate = emit_alignment_small},
    {"invalid", "tensor-flags", "OWNED_BY_DML on an output, unknown flags (T11)",
     .enumerate = emit_tensor_flags},
    {"invalid", "stride-negative", "strides meant as negative numbers (T12)",
     .enumerate = emit_stride_negative},
    {0},
};
