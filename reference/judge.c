/* The judge. Built for speed where a result holds (one specialised pass a type), and for clear
 * words where it does not: only then is it looked at again, to name each broken clause. */
#include "judge.h"

#include <stdlib.h>
#include <string.h>

#include "element.h"

static const struct topk_mismatch_row mismatches[] = {
#define MISMATCH(name, word, sentence) {word, sentence},
#include "mismatches.def"
#undef MISMATCH
};

static const struct topk_observation_row observations[] = {
#define OBSERVATION(name, clause, word, of) {TOPK_CLAUSE_##clause, word, TOPK_OBSERVATION_OF_##of},
#include "observations.def"
#undef OBSERVATION
};

const struct topk_mismatch_row *topk_mismatch_row(enum topk_mismatch mismatch)
{
    return &mismatches[mismatch];
}

const struct topk_observation_row *topk_observation_row(enum topk_observation observation)
{
    return &observations[observation];
}

void topk_judgement_add(struct topk_judgement *judgement, const struct topk_finding *finding)
{
    for (uint32_t i = 0; i < judgement->count; i++) {
        struct topk_finding *known = &judgement->findings[i];
        if (known->clause == finding->clause && known->mismatch == finding->mismatch &&
            known->role == finding->role) {
            known->count += finding->count;
            return;
        }
    }
    if (judgement->count < TOPK_FINDINGS_MAX) {
        judgement->findings[judgement->count++] = *finding;
    }
}

static void observe(struct topk_judgement *judgement, enum topk_observation observation)
{
    judgement->observations |= (uint32_t)1 << observation;
}

static uint64_t load_index(const struct topk_sequence *s, uint32_t position)
{
    return topk_element_load(s->index + position * s->index_step, s->index_bytes);
}

/* ---- the fast path: does a sequence hold exactly -------------------------------------------- */

/* what a scan noted, besides counting */
#define SEEN_NAN      1u
#define SEEN_DENORMAL 2u

/* sign and magnitude to one scale, in the element's own width */
#define FLOAT_KEY(bits, sign) ((bits) & (sign) ? (sign) - ((bits) & ((sign)-1)) : (sign) + (bits))
#define FLOAT_SEEN(bits, sign, exponent)                                                           \
    ((((bits) & ((sign)-1)) > (exponent) ? SEEN_NAN : 0) |                                         \
     (((bits) & (exponent)) == 0 && ((bits) & ((sign)-1)) != 0 ? SEEN_DENORMAL : 0))

#define EXACT(name) name##_f32
#define UINT        uint32_t
#define KEY(bits)   FLOAT_KEY(bits, 0x80000000u)
#define SEEN(bits)  FLOAT_SEEN(bits, 0x80000000u, 0x7f800000u)
#include "judge_exact.h"

#define EXACT(name) name##_f16
#define UINT        uint16_t
#define KEY(bits)   FLOAT_KEY(bits, 0x8000u)
#define SEEN(bits)  FLOAT_SEEN(bits, 0x8000u, 0x7c00u)
#include "judge_exact.h"

#define EXACT(name) name##_i64
#define UINT        uint64_t
#define KEY(bits)   ((bits) ^ (uint64_t)1 << 63)
#define SEEN(bits)  0
#include "judge_exact.h"

#define EXACT(name) name##_i32
#define UINT        uint32_t
#define KEY(bits)   ((bits) ^ 0x80000000u)
#define SEEN(bits)  0
#include "judge_exact.h"

#define EXACT(name) name##_i16
#define UINT        uint16_t
#define KEY(bits)   ((bits) ^ 0x8000u)
#define SEEN(bits)  0
#include "judge_exact.h"

#define EXACT(name) name##_i8
#define UINT        uint8_t
#define KEY(bits)   ((bits) ^ 0x80u)
#define SEEN(bits)  0
#include "judge_exact.h"

#define EXACT(name) name##_u64
#define UINT        uint64_t
#define KEY(bits)   (bits)
#define SEEN(bits)  0
#include "judge_exact.h"

#define EXACT(name) name##_u32
#define UINT        uint32_t
#define KEY(bits)   (bits)
#define SEEN(bits)  0
#include "judge_exact.h"

#define EXACT(name) name##_u16
#define UINT        uint16_t
#define KEY(bits)   (bits)
#define SEEN(bits)  0
#include "judge_exact.h"

#define EXACT(name) name##_u8
#define UINT        uint8_t
#define KEY(bits)   (bits)
#define SEEN(bits)  0
#include "judge_exact.h"

/* *seen gets SEEN_... of a sequence that was scanned, else 0 */
static bool holds_exactly(const struct topk_sequence *s, unsigned *seen)
{
    *seen = 0;
    switch (s->type) {
    case TOPK_TYPE_F32:
        return holds_f32(s, seen);
    case TOPK_TYPE_F16:
        return holds_f16(s, seen);
    case TOPK_TYPE_I64:
        return holds_i64(s, seen);
    case TOPK_TYPE_I32:
        return holds_i32(s, seen);
    case TOPK_TYPE_I16:
        return holds_i16(s, seen);
    case TOPK_TYPE_I8:
        return holds_i8(s, seen);
    case TOPK_TYPE_U64:
        return holds_u64(s, seen);
    case TOPK_TYPE_U32:
        return holds_u32(s, seen);
    case TOPK_TYPE_U16:
        return holds_u16(s, seen);
    case TOPK_TYPE_U8:
        return holds_u8(s, seen);
    default:
        return false;
    }
}

