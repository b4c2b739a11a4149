/* What the V and T clauses say of a description: one case of a switch each, after its sentence. */
#include "naive.h"

#include <stdlib.h>

#include "reference/element.h"

/* large enough for every product here, once what is huge is cut to HUGE_NUMBER */
__extension__ typedef unsigned __int128 wide;
#define HUGE_NUMBER ((wide)1 << 90)

/* elements that are looked at; and places, beyond which the reference does not look */
#define FEW_ELEMENTS 4096u
#define PLACES       ((uint64_t)1 << 28)

static wide cut(wide number)
{
    return number < HUGE_NUMBER ? number : HUGE_NUMBER;
}

static wide element_count(const struct topk_tensor *tensor)
{
    wide count = 1;
    for (uint32_t d = 0; d < tensor->rank; d++) {
        count = tensor->sizes[d] == 0 || count == 0 ? 0 : cut(count * tensor->sizes[d]);
    }
    return count;
}

/* T03: no strides means packed, last dimension fastest */
static wide stride_of(const struct topk_tensor *tensor, uint32_t dimension)
{
    wide stride = 1;
    if (tensor->strided) {
        return tensor->strides[dimension];
    }
    for (uint32_t d = dimension + 1; d < tensor->rank; d++) {
        stride = cut(stride * (tensor->sizes[d] == 0 ? 1 : tensor->sizes[d]));
    }
    return stride;
}

/* T07: (1 + the sum of (size-1)*stride) * element size, rounded up to a multiple of 4 */
static wide least_bytes(const struct topk_tensor *tensor)
{
    wide last = 0;
    for (uint32_t d = 0; d < tensor->rank; d++) {
        if (tensor->sizes[d] > 1) {
            last = cut(last + cut((wide)(tensor->sizes[d] - 1) * stride_of(tensor, d)));
        }
    }
    const wide bytes = (last + 1) * topk_type_bytes(tensor->type);
    return cut((bytes + 3) / 4 * 4);
}

bool naive_least_bytes(const struct topk_tensor *tensor, uint64_t *bytes)
{
    const wide least = least_bytes(tensor);
    *bytes = (uint64_t)least;
    return least <= UINT64_MAX - 3;
}

static int by_number(const void *a, const void *b)
{
    const uint64_t *x = a;
    const uint64_t *y = b;
    return (*x > *y) - (*x < *y);
}

/* whether two elements share a place; with broadcast, those that a stride of 0 puts there too */
static enum naive_answer overlap(const struct topk_tensor *tensor, bool broadcast)
{
    static uint64_t places[FEW_ELEMENTS];
    uint32_t count = 1;
    places[0] = 0;
    if (!tensor->strided) {
        return NAIVE_HOLDS;
    }
    for (uint32_t d = 0; d < tensor->rank; d++) {
        const uint32_t size = tensor->sizes[d];
        if (size == 1 || (tensor->strides[d] == 0 && !broadcast)) {
            continue;
        }
        if ((uint64_t)size * count > FEW_ELEMENTS) {
            return NAIVE_UNKNOWN;
        }
        for (uint32_t i = 1; i < size; i++) {
            for (uint32_t p = 0; p < count; p++) {
                places[i * count + p] = places[p] + (uint64_t)i * tensor->strides[d];
            }
        }
        count *= size;
    }
    qsort(places, count, sizeof places[0], by_number);
    for (uint32_t p = 1; p < count; p++) {
        if (places[p] == places[p - 1]) {
            return NAIVE_BROKEN;
        }
    }
    return places[count - 1] > PLACES ? NAIVE_UNKNOWN : NAIVE_HOLDS;
}

static enum naive_answer broken_if(bool condition)
{
    return condition ? NAIVE_BROKEN : NAIVE_HOLDS;
}

/* ---- tensors --------------------------------------------------------------------------------- */

/* T10: 0, or a power of two that is not below the element size */
static bool aligned(const struct topk_tensor *tensor)
{
    for (uint64_t power = 1; power <= tensor->alignment; power *= 2) {
        if (power == tensor->alignment) {
            return power >= topk_type_bytes(tensor->type);
        }
    }
    return tensor->alignment == 0;
}

/* T08 */
static bool too_small(const struct topk_tensor *tensor)
{
    return topk_type_bytes(tensor->type) != 0 && tensor->total_bytes < least_bytes(tensor);
}

/* T12: a stride that is huge where it counts, so that the tensor is too small */
static bool negative(const struct topk_tensor *tensor)
{
    bool huge = false;
    for (uint32_t d = 0; tensor->strided && d < tensor->rank; d++) {
        huge = huge || (tensor->sizes[d] != 1 && tensor->strides[d] > 0x7fffffff);
    }
    return huge && too_small(tensor);
}

