/* The project's own backend: DML_TOP_K and DML_TOP_K1 on the host's processor.
 *
 * It stands where a vendor's implementation stands: it is a subject of the suite, not a part of it.
 * So it shares no line with the oracle, the judge or their validation, and sees nothing of the
 * project but the plugin interface; both were written from the clause table alone, and where they
 * disagree one of them is wrong. Unlike the oracle, which is written to be seen right, it is
 * written to be fast: keys are integers, a bounded heap or a radix sort selects, memory is reused.
 *
 * What the clause table leaves to an implementation is decided here as follows.
 *   V03  K == Sizes[Axis] is accepted: a full stable sort.
 *   V12  AxisDirection outside {0, 1} is refused by TOP_K1, and of no meaning to TOP_K.
 *   T10b Every power of two from the element size up is a legal alignment.
 *   T13  Elements of an input may overlap in any way.
 *   T14  Elements of an output may not; whether they do is decided exactly.
 *   F02  A NaN is greater than +infinity, and all NaNs are equal.
 *   F04  Denormals are exact.
 *   M03  Padding is never touched.
 */
#include "topk_backend.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const struct topk_backend topk_backend_cpu;

#define LEVEL_2_0 0x2000u
#define LEVEL_2_1 0x2100u
#define LEVEL_3_1 0x3100u
#define LEVEL_5_0 0x5000u

#define MAX_RANK    8u
#define LEGACY_RANK 4u /* the only rank below level 3.1 */
#define KNOWN_EXECUTION_FLAGS                                                                      \
    (TOPK_EXECUTION_ALLOW_HALF_PRECISION | TOPK_EXECUTION_DISABLE_METACOMMANDS |                   \
     TOPK_EXECUTION_DESCRIPTORS_VOLATILE)

/* Keys computed in one go: enough to keep the loops tight, and little enough for the stack. */
#define BLOCK 256u
/* A heap beats the radix sort on short sequences, and where few elements of many are wanted. */
#define HEAP_MAX_LENGTH 256u
#define HEAP_MIN_RATIO  64u

#define RADIX_BITS 8u
#define RADIX_SIZE (1u << RADIX_BITS)
#define MAX_DIGITS (64u / RADIX_BITS)

enum tensor {
    INPUT,
    VALUE,
    INDEX,
    TENSORS
};

static const char *const tensor_names[TENSORS] = {"InputTensor", "OutputValueTensor",
                                                  "OutputIndexTensor"};

struct type_traits {
    uint32_t since; /* feature level from which it is a value type, 0 if it is none: clause V09 */
    uint32_t width; /* bytes */
    bool is_float;
    uint64_t bias; /* what a signed integer is xored with to compare as unsigned, else 0 */
};

/* An element of a sequence. The least key is the first of the output, in either direction. */
struct entry {
    uint64_t key;
    uint32_t index;
};

/* A tensor whose description is known to be valid. */
struct view {
    const uint32_t *sizes;
    uint64_t strides[MAX_RANK]; /* bytes */
    uint64_t least_bytes;       /* clause T07 */
    uint32_t width;             /* bytes of an element */
};

/* A call whose parameters are known to be valid. */
struct plan {
    struct view tensors[TENSORS];
    struct type_traits type;
    uint64_t flip; /* what keys are xored with to compare as the output is ordered */
    uint32_t rank;
    uint32_t axis;
    uint32_t length; /* of a sequence */
    uint32_t k;
};

struct cpu {
    struct entry *scratch;
    size_t capacity; /* entries */
};

/* A macro, so that compilers check the arguments against the format. Its value is false. */
#define ANSWER(answer, code, ...)                                                                  \
    ((void)snprintf((answer)->reason, sizeof((answer)->reason), __VA_ARGS__),                      \
     (answer)->status = (code), false)
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

/* Two elements share a place if some vector of steps, not all 0 and each within +-most of its
 * dimension, leads from one to the other without moving: sum(step * stride) == 0. Sums fit in
 * int64_t: T09 bounds the sizes, so that with two or more dimensions sum(most) < 2^31. */
struct extent {
    int64_t most; /* size - 1, positive */
    int64_t stride;
};

