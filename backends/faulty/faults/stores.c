/* Faults of loads and stores: writes outside a tensor, to the input, with the wrong width, and to
 * the wrong place. */
#include "faulty.h"

#include <string.h>

FAULTY_WHEN(narrow, row->bytes < 4)
FAULTY_WHEN(halves, row->bytes == 2 && row->length % 2 == 1 && row->length > 1)
FAULTY_WHEN(quarters, row->bytes == 1 && row->length > 4)
FAULTY_WHEN(large, row->length > 64)
FAULTY_WHEN(whole, row->k == row->length)
FAULTY_WHEN(wide_strided, row->tensors[INDEX].bytes == 8 && row->call->index->strides != NULL)
FAULTY_WHEN(wide, row->tensors[INDEX].bytes == 8)

/* ---- beyond the tensors ---------------------------------------------------------------------- */

static void clear(const struct tensor *tensor, uint64_t from, uint64_t bytes)
{
    for (uint64_t i = from; i < from + bytes && i < tensor->room; i++) {
        tensor->start[i] = 0;
    }
}

static void value_past_end(struct faulty *self)
{
    clear(&self->tensors[VALUE], self->call->value->total_bytes, self->tensors[VALUE].bytes);
}

static void index_past_end(struct faulty *self)
{
    clear(&self->tensors[INDEX], self->call->index->total_bytes, self->tensors[INDEX].bytes);
}

static void strided_past_end(struct faulty *self)
{
    if (self->call->value->strides != NULL) {
        clear(&self->tensors[VALUE], self->call->value->total_bytes, self->tensors[VALUE].bytes);
    }
}

/* the last store is 16 bytes wide, whatever is left */
static void sixteen_bytes(struct faulty *self)
{
    uint64_t total = self->call->value->total_bytes;
    clear(&self->tensors[VALUE], total, (16 - total % 16) % 16);
}

static void before_value(struct faulty *self)
{
    /* a tensor with a very large alignment starts its buffer */
    if (self->tensors[VALUE].start != (unsigned char *)self->call->value_buffer.data) {
        self->tensors[VALUE].start[-1] ^= 0xff;
    }
}

static void behind_input(struct faulty *self)
{
    self->tensors[INPUT].start[self->call->input->total_bytes] ^= 0xff;
}

/* writes one slot more than K */
static void slot_more(struct row *row)
{
    faulty_write(row);
    if (row->k < row->length) {
        faulty_write_slot(row, row->k, &row->entries[row->k]);
    }
}

/* ---- too narrow, too wide -------------------------------------------------------------------- */

/* stores elements of one or two bytes as words, which overwrites what follows */
static void word_stores(struct row *row)
{
    const struct tensor *value = &row->tensors[VALUE];
    faulty_write(row);
    for (uint32_t j = 0; j < row->k; j++) {
        uint64_t element = value->at + j * value->strides[row->call->axis];
        faulty_store(value, element, row->entries[j].bits, 4);
    }
}

/* does not read the rest of the last word */
static void last_of_words(struct row *row)
{
    faulty_forget(row, row->length - 1);
}

static void tail_of_quarters(struct row *row)
{
    faulty_forget(row, row->length / 4 * 4);
}

static void upper_half(struct row *row, uint32_t from, uint32_t upper)
{
    const struct tensor *index = &row->tensors[INDEX];
    faulty_write(row);
    for (uint32_t j = from; j < row->k; j++) {
        uint64_t at = (index->at + j * index->strides[row->call->axis]) * index->bytes;
        if (at + 8 <= index->room) {
            for (uint32_t i = 4; i < 8; i++) {
                index->start[faulty_byte(index, at, i)] = (unsigned char)(upper >> (8 * (i - 4)));
            }
        }
    }
}

static void upper_ones(struct row *row)
{
    upper_half(row, 0, UINT32_MAX);
}

static void upper_last(struct row *row)
{
    upper_half(row, row->k - 1, 1);
}

/* ---- at the wrong place ---------------------------------------------------------------------- */

static void strides_of_value(struct faulty *self)
{
    memcpy(self->tensors[INDEX].strides, self->tensors[VALUE].strides,
           sizeof self->tensors[INDEX].strides);
}

static void wide_as_narrow(struct faulty *self)
{
    if (self->tensors[INDEX].bytes == 8) {
        self->tensors[INDEX].bytes = 4;
    }
}

static void input_offset_ignored(struct faulty *self)
{
    self->tensors[INPUT].start = (unsigned char *)self->call->input_buffer.data +
                                 (self->call->input_buffer.offset / 256) * 256;
}

