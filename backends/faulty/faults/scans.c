/* Faults of selection by radix and by threshold: digits, counts, candidate buffers, lanes. */
#include "faulty.h"

FAULTY_WHEN(above_32, row->length > 32)
FAULTY_WHEN(above_512, row->length > 512)
FAULTY_WHEN(two_bytes, row->bytes == 2)
FAULTY_WHEN(from_two_bytes, row->bytes > 1)
FAULTY_WHEN(from_four_bytes, row->bytes >= 4)
FAULTY_WHEN(eight_bytes, row->bytes == 8)
FAULTY_WHEN(is_i64, row->type == TOPK_BACKEND_INT64)

/* ---- digits ---------------------------------------------------------------------------------- */

/* keys lose some bits, as if a pass of a radix sort were missing */
FAULTY_KEY(drop_bits, key & ~row->amount)

/* the top pass orders INT64 by unsigned digits */
FAULTY_KEY(top_unsigned, bits)

/* one pass runs backwards, so that elements with equal later digits are reversed */
static void unstable_pass(struct row *row)
{
    for (uint32_t from = 0, to; from < row->length; from = to) {
        to = faulty_run_end(row, from);
        if (to - from > 16) {
            faulty_reverse(row->entries + from, to - from);
        }
    }
}

/* ---- counts ---------------------------------------------------------------------------------- */

/* the last of `amount` lanes is not counted */
FAULTY_COUNTED(last_lane, number % row->amount != row->amount - 1 || number + 1 == row->length)
FAULTY_COUNTED(lanes_16_partial, row->length < 16 || number < row->length / 16 * 16)
/* a count has 8 bits */
FAULTY_COUNTED(counts_255, number < 255)

/* lanes after the first 32 get the data of earlier lanes, because a shuffle is too narrow */
static void shuffle_beyond_32(struct row *row)
{
    for (uint32_t j = 32; j < row->k; j++) {
        row->entries[j] = row->entries[j - 32];
    }
}

/* the last lane of each 16 selected elements is masked out */
FAULTY_SLOTS(slot_16, j % 16 != 15)

/* ---- candidates ------------------------------------------------------------------------------ */

/* keeps only some of the values that equal the K-th; the missing ones are repeated */
static void keep_equals(struct row *row)
{
    uint32_t from = faulty_tied_from(row);
    for (uint64_t j = from + row->amount; j < row->k; j++) {
        row->entries[j] = row->entries[from];
    }
}

/* candidates are kept in a buffer of 512; later elements are ignored */
static void buffer_512(struct row *row)
{
    faulty_forget(row, row->k > 512 ? row->k : 512);
}

/* sorts what comes before the threshold, and puts equal values in front */
static void equals_first(struct row *row)
{
    uint32_t from = faulty_tied_from(row);
    faulty_reverse(row->entries, row->k);
    faulty_reverse(row->entries, row->k - from);
    faulty_reverse(row->entries + (row->k - from), from);
}

const struct fault faulty_scans[] = {
    {"radix-low-bit", "integers", "the lowest bit is not sorted by", "S02 S03", .trigger = "n>=2",
     .key = drop_bits, .amount = 1},
    {"radix-low-digit", "integers", "the lowest four bits are not sorted by", "S02 S03",
     .trigger = "width>=2 and n>=2", .when = from_two_bytes, .key = drop_bits, .amount = 0xf},
    {"radix-middle-digit", "integers", "the second byte of four or eight is not sorted by",
     "S02 S03", .trigger = "width>=4 and n>=2", .when = from_four_bytes, .key = drop_bits,
     .amount = UINT64_C(0xff) << 8},
    {"radix-fifth-byte", "integers", "the fifth byte of eight is not sorted by", "F07",
     .trigger = "width=8 and n>=2", .when = eight_bytes, .key = drop_bits,
     .amount = UINT64_C(0xff) << 32},
    {"radix-top-unsigned", "integers", "INT64 is sorted as UINT64", "S02 S03",
     .trigger = "type=i64 and negative=yes", .cause = "signedness", .when = is_i64,
     .key = top_unsigned},
    {"radix-unstable-runs", "ties", "more than 16 equal values come out reversed", "S08",
     .trigger = "n>16 and " FAULTY_TIED, .cause = FAULTY_TIES_CAUSE, .select = unstable_pass},
    {"radix-half-narrow", "types", "of two bytes the lowest four bits are not sorted by", "S02 S03",
     .trigger = "width=2 and n>=2", .when = two_bytes, .key = drop_bits, .amount = 0xf},
    {"lane-3-of-4", "lanes", "lane 3 of each 4 is not counted", "S02 S03", .trigger = "n>4",
     .sort = last_lane, .amount = 4},
    {"lane-7-of-8", "lanes", "lane 7 of each 8 is not counted", "S02 S03", .trigger = "n>8",
     .sort = last_lane, .amount = 8},
    {"lane-31-of-32", "lanes", "lane 31 of each 32 is not counted", "S02 S03", .trigger = "n>32",
     .sort = last_lane, .amount = 32},
    {"lanes-16-partial", "lanes", "a last, partial group of 16 lanes is not counted", "S02 S03",
     .trigger = "n>16 and n-divisor<16", .sort = lanes_16_partial},
    {"shuffle-beyond-32", "lanes", "slots behind the 32nd get what 32 before them have", "S07",
     .trigger = "k>32", .select = shuffle_beyond_32},
    {"slot-16-unwritten", "lanes", "every 16th slot is not written", "S07", .trigger = "k>=16",
     .cause = "unwritten", .write = slot_16},
    {"counts-of-8-bits", "limits", "a threshold is found among the first 255", "S02 S03",
     .trigger = "n>255", .sort = counts_255},
    {"equals-16", "candidates", "of more than 16 equals to the K-th the first is repeated", "S07",
     .trigger = "k>16 and ties!=none|unselected or k>16 and nan=yes", .select = keep_equals,
     .amount = 16},
    {"equals-256", "candidates", "of more than 256 equals to the K-th the first is repeated", "S07",
     .trigger = "k>256 and ties!=none|unselected or k>256 and nan=yes", .select = keep_equals,
     .amount = 256},
    {"buffer-512", "candidates", "candidates behind the 512th are lost", "S02 S03",
     .trigger = "n>512 and rest>=1", .cause = "one-less", .key = buffer_512},
    {"threshold-last", "ties", "more than 32 elements: of equals to the K-th the last", "S09",
     .trigger = "n>32 and " FAULTY_TIED_ACROSS, .cause = "ties-high", .when = above_32,
     .select = faulty_boundary_high},
    {"threshold-last-large", "ties", "the same with more than 512", "S09",
     .trigger = "n>512 and " FAULTY_TIED_ACROSS, .cause = "ties-high", .when = above_512,
     .select = faulty_boundary_high},
    {"threshold-equals-first", "order", "what equals the K-th comes first", "S04",
     .trigger = "k>=2", .cause = "unsorted", .select = equals_first},
    {0},
};