static int64_t floor_div(int64_t a, int64_t positive)
{
    return a / positive - (a % positive < 0);
}

/* Whether steps in `count` dimensions can undo `sum`; if nothing moved yet, by moving themselves.
 * A step that the later dimensions cannot reach is never tried, so a search is short but for
 * strides contrived to be nearly alike, and the last dimension needs none. */
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
    /* Before anything moved only one sign needs trying: opposite steps cancel alike. */
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

/* Of extents sorted by stride, counts those from the first that an overlap can involve: the last
 * ones whose strides are beyond the reach of all smaller dimensions cannot be undone by them. That
 * leaves 0 for every layout in which dimensions nest. Crowded: more elements than places. */
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
    struct extent extents[MAX_RANK];
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
    qsort(extents, count, sizeof extents[0], by_size); /* the largest last: it is not searched */
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

static bool check_rank(const struct topk_backend_tensor *const descs[TENSORS], uint32_t level,
                       struct topk_backend_answer *answer)
{
    for (int i = 0; i < TENSORS; i++) {
        const char *name = tensor_names[i];
        if (descs[i] == NULL || (descs[i]->sizes == NULL && descs[i]->dimension_count > 0)) {
            return REFUSE(answer, "V11: %s is missing", name);
        }
        uint32_t rank = descs[i]->dimension_count;
        if (rank > MAX_RANK) {
            return REFUSE(answer, "T02: %s has %" PRIu32 " dimensions, more than %u", name, rank,
                          MAX_RANK);
        }
        if (rank == 0 || (level < LEVEL_3_1 && rank != LEGACY_RANK)) {
            return REFUSE(answer, "V08: %s has %" PRIu32 " dimensions at feature level %#" PRIx32,
                          name, rank, level);
        }
        if (rank != descs[INPUT]->dimension_count) {
            return REFUSE(answer, "V05: %s has %" PRIu32 " dimensions, InputTensor %" PRIu32, name,
                          rank, descs[INPUT]->dimension_count);
        }
    }
    return true;
}

static bool check_types(const struct topk_backend_tensor *const descs[TENSORS], uint32_t level,
                        uint32_t since, struct topk_backend_answer *answer)
{
    uint32_t type = descs[INPUT]->data_type;
    if (since == 0) {
        return REFUSE(answer, "V09: data type %" PRIu32 " is not supported", type);
    }
    if (level < since) {
        return REFUSE(answer,
                      "V09: data type %" PRIu32 " needs feature level %#" PRIx32
                      ", the call has %#" PRIx32,
                      type, since, level);
    }
    if (descs[VALUE]->data_type != type) {
        return REFUSE(answer, "V06: value data type %" PRIu32 " is not the input's %" PRIu32,
                      descs[VALUE]->data_type, type);
    }
    uint32_t index_type = descs[INDEX]->data_type;
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

/* Sizes first, as the rest relies on them: clauses T01 and T09. */
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

/* Returns false if the least size of the tensor does not fit in 64 bits. Its elements do, by T09:
 * with sizes whose product is below 2^32, and strides below 2^32, the sum is below 2^64. */
static bool measure(const struct topk_backend_tensor *desc, struct view *view)
{
    uint64_t elements = 1;
    uint64_t packed = 1;
    for (uint32_t i = desc->dimension_count; i-- > 0;) {
        uint64_t stride = desc->strides != NULL ? desc->strides[i] : packed;
        packed *= desc->sizes[i];
        elements += (desc->sizes[i] - 1u) * stride;
        view->strides[i] = stride * view->width;
    }
    uint64_t bytes = elements;
    for (uint32_t factor = 1; factor < view->width; factor *= 2) {
        if (bytes > UINT64_MAX / 2) {
            return false;
        }
        bytes *= 2;
    }
    if (bytes > UINT64_MAX - 3) {
        return false;
    }
    view->least_bytes = (bytes + 3) & ~UINT64_C(3);
    view->sizes = desc->sizes;
    return true;
}

static bool check_tensor(const struct topk_backend_tensor *desc, enum tensor which,
                         struct view *view, struct topk_backend_answer *answer)
{
    const char *name = tensor_names[which];
    uint32_t width = view->width;
    uint32_t allowed = which == INPUT ? TOPK_TENSOR_OWNED_BY_DML : 0;
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
                      "T10: %s alignment %" PRIu32 " is no power of two from element size %" PRIu32
                      " up",
                      name, alignment, width);
    }
    if (!measure(desc, view)) {
        return REFUSE(answer, "T08: %s needs more than %" PRIu64 " bytes", name, UINT64_MAX);
    }
    if (desc->total_bytes < view->least_bytes) {
        return REFUSE(answer, "T08: %s has %" PRIu64 " bytes, less than the %" PRIu64 " it needs",
                      name, desc->total_bytes, view->least_bytes);
    }
    return true;
}

