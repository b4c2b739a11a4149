/* The implementation that is right, as long as the steps of a fault do not spoil it. */
#include "faulty.h"

#include <stdlib.h>
#include <string.h>

void faulty_packed_strides(const struct topk_backend_tensor *desc, uint64_t strides[RANK])
{
    uint64_t stride = 1;
    for (uint32_t d = desc->dimension_count; d-- > 0;) {
        strides[d] = stride;
        stride *= desc->sizes[d];
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
        faulty_packed_strides(descs[role], tensor->strides);
        for (uint32_t d = 0; descs[role]->strides != NULL && d < descs[role]->dimension_count;
             d++) {
            tensor->strides[d] = descs[role]->strides[d];
        }
    }
}

int faulty_by_key(const void *a, const void *b)
{
    const struct entry *x = a;
    const struct entry *y = b;
    if (x->key != y->key) {
        return x->key < y->key ? -1 : 1;
    }
    return x->index < y->index ? -1 : x->index > y->index;
}

void faulty_write(struct row *row)
{
    uint32_t axis = row->call->axis;
    for (uint32_t j = 0; j < row->k; j++) {
        const struct tensor *value = &row->tensors[VALUE];
        const struct tensor *index = &row->tensors[INDEX];
        faulty_store(value, value->at + j * value->strides[axis], row->entries[j].bits,
                     value->bytes);
        faulty_store(index, index->at + j * index->strides[axis], row->entries[j].index,
                     index->bytes);
    }
}

void faulty_reverse_ties(struct row *row)
{
    for (uint32_t i = 0; i < row->length; i++) {
        row->entries[i].index = ~row->entries[i].index;
    }
    qsort(row->entries, row->length, sizeof row->entries[0], faulty_by_key);
    for (uint32_t i = 0; i < row->length; i++) {
        row->entries[i].index = ~row->entries[i].index;
    }
}

void faulty_reverse_selected(struct row *row)
{
    for (uint32_t j = 0; j < row->k / 2; j++) {
        struct entry swap = row->entries[j];
        row->entries[j] = row->entries[row->k - 1 - j];
        row->entries[row->k - 1 - j] = swap;
    }
}

static void run_row(const struct fault *fault, struct row *row)
{
    const struct tensor *input = &row->tensors[INPUT];
    for (uint32_t i = 0; i < row->length; i++) {
        struct entry *entry = &row->entries[i];
        entry->bits = faulty_load(input, input->at + i * input->strides[row->call->axis]);
        entry->key = faulty_key(row->type, entry->bits) ^ row->flip;
        entry->index = i;
    }
    if (fault->key != NULL) {
        fault->key(row);
    }
    qsort(row->entries, row->length, sizeof row->entries[0], faulty_by_key);
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

void faulty_compute(struct faulty *self, const struct topk_backend_call *call,
                    struct topk_backend_answer *answer)
{
    struct tensor tensors[ROLES];
    struct row row = {.call = call,
                      .tensors = tensors,
                      .type = call->input->data_type,
                      .bytes = faulty_type_bytes(call->input->data_type),
                      .length = call->input->sizes[call->axis],
                      .k = call->k};
    bool smallest =
        call->operator_type == TOPK_OPERATOR_TOP_K1 && call->direction == TOPK_DIRECTION_INCREASING;
    row.flip = smallest ? 0 : UINT64_MAX;
    row.entries = malloc(row.length * sizeof *row.entries);
    if (row.entries == NULL) {
        answer->status = TOPK_BACKEND_OUT_OF_MEMORY;
        return;
    }
    address(call, tensors);
    if (self->fault->address != NULL) {
        self->fault->address(call, tensors);
    }
    uint32_t at[RANK] = {0};
    do {
        run_row(self->fault, &row);
        row.number++;
    } while (next_sequence(call, at, tensors));
    free(row.entries);
    if (self->fault->after != NULL) {
        self->fault->after(self, call, tensors);
    }
}