/* ---- the other orders that the clauses allow ------------------------------------------------- */

static uint64_t load_value(const struct topk_sequence *s, uint32_t position)
{
    return topk_element_load(s->value + position * s->value_step, topk_type_bytes(s->type));
}

static uint64_t load_input(const struct topk_sequence *s, uint64_t position)
{
    return topk_element_load(s->input + position * s->input_step, topk_type_bytes(s->type));
}

/* Whether a contract makes an option; NULL makes none. */
static bool chooses(const struct topk_contract *contract, enum topk_contract_option option)
{
    return contract != NULL && topk_contract_has(contract, option);
}

/* the order of NaN that the contract asks for; TOPK_ORDER_EXACT: none */
static enum topk_order nan_order(const struct topk_contract *contract)
{
    return chooses(contract, TOPK_OPTION_NAN_GREATEST) ? TOPK_ORDER_NAN_GREATEST
           : chooses(contract, TOPK_OPTION_NAN_LEAST)  ? TOPK_ORDER_NAN_LEAST
           : chooses(contract, TOPK_OPTION_NAN_FIRST)  ? TOPK_ORDER_NAN_FIRST
           : chooses(contract, TOPK_OPTION_NAN_LAST)   ? TOPK_ORDER_NAN_LAST
                                                       : TOPK_ORDER_EXACT;
}

/* keys of floats are neither 0 nor above 2^34: room on both sides for a NaN */
#define KEY_NAN_GREATEST ((uint64_t)1 << 40)
#define KEY_NAN_LEAST    ((uint64_t)0)

static uint64_t nan_key(const struct topk_sequence *s, enum topk_order order, uint64_t bits)
{
    const enum topk_order asked = nan_order(s->contract);
    bool greatest = true;
    switch (asked == TOPK_ORDER_EXACT ? order : asked) {
    case TOPK_ORDER_NAN_LEAST:
        greatest = false;
        break;
    case TOPK_ORDER_NAN_FIRST:
        greatest = !s->increasing;
        break;
    case TOPK_ORDER_NAN_LAST:
        greatest = s->increasing;
        break;
    case TOPK_ORDER_NAN_BY_SIGN:
        greatest = bits >> (8 * topk_type_bytes(s->type) - 1) == 0;
        break;
    default:
        break;
    }
    return greatest ? KEY_NAN_GREATEST : KEY_NAN_LEAST;
}

/* the key of a number under an order, before the direction */
static uint64_t number_key(const struct topk_sequence *s, enum topk_order order, uint64_t bits)
{
    switch (order) {
    case TOPK_ORDER_DENORMAL_ZERO:
        return topk_element_key_flushed(s->type, bits);
    case TOPK_ORDER_HALF:
        return topk_element_key_half(bits);
    case TOPK_ORDER_HALF_TRUNCATED:
        return topk_element_key_half_truncated(bits);
    default:
        return topk_element_key(s->type, bits);
    }
}

/* the key of an element under an order; less is earlier in the output */
static uint64_t order_key(const struct topk_sequence *s, enum topk_order order, uint64_t bits)
{
    uint64_t key;
    if (topk_element_nan(s->type, bits)) {
        key = nan_key(s, order, bits);
    } else {
        key = number_key(s, order, bits);
        if (chooses(s->contract, TOPK_OPTION_ZERO_SIGNED) && topk_type_float(s->type)) {
            const bool minus = bits >> (8 * topk_type_bytes(s->type) - 1) != 0;
            key = 2 * key + !(minus && key == number_key(s, order, 0));
        }
    }
    return s->increasing ? key : ~key;
}

/* whether an output's value is the element that its index names, as far as the rules ask */
static bool same_element(const struct topk_sequence *s, uint64_t value, uint64_t named)
{
    return value == named ||
           (topk_element_nan(s->type, value) && topk_element_nan(s->type, named)) ||
           (chooses(s->contract, TOPK_OPTION_DENORMALS_FLUSH) &&
            topk_element_denormal(s->type, named) && topk_element_zero(s->type, value));
}

/* how equal elements of indices a and b stand: whether a may come right before b */
static bool tie_in_order(const struct topk_contract *contract, uint64_t a, uint64_t b)
{
    return chooses(contract, TOPK_OPTION_TIES_ANY)       ? true
           : chooses(contract, TOPK_OPTION_TIES_HIGHEST) ? a > b
                                                         : a < b;
}

bool topk_sequence_has_nan(const struct topk_sequence *s)
{
    for (uint32_t i = 0; topk_type_float(s->type) && i < s->length; i++) {
        if (topk_element_nan(s->type, load_input(s, i))) {
            return true;
        }
    }
    return false;
}

static bool holds_by_contract(const struct topk_sequence *s, enum topk_order order);