static bool check_shapes(const struct plan *plan, struct topk_backend_answer *answer)
{
    if (plan->k > plan->length) {
        return REFUSE(answer, "V03b: K %" PRIu32 " is larger than Sizes[Axis] %" PRIu32, plan->k,
                      plan->length);
    }
    for (int which = VALUE; which < TENSORS; which++) {
        for (uint32_t i = 0; i < plan->rank; i++) {
            uint32_t size = plan->tensors[which].sizes[i];
            uint32_t wanted = i == plan->axis ? plan->k : plan->tensors[INPUT].sizes[i];
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

static bool make_plan(const struct topk_backend_call *call, struct plan *plan,
                      struct topk_backend_answer *answer)
{
    const struct topk_backend_tensor *const descs[TENSORS] = {call->input, call->value,
                                                              call->index};
    uint32_t level = call->feature_level;
    if (!check_operator(call, answer) || !check_rank(descs, level, answer) ||
        !check_axis_and_k(call, descs[INPUT]->dimension_count, answer)) {
        return false;
    }
    plan->type = traits_of(call->input->data_type);
    if (!check_types(descs, level, plan->type.since, answer)) {
        return false;
    }
    plan->tensors[INPUT].width = plan->type.width;
    plan->tensors[VALUE].width = plan->type.width;
    plan->tensors[INDEX].width = descs[INDEX]->data_type == TOPK_BACKEND_UINT64 ? 8 : 4;
    for (int i = 0; i < TENSORS; i++) {
        if (!check_tensor(descs[i], (enum tensor)i, &plan->tensors[i], answer)) {
            return false;
        }
    }
    bool decreasing =
        call->operator_type == TOPK_OPERATOR_TOP_K || call->direction == TOPK_DIRECTION_DECREASING;
    plan->flip = plan->type.bias ^ (decreasing ? UINT64_MAX : 0);
    plan->rank = call->input->dimension_count;
    plan->axis = call->axis;
    plan->length = call->input->sizes[call->axis];
    plan->k = call->k;
    if (!check_shapes(plan, answer)) {
        return false;
    }
    for (int i = VALUE; i < TENSORS; i++) {
        if (descs[i]->strides != NULL && elements_overlap(descs[i])) {
            return REFUSE(answer, "T14: strides of %s put two elements in one place",
                          tensor_names[i]);
        }
    }
    return true;
}

/* ---- Keys ----------------------------------------------------------------------------------- */

/* Memory need not be aligned, hence memcpy. */
static inline uint64_t load(const unsigned char *from, uint32_t width)
{
    uint64_t bits64;
    uint32_t bits32;
    uint16_t bits16;
    switch (width) {
    case 1:
        return *from;
    case 2:
        memcpy(&bits16, from, sizeof bits16);
        return bits16;
    case 4:
        memcpy(&bits32, from, sizeof bits32);
        return bits32;
    default:
        memcpy(&bits64, from, sizeof bits64);
        return bits64;
    }
}

static inline void store(unsigned char *to, uint64_t bits64, uint32_t width)
{
    uint32_t bits32 = (uint32_t)bits64;
    uint16_t bits16 = (uint16_t)bits64;
    switch (width) {
    case 1:
        *to = (unsigned char)bits64;
        break;
    case 2:
        memcpy(to, &bits16, sizeof bits16);
        break;
    case 4:
        memcpy(to, &bits32, sizeof bits32);
        break;
    default:
        memcpy(to, &bits64, sizeof bits64);
        break;
    }
}

/* A float's bits are sign and magnitude. Counting from the sign bit's value makes -0 and +0 one
 * key, and leaves no operation in which a denormal could be flushed or a signalling NaN quieted. */
static inline uint64_t float_key(uint64_t bits, uint32_t width)
{
    uint64_t sign = UINT64_C(1) << (8 * width - 1);
    uint64_t infinity = width == 4 ? UINT64_C(0x7F800000) : UINT64_C(0x7C00);
    uint64_t magnitude = bits & (sign - 1);
    if (magnitude > infinity) {
        return sign + infinity + 1; /* NaN */
    }
    return (bits & sign) != 0 ? sign - magnitude : sign + magnitude;
}

static inline void gather_width(const struct plan *plan, const unsigned char *from, size_t count,
                                uint64_t *keys, uint32_t width)
{
    size_t step = (size_t)plan->tensors[INPUT].strides[plan->axis];
    bool is_float = plan->type.is_float;
    uint64_t flip = plan->flip;
    for (size_t i = 0; i < count; i++) {
        uint64_t bits = load(from + i * step, width);
        keys[i] = (is_float ? float_key(bits, width) : bits) ^ flip;
    }
}

static const unsigned char *element_at(const struct plan *plan, const unsigned char *sequence,
                                       size_t index)
{
    return sequence + index * (size_t)plan->tensors[INPUT].strides[plan->axis];
}

/* Computes keys of a sequence from element `first` to `end`, but at most BLOCK; returns how many.
 * The width is a constant in each call so that each gets a loop of its own. */
static size_t gather(const struct plan *plan, const unsigned char *sequence, size_t first,
                     size_t end, uint64_t keys[BLOCK])
{
    const unsigned char *from = element_at(plan, sequence, first);
    size_t count = end - first < BLOCK ? end - first : BLOCK;
    switch (plan->type.width) {
    case 1:
        gather_width(plan, from, count, keys, 1);
        break;
    case 2:
        gather_width(plan, from, count, keys, 2);
        break;
    case 4:
        gather_width(plan, from, count, keys, 4);
        break;
    default:
        gather_width(plan, from, count, keys, 8);
        break;
    }
    return count;
}

static void gather_entries(const struct plan *plan, const unsigned char *sequence, size_t count,
                           struct entry *entries)
{
    uint64_t keys[BLOCK];
    for (size_t first = 0; first < count; first += BLOCK) {
        size_t block = gather(plan, sequence, first, count, keys);
        for (size_t i = 0; i < block; i++) {
            entries[first + i] = (struct entry){keys[i], (uint32_t)(first + i)};
        }
    }
}

/* ---- Selection by a bounded heap ------------------------------------------------------------- */

static inline bool comes_after(const struct entry *a, const struct entry *b)
{
    return a->key != b->key ? a->key > b->key : a->index > b->index;
}

/* Puts an entry into the hole at `at`, or below. The root is the entry that comes last. */
static void sift_down(struct entry *heap, size_t count, size_t at, struct entry entry)
{
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= count) {
            break;
        }
        if (child + 1 < count && comes_after(&heap[child + 1], &heap[child])) {
            child++;
        }
        if (!comes_after(&heap[child], &entry)) {
            break;
        }
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = entry;
}

/* Elements are offered by ascending index, so of two with one key the later never displaces. */
static void select_by_heap(const struct plan *plan, const unsigned char *sequence,
                           struct entry *heap)
{
    size_t k = plan->k;
    gather_entries(plan, sequence, k, heap);
    for (size_t i = k / 2; i-- > 0;) {
        sift_down(heap, k, i, heap[i]);
    }
    uint64_t keys[BLOCK];
    for (size_t first = k; first < plan->length; first += BLOCK) {
        size_t block = gather(plan, sequence, first, plan->length, keys);
        for (size_t i = 0; i < block; i++) {
            if (keys[i] < heap[0].key) {
                sift_down(heap, k, 0, (struct entry){keys[i], (uint32_t)(first + i)});
            }
        }
    }
    for (size_t end = k; end-- > 1;) {
        struct entry last = heap[end];
        heap[end] = heap[0];
        sift_down(heap, end, 0, last);
    }
}

/* ---- Selection by a radix sort --------------------------------------------------------------- */

static inline uint32_t digit_of(uint64_t key, uint32_t digit)
{
    return (uint32_t)(key >> (digit * RADIX_BITS)) & (RADIX_SIZE - 1);
}

/* Turns counts of digits into the places where their runs start. Returns false if all entries have
 * the same digit: then there is nothing to move. */
static bool counts_to_starts(uint32_t *counts, uint32_t total)
{
    uint32_t start = 0;
    for (uint32_t i = 0; i < RADIX_SIZE; i++) {
        uint32_t count = counts[i];
        if (count == total) {
            return false;
        }
        counts[i] = start;
        start += count;
    }
    return true;
}

/* Sorts by key from the lowest digit up, stably, so ties keep the ascending order of index in which
 * they were gathered. scratch has room for two entries per element. Returns where the result is. */
static const struct entry *sort_by_radix(const struct plan *plan, const unsigned char *sequence,
                                         struct entry *scratch)
{
    uint32_t counts[MAX_DIGITS][RADIX_SIZE] = {{0}};
    uint32_t digits = plan->tensors[INPUT].width * 8 / RADIX_BITS;
    size_t length = plan->length;
    struct entry *from = scratch;
    struct entry *to = scratch + length;
    gather_entries(plan, sequence, length, from);
    for (size_t i = 0; i < length; i++) {
        for (uint32_t digit = 0; digit < digits; digit++) {
            counts[digit][digit_of(from[i].key, digit)]++;
        }
    }
    for (uint32_t digit = 0; digit < digits; digit++) {
        uint32_t *starts = counts[digit];
        if (!counts_to_starts(starts, plan->length)) {
            continue;
        }
        for (size_t i = 0; i < length; i++) {
            to[starts[digit_of(from[i].key, digit)]++] = from[i];
        }
        struct entry *swap = from;
        from = to;
        to = swap;
    }
    return from;
}

/* ---- Execution ------------------------------------------------------------------------------ */

/* Values are moved as integers: no bit of a NaN may change. */
static void write_outputs(const struct plan *plan, const struct entry *selected,
                          const unsigned char *sequence, unsigned char *value, unsigned char *index)
{
    size_t value_step = (size_t)plan->tensors[VALUE].strides[plan->axis];
    size_t index_step = (size_t)plan->tensors[INDEX].strides[plan->axis];
    uint32_t value_width = plan->tensors[VALUE].width;
    uint32_t index_width = plan->tensors[INDEX].width;
    for (size_t i = 0; i < plan->k; i++) {
        const unsigned char *element = element_at(plan, sequence, selected[i].index);
        store(value + i * value_step, load(element, value_width), value_width);
        store(index + i * index_step, selected[i].index, index_width);
    }
}

/* Moves to the next sequence: an odometer over every dimension but the axis, on which the three
 * tensors agree. Returns false after the last. */
static bool next_sequence(const struct plan *plan, uint32_t coordinates[MAX_RANK],
                          uint64_t offsets[TENSORS])
{
    for (uint32_t i = plan->rank; i-- > 0;) {
        if (i == plan->axis) {
            continue;
        }
        uint32_t most = plan->tensors[INPUT].sizes[i] - 1;
        bool turns_over = coordinates[i] == most;
        coordinates[i] = turns_over ? 0 : coordinates[i] + 1;
        for (int t = 0; t < TENSORS; t++) {
            uint64_t stride = plan->tensors[t].strides[i];
            offsets[t] = turns_over ? offsets[t] - most * stride : offsets[t] + stride;
        }
        if (!turns_over) {
            return true;
        }
    }
    return false;
}

static bool selects_by_heap(const struct plan *plan)
{
    return plan->length <= HEAP_MAX_LENGTH || plan->k <= plan->length / HEAP_MIN_RATIO;
}

static void execute(const struct plan *plan, struct entry *scratch, const unsigned char *input,
                    unsigned char *value, unsigned char *index)
{
    uint32_t coordinates[MAX_RANK] = {0};
    uint64_t offsets[TENSORS] = {0};
    bool by_heap = selects_by_heap(plan);
    do {
        const unsigned char *sequence = input + (size_t)offsets[INPUT];
        const struct entry *selected = scratch;
        if (by_heap) {
            select_by_heap(plan, sequence, scratch);
        } else {
            selected = sort_by_radix(plan, sequence, scratch);
        }
        write_outputs(plan, selected, sequence, value + (size_t)offsets[VALUE],
                      index + (size_t)offsets[INDEX]);
    } while (next_sequence(plan, coordinates, offsets));
}

/* Descriptions are valid when this is called, so what does not hold them is a wrong binding. */
static bool check_bindings(const struct plan *plan,
                           const struct topk_backend_buffer *const buffers[TENSORS],
                           struct topk_backend_answer *answer)
{
    for (int i = 0; i < TENSORS; i++) {
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

/* Contents are not kept, so growing need not copy. */
static bool reserve(struct cpu *cpu, const struct plan *plan, struct topk_backend_answer *answer)
{
    uint64_t needed = selects_by_heap(plan) ? plan->k : (uint64_t)plan->length * 2;
    if (needed <= cpu->capacity) {
        return true;
    }
    free(cpu->scratch);
    cpu->capacity = 0;
    cpu->scratch = NULL;
    if (needed <= SIZE_MAX / sizeof(struct entry)) {
        cpu->scratch = malloc((size_t)needed * sizeof(struct entry));
    }
    if (cpu->scratch == NULL) {
        return ANSWER(answer, TOPK_BACKEND_OUT_OF_MEMORY, "no memory for %" PRIu64 " entries",
                      needed);
    }
    cpu->capacity = (size_t)needed;
    return true;
}

static unsigned char *bound_memory(const struct topk_backend_buffer *buffer)
{
    return (unsigned char *)buffer->data + (size_t)buffer->offset;
}

static void run_call(struct cpu *cpu, const struct topk_backend_call *call,
                     struct topk_backend_answer *answer)
{
    struct plan plan = {.rank = 0};
    const struct topk_backend_buffer *const buffers[TENSORS] = {
        &call->input_buffer, &call->value_buffer, &call->index_buffer};
    if (!make_plan(call, &plan, answer)) {
        return;
    }
    if (call->create_only == 0) {
        if (!check_bindings(&plan, buffers, answer) || !reserve(cpu, &plan, answer)) {
            return;
        }
        execute(&plan, cpu->scratch, bound_memory(buffers[INPUT]), bound_memory(buffers[VALUE]),
                bound_memory(buffers[INDEX]));
    }
    answer->status = TOPK_BACKEND_DONE;
    answer->reason[0] = '\0';
}

/* ---- The interface -------------------------------------------------------------------------- */

static void *cpu_open(const char *options, char *error, size_t error_bytes)
{
    if (options != NULL && options[0] != '\0') {
        (void)snprintf(error, error_bytes, "cpu takes no options, got \"%s\"", options);
        return NULL;
    }
    struct cpu *cpu = calloc(1, sizeof *cpu);
    if (cpu == NULL) {
        (void)snprintf(error, error_bytes, "cpu: out of memory");
    }
    return cpu;
}

static void cpu_describe(void *self, struct topk_backend_info *info)
{
    (void)self;
    info->name = "cpu";
    info->version = "1.0";
    info->device = "host processor, one thread";
    info->driver = "none: portable C";
    info->features = "heap and radix selection; NaN is greatest, denormals are exact";
    info->feature_level = LEVEL_5_0;
    info->flags = TOPK_BACKEND_STRICT_LEVEL | TOPK_BACKEND_SOFTWARE;
    info->batch = 1;
}

static void cpu_run(void *self, const struct topk_backend_call *calls, uint32_t count,
                    struct topk_backend_answer *answers)
{
    for (uint32_t i = 0; i < count; i++) {
        run_call(self, &calls[i], &answers[i]);
    }
}

static void cpu_close(void *self)
{
    struct cpu *cpu = self;
    free(cpu->scratch);
    free(cpu);
}

const struct topk_backend topk_backend_cpu = {
    .abi = TOPK_BACKEND_ABI,
    .struct_bytes = sizeof(struct topk_backend),
    .name = "cpu",
    .summary = "portable C on the host's processor, the project's own",
    .open = cpu_open,
    .describe = cpu_describe,
    .supports = NULL,
    .run = cpu_run,
    .close = cpu_close,
};
