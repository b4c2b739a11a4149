/* Packs the axis to the last place by blocks of 16 by 16, selects in the packed rows, and scatters
 * its outputs back. Other dimensions are merged where the strides allow it. Temporaries are
 * limited, so many rows are done in parts. */
#include "control.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK    16u
#define PART     65536u /* elements packed at once, or one row */
#define MAX_RANK 8u

/* Dimensions but the axis, merged where all three tensors allow it. */
struct loops {
    uint32_t rank;
    uint32_t sizes[MAX_RANK];
    uint64_t strides[3][MAX_RANK]; /* in elements */
    uint64_t axis_strides[3];
    uint64_t rows;
};

struct part {
    uint64_t *keys; /* packed, n to a row */
    uint32_t *order;
    uint32_t *other;
};

static uint32_t bytes_of(uint32_t type)
{
    static const uint8_t bytes[] = {
        [TOPK_BACKEND_FLOAT32] = 4, [TOPK_BACKEND_FLOAT16] = 2, [TOPK_BACKEND_UINT32] = 4,
        [TOPK_BACKEND_UINT16] = 2,  [TOPK_BACKEND_UINT8] = 1,   [TOPK_BACKEND_INT32] = 4,
        [TOPK_BACKEND_INT16] = 2,   [TOPK_BACKEND_INT8] = 1,    [TOPK_BACKEND_UINT64] = 8,
        [TOPK_BACKEND_INT64] = 8};
    return bytes[type];
}

static uint64_t stride_of(const struct topk_backend_tensor *tensor, uint32_t dimension)
{
    if (tensor->strides != NULL) {
        return tensor->strides[dimension];
    }
    uint64_t stride = 1;
    for (uint32_t d = tensor->dimension_count - 1; d > dimension; d--) {
        stride *= tensor->sizes[d];
    }
    return stride;
}

/* Whether dimension d continues the last loop: one step of the loop is all of d. */
static bool continues(const struct loops *loops, const struct topk_backend_tensor *const tensors[3],
                      uint32_t d)
{
    for (int t = 0; t < 3; t++) {
        if (loops->strides[t][loops->rank - 1] != stride_of(tensors[t], d) * tensors[0]->sizes[d]) {
            return false;
        }
    }
    return true;
}

static void make_loops(const struct topk_backend_tensor *const tensors[3], uint32_t axis,
                       struct loops *loops)
{
    memset(loops, 0, sizeof *loops);
    loops->rows = 1;
    for (uint32_t d = 0; d < tensors[0]->dimension_count; d++) {
        uint32_t size = tensors[0]->sizes[d];
        if (d == axis || size == 1) {
            continue;
        }
        if (loops->rank > 0 && continues(loops, tensors, d)) {
            loops->sizes[loops->rank - 1] *= size;
        } else {
            loops->sizes[loops->rank++] = size;
        }
        for (int t = 0; t < 3; t++) {
            loops->strides[t][loops->rank - 1] = stride_of(tensors[t], d);
        }
        loops->rows *= size;
    }
    for (int t = 0; t < 3; t++) {
        loops->axis_strides[t] = stride_of(tensors[t], axis);
    }
}

static uint64_t start_of(const struct loops *loops, int tensor, uint64_t row)
{
    uint64_t offset = 0;
    for (uint32_t d = loops->rank; d > 0; d--) {
        offset += (row % loops->sizes[d - 1]) * loops->strides[tensor][d - 1];
        row /= loops->sizes[d - 1];
    }
    return offset;
}

static uint64_t key_of(uint64_t bits, uint32_t type, bool decreasing)
{
    uint32_t width = 8 * bytes_of(type);
    uint64_t sign = (uint64_t)1 << (width - 1);
    bool negative = (bits & sign) != 0;
    if (type == TOPK_BACKEND_FLOAT32 || type == TOPK_BACKEND_FLOAT16) {
        bits &= sign - 1;
        bits = negative ? sign - bits : sign + bits;
    } else if (type >= TOPK_BACKEND_INT32 && type != TOPK_BACKEND_UINT64) {
        bits ^= sign;
    }
    return decreasing ? ~bits : bits;
}