bool topk_sequence_holds(const struct topk_sequence *s, enum topk_order order)
{
    if (s->contract != NULL) {
        return holds_by_contract(s, order);
    }
    if (order == TOPK_ORDER_EXACT) {
        unsigned seen;
        return holds_exactly(s, &seen);
    }
    uint64_t last = 0;
    uint64_t last_index = 0;
    for (uint32_t j = 0; j < s->k; j++) {
        uint64_t index = load_index(s, j);
        if (index >= s->length) {
            return false;
        }
        uint64_t named = load_input(s, index);
        uint64_t key = order_key(s, order, named);
        if (!same_element(s, load_value(s, j), named) ||
            (j > 0 && (key < last || (key == last && index <= last_index)))) {
            return false;
        }
        last = key;
        last_index = index;
    }
    uint32_t inside = 0;
    for (uint32_t i = 0; i < s->length; i++) {
        uint64_t key = order_key(s, order, load_input(s, i));
        inside += key < last || (key == last && i <= last_index);
    }
    return inside == s->k;
}

/* one bit an element */
static unsigned char *bitmap_new(uint64_t bits)
{
    return calloc((size_t)(bits / 8 + 1), 1);
}

static bool bitmap_test_and_set(unsigned char *bitmap, uint64_t bit)
{
    unsigned char mask = (unsigned char)(1u << bit % 8);
    bool was = (bitmap[bit / 8] & mask) != 0;
    bitmap[bit / 8] |= mask;
    return was;
}

static bool bitmap_has(const unsigned char *bitmap, uint64_t bit)
{
    return (bitmap[bit / 8] >> bit % 8 & 1) != 0;
}

/* whether none of the indices from..from+places-1 comes twice; the bitmap is all zero */
static bool distinct_within(const struct topk_sequence *s, unsigned char *bitmap, uint64_t from,
                            uint64_t places)
{
    for (uint32_t j = 0; j < s->k; j++) {
        const uint64_t place = load_index(s, j) - from; /* of lower ones: more than places */
        if (place < places && bitmap_test_and_set(bitmap, place)) {
            return false;
        }
    }
    return true;
}

/* As many at a time as there is memory for: a verdict may not depend on that. */
static bool indices_distinct(const struct topk_sequence *s)
{
    unsigned char few[64];
    const uint64_t least = 8 * sizeof few;
    uint64_t room = s->length;
    unsigned char *many = NULL;
    bool distinct = true;
    while (room > least && (many = malloc((size_t)(room / 8 + 1))) == NULL) {
        room /= 2;
    }
    unsigned char *const seen = many == NULL ? few : many;
    room = many == NULL ? least : room;
    for (uint64_t from = 0; distinct && from < s->length; from += room) {
        const uint64_t places = s->length - from < room ? s->length - from : room;
        memset(seen, 0, (size_t)((places + 7) / 8));
        distinct = distinct_within(s, seen, from, places);
    }
    free(many);
    return distinct;
}

/* The outputs of a sequence as a set: the worst of them decides who has to be inside. */
struct bound {
    uint64_t key;
    uint64_t index; /* of equal keys the last in the order of ties */
    uint32_t position;
    uint32_t better; /* outputs of better keys */
};

static struct bound bound_of(const struct topk_sequence *s, enum topk_order order)
{
    struct bound bound = {.key = 0};
    for (uint32_t j = 0; j < s->k; j++) {
        const uint64_t index = load_index(s, j);
        const uint64_t key = order_key(s, order, load_input(s, index));
        if (j == 0 || key > bound.key ||
            (key == bound.key && tie_in_order(s->contract, bound.index, index))) {
            bound.better = j > 0 && key > bound.key ? j : bound.better;
            bound.key = key;
            bound.index = index;
            bound.position = j;
        } else if (key < bound.key) {
            bound.better++;
        }
    }
    return bound;
}

/* whether an element that comes before the bound by its tie is to be selected */
static bool tie_is_inside(const struct topk_contract *contract, uint64_t index, uint64_t bound)
{
    return !chooses(contract, TOPK_OPTION_TIES_ANY) &&
           (index == bound || tie_in_order(contract, index, bound));
}

/* The same for rules that are not DirectML's: outputs that are distinct and the elements that they
 * name, in the order that is asked for, and nobody outside who had to be inside. */
static bool holds_by_contract(const struct topk_sequence *s, enum topk_order order)
{
    const bool sorted = !chooses(s->contract, TOPK_OPTION_ORDER_ANY);
    const bool free_ties = chooses(s->contract, TOPK_OPTION_TIES_ANY);
    const bool nan_is_open =
        order < TOPK_ORDER_NAN_GREATEST && nan_order(s->contract) == TOPK_ORDER_EXACT;
    uint64_t last = 0;
    uint64_t last_index = 0;
    for (uint32_t j = 0; j < s->k; j++) {
        const uint64_t index = load_index(s, j);
        if (index >= s->length) {
            return false;
        }
        const uint64_t named = load_input(s, index);
        const uint64_t key = order_key(s, order, named);
        if (!same_element(s, load_value(s, j), named) ||
            (sorted && j > 0 &&
             (key < last || (key == last && !tie_in_order(s->contract, last_index, index))))) {
            return false;
        }
        last = key;
        last_index = index;
    }
    if ((!sorted || free_ties) && !indices_distinct(s)) {
        return false;
    }
    const struct bound bound = bound_of(s, order);
    uint32_t inside = 0;
    for (uint32_t i = 0; i < s->length; i++) {
        const uint64_t bits = load_input(s, i);
        const uint64_t key = order_key(s, order, bits);
        if (nan_is_open && topk_element_nan(s->type, bits)) {
            return false;
        }
        inside +=
            key < bound.key || (key == bound.key && tie_is_inside(s->contract, i, bound.index));
    }
    return inside == (free_ties ? bound.better : s->k);
}

