/* Faults of memory: addresses, guards, padding, and outputs that are not written. */
#include "faulty.h"

#include <string.h>

static void packed_read(struct faulty *self)
{
    faulty_packed_strides(self->call->input, self->tensors[INPUT].strides);
}

static void packed_write(struct faulty *self)
{
    faulty_packed_strides(self->call->value, self->tensors[VALUE].strides);
    faulty_packed_strides(self->call->index, self->tensors[INDEX].strides);
}

static void offset_ignored(struct faulty *self)
{
    self->tensors[VALUE].start = self->call->value_buffer.data;
    self->tensors[INDEX].start = self->call->index_buffer.data;
}

static void offset_rounded(struct faulty *self)
{
    self->tensors[INPUT].start -= self->call->input_buffer.offset % 64;
}

/* mistakes a stride of 0 for a missing one */
static void broadcast_ignored(struct faulty *self)
{
    for (uint32_t d = 0; d < self->call->input->dimension_count; d++) {
        if (self->tensors[INPUT].strides[d] == 0 && self->call->input->sizes[d] > 1) {
            self->tensors[INPUT].strides[d] = 1;
        }
    }
}

/* depends on the bytes after the logical elements */
static bool padding_odd(const struct row *row)
{
    const struct topk_backend_buffer *buffer = &row->call->input_buffer;
    const unsigned char *behind =
        (const unsigned char *)buffer->data + buffer->offset + row->call->input->total_bytes - 1;
    return row->call->input->strides != NULL && (*behind & 1) != 0;
}

/* includes the element after the sequence */
static void reads_beyond(struct row *row)
{
    const struct tensor *input = &row->tensors[INPUT];
    uint64_t bits = faulty_load(input, input->at + row->length * input->strides[row->call->axis]);
    if ((faulty_key(row->type, bits) ^ row->flip) < row->entries[0].key) {
        row->entries[0].bits = bits;
    }
}

/* adds to the output instead of writing it */
static void adds(struct row *row)
{
    uint64_t old = faulty_load(&row->tensors[VALUE], row->tensors[VALUE].at);
    row->entries[0].bits ^= old & 1;
    faulty_write(row);
}

static void writes_past_end(struct faulty *self)
{
    memset(self->tensors[VALUE].start + self->call->value->total_bytes, 0, 4);
}

/* the end of an output's buffer */
static unsigned char *end_of(const struct topk_backend_buffer *buffer)
{
    return (unsigned char *)buffer->data + buffer->bytes;
}

static void writes_far_behind(struct faulty *self)
{
    memset(end_of(&self->call->value_buffer) + 4096, 0, 4);
}

static void writes_behind_input(struct faulty *self)
{
    memset(end_of(&self->call->input_buffer) + 500, 0x55, 1);
}

static void writes_before_buffer(struct faulty *self)
{
    memset((unsigned char *)self->call->index_buffer.data - 400, 0, 4);
}

static void writes_before_start(struct faulty *self)
{
    /* a tensor with a very large alignment starts its buffer */
    if (self->tensors[INDEX].start != (unsigned char *)self->call->index_buffer.data) {
        memset(self->tensors[INDEX].start - 4, 0, 4);
    }
}

static void writes_input(struct faulty *self)
{
    self->tensors[INPUT].start[0] ^= 1;
}

/* clears the rest of the value output's total size */
static void writes_padding(struct faulty *self)
{
    const struct topk_backend_call *call = self->call;
    uint64_t used = self->tensors[VALUE].bytes;
    for (uint32_t d = 0; d < call->value->dimension_count; d++) {
        used += (call->value->sizes[d] - 1) * self->tensors[VALUE].strides[d] *
                self->tensors[VALUE].bytes;
    }
    memset(self->tensors[VALUE].start + used, 0, (size_t)(call->value->total_bytes - used));
}

/* every second call returns the result of the previous one */
static void stale(struct faulty *self)
{
    uint64_t bytes = self->call->value->total_bytes;
    if (self->calls % 2 == 1) {
        faulty_recall(self, VALUE, bytes);
    } else {
        faulty_keep(self, VALUE, bytes);
    }
}

/* Padding inside the total size of an output may be written. */
const struct fault faulty_memory[] = {
    {"padding-written", "allowed", "clears the padding at the end of the value output",
     .after = writes_padding},
    {"packed-write", "memory", "outputs are written without their strides", "T04",
     .trigger = FAULTY_STRIDED_OUTPUT, .cause = "outputs-packed value-packed index-packed",
     .address = packed_write},
    {"packed-read", "memory", "the input is read without its strides", "T04",
     .trigger = FAULTY_STRIDED_INPUT, .cause = "input-packed", .address = packed_read},
    {"broadcast-ignored", "memory", "a stride of 0 is taken as 1", "T04",
     .trigger = "input=broadcast|windows", .address = broadcast_ignored},
    {"offset-ignored", "memory", "outputs are written to the start of their buffers", "M02",
     .trigger = "", .cause = "unwritten", .address = offset_ignored},
    {"offset-rounded", "memory", "the input's offset is rounded to 64", "M06",
     .trigger = "offset>=1", .cause = "no-offset", .address = offset_rounded},
    {"upper-dword-unwritten", "memory", "of UINT64 indices the low half is written", "M05",
     .trigger = "index=u64", .cause = "unwritten", .write = faulty_write_low},
    {"writes-past-end", "memory", "writes behind the value output", "M02", .trigger = "",
     .after = writes_past_end},
    {"writes-before-start", "memory", "writes before the index output", "M02", .trigger = "",
     .after = writes_before_start},
    {"writes-far-behind", "memory", "writes 4,096 bytes behind the buffer of the values", "M02",
     .trigger = "", .after = writes_far_behind},
    {"writes-behind-input", "memory", "writes behind the buffer of the input", "M01", .trigger = "",
     .after = writes_behind_input},
    {"writes-before-buffer", "memory", "writes before the buffer of the indices", "M02",
     .trigger = "", .after = writes_before_buffer},
    {"writes-input", "memory", "writes to the input", "M01", .trigger = "", .after = writes_input},
    {"no-write", "memory", "writes nothing", "S07", .trigger = "", .cause = "unwritten",
     .write = faulty_write_nothing},
    /* no trigger: it counts calls */
    {"stale-second-call", "memory", "every second call gives the values of the one before",
     "S05 S14+", .after = stale},
    {"depends-on-output", "memory", "what the output held is mixed in", "S05 S14", .trigger = "",
     .write = adds},
    {"padding-read", "memory", "the element behind the sequence takes part", "S05", .trigger = "",
     .cause = "beyond-end", .select = reads_beyond},
    {"padding-dependence", "memory", "the last byte of the input's padding reverses ties",
     "S08 M04", .trigger = "input!=packed and " FAULTY_TIED, .cause = FAULTY_TIES_CAUSE,
     .when = padding_odd, .select = faulty_reverse_ties},
    {0},
};
