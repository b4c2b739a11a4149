/* The correct implementation, in which faults replace steps. */
#include "faulty.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool faulty_answer(struct faulty *self, uint32_t status, const char *reason)
{
    self->answer->status = status;
    snprintf(self->answer->reason, sizeof self->answer->reason, "%s", reason);
    return false;
}

bool faulty_whole(const struct topk_backend_call *call)
{
    return call->input != NULL && call->value != NULL && call->index != NULL;
}

bool faulty_axis_there(const struct topk_backend_call *call)
{
    return faulty_whole(call) && call->axis < call->input->dimension_count &&
           call->input->dimension_count <= RANK;
}

void faulty_packed_strides(const struct topk_backend_tensor *desc, uint64_t strides[RANK])
{
    uint64_t stride = 1;
    for (uint32_t d = desc->dimension_count; d-- > 0;) {
        strides[d] = stride;
        stride *= desc->sizes[d];
    }
}

void faulty_keep(struct faulty *self, enum role role, uint64_t bytes)
{
    free(self->stale);
    self->stale = malloc((size_t)bytes);
    self->stale_bytes = self->stale == NULL ? 0 : (size_t)bytes;
    if (self->stale != NULL) {
        memcpy(self->stale, self->tensors[role].start, self->stale_bytes);
    }
}

void faulty_recall(struct faulty *self, enum role role, uint64_t bytes)
{
    if (self->stale != NULL) {
        memcpy(self->tensors[role].start, self->stale,
               bytes < self->stale_bytes ? (size_t)bytes : self->stale_bytes);
    }
}

static void address(const struct topk_backend_call *call, struct tensor tensors[ROLES])
{
    const struct topk_backend_tensor *descs[] = {call->input, call->value, call->index};
    const struct topk_backend_buffer *buffers[] = {&call->input_buffer, &call->value_buffer,
                                                   &call->index_buffer};
    for (int role = 0; role < ROLES; role++) {
        struct tensor *tensor = &tensors[role];
        tensor->start = (unsigned char *)buffers[role]->data + buffers[role]->offset;
        tensor->room = buffers[role]->bytes - buffers[role]->offset;
        tensor->bytes = faulty_type_bytes(descs[role]->data_type);
        tensor->at = 0;
        tensor->most_byte = UINT64_MAX;
        tensor->most_element = UINT64_MAX;
        faulty_packed_strides(descs[role], tensor->strides);
        for (uint32_t d = 0; descs[role]->strides != NULL && d < descs[role]->dimension_count;
             d++) {
            tensor->strides[d] = descs[role]->strides[d];
        }
    }
}

void faulty_write_slot(struct row *row, uint32_t slot, const struct entry *entry)
{
    const struct tensor *value = &row->tensors[VALUE];
    const struct tensor *index = &row->tensors[INDEX];
    uint32_t axis = row->call->axis;
    faulty_store(value, value->at + slot * value->strides[axis], entry->bits, value->bytes);
    faulty_store(index, index->at + slot * index->strides[axis], entry->index, index->bytes);
}

void faulty_write(struct row *row)
{
    for (uint32_t j = 0; j < row->k; j++) {
        faulty_write_slot(row, j, &row->entries[j]);
    }
}

void faulty_write_nothing(struct row *row)
{
    (void)row;
}

void faulty_write_low(struct row *row)
{
    uint32_t axis = row->call->axis;
    const struct tensor *value = &row->tensors[VALUE];
    const struct tensor *index = &row->tensors[INDEX];
    for (uint32_t j = 0; j < row->k; j++) {
        faulty_store(value, value->at + j * value->strides[axis], row->entries[j].bits,
                     value->bytes);
        faulty_store(index, index->at + j * index->strides[axis], row->entries[j].index, 4);
    }
}

uint32_t faulty_run_end(const struct row *row, uint32_t from)
{
    uint32_t to = from + 1;
    while (to < row->length && row->entries[to].key == row->entries[from].key) {
        to++;
    }
    return to;
}

void faulty_reverse_ties(struct row *row)
{
    for (uint32_t from = 0, to; from < row->length; from = to) {
        to = faulty_run_end(row, from);
        faulty_reverse(row->entries + from, to - from);
    }
}

void faulty_reverse_selected(struct row *row)
{
    faulty_reverse(row->entries, row->k);
}

void faulty_lose_first(struct row *row)
{
    if (row->k < row->length) {
        memmove(row->entries, row->entries + 1, row->k * sizeof row->entries[0]);
    }
}

void faulty_lose_last(struct row *row)
{
    if (row->k < row->length) {
        row->entries[row->k - 1] = row->entries[row->k];
    }
}

void faulty_forget(struct row *row, uint32_t from)
{
    for (uint32_t i = from; i < row->length; i++) {
        row->entries[i].key = UINT64_MAX;
    }
}

void faulty_turn_keys(struct row *row)
{
    for (uint32_t i = 0; i < row->length; i++) {
        row->entries[i].key = ~row->entries[i].key;
    }
}

void faulty_negate(struct row *row)
{
    uint64_t sign = faulty_sign(row->type);
    for (uint32_t i = 0; i < row->length; i++) {
        uint64_t minus = (0 - row->entries[i].bits) & (sign | (sign - 1));
        row->entries[i].key = faulty_key(row->type, minus);
    }
}

void faulty_low_half(struct row *row)
{
    for (uint32_t i = 0; i < row->length; i++) {
        row->entries[i].key = (row->entries[i].bits & UINT32_MAX) ^ row->flip;
    }
}