bool topk_sequence_nan_holds(const struct topk_sequence *s)
{
    for (uint32_t j = 0; j < s->k; j++) {
        const uint64_t index = load_index(s, j);
        if (index >= s->length || !same_element(s, load_value(s, j), load_input(s, index))) {
            return false;
        }
    }
    return indices_distinct(s);
}

/* ---- naming what is wrong -------------------------------------------------------------------- */

/* where a sequence's findings go, and how its positions are named */
struct report {
    const struct topk_operator *op;
    enum topk_order order; /* by which it is wrong */
    struct topk_judgement *judgement;
    uint64_t sequence;
    uint32_t at[TOPK_RANK_MAX];
    uint32_t first; /* first wrong position, UINT32_MAX: none yet */
};

static void report_position(struct report *report, enum topk_clause clause,
                            enum topk_mismatch mismatch, enum topk_role role, uint32_t position,
                            uint64_t expected, uint64_t actual)
{
    struct topk_finding finding = {.clause = clause,
                                   .mismatch = mismatch,
                                   .role = role,
                                   .rank = report->op->tensors[role].rank,
                                   .expected = expected,
                                   .actual = actual,
                                   .count = 1};
    memcpy(finding.at, report->at, sizeof finding.at);
    finding.at[report->op->axis] = position;
    topk_judgement_add(report->judgement, &finding);
    if (position < report->first) {
        report->first = position;
    }
}

/* whether two 64-bit integers differ where double or the low half does not show it */
static bool hidden_in_64_bits(uint32_t type, uint64_t a, uint64_t b)
{
    if (topk_type_bytes(type) != 8) {
        return false;
    }
    if ((a & UINT32_MAX) == (b & UINT32_MAX)) {
        return true;
    }
    return topk_type_signed(type) ? (double)(int64_t)a == (double)(int64_t)b
                                  : (double)a == (double)b;
}

/* whether two floats are one if denormals are taken as zeros */
static bool hidden_in_denormals(uint32_t type, uint64_t a, uint64_t b)
{
    bool small_a = topk_element_denormal(type, a) || topk_element_zero(type, a);
    bool small_b = topk_element_denormal(type, b) || topk_element_zero(type, b);
    return small_a && small_b;
}

/* whether two floats are zeros, of different sign */
static bool zeros_of_both_signs(uint32_t type, uint64_t a, uint64_t b)
{
    return a != b && topk_element_zero(type, a) && topk_element_zero(type, b);
}

/* whether two floats are one if infinities are taken as the greatest finite values */
static bool hidden_in_infinity(uint32_t type, uint64_t a, uint64_t b)
{
    return (topk_element_inf(type, a) && a - 1 == b) || (topk_element_inf(type, b) && b - 1 == a);
}

/* the clause that two misplaced elements of different value break: the special one if it explains
 * them, else the general one */
static enum topk_clause clause_of_order(const struct topk_contract *contract, uint32_t type,
                                        uint64_t a, uint64_t b, enum topk_clause general)
{
    if (hidden_in_64_bits(type, a, b)) {
        return TOPK_CLAUSE_F07;
    }
    if (topk_element_nan(type, a) || topk_element_nan(type, b)) {
        return TOPK_CLAUSE_F02; /* the contract orders it */
    }
    if (hidden_in_infinity(type, a, b)) {
        return TOPK_CLAUSE_F03;
    }
    if (zeros_of_both_signs(type, a, b)) {
        return TOPK_CLAUSE_F01; /* the contract orders them */
    }
    if (!hidden_in_denormals(type, a, b)) {
        return general;
    }
    return type == TOPK_TYPE_F16                            ? TOPK_CLAUSE_F05
           : chooses(contract, TOPK_OPTION_DENORMALS_EXACT) ? TOPK_CLAUSE_F04
                                                            : general;
}

/* the clause that two misplaced elements of equal value break */
static enum topk_clause clause_of_tie(uint32_t type, uint64_t a, uint64_t b,
                                      enum topk_clause general)
{
    return zeros_of_both_signs(type, a, b)              ? TOPK_CLAUSE_F01
           : a == b || !hidden_in_denormals(type, a, b) ? general
           : type == TOPK_TYPE_F16                      ? TOPK_CLAUSE_F05
                                                        : TOPK_CLAUSE_F04;
}

static enum topk_clause clause_of_bits(uint32_t type, uint64_t expected, uint64_t actual)
{
    if (topk_element_zero(type, expected) && topk_element_zero(type, actual)) {
        return TOPK_CLAUSE_F01;
    }
    if (type == TOPK_TYPE_F16 && topk_element_denormal(type, expected)) {
        return TOPK_CLAUSE_F05;
    }
    return TOPK_CLAUSE_S05;
}