/* computes the stride of the first dimension from the sizes */
static void first_stride_packed(struct faulty *self)
{
    uint64_t packed[RANK];
    faulty_packed_strides(self->call->value, packed);
    self->tensors[VALUE].strides[0] = packed[0];
}

static void narrow_packed(struct faulty *self)
{
    if (faulty_type_bytes(self->call->input->data_type) < 4) {
        faulty_packed_strides(self->call->input, self->tensors[INPUT].strides);
    }
}

/* ---- the input ------------------------------------------------------------------------------- */

static void mark_selected(struct row *row)
{
    const struct tensor *input = &row->tensors[INPUT];
    faulty_write(row);
    uint64_t at = input->at + row->entries[0].index * input->strides[row->call->axis];
    faulty_store(input, at, ~row->entries[0].bits, input->bytes);
}

static void zero_first(struct row *row)
{
    const struct tensor *input = &row->tensors[INPUT];
    faulty_write(row);
    faulty_store(input, input->at, ~faulty_load(input, input->at), input->bytes);
}

const struct fault faulty_stores[] = {
    {"value-past-end", "past-end", "one value behind the total size is cleared", "M02",
     .trigger = "", .after = value_past_end},
    {"index-past-end", "past-end", "one index behind the total size is cleared", "M02",
     .trigger = "", .after = index_past_end},
    {"strided-past-end", "past-end", "with strides one value too many is cleared", "M02",
     .trigger = "value-out!=packed", .after = strided_past_end},
    {"sixteen-bytes", "past-end", "the value output is written in steps of 16 bytes", "M02",
     .trigger = "", .after = sixteen_bytes},
    {"before-value", "past-end", "the byte before the value output is changed", "M02",
     .trigger = "", .after = before_value},
    {"slot-more", "past-end", "one slot more than K is written", "M02", .trigger = "rest>=1",
     .write = slot_more},
    {"words-for-narrow", "narrow", "one and two bytes are stored as words", "S05 M02",
     .trigger = "width<=2", .cause = "zeroed", .when = narrow, .write = word_stores},
    {"odd-half-unread", "narrow", "of two bytes an odd last element is not read", "S02 S03",
     .trigger = "width=2 and n>=3 and n-divisor=1", .cause = "one-less", .when = halves,
     .key = last_of_words},
    {"quarters-unread", "narrow", "of one byte what is behind the last word is not read", "S02 S03",
     .trigger = "width=1 and n>4 and n-divisor<4", .cause = "one-less", .when = quarters,
     .key = tail_of_quarters},
    {"upper-dword-ones", "upper-dword", "the upper half of an index is all ones", "M05",
     .trigger = "index=u64", .when = wide, .write = upper_ones},
    {"upper-dword-last", "upper-dword", "the upper half of the last index is 1", "M05",
     .trigger = "index=u64", .when = wide, .write = upper_last},
    {"upper-dword-strided", "upper-dword", "with strides the upper half of an index is not written",
     "M05", .trigger = "index=u64 and index-out!=packed", .cause = "unwritten",
     .when = wide_strided, .write = faulty_write_low},
    {"index-strides-of-value", "strides", "indices are laid out with the strides of values", "T04",
     .trigger = "value-out!=packed or index-out!=packed", .address = strides_of_value},
    {"wide-index-packed", "wiring", "UINT64 indices are laid out as UINT32", "S07",
     .trigger = "index=u64", .cause = "unwritten", .address = wide_as_narrow},
    {"input-offset-rounded", "strides", "the input's offset is rounded to 256", "M06",
     .trigger = "offset>=1", .cause = "no-offset", .address = input_offset_ignored},
    {"first-stride-packed", "strides", "the first stride of values is as if packed", "T04",
     .trigger = "value-out!=packed", .cause = "value-packed", .address = first_stride_packed},
    {"narrow-input-packed", "strides", "less than four bytes are read without strides", "T04",
     .trigger = "width<=2 and " FAULTY_STRIDED_INPUT, .cause = "input-packed",
     .address = narrow_packed},
    {"behind-input", "aliasing", "the byte behind the input is changed", "M01", .trigger = "",
     .after = behind_input},
    {"marks-input", "aliasing", "more than 64 elements: the best is marked in the input", "M01",
     .trigger = "n>64", .when = large, .write = mark_selected},
    {"whole-input", "aliasing", "K equal to the length: the first of the input is changed", "M01",
     .trigger = "rest=0", .when = whole, .write = zero_first},
    {0},
};