bool faulty_has_nan(const struct row *row, uint64_t bits)
{
    bool found = false;
    for (uint32_t i = 0; i < row->length; i++) {
        uint64_t held = row->entries[i].bits;
        found |= faulty_nan(row->type, held) && (held & bits) == bits;
    }
    return found;
}

void faulty_mask_indices(struct row *row)
{
    for (uint32_t j = 0; j < row->k; j++) {
        row->entries[j].index &= row->amount;
    }
}

void faulty_clear_slots(struct row *row)
{
    for (uint64_t j = row->amount; j < row->k; j++) {
        row->entries[j] = (struct entry){0};
    }
}

void faulty_spoil_value(struct row *row)
{
    row->entries[row->k - 1].bits ^= 1;
}

uint32_t faulty_tied_from(const struct row *row)
{
    uint32_t from = row->k - 1;
    while (from > 0 && row->entries[from - 1].key == row->entries[from].key) {
        from--;
    }
    return from;
}

uint32_t faulty_tied_to(const struct row *row)
{
    return faulty_run_end(row, row->k - 1);
}

void faulty_boundary_high(struct row *row)
{
    const uint32_t from = faulty_tied_from(row);
    const uint32_t count = row->k - from;
    memmove(&row->entries[from], &row->entries[faulty_tied_to(row) - count],
            count * sizeof row->entries[0]);
}

void faulty_by_index(struct row *row, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        row->entries[i].key = row->entries[i].index;
    }
    faulty_sort(row->entries, count, row->scratch);
    for (uint32_t i = 0; i < count; i++) {
        row->entries[i].key = faulty_key(row->type, row->entries[i].bits) ^ row->flip;
    }
}

uint64_t faulty_chance(const struct row *row)
{
    uint64_t mixed = (row->calls * 65599 + row->number + 1) * UINT64_C(0x9e3779b97f4a7c15);
    mixed = (mixed ^ mixed >> 29) * UINT64_C(0xd6e8feb86659fd93);
    return mixed >> 32;
}

static void run_row(const struct fault *fault, struct row *row)
{
    static const struct fault right = {.name = NULL};
    const struct tensor *input = &row->tensors[INPUT];
    for (uint32_t i = 0; i < row->length; i++) {
        struct entry *entry = &row->entries[i];
        entry->bits = faulty_load(input, input->at + i * input->strides[row->call->axis]);
        entry->key = faulty_key(row->type, entry->bits) ^ row->flip;
        entry->index = i;
    }
    if (fault->when != NULL && !fault->when(row)) {
        fault = &right;
    }
    if (fault->key != NULL) {
        fault->key(row);
    }
    if (fault->sort != NULL) {
        fault->sort(row);
    } else {
        faulty_sort(row->entries, row->length, row->scratch);
    }
    if (fault->select != NULL) {
        fault->select(row);
    }
    if (fault->write != NULL) {
        fault->write(row);
    } else {
        faulty_write(row);
    }
}

static bool next_sequence(const struct topk_backend_call *call, uint32_t at[RANK],
                          struct tensor tensors[ROLES])
{
    for (uint32_t d = call->input->dimension_count; d-- > 0;) {
        if (d == call->axis) {
            continue;
        }
        bool carry = ++at[d] == call->input->sizes[d];
        for (int role = 0; role < ROLES; role++) {
            tensors[role].at += tensors[role].strides[d];
            if (carry) {
                tensors[role].at -= tensors[role].strides[d] * call->input->sizes[d];
            }
        }
        if (!carry) {
            return true;
        }
        at[d] = 0;
    }
    return false;
}

/* room for the entries of a sequence, and for as many again, rounded up to a power of two */
static bool make_room(struct row *row)
{
    row->padded = 1;
    while (row->padded < row->length) {
        row->padded *= 2;
    }
    row->entries = calloc(row->length, sizeof *row->entries);
    row->scratch = calloc(row->padded, sizeof *row->scratch);
    return row->entries != NULL && row->scratch != NULL;
}

static uint64_t sequences(const struct topk_backend_call *call)
{
    uint64_t count = 1;
    for (uint32_t d = 0; d < call->input->dimension_count; d++) {
        count *= d == call->axis ? 1 : call->input->sizes[d];
    }
    return count;
}

static void run_rows(struct faulty *self, struct row *row)
{
    uint32_t at[RANK] = {0};
    address(self->call, self->tensors);
    if (self->fault->address != NULL) {
        self->fault->address(self);
    }
    do {
        run_row(self->fault, row);
        row->number++;
    } while (next_sequence(self->call, at, self->tensors));
    if (self->fault->after != NULL) {
        self->fault->after(self);
    }
}

void faulty_compute(struct faulty *self)
{
    const struct topk_backend_call *call = self->call;
    struct row row = {.call = call,
                      .tensors = self->tensors,
                      .calls = self->calls,
                      .rows = sequences(call),
                      .type = call->input->data_type,
                      .bytes = faulty_type_bytes(call->input->data_type),
                      .length = call->input->sizes[call->axis],
                      .k = call->k,
                      .amount = self->fault->amount};
    row.increasing =
        call->operator_type == TOPK_OPERATOR_TOP_K1 && call->direction == TOPK_DIRECTION_INCREASING;
    row.flip = row.increasing ? 0 : UINT64_MAX;
    if (make_room(&row)) {
        run_rows(self, &row);
    } else {
        self->answer->status = TOPK_BACKEND_OUT_OF_MEMORY;
    }
    free(row.entries);
    free(row.scratch);
}
