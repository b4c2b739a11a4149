/* What surrounds a kernel of one row: keys are loaded through the strides, row by row in a grid of
 * 65,535 by more, and outputs are written by the order that the kernel returns. */
#include "control.h"

#include <stdlib.h>
#include <string.h>

#define GRID_WIDTH 65535u
#define MAX_RANK   8u

/* A tensor as the grid sees it: strides in bytes, of the dimensions that rows are counted through
 * and of the axis. */
struct view {
    unsigned char *base;
    uint64_t strides[MAX_RANK];
    uint64_t step;
    uint32_t width;
};

struct grid {
    uint32_t sizes[MAX_RANK];
    uint32_t rank; /* without the axis */
    uint64_t rows;
};

static uint32_t width_of(uint32_t type)
{
    switch (type) {
    case TOPK_BACKEND_UINT8:
    case TOPK_BACKEND_INT8:
        return 1;
    case TOPK_BACKEND_FLOAT16:
    case TOPK_BACKEND_UINT16:
    case TOPK_BACKEND_INT16:
        return 2;
    case TOPK_BACKEND_UINT64:
    case TOPK_BACKEND_INT64:
        return 8;
    default:
        return 4;
    }
}

static void make_view(const struct topk_backend_tensor *tensor,
                      const struct topk_backend_buffer *buffer, uint32_t axis, struct view *view)
{
    uint64_t packed = 1;
    view->base = (unsigned char *)buffer->data + buffer->offset;
    view->width = width_of(tensor->data_type);
    for (uint32_t d = tensor->dimension_count; d-- > 0;) {
        uint64_t stride = tensor->strides != NULL ? tensor->strides[d] : packed;
        packed *= tensor->sizes[d];
        if (d == axis) {
            view->step = stride * view->width;
        } else {
            view->strides[d < axis ? d : d - 1] = stride * view->width;
        }
    }
}

static void make_grid(const struct topk_backend_tensor *input, uint32_t axis, struct grid *grid)
{
    grid->rank = 0;
    grid->rows = 1;
    for (uint32_t d = 0; d < input->dimension_count; d++) {
        if (d != axis) {
            grid->sizes[grid->rank++] = input->sizes[d];
            grid->rows *= input->sizes[d];
        }
    }
}

static unsigned char *row_of(const struct view *view, const struct grid *grid, uint64_t row)
{
    uint64_t offset = 0;
    for (uint32_t d = grid->rank; d-- > 0;) {
        offset += row % grid->sizes[d] * view->strides[d];
        row /= grid->sizes[d];
    }
    return view->base + offset;
}

/* A number that is less if the element comes first. */
static uint64_t key_of(const unsigned char *from, uint32_t type, uint32_t width, bool decreasing)
{
    uint64_t bits = 0;
    memcpy(&bits, from, width);
    uint64_t all = UINT64_MAX >> (64 - 8 * width);
    uint64_t sign = all - (all >> 1);
    bool is_float = type == TOPK_BACKEND_FLOAT32 || type == TOPK_BACKEND_FLOAT16;
    bool is_signed = type == TOPK_BACKEND_INT8 || type == TOPK_BACKEND_INT16 ||
                     type == TOPK_BACKEND_INT32 || type == TOPK_BACKEND_INT64;
    if (is_float && bits == sign) {
        bits = 0;
    }
    if (is_float && (bits & sign) != 0) {
        bits ^= all;
    } else if (is_float || is_signed) {
        bits ^= sign;
    }
    return decreasing ? bits ^ all : bits;
}

static bool compute(const struct topk_backend_call *call)
{
    uint32_t n = call->input->sizes[call->axis];
    uint32_t type = call->input->data_type;
    bool decreasing =
        call->operator_type == TOPK_OPERATOR_TOP_K || call->direction == TOPK_DIRECTION_DECREASING;
    struct view input;
    struct view value;
    struct view index;
    struct grid grid;
    make_view(call->input, &call->input_buffer, call->axis, &input);
    make_view(call->value, &call->value_buffer, call->axis, &value);
    make_view(call->index, &call->index_buffer, call->axis, &index);
    make_grid(call->input, call->axis, &grid);
    uint64_t *keys = malloc(n * sizeof *keys);
    uint32_t *order = malloc(call->k * sizeof *order);
    bool done = keys != NULL && order != NULL;
    uint64_t high = (grid.rows + GRID_WIDTH - 1) / GRID_WIDTH;
    for (uint64_t y = 0; y < high && done; y++) {
        for (uint32_t x = 0; x < GRID_WIDTH && done; x++) {
            uint64_t row = y * GRID_WIDTH + x;
            if (row >= grid.rows) {
                break;
            }
            const unsigned char *from = row_of(&input, &grid, row);
            for (uint32_t i = 0; i < n; i++) {
                /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): axis < rank */
                keys[i] = key_of(from + i * input.step, type, input.width, decreasing);
            }
            done = control_select(keys, n, call->k, 8 * input.width, order);
            unsigned char *values = row_of(&value, &grid, row);
            unsigned char *indices = row_of(&index, &grid, row);
            for (uint32_t j = 0; j < call->k && done; j++) {
                uint64_t at = order[j];
                memcpy(values + j * value.step, from + at * input.step, value.width);
                memcpy(indices + j * index.step, &at, index.width);
            }
        }
    }
    free(order);
    free(keys);
    return done;
}

const struct control control = {"rows", 1, compute, NULL};