static void explain_index(const struct topk_sequence *s, struct report *report, uint32_t position,
                          uint64_t index)
{
    if (index > UINT32_MAX && (index & UINT32_MAX) < s->length) {
        report_position(report, TOPK_CLAUSE_M05, TOPK_MISMATCH_INDEX_UPPER, TOPK_INDEX, position,
                        index & UINT32_MAX, index);
    } else {
        report_position(report, TOPK_CLAUSE_S07, TOPK_MISMATCH_INDEX_RANGE, TOPK_INDEX, position,
                        s->length, index);
    }
}

/* what an output stands for: the element that it names, if it gives that, else its value */
static uint64_t output_element(const struct topk_sequence *s, uint32_t position)
{
    const uint64_t value = load_value(s, position);
    const uint64_t index = load_index(s, position);
    const uint64_t named = index < s->length ? load_input(s, index) : value;
    return same_element(s, value, named) ? named : value;
}

/* S04, S08 and what refines them, between an output and the one before it */
static void explain_order(const struct topk_sequence *s, struct report *report, uint32_t position)
{
    uint64_t before = output_element(s, position - 1);
    uint64_t value = output_element(s, position);
    if (nan_order(s->contract) == TOPK_ORDER_EXACT &&
        (topk_element_nan(s->type, before) || topk_element_nan(s->type, value))) {
        return;
    }
    uint64_t key_before = order_key(s, report->order, before);
    uint64_t key = order_key(s, report->order, value);
    if (key < key_before) {
        report_position(report,
                        clause_of_order(s->contract, s->type, before, value, TOPK_CLAUSE_S04),
                        TOPK_MISMATCH_VALUE_ORDER, TOPK_VALUE, position, before, value);
        return;
    }
    uint64_t index_before = load_index(s, position - 1);
    uint64_t index = load_index(s, position);
    if (key == key_before && index != index_before && index < s->length &&
        index_before < s->length && !tie_in_order(s->contract, index_before, index)) {
        report_position(report, clause_of_tie(s->type, before, value, TOPK_CLAUSE_S08),
                        TOPK_MISMATCH_TIE_ORDER, TOPK_INDEX, position, index_before, index);
    }
}

/* S02, S03, S09 and what refines them, once the indices are a set of k elements */
static void explain_selection(const struct topk_sequence *s, struct report *report,
                              const unsigned char *selected)
{
    const struct bound bound = bound_of(s, report->order);
    const uint64_t worst = load_input(s, bound.index);
    const bool lowest = !chooses(s->contract, TOPK_OPTION_TIES_HIGHEST);
    enum topk_clause general = report->op->kind == TOPK_TOP_K ? TOPK_CLAUSE_S02 : TOPK_CLAUSE_S03;
    for (uint32_t i = 0; i < s->length; i++) {
        if (bitmap_has(selected, i)) {
            continue;
        }
        uint64_t bits = load_input(s, i);
        uint64_t key = order_key(s, report->order, bits);
        if (key < bound.key) {
            report_position(report, clause_of_order(s->contract, s->type, bits, worst, general),
                            TOPK_MISMATCH_LEFT_OUT, TOPK_INDEX, bound.position, i, bound.index);
        } else if (key == bound.key && tie_is_inside(s->contract, i, bound.index)) {
            report_position(report, clause_of_tie(s->type, bits, worst, TOPK_CLAUSE_S09),
                            lowest ? TOPK_MISMATCH_TIE_LEFT_OUT : TOPK_MISMATCH_TIE_LEFT_OUT_LOW,
                            TOPK_INDEX, bound.position, i, bound.index);
        }
    }
}

/* names all that is wrong with one sequence that does not hold */
static void explain(const struct topk_sequence *s, struct report *report, bool has_nan)
{
    unsigned char *selected = bitmap_new(s->length);
    if (selected == NULL) {
        report->judgement->no_memory = true;
        return;
    }
    bool a_set = true;
    for (uint32_t j = 0; j < s->k; j++) {
        uint64_t index = load_index(s, j);
        if (index >= s->length) {
            explain_index(s, report, j, index);
            a_set = false;
        } else {
            if (bitmap_test_and_set(selected, index)) {
                report_position(report, TOPK_CLAUSE_S07, TOPK_MISMATCH_INDEX_REPEATED, TOPK_INDEX,
                                j, index, index);
                a_set = false;
            }
            uint64_t named = load_input(s, index);
            uint64_t value = load_value(s, j);
            if (!same_element(s, value, named)) {
                report_position(report, clause_of_bits(s->type, named, value),
                                TOPK_MISMATCH_VALUE_BITS, TOPK_VALUE, j, named, value);
            }
        }
        if (j > 0 && !has_nan && !chooses(s->contract, TOPK_OPTION_ORDER_ANY)) {
            explain_order(s, report, j);
        }
    }
    if (a_set && !has_nan) {
        explain_selection(s, report, selected);
    }
    free(selected);
}

/* ---- a whole result -------------------------------------------------------------------------- */

/* walks the sequences of an operator in order, keeping the three offsets in step */
struct walk {
    const struct topk_operator *op;
    uint64_t strides[TOPK_ROLE_COUNT][TOPK_RANK_MAX]; /* bytes */
    uint32_t at[TOPK_RANK_MAX];
    uint64_t offset[TOPK_ROLE_COUNT]; /* bytes from the tensor's start */
};

