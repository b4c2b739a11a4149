/* Faults of contracts.def in what is written: indices, values, and old contents. */
#include "contracts.h"

#include <string.h>

static void swap_bits(uint64_t *a, uint64_t *b)
{
    const uint64_t kept = *a;
    *a = *b;
    *b = kept;
}

/* ---- indices --------------------------------------------------------------------------------- */

void fault_invented(struct row *row)
{
    uint32_t tie;
    if (contracts_tie_outside(row, &tie)) {
        row->indices[row->k - 1] = row->length;
    }
}

void fault_one_based(struct row *row)
{
    for (uint32_t j = 0; j < row->k; j++) {
        row->indices[j]++;
    }
}

void fault_flat(struct row *row)
{
    for (uint32_t j = 0; j < row->k; j++) {
        row->indices[j] += row->row * row->length;
    }
}

void fault_index_of_before(struct row *row)
{
    for (uint32_t j = 0; row->row > 0 && j < row->k; j++) {
        const uint64_t before = *(row->indices + j - row->k);
        if (*(row->values + j - row->k) == row->values[j] && row->bits[before] != row->values[j]) {
            row->indices[j] = before;
        }
    }
}

static void repeat_first_row(struct row *row, bool when)
{
    if (when) {
        memcpy(row->values, row->batch->values, row->k * sizeof *row->values);
        memcpy(row->indices, row->batch->indices, row->k * sizeof *row->indices);
    }
}

void fault_rows_of_batch(struct row *row)
{
    repeat_first_row(row, row->row >= 63);
}

void fault_second_row(struct row *row)
{
    repeat_first_row(row, row->row == 1);
}

/* ---- values ---------------------------------------------------------------------------------- */

void fault_neighbour(struct row *row)
{
    const uint64_t next = (row->indices[row->k - 1] + 1) % row->length;
    row->values[row->k - 1] = row->bits[next];
}

void fault_parted(struct row *row)
{
    swap_bits(&row->values[0], &row->values[row->k - 1]);
}

void fault_zeros_plus(struct row *row)
{
    for (uint32_t j = 0; contracts_float(row->type) && j < row->k; j++) {
        row->values[j] = row->values[j] == contracts_sign(row->type) ? 0 : row->values[j];
    }
}

void fault_partner_bits(struct row *row)
{
    for (uint32_t j = 1; j < row->k; j++) {
        if (contracts_compare(row, row->order[j - 1], row->order[j]) == 0) {
            swap_bits(&row->values[j - 1], &row->values[j]);
        }
    }
}

void fault_flush_integers(struct row *row)
{
    const bool wide = row->type == TOPK_BACKEND_INT32 || row->type == TOPK_BACKEND_UINT32;
    for (uint32_t j = 0; wide && j < row->k; j++) {
        if (contracts_denormal(TOPK_BACKEND_FLOAT32, row->values[j])) {
            row->values[j] &= contracts_sign(row->type);
        }
    }
}

/* replaces each value for which `wanted` holds by another */
static void change_values(struct row *row, bool (*wanted)(uint32_t type, uint64_t bits),
                          uint64_t (*changed)(uint32_t type, uint64_t bits))
{
    for (uint32_t j = 0; contracts_float(row->type) && j < row->k; j++) {
        const uint64_t bits = row->bits[row->order[j]];
        if (wanted(row->type, bits)) {
            row->values[j] = changed(row->type, bits);
        }
    }
}

void fault_flush_values(struct row *row)
{
    change_values(row, contracts_denormal, contracts_zero_of);
}

void fault_nan_to_infinity(struct row *row)
{
    change_values(row, contracts_nan, contracts_infinity_of);
}

void fault_normal_to_zero(struct row *row)
{
    change_values(row, contracts_is_least_normal, contracts_zero_of);
}

static uint64_t doubled(uint32_t type, uint64_t bits)
{
    const uint64_t sign = contracts_sign(type);
    return (bits & sign) | (bits & (sign - 1)) << 1;
}

void fault_denormal_doubled(struct row *row)
{
    change_values(row, contracts_denormal, doubled);
}

static uint64_t cut(uint32_t type, uint64_t bits)
{
    return bits & (contracts_sign(type) | (type == TOPK_BACKEND_FLOAT16 ? 0xffu : 0xffffu));
}

void fault_denormal_cut(struct row *row)
{
    change_values(row, contracts_denormal, cut);
}

static uint64_t least_denormal(uint32_t type, uint64_t bits)
{
    (void)type;
    return bits + 1;
}

void fault_zero_to_denormal(struct row *row)
{
    change_values(row, contracts_is_zero, least_denormal);
}

/* ---- old contents
 * ---------------------------------------------------------------------------------- */

void fault_old_zeros(struct row *row)
{
    const struct topk_cpu_plan *const plan = &row->batch->plan;
    const uint64_t step = plan->tensors[TOPK_CPU_VALUE].strides[plan->axis];
    for (uint32_t j = 0; j < row->k; j++) {
        if (row->values[j] == 0) {
            row->values[j] =
                contracts_load(row->at[TOPK_CPU_VALUE] + j * step, contracts_bytes(row->type));
        }
    }
}

void fault_stale(struct row *row)
{
    const struct past *const past = row->past;
    if (past->type == row->type && past->length == row->length && past->k == row->k &&
        past->rows == row->batch->rows && past->smallest == row->smallest &&
        (row->row > 0 || past->first == row->bits[0])) {
        memcpy(row->values, past->values + row->row * row->k, row->k * sizeof *row->values);
        memcpy(row->indices, past->indices + row->row * row->k, row->k * sizeof *row->indices);
    }
}

void fault_upper_half(struct row *row)
{
    const struct topk_cpu_plan *const plan = &row->batch->plan;
    const uint64_t step = plan->tensors[TOPK_CPU_INDEX].strides[plan->axis];
    for (uint32_t j = 0; plan->tensors[TOPK_CPU_INDEX].width == 8 && j < row->k; j++) {
        memset(row->at[TOPK_CPU_INDEX] + j * step + 4, 0xa5, 4);
    }
}

void fault_padding(struct row *row)
{
    const struct topk_backend_call *const call = row->batch->call;
    const struct topk_cpu_plan *const plan = &row->batch->plan;
    const uint32_t bytes = contracts_bytes(row->type);
    const uint64_t used = plan->tensors[TOPK_CPU_INPUT].least_bytes;
    const uint32_t last = row->length - 1;
    if (row->row + 1 == row->batch->rows && call->input->total_bytes >= used + bytes) {
        const struct number kept = row->numbers[last];
        const uint64_t there = contracts_load((const unsigned char *)call->input_buffer.data +
                                                  call->input_buffer.offset + used,
                                              bytes);
        contracts_order_as(row, last, there);
        if (row->numbers[last].real < kept.real) {
            row->numbers[last] = kept;
        }
    }
}

void fault_outside(struct row *row)
{
    const struct topk_backend_call *const call = row->batch->call;
    unsigned char *const data = call->value_buffer.data;
    data[call->value_buffer.offset + call->value->total_bytes] = 0;
}

void fault_input_sorted(struct row *row)
{
    const struct topk_cpu_plan *const plan = &row->batch->plan;
    const uint64_t step = plan->tensors[TOPK_CPU_INPUT].strides[plan->axis];
    for (uint32_t j = 0; j < row->k; j++) {
        contracts_store(row->at[TOPK_CPU_INPUT] + j * step, contracts_bytes(row->type),
                        row->values[j]);
    }
}
