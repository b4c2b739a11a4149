/* A complete topk-cts backend, out of tree: nothing but topk_backend.h and the C library.
 *   cc -std=c17 -O2 -fPIC -shared -I../../backends -o example.so example.c
 *   topk-cts run --backend ./example.so
 * It sorts each sequence on the host. For a kernel of your own, replace run_one(): upload each
 * whole buffer, bind at its offset, dispatch, and read each whole buffer back, the input's too. */
#include "topk_backend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct element {
    uint64_t key; /* less comes first */
    uint64_t index;
};

static uint32_t type_bytes(uint32_t type)
{
    static const unsigned char bytes[] = {0, 4, 2, 4, 2, 1, 4, 2, 1, 8, 8, 8}; /* by type number */
    return bytes[type];
}

/* The bits of an element as a number that compares as the value does; both zeros are one. */
static uint64_t load_key(const unsigned char *from, uint32_t type)
{
    uint64_t bits = 0;
    memcpy(&bits, from, type_bytes(type)); /* little-endian hosts */
    uint64_t sign = (uint64_t)1 << (8 * type_bytes(type) - 1);
    switch (type) {
    case TOPK_BACKEND_FLOAT32:
    case TOPK_BACKEND_FLOAT16:
        return bits & sign ? sign - (bits - sign) : sign + bits;
    case TOPK_BACKEND_INT64:
    case TOPK_BACKEND_INT32:
    case TOPK_BACKEND_INT16:
    case TOPK_BACKEND_INT8:
        return bits ^ sign;
    default:
        return bits;
    }
}

static int compare(const void *a, const void *b)
{
    const struct element *x = a, *y = b;
    if (x->key != y->key) {
        return x->key < y->key ? -1 : 1;
    }
    return x->index < y->index ? -1 : 1;
}

/* The stride of a dimension, in bytes. */
static uint64_t stride_of(const struct topk_backend_tensor *tensor, uint32_t dimension)
{
    uint64_t stride = tensor->strides != NULL ? tensor->strides[dimension] : 1;
    for (uint32_t d = dimension + 1; tensor->strides == NULL && d < tensor->dimension_count; d++) {
        stride *= tensor->sizes[d];
    }
    return stride * type_bytes(tensor->data_type);
}

/* Sorts one sequence and writes its K outputs; the pointers are at its first elements. */
static void run_row(const struct topk_backend_call *call, struct element *row,
                    const unsigned char *input, unsigned char *value, unsigned char *index)
{
    uint32_t type = call->input->data_type;
    uint64_t step = stride_of(call->input, call->axis);
    int smallest =
        call->operator_type == TOPK_OPERATOR_TOP_K1 && call->direction == TOPK_DIRECTION_INCREASING;
    for (uint32_t i = 0; i < call->input->sizes[call->axis]; i++) {
        uint64_t key = load_key(input + i * step, type);
        row[i] = (struct element){smallest ? key : ~key, i};
    }
    qsort(row, call->input->sizes[call->axis], sizeof *row, compare);
    for (uint32_t j = 0; j < call->k; j++) {
        memcpy(value + j * stride_of(call->value, call->axis), input + row[j].index * step,
               type_bytes(type));
        memcpy(index + j * stride_of(call->index, call->axis), &row[j].index,
               type_bytes(call->index->data_type));
    }
}

/* All sequences: counts through the coordinates other than Axis. */
static void run_one(const struct topk_backend_call *call, struct topk_backend_answer *answer)
{
    const struct topk_backend_tensor *input = call->input;
    struct element *row = malloc(input->sizes[call->axis] * sizeof *row);
    uint32_t at[8] = {0};
    uint32_t d = 0;
    while (row != NULL && d != UINT32_MAX) {
        uint64_t in = call->input_buffer.offset;
        uint64_t value = call->value_buffer.offset;
        uint64_t index = call->index_buffer.offset;
        for (d = 0; d < input->dimension_count; d++) {
            in += at[d] * stride_of(input, d);
            value += at[d] * stride_of(call->value, d);
            index += at[d] * stride_of(call->index, d);
        }
        run_row(call, row, (unsigned char *)call->input_buffer.data + in,
                (unsigned char *)call->value_buffer.data + value,
                (unsigned char *)call->index_buffer.data + index);
        while (d-- > 0 && (d == call->axis || ++at[d] == input->sizes[d])) {
            at[d] = 0;
        }
    }
    answer->status = row != NULL ? TOPK_BACKEND_DONE : TOPK_BACKEND_OUT_OF_MEMORY;
    free(row);
}

static void *open_example(const char *options, char *error, size_t error_bytes)
{
    static int self;
    snprintf(error, error_bytes, "example takes no options, not '%s'", options);
    return options[0] == 0 ? &self : NULL;
}

static void describe(void *self, struct topk_backend_info *info)
{
    (void)self;
    info->name = "example";
    info->version = "1";
    info->feature_level = 0x5000;
    info->flags = TOPK_BACKEND_OWN_CONTRACT | TOPK_BACKEND_SOFTWARE;
    info->invalid_calls_reason = "example does not check descriptions";
}

static void run(void *self, const struct topk_backend_call *calls, uint32_t count,
                struct topk_backend_answer *answers)
{
    (void)self;
    for (uint32_t i = 0; i < count; i++) {
        run_one(&calls[i], &answers[i]); /* never create_only: see TOPK_BACKEND_OWN_CONTRACT */
    }
}

static void close_example(void *self)
{
    (void)self;
}

const struct topk_backend *topk_backend_entry(void)
{
    static const struct topk_backend example = {
        TOPK_BACKEND_ABI, sizeof example, "example", "the example of the documentation",
        open_example,     describe,       NULL,      run,
        close_example};
    return &example;
}
