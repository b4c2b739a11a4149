/* Faults of numbers: zeros, infinities, denormals, NaN, and confused types. */
#include "faulty.h"

#include <string.h>

FAULTY_WHEN(is_f16, row->type == TOPK_BACKEND_FLOAT16)
FAULTY_WHEN(is_f32, row->type == TOPK_BACKEND_FLOAT32)
/* denormals are ordered as zeros only without metacommands */
FAULTY_WHEN(f32_without_metacommands,
            row->type == TOPK_BACKEND_FLOAT32 &&
                (row->call->execution_flags & TOPK_EXECUTION_DISABLE_METACOMMANDS) != 0)
FAULTY_WHEN(is_float, faulty_type_float(row->type))
FAULTY_WHEN(is_unsigned, !faulty_type_float(row->type) && !faulty_type_signed(row->type))
FAULTY_WHEN(eight_bytes, row->bytes == 8)
/* the position of a NaN depends on the previous content of the output */
FAULTY_WHEN(old_value_odd, faulty_load(&row->tensors[VALUE], row->tensors[VALUE].at) & 1)

FAULTY_KEY(minus_zero_first, key * 2 + ((bits & faulty_sign(row->type)) == 0))
FAULTY_KEY(flush, faulty_denormal(row->type, bits) ? faulty_key(row->type, 0) : key)
FAULTY_EACH(flush_f32_bits, length, bits,
            faulty_denormal(row->type, bits) ? faulty_sign(row->type) & bits : bits)

static void as_double(struct row *row)
{
    for (uint32_t i = 0; i < row->length; i++) {
        struct entry *entry = &row->entries[i];
        double number = (double)(entry->key ^ row->flip);
        uint64_t bits;
        memcpy(&bits, &number, sizeof bits);
        entry->key = bits ^ row->flip;
    }
}

FAULTY_KEY(high_half, key >> 32)
FAULTY_KEY(as_signed, bits ^ faulty_sign(row->type))
FAULTY_KEY(finite_only, (bits & ~faulty_sign(row->type)) == faulty_infinity(row->type)
                            ? faulty_key(row->type, bits - 1)
                            : key)

/* FLOAT32 truncated to the precision of FLOAT16, which is close enough to rounding for colliding
 * values */
FAULTY_KEY(half_precision,
           faulty_nan(row->type, bits) ? key : faulty_key(row->type, bits & 0xffffe000u))

/* compares elements by their difference, which is NaN for two equal infinities: equal infinities
 * are exchanged, other equal values are not */
static void infinity_difference(struct row *row)
{
    for (uint32_t from = 0, to; from < row->length; from = to) {
        const uint64_t bits = row->entries[from].bits;
        to = faulty_run_end(row, from);
        if ((bits & ~faulty_sign(row->type)) == faulty_infinity(row->type)) {
            faulty_reverse(row->entries + from, to - from);
        }
    }
}

/* 0 is the least key */
FAULTY_KEY(nan_least, faulty_nan(row->type, bits) ? 0 : key)

/* a NaN affects the next sequence */
static void nan_poisons(struct row *row)
{
    if (row->memory != 0) {
        faulty_reverse_selected(row);
    }
    row->memory = faulty_has_nan(row, 0);
}

/* The denormals of FLOAT32 and the order of NaN are left open. */
const struct fault faulty_numbers[] = {
    {"denormal-f32-order", "allowed", "denormals of FLOAT32 are ordered as zeros", .when = is_f32,
     .key = flush},
    {"nan-least", "allowed", "NaN is the last selected", .key = nan_least},
    {"minus-zero-first", "numbers", "-0 is less than +0", "F01",
     .trigger = "kind=float and zeros=yes", .cause = "minus-zero", .when = is_float,
     .key = minus_zero_first},
    /* no trigger: no condition can ask for DISABLE_METACOMMANDS */
    {"flags-flush-denormals", "numbers", "an execution flag says how denormals are ordered", "M09",
     .when = f32_without_metacommands, .key = flush,
     .few = "one test compares calls with and without execution flags"},
    {"nan-poisons-next-row", "numbers", "a NaN disturbs the next sequence", "S04",
     .trigger = "nan=yes and rows>=2 and k>=2", .cause = "opposite-order unsorted",
     .select = nan_poisons},
    {"nan-depends-on-output", "numbers", "where a NaN goes depends on what the output held", "S14",
     .trigger = "nan=yes", .when = old_value_odd, .key = nan_least,
     .few = "two tests fill the outputs of a call with a NaN in two ways"},
    {"infinity-as-greatest-finite", "numbers", "infinities equal the greatest finite values", "F03",
     .trigger = "infinity=yes", .cause = "infinity-finite", .when = is_float, .key = finite_only},
    {"infinity-difference", "numbers",
     "elements are compared by their difference, which two equal infinities do not have",
     "S08 S09 S12", .trigger = "infinity=yes and " FAULTY_TIED, .cause = FAULTY_TIES_CAUSE,
     .when = is_float, .select = infinity_difference},
    {"denormal-f16-flush", "numbers", "denormals of FLOAT16 are ordered as zeros", "F05",
     .trigger = "type=f16 and denormal=yes", .cause = "denormals-zero", .when = is_f16,
     .key = flush},
    {"denormal-f32-flush-bits", "numbers", "denormals of FLOAT32 come out as zeros", "S05",
     .trigger = "type=f32 and denormal=yes", .cause = "denormals-flushed", .when = is_f32,
     .key = flush_f32_bits},
    {"f32-as-f16", "numbers", "FLOAT32 compared in the precision of FLOAT16", "S03",
     .trigger = "type=f32 and n>=2", .cause = "as-float16", .when = is_f32, .key = half_precision},
    {"i64-as-double", "numbers", "64-bit integers compared as doubles", "F07",
     .trigger = "type=i64 and n>=2 or type=u64 and bits>53", .cause = "as-double",
     .when = eight_bytes, .key = as_double},
    {"i64-low-dword", "numbers", "64-bit integers compared by their low halves", "F07",
     .trigger = "type=i64|u64 and bits>32 or type=i64 and negative=yes", .cause = "low-half",
     .when = eight_bytes, .key = faulty_low_half},
    {"i64-high-dword", "numbers", "64-bit integers compared by their high halves", "F07",
     .trigger = "type=i64|u64 and n>=2", .cause = "high-half", .when = eight_bytes,
     .key = high_half},
    {"u-as-signed", "numbers", "unsigned integers compared as signed", "S02 S03",
     .trigger = "type=u8 and bits=8 or type=u16 and bits=16 or type=u32 and bits=32 or type=u64 "
                "and bits=64",
     .cause = "signedness", .when = is_unsigned, .key = as_signed},
    {0},
};