/* Loads a block of elements of neighbouring rows, along the rows first. */
static void pack_block(const struct topk_backend_call *call, const struct loops *loops,
                       uint64_t first, uint32_t row, uint32_t rows, uint32_t column, uint64_t *keys)
{
    const unsigned char *base =
        (const unsigned char *)call->input_buffer.data + call->input_buffer.offset;
    uint32_t n = call->input->sizes[call->axis];
    uint32_t width = bytes_of(call->input->data_type);
    bool decreasing =
        call->operator_type == TOPK_OPERATOR_TOP_K || call->direction == TOPK_DIRECTION_DECREASING;
    for (uint32_t i = column; i < n && i < column + BLOCK; i++) {
        for (uint32_t r = row; r < rows && r < row + BLOCK; r++) {
            uint64_t bits = 0;
            uint64_t element = start_of(loops, 0, first + r) + i * loops->axis_strides[0];
            memcpy(&bits, base + element * width, width);
            keys[(uint64_t)r * n + i] = key_of(bits, call->input->data_type, decreasing);
        }
    }
}

/* A stable sort by merging from the top down; order is left sorted. */
static void sort(const uint64_t *keys, uint32_t *order, uint32_t *other, uint32_t count)
{
    uint32_t half = count / 2;
    if (half == 0) {
        return;
    }
    sort(keys, order, other, half);
    sort(keys, order + half, other + half, count - half);
    memcpy(other, order, count * sizeof *order);
    uint32_t a = 0;
    uint32_t b = half;
    for (uint32_t i = 0; i < count; i++) {
        if (b == count || (a < half && keys[other[a]] <= keys[other[b]])) {
            order[i] = other[a++];
        } else {
            order[i] = other[b++];
        }
    }
}

static void scatter(const struct topk_backend_call *call, const struct loops *loops, uint64_t row,
                    const uint32_t *order)
{
    const unsigned char *input =
        (const unsigned char *)call->input_buffer.data + call->input_buffer.offset;
    unsigned char *value = (unsigned char *)call->value_buffer.data + call->value_buffer.offset;
    unsigned char *index = (unsigned char *)call->index_buffer.data + call->index_buffer.offset;
    uint32_t width = bytes_of(call->input->data_type);
    uint32_t index_width = bytes_of(call->index->data_type);
    input += start_of(loops, 0, row) * width;
    value += start_of(loops, 1, row) * width;
    index += start_of(loops, 2, row) * index_width;
    for (uint32_t j = 0; j < call->k; j++) {
        /* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign): n of them are written */
        uint64_t at = order[j];
        memcpy(value + j * loops->axis_strides[1] * width,
               input + at * loops->axis_strides[0] * width, width);
        memcpy(index + j * loops->axis_strides[2] * index_width, &at, index_width);
    }
}

static void compute_part(const struct topk_backend_call *call, const struct loops *loops,
                         uint64_t first, uint32_t rows, const struct part *part)
{
    uint32_t n = call->input->sizes[call->axis];
    for (uint32_t row = 0; row < rows; row += BLOCK) {
        for (uint32_t column = 0; column < n; column += BLOCK) {
            pack_block(call, loops, first, row, rows, column, part->keys);
        }
    }
    for (uint32_t row = 0; row < rows; row++) {
        for (uint32_t i = 0; i < n; i++) {
            part->order[i] = i;
        }
        sort(part->keys + (uint64_t)row * n, part->order, part->other, n);
        scatter(call, loops, first + row, part->order);
    }
}

static bool compute(const struct topk_backend_call *call)
{
    const struct topk_backend_tensor *const tensors[3] = {call->input, call->value, call->index};
    struct loops loops;
    make_loops(tensors, call->axis, &loops);
    uint32_t n = call->input->sizes[call->axis];
    uint32_t rows = n < PART ? PART / n : 1;
    struct part part = {.keys = malloc((uint64_t)rows * n * sizeof *part.keys),
                        .order = malloc(n * sizeof *part.order),
                        .other = malloc(n * sizeof *part.other)};
    bool done = part.keys != NULL && part.order != NULL && part.other != NULL;
    for (uint64_t row = 0; row < loops.rows && done; row += rows) {
        uint64_t left = loops.rows - row;
        compute_part(call, &loops, row, left < rows ? (uint32_t)left : rows, &part);
    }
    free(part.keys);
    free(part.order);
    free(part.other);
    return done;
}

const struct control control = {"transpose", 1, compute, NULL};
