/* Faults of ranges: the widths of indices and counters, and of the keys by which elements are
 * compared; special floating-point values. */
#include "faulty.h"

FAULTY_WHEN(is_f16, row->type == TOPK_BACKEND_FLOAT16)
FAULTY_WHEN(is_f32, row->type == TOPK_BACKEND_FLOAT32)
FAULTY_WHEN(is_float, faulty_type_float(row->type))
FAULTY_WHEN(is_float_up, faulty_type_float(row->type) && row->increasing)
FAULTY_WHEN(is_i8, row->type == TOPK_BACKEND_INT8)
FAULTY_WHEN(is_u8, row->type == TOPK_BACKEND_UINT8)
FAULTY_WHEN(is_i16, row->type == TOPK_BACKEND_INT16)
FAULTY_WHEN(is_u16, row->type == TOPK_BACKEND_UINT16)
FAULTY_WHEN(is_int_32, row->type == TOPK_BACKEND_INT32 || row->type == TOPK_BACKEND_UINT32)
FAULTY_WHEN(is_u64, row->type == TOPK_BACKEND_UINT64)
FAULTY_WHEN(is_i8_down, row->type == TOPK_BACKEND_INT8 && !row->increasing)
FAULTY_WHEN(is_i64_down, row->type == TOPK_BACKEND_INT64 && !row->increasing)

/* ---- indices and counters -------------------------------------------------------------------- */

/* the number of a sequence has 8 bits: later sequences are not written */
FAULTY_WHEN(row_256, row->number >= 256)
/* one sequence in 1000 is missing, as if a grid were rounded down */
FAULTY_WHEN(row_999, row->number == 999)

/* an INT16 index becomes negative */
FAULTY_INDEX(index_signed, index >= 0x8000 && index < 0x10000 ? index | 0xffff0000u : index)

/* ---- integers -------------------------------------------------------------------------------- */

FAULTY_KEY(other_sign, key ^ faulty_sign(row->type))

/* keys keep only `amount` bits after the first set one, like a floating-point number */
static void round_down(struct row *row)
{
    for (uint32_t i = 0; i < row->length; i++) {
        uint64_t key = row->entries[i].key ^ row->flip;
        unsigned drop = 0;
        while (key >> drop >> row->amount != 0) {
            drop++;
        }
        row->entries[i].key = (key >> drop << drop) ^ row->flip;
    }
}

/* the greatest value marks a slot as empty */
FAULTY_SLOTS(all_ones_empty,
             faulty_type_float(row->type) || row->entries[j].bits != faulty_sign(row->type) * 2 - 1)

/* ---- floating point -------------------------------------------------------------------------- */

FAULTY_BITS(zeros_positive, bits == faulty_sign(row->type) ? 0 : bits)
FAULTY_KEY(zeros_ordered, key * 2 + (bits != faulty_sign(row->type)))
FAULTY_BITS(flush_bits, faulty_denormal(row->type, bits) ? faulty_sign(row->type) & bits : bits)
FAULTY_BITS(flush_least,
            (bits & ~faulty_sign(row->type)) == 1 ? bits & faulty_sign(row->type) : bits)

static void flush_last(struct row *row)
{
    struct entry *entry = &row->entries[row->k - 1];
    if (faulty_denormal(row->type, entry->bits)) {
        entry->bits &= faulty_sign(row->type);
    }
}

/* a value that was stored with less precision: the lowest bit is lost */
FAULTY_BITS(rounded_bits, bits & ~UINT64_C(1))
FAULTY_BITS(infinity_finite,
            bits - ((bits & ~faulty_sign(row->type)) == faulty_infinity(row->type)))

static void nan_behind(struct row *row)
{
    if (faulty_has_nan(row, 0)) {
        row->entries[row->k - 1].index = row->length;
    }
}

static void nan_repeats(struct row *row)
{
    if (row->k > 1 && faulty_has_nan(row, 0)) {
        row->entries[row->k - 1].index = row->entries[0].index;
    }
}

FAULTY_BITS(nan_as_infinity, faulty_nan(row->type, bits) ? faulty_infinity(row->type) : bits)

/* after a NaN, every later sequence of the call loses its best element */
static void nan_spreads(struct row *row)
{
    if (row->memory != 0) {
        faulty_lose_first(row);
    }
    row->memory |= faulty_has_nan(row, 0);
}

/* a NaN in a sequence affects the other one in its tile of two */
static void nan_in_tile(struct row *row)
{
    if (row->number % 2 == 1 && row->memory != 0) {
        faulty_spoil_value(row);
    }
    row->memory = faulty_has_nan(row, 0);
}

/* a NaN becomes quiet; no clause guarantees its payload */
FAULTY_BITS(nan_quiet, !faulty_nan(row->type, bits)
                           ? bits
                           : bits | (row->type == TOPK_BACKEND_FLOAT32 ? 0x400000 : 0x200))

