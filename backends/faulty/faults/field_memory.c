/* Faults of memory that shipped: strides, the axis, writes to the input, and total sizes. */
#include "faulty.h"

/* ---- strides and axes ------------------------------------------------------------------------ */

static void b65_address(struct faulty *self)
{
    const struct topk_backend_tensor *outputs[ROLES] = {NULL, self->call->value, self->call->index};
    for (int role = VALUE; role < ROLES; role++) {
        if (self->tensors[role].strides[outputs[role]->dimension_count - 1] != 1) {
            faulty_packed_strides(outputs[role], self->tensors[role].strides);
        }
    }
}

/* computes the start of a sequence from the sizes, but its steps from the stride */
static void b67_address(struct faulty *self)
{
    const struct topk_backend_call *call = self->call;
    uint64_t stride = self->tensors[INPUT].strides[call->axis];
    faulty_packed_strides(call->input, self->tensors[INPUT].strides);
    self->tensors[INPUT].strides[call->axis] = stride;
}

/* computes an index from how far the address has moved */
FAULTY_WHEN(b69_when, row->tensors[INPUT].strides[row->call->axis] == 0)

/* computes the sizes of the outputs from the input's, with K in the last position */
static void b72_address(struct faulty *self)
{
    const struct topk_backend_call *call = self->call;
    const struct topk_backend_tensor *outputs[ROLES] = {NULL, call->value, call->index};
    for (int role = VALUE; role < ROLES; role++) {
        uint64_t stride = 1;
        for (uint32_t d = call->input->dimension_count;
             outputs[role]->strides == NULL && d-- > 0;) {
            self->tensors[role].strides[d] = stride;
            stride *= d + 1 == call->input->dimension_count ? call->k : call->input->sizes[d];
        }
    }
}

/* lays out indices with the size of a value */
static void b106_address(struct faulty *self)
{
    if (self->call->input->data_type == TOPK_BACKEND_FLOAT16 &&
        self->tensors[VALUE].strides[self->call->axis] != 1) {
        self->tensors[INDEX].bytes = self->tensors[VALUE].bytes;
    }
}

/* ---- the input ------------------------------------------------------------------------------- */

static void store_input(const struct row *row, uint64_t at, uint64_t bits)
{
    const struct tensor *input = &row->tensors[INPUT];
    faulty_store(input, input->at + at * input->strides[row->call->axis], bits, input->bytes);
}

static void b95_write(struct row *row)
{
    faulty_write(row);
    for (uint32_t i = 0; i < row->length; i++) {
        store_input(row, i, row->entries[i].bits);
    }
}

/* marks selected elements with the worst value, to skip them later */
static void b96_write(struct row *row)
{
    faulty_write(row);
    for (uint32_t j = 0; j < row->k; j++) {
        store_input(row, row->entries[j].index, row->entries[row->length - 1].bits);
    }
}

/* ---- total sizes ----------------------------------------------------------------------------- */

/* the size of a tensor, computed with 64 bits and with 32 */
static uint64_t bytes_of(const struct topk_backend_tensor *tensor, uint32_t *narrow)
{
    uint64_t strides[RANK];
    uint64_t last = 0;
    uint32_t last_narrow = 0;
    uint32_t bytes = faulty_type_bytes(tensor->data_type);
    faulty_packed_strides(tensor, strides);
    *narrow = UINT32_MAX;
    for (uint32_t d = 0; d < tensor->dimension_count; d++) {
        if (tensor->sizes[d] == 0) {
            return 0; /* another check refuses it */
        }
        uint64_t stride = tensor->strides != NULL ? tensor->strides[d] : strides[d];
        last += (tensor->sizes[d] - 1) * stride;
        last_narrow += (tensor->sizes[d] - 1) * (uint32_t)stride;
    }
    *narrow = ((last_narrow + 1) * bytes + 3) & ~3u;
    return ((last + 1) * bytes + 3) & ~UINT64_C(3);
}

static bool b109_answer(struct faulty *self)
{
    const struct topk_backend_call *call = self->call;
    const struct topk_backend_tensor *tensors[] = {call->input, call->value, call->index};
    bool wraps = false;
    for (int role = 0; role < ROLES; role++) {
        uint32_t narrow;
        if (tensors[role] == NULL || tensors[role]->dimension_count > RANK) {
            return true;
        }
        wraps |= bytes_of(tensors[role], &narrow) > UINT32_MAX;
        if (narrow > tensors[role]->total_bytes) {
            return true;
        }
    }
    if (wraps && self->answer->status == TOPK_BACKEND_REFUSED) {
        *self->answer = (struct topk_backend_answer){.status = TOPK_BACKEND_DONE};
        return false;
    }
    return true;
}

const struct fault faulty_field_memory[] = {
    {"B65", "strides", "an output whose last stride is not 1 is written packed", "T04",
     .trigger = FAULTY_STRIDED_OUTPUT, .cause = "outputs-packed value-packed index-packed",
     .seen = "pytorch#62940", .address = b65_address},
    {"B67", "strides", "where a sequence starts is reckoned from the sizes, not from the strides",
     "T04", .trigger = FAULTY_STRIDED_INPUT " and rows>=2", .cause = "input-packed",
     .seen = "mlx#1230", .address = b67_address},
    {"B69", "strides", "along a stride of 0 every index is 0", "S07",
     .trigger = "stride=0 and n>=2 and k>=2", .cause = "zero-index zeroed", .seen = "xtensor#1519",
     .when = b69_when, .select = faulty_mask_indices, .amount = 0},
    {"B72", "axes", "outputs are laid out with K as their last size, whatever the axis", "S07",
     .trigger = "axis=first|middle", .seen = "DirectMLX", .address = b72_address},
    {"B95", "aliasing", "the input is sorted in place", "M01", .trigger = "n>=2",
     .seen = "pytorch#58318", .write = b95_write},
    {"B96", "aliasing", "what was selected is overwritten in the input", "M01", .trigger = "",
     .seen = "tvm#3212", .write = b96_write},
    {"B106", "wiring", "indices of strided FLOAT16 are laid out with the size of a value", "S07",
     .trigger = "type=f16", .seen = "pytorch#35584", .address = b106_address},
    {"B109", "validation", "total sizes are reckoned in 32 bits", "T08",
     .trigger = "breaks!=nothing", .seen = "DirectML", .size = "2^32 elements",
     .answer = b109_answer},
    {0},
};
