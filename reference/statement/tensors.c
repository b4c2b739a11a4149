/* What the T clauses say about a tensor: one case of a switch for each, after its sentence. */
#include "parts.h"

#include <stdlib.h>

#include "reference/element.h"

/* large enough for every product here, if huge factors are reduced to HUGE_NUMBER */
__extension__ typedef unsigned __int128 wide;
#define HUGE_NUMBER ((wide)1 << 90)

/* greatest number of elements that are compared; and the number of positions beyond which the
 * reference does not look */
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

bool stated_elements(const struct topk_tensor *tensor, uint64_t *elements)
{
    const wide count = element_count(tensor);
    *elements = (uint64_t)count;
    return count <= UINT64_MAX;
}

bool stated_least_bytes(const struct topk_tensor *tensor, uint64_t *bytes)
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

/* whether two elements share a position; with broadcast, also because of a stride of 0 */
static enum stated overlap(const struct topk_tensor *tensor, bool broadcast)
{
    static uint64_t places[FEW_ELEMENTS];
    uint32_t count = 1;
    places[0] = 0;
    if (!tensor->strided) {
        return STATED_HOLDS;
    }
    for (uint32_t d = 0; d < tensor->rank; d++) {
        const uint32_t size = tensor->sizes[d];
        if (size == 1 || (tensor->strides[d] == 0 && !broadcast)) {
            continue;
        }
        if ((uint64_t)size * count > FEW_ELEMENTS) {
            return STATED_UNKNOWN;
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
            return STATED_BROKEN;
        }
    }
    return places[count - 1] > PLACES ? STATED_UNKNOWN : STATED_HOLDS;
}

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

/* T12: a stride that is so huge that the tensor would be too small */
static bool negative(const struct topk_tensor *tensor)
{
    bool huge = false;
    for (uint32_t d = 0; tensor->strided && d < tensor->rank; d++) {
        huge = huge || (tensor->sizes[d] != 1 && tensor->strides[d] > 0x7fffffff);
    }
    return huge && too_small(tensor);
}

enum stated stated_tensor(enum topk_clause clause, const struct topk_tensor *tensor, bool input)
{
    const wide elements = element_count(tensor);
    const wide bytes = topk_type_bytes(tensor->type);
    const wide most = 0xffffffff;
    const bool any_rank = tensor->rank >= 1 && tensor->rank <= 8;
    switch (clause) {
    case TOPK_CLAUSE_T01:
        return stated_broken_if(elements == 0);
    case TOPK_CLAUSE_T02:
        return stated_broken_if(!any_rank);
    case TOPK_CLAUSE_T11:
        return stated_broken_if(tensor->flags > (input ? 1u : 0u));
    default:
        break;
    }
    if (elements == 0) {
        return STATED_HOLDS; /* the following clauses need elements, so T01 comes before them */
    }
    switch (clause) {
    case TOPK_CLAUSE_T08:
        return stated_broken_if(too_small(tensor));
    case TOPK_CLAUSE_T09:
        return stated_broken_if(elements > most ||
                                (bytes != 0 && tensor->total_bytes > most * bytes));
    case TOPK_CLAUSE_T10:
        return stated_broken_if(!aligned(tensor));
    case TOPK_CLAUSE_T10b:
        return stated_broken_if(tensor->alignment != 0 && tensor->alignment < 16 &&
                                aligned(tensor));
    case TOPK_CLAUSE_T12:
        return stated_broken_if(negative(tensor));
    case TOPK_CLAUSE_T13:
        return input ? overlap(tensor, false) : STATED_HOLDS;
    case TOPK_CLAUSE_T14:
        return input ? STATED_HOLDS : overlap(tensor, true);
    default:
        return STATED_HOLDS;
    }
}