static void walk_start(struct walk *walk, const struct topk_operator *op)
{
    memset(walk, 0, sizeof *walk);
    walk->op = op;
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        const struct topk_tensor *tensor = &op->tensors[role];
        topk_tensor_strides(tensor, walk->strides[role]);
        for (uint32_t i = 0; i < tensor->rank; i++) {
            walk->strides[role][i] *= topk_type_bytes(tensor->type);
        }
    }
}

static void walk_next(struct walk *walk)
{
    const uint32_t *sizes = walk->op->tensors[TOPK_INPUT].sizes;
    for (uint32_t i = walk->op->tensors[TOPK_INPUT].rank; i-- > 0;) {
        if (i == walk->op->axis) {
            continue;
        }
        bool carry = ++walk->at[i] == sizes[i];
        for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
            walk->offset[role] += walk->strides[role][i];
            if (carry) {
                walk->offset[role] -= walk->strides[role][i] * sizes[i];
            }
        }
        if (!carry) {
            return;
        }
        walk->at[i] = 0;
    }
}

static void walk_sequence(const struct walk *walk,
                          const struct topk_exhibit exhibits[TOPK_ROLE_COUNT],
                          struct topk_sequence *s)
{
    /* the input as it was: a backend that changes it is judged by what it was given */
    s->input = exhibits[TOPK_INPUT].before + exhibits[TOPK_INPUT].offset + walk->offset[TOPK_INPUT];
    s->value = exhibits[TOPK_VALUE].after + exhibits[TOPK_VALUE].offset + walk->offset[TOPK_VALUE];
    s->index = exhibits[TOPK_INDEX].after + exhibits[TOPK_INDEX].offset + walk->offset[TOPK_INDEX];
}

static void sequence_start(const struct walk *walk, const struct topk_contract *contract,
                           struct topk_sequence *s)
{
    const struct topk_operator *op = walk->op;
    memset(s, 0, sizeof *s);
    s->contract = contract;
    s->type = op->tensors[TOPK_INPUT].type;
    s->increasing = topk_operator_increasing(op);
    s->length = op->tensors[TOPK_INPUT].sizes[op->axis];
    s->k = op->k;
    s->index_bytes = topk_type_bytes(op->tensors[TOPK_INDEX].type);
    s->input_step = walk->strides[TOPK_INPUT][op->axis];
    s->value_step = walk->strides[TOPK_VALUE][op->axis];
    s->index_step = walk->strides[TOPK_INDEX][op->axis];
}

/* a call before the judge */
struct trial {
    const struct topk_operator *op;
    const struct topk_contract *contract; /* NULL: DirectML's rules */
    const struct topk_exhibit *exhibits;
    struct topk_judgement *judgement;
    enum topk_order order; /* by which it is judged first */
    bool denormals;        /* there are some */
};

/* whether a sequence that does not hold is right all the same: it has a NaN, whose order is open */
static bool nan_excuses(const struct topk_sequence *s)
{
    return nan_order(s->contract) == TOPK_ORDER_EXACT && topk_sequence_has_nan(s) &&
           topk_sequence_nan_holds(s);
}

/* whether every sequence holds under an order, those with a NaN as far as F02 goes */
static bool all_hold(const struct trial *trial, enum topk_order order)
{
    struct walk walk;
    struct topk_sequence s;
    walk_start(&walk, trial->op);
    sequence_start(&walk, trial->contract, &s);
    uint64_t sequences = topk_operator_sequences(trial->op);
    for (uint64_t i = 0; i < sequences; i++, walk_next(&walk)) {
        walk_sequence(&walk, trial->exhibits, &s);
        if (!topk_sequence_holds(&s, order) && !nan_excuses(&s)) {
            return false;
        }
    }
    return true;
}

/* bits of 1 << TOPK_ORDER_NAN_...: the orders of NaN that all sequences so far agree with */
#define NAN_ORDERS_ALL                                                                             \
    (1u << TOPK_ORDER_NAN_GREATEST | 1u << TOPK_ORDER_NAN_LEAST | 1u << TOPK_ORDER_NAN_FIRST |     \
     1u << TOPK_ORDER_NAN_LAST | 1u << TOPK_ORDER_NAN_BY_SIGN)

static uint32_t nan_orders(const struct topk_sequence *s, uint32_t candidates)
{
    for (int order = TOPK_ORDER_NAN_GREATEST; order <= TOPK_ORDER_NAN_BY_SIGN; order++) {
        if (candidates >> order & 1 && !topk_sequence_holds(s, (enum topk_order)order)) {
            candidates &= ~(1u << order);
        }
    }
    return candidates;
}

static void observe_nan(struct topk_judgement *judgement, uint32_t orders)
{
    static const enum topk_observation names[] = {
        TOPK_OBSERVATION_NAN_GREATEST, TOPK_OBSERVATION_NAN_LEAST, TOPK_OBSERVATION_NAN_FIRST,
        TOPK_OBSERVATION_NAN_LAST, TOPK_OBSERVATION_NAN_BY_SIGN};
    for (int i = 0; i < 5; i++) {
        if (orders >> (TOPK_ORDER_NAN_GREATEST + i) & 1) {
            observe(judgement, names[i]);
        }
    }
    if (orders == 0) {
        observe(judgement, TOPK_OBSERVATION_NAN_OTHER);
    }
}

