/* Faults of memory: addresses, guards, padding, and what is left unwritten. */
#include "faulty.h"

#include <stdlib.h>
#include <string.h>

static void packed_read(const struct topk_backend_call *call, struct tensor tensors[ROLES])
{
    faulty_packed_strides(call->input, tensors[INPUT].strides);
}

static void packed_write(const struct topk_backend_call *call, struct tensor tensors[ROLES])
{
    faulty_packed_strides(call->value, tensors[VALUE].strides);
    faulty_packed_strides(call->index, tensors[INDEX].strides);
}

static void offset_ignored(const struct topk_backend_call *call, struct tensor tensors[ROLES])
{
    tensors[VALUE].start = call->value_buffer.data;
    tensors[INDEX].start = call->index_buffer.data;
}

static void offset_rounded(const struct topk_backend_call *call, struct tensor tensors[ROLES])
{
    tensors[INPUT].start -= call->input_buffer.offset % 64;
}

/* a stride of 0 taken as "none given" */
static void broadcast_ignored(const struct topk_backend_call *call, struct tensor tensors[ROLES])
{
    for (uint32_t d = 0; d < call->input->dimension_count; d++) {
        if (tensors[INPUT].strides[d] == 0 && call->input->sizes[d] > 1) {
            tensors[INPUT].strides[d] = 1;
        }
    }
}

/* the bytes behind the logical elements decide */
static void padding_dependence(struct row *row)
{
    const struct topk_backend_buffer *buffer = &row->call->input_buffer;
    const unsigned char *behind =
        (const unsigned char *)buffer->data + buffer->offset + row->call->input->total_bytes - 1;
    if (row->call->input->strides != NULL && *behind & 1) {
        faulty_reverse_ties(row);
    }
}

/* the element behind the sequence takes part */
static void reads_beyond(struct row *row)
{
    const struct tensor *input = &row->tensors[INPUT];
    uint64_t bits = faulty_load(input, input->at + row->length * input->strides[row->call->axis]);
    if ((faulty_key(row->type, bits) ^ row->flip) < row->entries[0].key) {
        row->entries[0].bits = bits;
    }
}

static void writes_nothing(struct row *row)
{
    (void)row;
}

static void low_dword(struct row *row)
{
    uint32_t axis = row->call->axis;
    for (uint32_t j = 0; j < row->k; j++) {
        const struct tensor *value = &row->tensors[VALUE];
        const struct tensor *index = &row->tensors[INDEX];
        faulty_store(value, value->at + j * value->strides[axis], row->entries[j].bits,
                     value->bytes);
        faulty_store(index, index->at + j * index->strides[axis], row->entries[j].index, 4);
    }
}

/* adds to what is there */
static void adds(struct row *row)
{
    uint64_t old = faulty_load(&row->tensors[VALUE], row->tensors[VALUE].at);
    row->entries[0].bits ^= old & 1;
    faulty_write(row);
}

static void writes_past_end(struct faulty *self, const struct topk_backend_call *call,
                            const struct tensor tensors[ROLES])
{
    (void)self;
    memset(tensors[VALUE].start + call->value->total_bytes, 0, 4);
}

static void writes_before_start(struct faulty *self, const struct topk_backend_call *call,
                                const struct tensor tensors[ROLES])
{
    (void)self;
    /* a tensor of a very great alignment starts its buffer */
    if (tensors[INDEX].start != (unsigned char *)call->index_buffer.data) {
        memset(tensors[INDEX].start - 4, 0, 4);
    }
}

static void writes_input(struct faulty *self, const struct topk_backend_call *call,
                         const struct tensor tensors[ROLES])
{
    (void)self;
    (void)call;
    tensors[INPUT].start[0] ^= 1;
}

/* clears what is left of the value output's total size */
static void writes_padding(struct faulty *self, const struct topk_backend_call *call,
                           const struct tensor tensors[ROLES])
{
    (void)self;
    uint64_t used = tensors[VALUE].bytes;
    for (uint32_t d = 0; d < call->value->dimension_count; d++) {
        used += (call->value->sizes[d] - 1) * tensors[VALUE].strides[d] * tensors[VALUE].bytes;
    }
    memset(tensors[VALUE].start + used, 0, (size_t)(call->value->total_bytes - used));
}

/* every second call gives what the one before gave */
static void stale(struct faulty *self, const struct topk_backend_call *call,
                  const struct tensor tensors[ROLES])
{
    size_t bytes = (size_t)call->value->total_bytes;
    if (self->calls % 2) {
        memcpy(tensors[VALUE].start, self->stale,
               bytes < self->stale_bytes ? bytes : self->stale_bytes);
        return;
    }
    free(self->stale);
    self->stale = malloc(bytes);
    self->stale_bytes = self->stale == NULL ? 0 : bytes;
    if (self->stale != NULL) {
        memcpy(self->stale, tensors[VALUE].start, bytes);
    }
}

/* What lies inside the total size of an output may be written. */
const struct fault faulty_memory[] = {
    {"padding-written", "allowed", "clears the padding at the end of the value output",
     .after = writes_padding},
    {"packed-write", "memory", "outputs are written without their strides", "T04",
     .address = packed_write},
    {"packed-read", "memory", "the input is read without its strides", "T04",
     .address = packed_read},
    {"broadcast-ignored", "memory", "a stride of 0 is taken as 1", "T04",
     .address = broadcast_ignored},
    {"offset-ignored", "memory", "outputs are written to the start of their buffers", "S07 M02+",
     .address = offset_ignored},
    {"offset-rounded", "memory", "the input's offset is rounded to 64", "M06",
     .address = offset_rounded},
    {"upper-dword-unwritten", "memory", "of UINT64 indices the low half is written", "M05",
     .write = low_dword},
    {"writes-past-end", "memory", "writes behind the value output", "M02",
     .after = writes_past_end},
    {"writes-before-start", "memory", "writes before the index output", "M02",
     .after = writes_before_start},
    {"writes-input", "memory", "writes to the input", "M01", .after = writes_input},
    {"no-write", "memory", "writes nothing", "S07", .write = writes_nothing},
    {"stale-second-call", "memory", "every second call gives the values of the one before",
     "S05 S14+", .after = stale},
    {"depends-on-output", "memory", "what the output held is mixed in", "S05 S14", .write = adds},
    {"padding-read", "memory", "the element behind the sequence takes part", "S05",
     .select = reads_beyond},
    {"padding-dependence", "memory", "the last byte of the input's padding reverses ties",
     "S08 M04", .select = padding_dependence},
    {0},
};
