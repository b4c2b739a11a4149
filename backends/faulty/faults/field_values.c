/* Faults of values that shipped: pads that equal a valid value, NaN, signed zeros, integers. */
#include "faulty.h"

static uint64_t signed_value(const struct row *row, uint64_t bits)
{
    return row->increasing ? bits : bits | faulty_sign(row->type);
}

/* ---- pads ------------------------------------------------------------------------------------ */

/* the value that is selected last marks a slot as empty */
FAULTY_WHEN(b01_when, row->length > 1024 && faulty_type_float(row->type))
FAULTY_SLOTS(b01_write, row->entries[j].bits != (faulty_infinity(row->type) |
                                                 (row->increasing ? faulty_sign(row->type) : 0)))

/* the pad is an infinity that comes before the infinities of the input */
static void b02_sort(struct row *row)
{
    if (faulty_type_float(row->type)) {
        faulty_network_pad_first(row, signed_value(row, faulty_infinity(row->type)));
    } else {
        faulty_network(row, &faulty_pad, faulty_exchange_right);
    }
}

/* slots start with the last finite value, and only values before it enter */
static void b05_select(struct row *row)
{
    struct entry start = {.bits = signed_value(row, faulty_infinity(row->type) - 1)};
    start.key = faulty_key(row->type, start.bits) ^ row->flip;
    for (uint32_t j = 0; row->type == TOPK_BACKEND_FLOAT16 && j < row->k; j++) {
        if (row->entries[j].key >= start.key) {
            row->entries[j] = start;
        }
    }
}

/* mistakes the least positive number for the least number */
static void b06_sort(struct row *row)
{
    struct entry pad = faulty_pad;
    if (faulty_type_float(row->type) && !row->increasing) {
        pad.bits = row->type == TOPK_BACKEND_FLOAT32 ? 0x00800000 : 0x0400;
        pad.key = faulty_key(row->type, pad.bits) ^ row->flip;
    }
    faulty_network(row, &pad, faulty_exchange_right);
}

/* ---- NaN ------------------------------------------------------------------------------------- */

FAULTY_INDEX(b11_select, faulty_nan(row->type, bits) ? row->length : index)

static bool unordered(const struct entry *entry)
{
    return entry->key == FAULTY_NAN_KEY || entry->key == ~FAULTY_NAN_KEY;
}

/* finds the first and the last of two values with one comparison each; for a NaN both are false */
static void b13_exchange(struct entry *a, struct entry *b)
{
    bool ordered = !unordered(a) && !unordered(b);
    struct entry first = ordered && faulty_before(a, b) ? *a : *b;
    struct entry last = ordered && faulty_before(b, a) ? *a : *b;
    *a = first;
    *b = last;
}

static void b13_sort(struct row *row)
{
    faulty_network(row, &faulty_pad,
                   faulty_type_float(row->type) ? b13_exchange : faulty_exchange_right);
}

static void b15_select(struct row *row)
{
    if (row->length >= 1024 && row->k <= 16 && faulty_has_nan(row, faulty_sign(row->type))) {
        for (uint32_t j = 0; j < row->k; j++) {
            row->entries[j].index = j * UINT64_C(64);
        }
    }
}

FAULTY_BITS(b16_select, faulty_nan(row->type, bits) ? 0 : bits)

/* after a NaN, the rest of the call is not sorted */
static void b19_select(struct row *row)
{
    if (row->memory != 0) {
        faulty_by_index(row, row->k);
    }
    row->memory |= faulty_has_nan(row, 0);
}

/* ---- zeros and integers ---------------------------------------------------------------------- */

/* keys are raw bits, as for a radix sort */
FAULTY_KEY(b23_key, (bits & faulty_sign(row->type)) != 0 ? ~bits & (2 * faulty_sign(row->type) - 1)
                                                         : bits | faulty_sign(row->type))
FAULTY_WHEN(b23_when, faulty_type_float(row->type))

/* selects the largest as the smallest of the negated values, although one value has no negation */
FAULTY_WHEN(b82_when, faulty_type_signed(row->type) && !row->increasing)
FAULTY_WHEN(b84_when, row->type == TOPK_BACKEND_INT64)

const struct fault faulty_field_values[] = {
    {"B01", "pads",
     "slots that hold the infinity selected first count as empty and are left unwritten", "S07",
     .trigger = "n>1024 and infinity=yes", .cause = "unwritten", .seen = "onnxruntime#9843",
     .size = "more than 1024 elements", .when = b01_when, .write = b01_write},
    {"B02", "pads",
     "a sequence is padded to a power of two with infinities, which win over real ones", "S07",
     .trigger =
         FAULTY_PADDED " and direction=largest and kind=float and least=yes or " FAULTY_PADDED
                       " and direction=smallest and kind=float and greatest=yes or " FAULTY_PADDED
                       " and direction=smallest and nan=yes",
     .cause = "pad-worst", .seen = "llama.cpp#27538", .sort = b02_sort},
    {"B05", "pads",
     "of FLOAT16 a slot starts with the last finite value, and what equals it never enters", "S07",
     .trigger = "type=f16", .cause = "pad-finite", .seen = "onnxruntime#6164",
     .select = b05_select},
    {"B06", "pads",
     "a sequence is padded with the least positive number, to which negative ones lose", "S07",
     .trigger = FAULTY_PADDED " and direction=largest and kind=float", .cause = "pad-least-normal",
     .seen = "tt-metal#20514", .sort = b06_sort},
    {"B11", "nan", "the index of a value is found by comparing, and a NaN equals nothing", "S07",
     .trigger = "nan=yes", .seen = "onnxruntime#10314", .select = b11_select},
    {"B13", "nan",
     "a bitonic network compares twice; with a NaN both say no, and one entry is doubled", "S07",
     .trigger = "nan=yes and n>=2", .seen = "onnxruntime#32404", .sort = b13_sort},
    {"B15", "nan", "K up to 16: a NaN with a sign makes every index that of the first of 64", "S05",
     .trigger = "n>=1024 and k<=16 and nan=yes", .seen = "xla#48119", .size = "1024 elements",
     .select = b15_select},
    {"B16", "nan", "the value of a NaN comes out as 0", "S05", .trigger = "nan=yes",
     .seen = "jax#21397", .select = b16_select},
    {"B19", "nan", "after a NaN the sequences that follow are selected, but not sorted", "S04",
     .trigger = "nan=yes and rows>=2 and k>=2", .cause = "unsorted", .seen = "mlx#2665",
     .select = b19_select},
    {"B23", "zeros", "keys are made of raw bits, so that -0 is less than +0", "F01",
     .trigger = "kind=float and zeros=yes", .cause = "minus-zero", .seen = "cub#218",
     .when = b23_when, .key = b23_key},
    {"B82", "integers",
     "the largest are found as the smallest of the negated; the least value overflows", "S03",
     .trigger = "kind=signed and direction=largest and least=yes", .cause = "negated",
     .seen = "pytorch/xla#995", .when = b82_when, .key = faulty_negate},
    {"B84", "integers", "INT64 is read as UINT32 with a stride: only the low half counts", "F07",
     .trigger = "type=i64 and bits>32 or type=i64 and negative=yes", .cause = "low-half",
     .seen = "onnxruntime", .when = b84_when, .key = faulty_low_half},
    {0},
};
