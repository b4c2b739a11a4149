/* Faults of size: offsets with 31 or 32 bits, numbers of sequences and blocks with 16, 22 or 24. A
 * truncated offset is smaller, so it stays within its buffer. */
#include "faulty.h"

/* for one tensor, offsets in bytes or elements have only so many bits */
#define CUT(name, role, member)                                                                    \
    static void name(struct faulty *self)                                                          \
    {                                                                                              \
        self->tensors[role].member = self->fault->amount;                                          \
    }
CUT(input_bytes, INPUT, most_byte)
CUT(value_bytes, VALUE, most_byte)
CUT(index_bytes, INDEX, most_byte)
CUT(input_elements, INPUT, most_element)
CUT(value_elements, VALUE, most_element)
#define BITS(count) ((UINT64_C(1) << (count)) - 1)

/* numbers of sequences: later sequences overwrite earlier ones */
FAULTY_WHEN(behind, row->number > row->amount)
/* blocks of elements, of which those from `amount` on are dropped */
FAULTY_WHEN(has_more, row->length > row->amount)
static void lose_blocks(struct row *row)
{
    faulty_forget(row, (uint32_t)row->amount);
}

#define TWO_GIB   "2 GiB of a tensor"
#define FOUR_GIB  "4 GiB of a tensor"
#define SEQUENCES "more than 65536 sequences"

const struct fault faulty_giant[] = {
    {"input-bytes-31", "giant", "byte offsets of the input are held in 31 bits", "T04",
     .trigger = "bytes>2147483648", .size = TWO_GIB, .amount = BITS(31), .address = input_bytes},
    {"input-bytes-32", "giant", "byte offsets of the input are held in 32 bits", "T04",
     .trigger = "bytes>4294967296", .size = FOUR_GIB, .amount = BITS(32), .address = input_bytes},
    {"input-elements-31", "giant", "element offsets of the input are held in 31 bits", "T04",
     .trigger = "bytes>2147483648", .size = TWO_GIB, .amount = BITS(31), .address = input_elements},
    {"value-bytes-31", "giant", "byte offsets of the values are held in 31 bits", "T04",
     .trigger = "value-bytes>2147483648", .size = TWO_GIB, .amount = BITS(31),
     .address = value_bytes},
    {"value-bytes-32", "giant", "byte offsets of the values are held in 32 bits", "T04",
     .trigger = "value-bytes>4294967296", .size = FOUR_GIB, .amount = BITS(32),
     .address = value_bytes},
    {"value-elements-31", "giant", "element offsets of the values are held in 31 bits", "T04",
     .trigger = "value-bytes>2147483648", .size = TWO_GIB, .amount = BITS(31),
     .address = value_elements},
    {"index-bytes-31", "giant", "byte offsets of the indices are held in 31 bits", "S07",
     .trigger = "bytes>0", .size = TWO_GIB, .amount = BITS(31), .address = index_bytes},
    {"index-bytes-32", "giant", "byte offsets of the indices are held in 32 bits", "S07",
     .trigger = "bytes>0", .size = FOUR_GIB, .amount = BITS(32), .address = index_bytes},
    {"sequences-16", "limits", "the number of a sequence is held in 16 bits", "S07",
     .trigger = "rows>65536", .cause = "unwritten", .size = SEQUENCES, .amount = BITS(16),
     .when = behind, .write = faulty_write_nothing,
     .few = "calls of so many sequences take long, so core has few"},
    {"sequences-22", "giant", "the number of a sequence is held in 22 bits", "S07",
     .trigger = "rows>4194304", .cause = "unwritten", .size = SEQUENCES, .amount = BITS(22),
     .when = behind, .write = faulty_write_nothing},
    {"sequences-24", "giant", "the number of a sequence is held in 24 bits", "S07",
     .trigger = "rows>16777216", .cause = "unwritten", .size = SEQUENCES, .amount = BITS(24),
     .when = behind, .write = faulty_write_nothing},
    {"blocks-16", "limits", "the number of a block of 2 elements is held in 16 bits", "S02 S03",
     .trigger = "n>131072", .size = "more than 131072 elements", .amount = BITS(17) + 1,
     .when = has_more, .key = lose_blocks},
    {"blocks-22", "giant", "the number of a block of 4 elements is held in 22 bits", "S02 S03",
     .trigger = "n>16777216", .size = "more than 2^24 elements", .amount = BITS(24) + 1,
     .when = has_more, .key = lose_blocks},
    {"index-24", "giant", "the number of an element is held in 24 bits", "S02 S03",
     .trigger = "n>16777216", .size = "more than 2^24 elements", .amount = BITS(24),
     .select = faulty_mask_indices},
    {0},
};