static bool has_denormal(const struct topk_sequence *s)
{
    for (uint32_t i = 0; topk_type_float(s->type) && i < s->length; i++) {
        if (topk_element_denormal(s->type, load_input(s, i))) {
            return true;
        }
    }
    return false;
}

/* whether a sequence holds under the order that is tried first */
static bool holds_first(struct trial *trial, const struct topk_sequence *s)
{
    if (s->contract != NULL) {
        trial->denormals = trial->denormals || has_denormal(s);
        return topk_sequence_holds(s, trial->order);
    }
    unsigned seen;
    const bool holds = holds_exactly(s, &seen);
    trial->denormals = trial->denormals || (holds && (seen & SEEN_DENORMAL) != 0);
    return holds;
}

static void judge_sequences(struct trial *trial)
{
    const struct topk_operator *op = trial->op;
    struct topk_judgement *judgement = trial->judgement;
    struct walk walk;
    struct topk_sequence s;
    walk_start(&walk, op);
    sequence_start(&walk, trial->contract, &s);
    uint32_t orders = NAN_ORDERS_ALL;
    bool nans = false;
    uint64_t sequences = topk_operator_sequences(op);
    for (uint64_t i = 0; i < sequences; i++, walk_next(&walk)) {
        walk_sequence(&walk, trial->exhibits, &s);
        if (holds_first(trial, &s)) {
            continue;
        }
        const bool has_nan =
            nan_order(trial->contract) == TOPK_ORDER_EXACT && topk_sequence_has_nan(&s);
        if (has_nan && topk_sequence_nan_holds(&s)) {
            nans = true;
            orders = nan_orders(&s, orders);
            continue;
        }
        struct report report = {.op = op,
                                .order = trial->order,
                                .judgement = judgement,
                                .sequence = i,
                                .first = UINT32_MAX};
        memcpy(report.at, walk.at, sizeof report.at);
        explain(&s, &report, has_nan);
        if (report.first == UINT32_MAX && !judgement->no_memory) {
            judgement->contradiction = true; /* no certificate, and nothing wrong to be seen */
        }
        if (!judgement->has_sequence && report.first != UINT32_MAX) {
            judgement->has_sequence = true;
            judgement->sequence = i;
            judgement->position = report.first;
        }
    }
    if (nans) {
        observe_nan(judgement, orders);
    }
}

/* findings on semantics weigh more than those that follow from them; stable */
static void sort_findings(struct topk_judgement *judgement)
{
    for (uint32_t i = 1; i < judgement->count; i++) {
        struct topk_finding finding = judgement->findings[i];
        uint32_t j = i;
        for (; j > 0 && judgement->findings[j - 1].mismatch > finding.mismatch; j--) {
            judgement->findings[j] = judgement->findings[j - 1];
        }
        judgement->findings[j] = finding;
    }
}

/* settles one of the latitudes F04 and F06: says whether the result holds under the order that was
 * tried first or one of others, from `from` to `to` */
static void settle(const struct trial *trial, enum topk_order from, enum topk_order to,
                   enum topk_observation first, enum topk_observation other)
{
    struct topk_judgement *judgement = trial->judgement;
    bool holds = false;
    for (int order = (int)from; order <= (int)to && !holds; order++) {
        holds = all_hold(trial, (enum topk_order)order);
    }
    if (judgement->count == 0 && !holds) {
        observe(judgement, first); /* where another order agrees there is nothing to see */
    } else if (judgement->count != 0 && holds) {
        judgement->count = 0;
        judgement->has_sequence = false;
        observe(judgement, other);
    }
}

static void settle_denormals(const struct trial *trial)
{
    const bool flush = chooses(trial->contract, TOPK_OPTION_DENORMALS_FLUSH);
    const enum topk_order other = flush ? TOPK_ORDER_EXACT : TOPK_ORDER_DENORMAL_ZERO;
    const enum topk_observation exact = TOPK_OBSERVATION_DENORMALS_EXACT;
    const enum topk_observation zero = TOPK_OBSERVATION_DENORMALS_AS_ZERO;
    const bool open = flush || (trial->op->tensors[TOPK_INPUT].type == TOPK_TYPE_F32 &&
                                !chooses(trial->contract, TOPK_OPTION_DENORMALS_EXACT));
    if (open && (trial->denormals || trial->judgement->count != 0)) {
        settle(trial, other, other, flush ? zero : exact, flush ? exact : zero);
    }
}

static void judge(struct trial *trial)
{
    memset(trial->judgement, 0, sizeof *trial->judgement);
    judge_sequences(trial);
    if (topk_type_float(trial->op->tensors[TOPK_INPUT].type)) {
        settle_denormals(trial);
    }
    if (trial->op->tensors[TOPK_INPUT].type == TOPK_TYPE_F32 &&
        (trial->op->execution & TOPK_EXECUTION_HALF) != 0) {
        settle(trial, TOPK_ORDER_HALF, TOPK_ORDER_HALF_TRUNCATED, TOPK_OBSERVATION_HALF_EXACT,
               TOPK_OBSERVATION_HALF_COLLIDES);
    }
    sort_findings(trial->judgement);
}