/* of a tensor that is present */
static enum naive_answer ask_tensor(enum topk_clause clause, const struct topk_tensor *tensor,
                                    bool input, uint32_t level)
{
    const wide elements = element_count(tensor);
    const wide bytes = topk_type_bytes(tensor->type);
    const wide most = 0xffffffff;
    const bool any_rank = tensor->rank >= 1 && tensor->rank <= 8;
    switch (clause) {
    case TOPK_CLAUSE_V08:
        return broken_if(level < 0x3100 ? tensor->rank != 4 : !any_rank);
    case TOPK_CLAUSE_T01:
        return broken_if(elements == 0);
    case TOPK_CLAUSE_T02:
        return broken_if(!any_rank);
    case TOPK_CLAUSE_T11:
        return broken_if(tensor->flags > (input ? 1u : 0u));
    default:
        break;
    }
    if (elements == 0) {
        return NAIVE_HOLDS; /* what follows asks for elements: T01 comes before it */
    }
    switch (clause) {
    case TOPK_CLAUSE_T08:
        return broken_if(too_small(tensor));
    case TOPK_CLAUSE_T09:
        return broken_if(elements > most || (bytes != 0 && tensor->total_bytes > most * bytes));
    case TOPK_CLAUSE_T10:
        return broken_if(!aligned(tensor));
    case TOPK_CLAUSE_T10b:
        return broken_if(tensor->alignment != 0 && tensor->alignment < 16 && aligned(tensor));
    case TOPK_CLAUSE_T12:
        return broken_if(negative(tensor));
    case TOPK_CLAUSE_T13:
        return input ? overlap(tensor, false) : NAIVE_HOLDS;
    case TOPK_CLAUSE_T14:
        return input ? NAIVE_HOLDS : overlap(tensor, true);
    default:
        return NAIVE_HOLDS;
    }
}

/* ---- operators ------------------------------------------------------------------------------- */

/* 0: no level has it */
static uint32_t value_type_since(uint32_t type)
{
    switch (type) {
    case 1: /* FLOAT32 */
    case 2: /* FLOAT16 */
        return 0x2000;
    case 3: /* UINT32, UINT16, UINT8, INT32, INT16, INT8 */
    case 4:
    case 5:
    case 6:
    case 7:
    case 8:
        return 0x2100;
    case 10: /* UINT64 */
    case 11: /* INT64 */
        return 0x5000;
    default:
        return 0;
    }
}

static bool has_value_type(const struct topk_tensor *tensor, uint32_t level)
{
    const uint32_t since = value_type_since(tensor->type);
    return !tensor->present || (since != 0 && since <= level);
}

static bool has_index_type(const struct topk_tensor *tensor, uint32_t level)
{
    return !tensor->present || (tensor->type == 3 && level >= 0x2000) ||
           (tensor->type == 10 && level >= 0x5000);
}

/* V04, of an output whose rank is the input's */
static bool sizes_fit(const struct topk_operator *op, const struct topk_tensor *output)
{
    const struct topk_tensor *input = &op->tensors[TOPK_INPUT];
    bool fit = true;
    for (uint32_t d = 0; output->present && output->rank == input->rank && d < input->rank; d++) {
        fit = fit && output->sizes[d] == (d == op->axis ? op->k : input->sizes[d]);
    }
    return fit;
}

static bool rank_fits(const struct topk_operator *op, const struct topk_tensor *output)
{
    return !output->present || output->rank == op->tensors[TOPK_INPUT].rank;
}

static enum naive_answer ask_operator(enum topk_clause clause, const struct topk_operator *op,
                                      uint32_t level)
{
    const struct topk_tensor *input = &op->tensors[TOPK_INPUT];
    const struct topk_tensor *value = &op->tensors[TOPK_VALUE];
    const struct topk_tensor *index = &op->tensors[TOPK_INDEX];
    const bool axis = input->present && op->axis < input->rank;
    const uint32_t length = axis ? input->sizes[op->axis] : 0;
    switch (clause) {
    case TOPK_CLAUSE_V01:
        return broken_if(input->present && op->axis >= input->rank);
    case TOPK_CLAUSE_V02:
        return broken_if(op->k == 0);
    case TOPK_CLAUSE_V03:
        return broken_if(axis && op->k == length);
    case TOPK_CLAUSE_V03b:
        return broken_if(axis && op->k > length);
    case TOPK_CLAUSE_V04:
        return broken_if(input->present && !(sizes_fit(op, value) && sizes_fit(op, index)));
    case TOPK_CLAUSE_V05:
        return broken_if(input->present && !(rank_fits(op, value) && rank_fits(op, index)));
    case TOPK_CLAUSE_V06:
        return broken_if(input->present && value->present && input->type != value->type);
    case TOPK_CLAUSE_V07:
        return broken_if(!has_index_type(index, level));
    case TOPK_CLAUSE_V09:
        return broken_if(!has_value_type(input, level) || !has_value_type(value, level));
    case TOPK_CLAUSE_V11:
        return broken_if(!input->present || !value->present || !index->present);
    case TOPK_CLAUSE_V12:
        return broken_if(op->kind == TOPK_TOP_K1 && op->direction != 0 && op->direction != 1);
    case TOPK_CLAUSE_V14:
        return broken_if(level < (op->kind == TOPK_TOP_K1 ? 0x2100u : 0x2000u));
    default:
        return NAIVE_HOLDS;
    }
}

enum naive_answer naive_clause(enum topk_clause clause, const struct topk_operator *op,
                               uint32_t level)
{
    enum naive_answer answer = ask_operator(clause, op, level);
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        const struct topk_tensor *tensor = &op->tensors[role];
        if (tensor->present) {
            enum naive_answer one = ask_tensor(clause, tensor, role == TOPK_INPUT, level);
            answer = one == NAIVE_BROKEN || answer == NAIVE_HOLDS ? one : answer;
        }
    }
    return answer;
}
