/* The judge's fast path: whether a sequence is exactly correct by DirectML's rules. Checks the
 * outputs, then scans all elements (judge_scan.h). */
#include "judge_parts.h"

#include "judge_scan.h"

/* the constants of a type */
struct exact_type {
    uint64_t origin; /* bits of the least integer; for floats, of -0 */
    bool is_float;
    uint64_t inf;    /* for floats: bits of infinity */
    uint64_t normal; /* for floats: bits of the least normal magnitude */
};

#define SIGN_BIT(bytes) ((uint64_t)1 << (8 * (bytes)-1))
#define TYPE_FLOAT(bytes)                                                                          \
    {                                                                                              \
        SIGN_BIT(bytes), true, FLOAT_BITS_##bytes                                                  \
    }
#define TYPE_SIGNED(bytes)                                                                         \
    {                                                                                              \
        SIGN_BIT(bytes), false, 0, 0                                                               \
    }
#define TYPE_UNSIGNED(bytes)                                                                       \
    {                                                                                              \
        0, false, 0, 0                                                                             \
    }
#define FLOAT_BITS_4 0x7f800000u, 0x00800000u
#define FLOAT_BITS_2 0x7c00u, 0x0400u

static const struct exact_type types[] = {
#define X(name, text, number, bytes, kind) [number] = TYPE_##kind(bytes),
    TOPK_TYPE_LIST(X)
#undef X
};

/* ---- the elements ---------------------------------------------------------------------------- */

/* the elements that are `bits` or greater. For floats without NaN: bits ascend with positive
 * numbers and descend with negative ones, which come after the positive ones */
static inline struct topk_scan_range at_least(const struct exact_type *type, uint64_t bits)
{
    if (!type->is_float) {
        return (struct topk_scan_range){bits, type->origin - 1 - bits};
    }
    return bits == 0              ? (struct topk_scan_range){0, type->origin}
           : bits >= type->origin ? (struct topk_scan_range){0, bits}
                                  : (struct topk_scan_range){bits, type->origin - 1 - bits};
}

/* the elements that are `bits` or less */
static inline struct topk_scan_range at_most(const struct exact_type *type, uint64_t bits)
{
    if (!type->is_float) {
        return (struct topk_scan_range){type->origin, bits - type->origin};
    }
    return bits <= type->origin
               ? (struct topk_scan_range){type->origin, type->origin + (bits & (type->origin - 1))}
               : (struct topk_scan_range){bits, 2 * type->origin - 1 - bits};
}

/* Sets up a scan that counts the elements that come no later than the last output: up to it the
 * elements that are at least as good, after it those that are better. more: the elements that are
 * as great or greater; less: as small or smaller */
static void scan_start(const struct topk_sequence *s, struct topk_scan_range more,
                       struct topk_scan_range less, const struct topk_output *last,
                       struct topk_scan *scan)
{
    struct topk_scan_range *const of_more = s->increasing ? &scan->late : &scan->early;
    struct topk_scan_range *const of_less = s->increasing ? &scan->early : &scan->late;
    *of_more = more;
    *of_less = less;
    scan->last = last->bits;
    scan->after = last->index + 1;
}

/* evaluates the scan of a sequence with correct outputs */
static bool scan_holds(const struct exact_type *type, const struct topk_sequence *s,
                       const struct topk_scan *scan, bool *denormal)
{
    const bool nan = scan->greatest > type->inf;
    if (nan || scan->count != s->k) {
        return false;
    }
    *denormal = *denormal || (scan->least != 0 && scan->least < type->normal);
    return true;
}

bool topk_exact_holds(const struct topk_sequence *s, bool *denormal)
{
    const struct exact_type *type = &types[s->type];
    const struct topk_scan_functions *functions = &topk_scan_used()->types[s->type];
    struct topk_output last;
    struct topk_scan scan;
    if (!functions->outputs(s, type->origin, &last)) {
        return false;
    }
    scan_start(s, at_least(type, last.bits), at_most(type, last.bits), &last, &scan);
    functions->sequence(s->input, s->input_step, s->length, &scan);
    return scan_holds(type, s, &scan, denormal);
}

/* ---- denormals as zeros ---------------------------------------------------------------------- */

/* whether an element is 0 or denormal */
static bool is_flushed(const struct exact_type *type, uint64_t bits)
{
    return (bits & (type->origin - 1)) < type->normal;
}

/* the elements that are `bits` or greater, or `bits` or smaller, if all flushed elements are
 * equal */
static struct topk_scan_range flushed_at_least(const struct exact_type *type, uint64_t bits)
{
    return is_flushed(type, bits) ? at_least(type, type->origin + type->normal - 1)
                                  : at_least(type, bits);
}

static struct topk_scan_range flushed_at_most(const struct exact_type *type, uint64_t bits)
{
    return is_flushed(type, bits) ? at_most(type, type->normal - 1) : at_most(type, bits);
}

bool topk_exact_flushed_holds(const struct topk_sequence *s)
{
    const struct exact_type *type = &types[s->type];
    struct topk_output last = {0};
    uint64_t last_key = 0;
    for (uint32_t j = 0; j < s->k; j++) {
        const uint64_t index = load_index(s, j);
        const uint64_t bits = load_value(s, j);
        if (index >= s->length || bits != load_input(s, index)) {
            return false;
        }
        const uint64_t key = topk_judge_key(s, TOPK_ORDER_DENORMAL_ZERO, bits);
        if (j > 0 && (key < last_key || (key == last_key && index <= last.index))) {
            return false;
        }
        last = (struct topk_output){bits, (uint32_t)index};
        last_key = key;
    }
    struct topk_scan scan;
    scan_start(s, flushed_at_least(type, last.bits), flushed_at_most(type, last.bits), &last,
               &scan);
    bool denormal = false;
    topk_scan_used()->types[s->type].sequence(s->input, s->input_step, s->length, &scan);
    return scan_holds(type, s, &scan, &denormal);
}

/* ---- adjacent sequences ---------------------------------------------------------------------- */

uint32_t topk_exact_columns(uint32_t type)
{
    return TOPK_SCAN_ROW / topk_type_bytes(type);
}

bool topk_exact_columns_hold(const struct topk_sequence *first, uint64_t value_apart,
                             uint64_t index_apart, bool *denormal)
{
    const struct exact_type *type = &types[first->type];
    const struct topk_scan_functions *functions = &topk_scan_used()->types[first->type];
    const uint32_t bytes = topk_type_bytes(first->type);
    const uint32_t columns = TOPK_SCAN_ROW / bytes;
    struct topk_scan scans[TOPK_SCAN_ROW];
    struct topk_sequence s = *first;
    for (uint32_t column = 0; column < columns; column++) {
        struct topk_output last;
        if (!functions->outputs(&s, type->origin, &last)) {
            return false;
        }
        scan_start(&s, at_least(type, last.bits), at_most(type, last.bits), &last, &scans[column]);
        s.input += bytes;
        s.value += value_apart;
        s.index += index_apart;
    }
    functions->columns(first->input, first->input_step, first->length, scans);
    for (uint32_t column = 0; column < columns; column++) {
        if (!scan_holds(type, first, &scans[column], denormal)) {
            return false;
        }
    }
    return true;
}