const struct fault faulty_ranges[] = {
    {"nan-quiet", "allowed", "a NaN comes out quiet", .when = is_float, .select = nan_quiet},
    {"index-8-bits", "limits", "an index is held in 8 bits", "S07", .trigger = "n>256",
     .cause = "index-8-bits", .select = faulty_mask_indices, .amount = 0xff},
    {"index-12-bits", "limits", "an index is held in 12 bits", "S07", .trigger = "n>4096",
     .select = faulty_mask_indices, .amount = 0xfff},
    {"index-signed-16", "limits", "an index is held in INT16", "S07", .trigger = "n>32768",
     .cause = "index-signed-16-bits", .select = index_signed},
    {"rows-8-bits", "limits", "sequences behind the 256th are not written", "S07",
     .trigger = "rows>256", .cause = "unwritten", .when = row_256, .write = faulty_write_nothing},
    {"row-999", "limits", "the 1000th sequence is not written", "S07", .trigger = "rows>=1000",
     .cause = "unwritten", .when = row_999, .write = faulty_write_nothing},
    {"i8-as-unsigned", "types", "INT8 is compared as UINT8", "S02 S03",
     .trigger = "type=i8 and negative=yes", .cause = "signedness", .when = is_i8,
     .key = other_sign},
    {"u8-as-signed", "types", "UINT8 is compared as INT8", "S02 S03",
     .trigger = "type=u8 and bits=8", .cause = "signedness", .when = is_u8, .key = other_sign},
    {"i16-as-unsigned", "types", "INT16 is compared as UINT16", "S02 S03",
     .trigger = "type=i16 and negative=yes", .cause = "signedness", .when = is_i16,
     .key = other_sign},
    {"u16-as-half", "types", "UINT16 is compared in 11 bits", "S02 S03",
     .trigger = "type=u16 and bits>11", .when = is_u16, .key = round_down, .amount = 11},
    {"int32-as-float", "integers", "32-bit integers are compared in 24 bits", "S03",
     .trigger = "type=i32 and n>=2 or type=u32 and bits>24", .cause = "as-float32",
     .when = is_int_32, .key = round_down, .amount = 24},
    {"u64-as-double", "integers", "UINT64 is compared in 53 bits", "F07",
     .trigger = "type=u64 and bits>53", .cause = "as-double", .when = is_u64, .key = round_down,
     .amount = 53},
    {"u64-as-signed", "integers", "UINT64 is compared as INT64", "S03",
     .trigger = "type=u64 and bits=64", .cause = "signedness", .when = is_u64, .key = other_sign},
    {"i8-negated", "integers", "the largest of INT8 are the smallest of the negated", "S03",
     .trigger = "type=i8 and direction=largest and least=yes", .cause = "negated",
     .when = is_i8_down, .key = faulty_negate},
    {"i64-negated", "integers", "the largest of INT64 are the smallest of the negated", "S03",
     .trigger = "type=i64 and direction=largest and least=yes", .cause = "negated",
     .when = is_i64_down, .key = faulty_negate},
    {"all-ones-empty", "pads", "of integers all bits set stand for an empty slot", "S07",
     .trigger = "kind=unsigned and greatest=yes or kind=signed and negative=yes",
     .cause = "unwritten", .write = all_ones_empty},
    {"zeros-positive", "zeros", "-0 comes out as +0", "F01",
     .trigger = "kind=float and negative=yes", .cause = "zeros-positive", .when = is_float,
     .select = zeros_positive},
    {"f16-zeros-ordered", "zeros", "-0 is less than +0 in FLOAT16", "F01",
     .trigger = "type=f16 and zeros=yes", .cause = "minus-zero", .when = is_f16,
     .key = zeros_ordered},
    {"smallest-zeros-ordered", "zeros", "of the smallest -0 is less than +0", "F01",
     .trigger = "kind=float and direction=smallest and zeros=yes", .cause = "minus-zero",
     .when = is_float_up, .key = zeros_ordered},
    {"f16-flush-bits", "denormals", "denormals of FLOAT16 come out as zeros", "S05",
     .trigger = "type=f16 and denormal=yes", .cause = "denormals-flushed", .when = is_f16,
     .select = flush_bits},
    {"f32-flush-least", "denormals", "the least denormal of FLOAT32 comes out as zero", "S05",
     .trigger = "type=f32 and denormal=yes", .cause = "denormals-flushed", .when = is_f32,
     .select = flush_least},
    {"flush-last", "denormals", "a denormal that is selected last comes out as zero", "S05",
     .trigger = "denormal=yes", .cause = "denormals-flushed", .when = is_float,
     .select = flush_last},
    {"f32-rounded-bits", "types", "the lowest bit of FLOAT32 is lost on the way", "S05",
     .trigger = "type=f32", .when = is_f32, .select = rounded_bits},
    {"infinity-finite", "types", "infinities come out as the last finite numbers", "S05",
     .trigger = "infinity=yes", .cause = "infinity-written-finite", .when = is_float,
     .select = infinity_finite},
    {"nan-repeats-index", "nan", "with a NaN the last index is the first again", "S07",
     .trigger = "nan=yes and k>=2", .when = is_float, .select = nan_repeats},
    {"nan-index-behind", "nan", "with a NaN the last index is that behind the last element", "S07",
     .trigger = "nan=yes", .when = is_float, .select = nan_behind},
    {"nan-as-infinity", "nan", "a NaN comes out as an infinity", "S05", .trigger = "nan=yes",
     .when = is_float, .select = nan_as_infinity},
    {"nan-spreads", "nan", "behind a NaN every later sequence loses its best", "S02 S03",
     .trigger = "nan=yes and rows>=2 and rest>=1", .when = is_float, .select = nan_spreads},
    {"nan-in-tile", "nan", "a NaN spoils the other sequence of its tile of two", "S05",
     .trigger = "nan=yes and rows>=2", .when = is_float, .select = nan_in_tile},
    {0},
};