void topk_judge_result(const struct topk_operator *op,
                       const struct topk_exhibit exhibits[TOPK_ROLE_COUNT],
                       struct topk_judgement *judgement)
{
    struct trial trial = {.op = op, .exhibits = exhibits, .judgement = judgement};
    judge(&trial);
}

void topk_judge_contract(const struct topk_operator *op, const struct topk_contract *contract,
                         const struct topk_exhibit exhibits[TOPK_ROLE_COUNT],
                         struct topk_judgement *judgement)
{
    struct trial trial = {.op = op, .exhibits = exhibits, .judgement = judgement};
    if (topk_contract_decides(contract)) {
        trial.contract = contract;
        trial.order = topk_contract_has(contract, TOPK_OPTION_DENORMALS_FLUSH)
                          ? TOPK_ORDER_DENORMAL_ZERO
                          : TOPK_ORDER_EXACT;
    }
    judge(&trial);
}

/* ---- containment ----------------------------------------------------------------------------- */

/* compares from..to-1 of a buffer before and after; offsets in findings count from the tensor */
static void compare_bytes(struct topk_judgement *judgement, const struct topk_exhibit *exhibit,
                          enum topk_role role, uint64_t from, uint64_t to, enum topk_clause clause,
                          enum topk_mismatch mismatch)
{
    if (to <= from || memcmp(exhibit->before + from, exhibit->after + from, to - from) == 0) {
        return;
    }
    struct topk_finding finding = {
        .clause = clause, .mismatch = mismatch, .role = role, .count = 0};
    for (uint64_t i = from; i < to; i++) {
        if (exhibit->before[i] != exhibit->after[i]) {
            if (finding.count++ == 0) {
                finding.byte = (int64_t)(i - exhibit->offset);
                finding.expected = exhibit->before[i];
                finding.actual = exhibit->after[i];
            }
        }
    }
    topk_judgement_add(judgement, &finding);
}

/* by widths that a compiler knows */
static void copy_element(unsigned char *to, const unsigned char *from, uint32_t bytes)
{
    switch (bytes) {
    case 8:
        memcpy(to, from, 8);
        break;
    case 4:
        memcpy(to, from, 4);
        break;
    case 2:
        memcpy(to, from, 2);
        break;
    default:
        *to = *from;
        break;
    }
}

/* copies the logical elements of an output from after to before, so that only padding can differ */
static void adopt_elements(const struct topk_operator *op, enum topk_role role,
                           struct topk_exhibit *exhibit)
{
    const struct topk_tensor *tensor = &op->tensors[role];
    uint32_t bytes = topk_type_bytes(tensor->type);
    struct walk walk;
    if (!tensor->strided) {
        memcpy(exhibit->before + exhibit->offset, exhibit->after + exhibit->offset,
               topk_tensor_elements(tensor) * bytes);
        return;
    }
    walk_start(&walk, op);
    uint64_t sequences = topk_operator_sequences(op);
    uint64_t step = walk.strides[role][op->axis];
    for (uint64_t i = 0; i < sequences; i++, walk_next(&walk)) {
        uint64_t at = exhibit->offset + walk.offset[role];
        for (uint32_t j = 0; j < op->k; j++, at += step) {
            copy_element(exhibit->before + at, exhibit->after + at, bytes);
        }
    }
}

void topk_judge_memory(const struct topk_operator *op,
                       struct topk_exhibit exhibits[TOPK_ROLE_COUNT],
                       struct topk_judgement *judgement)
{
    bool padded = false;
    bool written = false;
    compare_bytes(judgement, &exhibits[TOPK_INPUT], TOPK_INPUT, 0, exhibits[TOPK_INPUT].bytes,
                  TOPK_CLAUSE_M01, TOPK_MISMATCH_INPUT_WRITTEN);
    for (int role = TOPK_VALUE; role <= TOPK_INDEX; role++) {
        struct topk_exhibit *exhibit = &exhibits[role];
        const struct topk_tensor *tensor = &op->tensors[role];
        uint64_t end = exhibit->offset + tensor->total_bytes;
        compare_bytes(judgement, exhibit, (enum topk_role)role, 0, exhibit->offset, TOPK_CLAUSE_M02,
                      TOPK_MISMATCH_OUTSIDE_WRITTEN);
        compare_bytes(judgement, exhibit, (enum topk_role)role, end, exhibit->bytes,
                      TOPK_CLAUSE_M02, TOPK_MISMATCH_OUTSIDE_WRITTEN);
        uint64_t logical = topk_tensor_elements(tensor) * topk_type_bytes(tensor->type);
        if (logical < tensor->total_bytes) {
            padded = true;
            adopt_elements(op, (enum topk_role)role, exhibit);
            written = written || memcmp(exhibit->before + exhibit->offset,
                                        exhibit->after + exhibit->offset, tensor->total_bytes) != 0;
        }
    }
    if (padded) {
        observe(judgement,
                written ? TOPK_OBSERVATION_PADDING_WRITTEN : TOPK_OBSERVATION_PADDING_KEPT);
    }
}
