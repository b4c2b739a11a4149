/* Tensor arithmetic. Sums and products saturate at UINT64_MAX, which exceeds any buffer. */
#include "tensor.h"

#include <stdlib.h>
#include <string.h>

#include "element.h"

/* in halves that do not wrap: reference/proof/tensor_arithmetic.c */
static uint64_t multiply(uint64_t a, uint32_t b)
{
    if (a <= UINT32_MAX) {
        return a * b;
    }
    const uint64_t low = (a & UINT32_MAX) * b;
    const uint64_t high = (a >> 32) * b + (low >> 32);
    return high > UINT32_MAX ? UINT64_MAX : high << 32 | (low & UINT32_MAX);
}

static uint64_t add(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

uint64_t topk_tensor_elements(const struct topk_tensor *tensor)
{
    uint64_t count = 1;
    for (uint32_t i = 0; i < tensor->rank; i++) {
        if (tensor->sizes[i] == 0) {
            return 0;
        }
        count = multiply(count, tensor->sizes[i]);
    }
    return count;
}

void topk_tensor_strides(const struct topk_tensor *tensor, uint64_t out[TOPK_RANK_MAX])
{
    uint64_t packed = 1;
    for (uint32_t left = tensor->rank; left > 0; left--) {
        const uint32_t i = left - 1;
        out[i] = tensor->strided ? tensor->strides[i] : packed;
        packed = multiply(packed, tensor->sizes[i] == 0 ? 1 : tensor->sizes[i]);
    }
}

uint64_t topk_tensor_least_bytes(const struct topk_tensor *tensor)
{
    uint64_t strides[TOPK_RANK_MAX];
    topk_tensor_strides(tensor, strides);
    uint64_t elements = 1;
    for (uint32_t i = 0; i < tensor->rank; i++) {
        uint32_t steps = tensor->sizes[i] == 0 ? 0 : tensor->sizes[i] - 1;
        elements = add(elements, multiply(strides[i], steps));
    }
    uint64_t bytes = multiply(elements, topk_type_bytes(tensor->type));
    return bytes > UINT64_MAX - 3 ? UINT64_MAX : (bytes + 3) / 4 * 4;
}

uint64_t topk_tensor_offset(const struct topk_tensor *tensor, const uint32_t at[])
{
    uint64_t strides[TOPK_RANK_MAX];
    topk_tensor_strides(tensor, strides);
    uint64_t offset = 0;
    for (uint32_t i = 0; i < tensor->rank; i++) {
        offset += at[i] * strides[i];
    }
    return offset;
}

struct dimension {
    uint64_t stride;
    uint32_t size;
};

/* there are few enough for insertion sort */
static void sort_by_stride(struct dimension *dimensions, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        const struct dimension taken = dimensions[i];
        uint32_t at = i;
        for (; at > 0 && dimensions[at - 1].stride > taken.stride; at--) {
            dimensions[at] = dimensions[at - 1];
        }
        dimensions[at] = taken;
    }
}

/* Marks the elements with offsets from..from+places-1 in a zeroed bitmap, until one is marked
 * twice. */
static bool mark_twice(const struct dimension *dimensions, uint32_t count, unsigned char *seen,
                       uint64_t from, uint64_t places)
{
    uint32_t at[TOPK_RANK_MAX] = {0};
    uint64_t offset = 0;
    for (;;) {
        /* for a lower offset, this wraps to a number above `places` */
        const uint64_t place = offset - from;
        if (place < places) {
            const unsigned char bit = (unsigned char)(1u << place % 8);
            if (seen[place / 8] & bit) {
                return true;
            }
            seen[place / 8] |= bit;
        }
        uint32_t i = 0;
        for (; i < count; i++) {
            offset += dimensions[i].stride;
            if (++at[i] < dimensions[i].size) {
                break;
            }
            offset -= dimensions[i].stride * dimensions[i].size;
            at[i] = 0;
        }
        if (i == count) {
            return false;
        }
    }
}

/* Processes as many positions at a time as there is memory for, so that memory does not affect the
 * result. */
static bool enumerate_overlap(const struct dimension *dimensions, uint32_t count, uint64_t span)
{
    unsigned char few[4096];
    const uint64_t least = 8 * sizeof few;
    uint64_t room = span + 1;
    unsigned char *many = NULL;
    bool overlap = false;
    while (room > least && (many = malloc(room / 8 + 1)) == NULL) {
        room /= 2;
    }
    unsigned char *const seen = many == NULL ? few : many;
    room = many == NULL ? least : room;
    for (uint64_t from = 0; !overlap && from <= span; from += room) {
        const uint64_t places = span + 1 - from < room ? span + 1 - from : room;
        memset(seen, 0, (places + 7) / 8);
        overlap = mark_twice(dimensions, count, seen, from, places);
    }
    free(many);
    return overlap;
}

bool topk_tensor_overlaps(const struct topk_tensor *tensor)
{
    if (!tensor->strided) {
        return false; /* packed, also if its strides do not fit into 64 bits */
    }
    uint64_t strides[TOPK_RANK_MAX];
    topk_tensor_strides(tensor, strides);
    struct dimension dimensions[TOPK_RANK_MAX];
    uint32_t count = 0;
    for (uint32_t i = 0; i < tensor->rank; i++) {
        if (tensor->sizes[i] > 1) {
            dimensions[count].stride = strides[i];
            dimensions[count].size = tensor->sizes[i];
            count++;
        }
    }
    sort_by_stride(dimensions, count);
    uint64_t span = 0; /* greatest offset that the smaller dimensions reach */
    bool nested = true;
    for (uint32_t i = 0; i < count; i++) {
        if (dimensions[i].stride == 0) {
            return true;
        }
        nested = nested && dimensions[i].stride > span;
        span = add(span, multiply(dimensions[i].stride, dimensions[i].size - 1));
    }
    if (nested) {
        return false;
    }
    uint64_t elements = topk_tensor_elements(tensor);
    if (elements > span + 1 || elements > (uint64_t)1 << 24) {
        return true; /* more elements than positions, or too many to compare */
    }
    return span > (uint64_t)1 << 28 || enumerate_overlap(dimensions, count, span);
}
