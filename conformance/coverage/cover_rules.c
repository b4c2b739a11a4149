/* Which classes exclude each other, and why. Each rule is a fact about the operator or about
 * numbers, never about what the suite happens to be able to make: coverage_test.c builds a case of
 * every kind of assignment that the rules leave, and finds no case that breaks one. */
#include "cover.h"

/* the class that an assignment has in an aspect */
#define HAS(aspect, class) (classes[TOPK_ASPECT_##aspect] == TOPK_CLASS_##aspect##_##class)

/* a => b */
static bool implies(bool a, bool b)
{
    return !a || b;
}

/* ---- parameters ------------------------------------------------------------------------------ */

static bool top_k_largest(const unsigned char *classes)
{
    return implies(HAS(OPERATOR, TOP_K), HAS(DIRECTION, LARGEST));
}

static bool top_k1_level(const unsigned char *classes)
{
    return implies(HAS(OPERATOR, TOP_K1), !HAS(LEVEL, 2_0));
}

static bool is_float(const unsigned char *classes)
{
    return HAS(TYPE, F32) || HAS(TYPE, F16);
}

static bool integer_level(const unsigned char *classes)
{
    return implies(!is_float(classes), !HAS(LEVEL, 2_0));
}

static bool wide_type_level(const unsigned char *classes)
{
    return implies(HAS(TYPE, I64) || HAS(TYPE, U64), HAS(LEVEL, 5_0));
}

static bool wide_index_level(const unsigned char *classes)
{
    return implies(HAS(INDEX, U64), HAS(LEVEL, 5_0));
}

static bool rank_level(const unsigned char *classes)
{
    return implies(HAS(LEVEL, 2_0) || HAS(LEVEL, 2_1), HAS(RANK, 4));
}

static bool axis_only(const unsigned char *classes)
{
    return HAS(RANK, 1) == HAS(AXIS, ONLY);
}

static bool axis_middle(const unsigned char *classes)
{
    return implies(HAS(RANK, 2), !HAS(AXIS, MIDDLE));
}

static bool k_short(const unsigned char *classes)
{
    return implies(HAS(LENGTH, 1), HAS(K, 1)) &&
           implies(HAS(LENGTH, 2), HAS(K, 1) || HAS(K, ALL)) &&
           implies(HAS(LENGTH, 3), HAS(K, 1) || HAS(K, 2) || HAS(K, ALL));
}

/* ---- dimensions ------------------------------------------------------------------------------ */

static unsigned rank_of(const unsigned char *classes)
{
    return classes[TOPK_ASPECT_RANK] - TOPK_CLASS_RANK_1 + 1u;
}

/* dimensions of more than 1 beside the axis, as few as the class allows */
static unsigned batch_of(const unsigned char *classes)
{
    return classes[TOPK_ASPECT_BATCH] - (unsigned)TOPK_CLASS_BATCH_NONE;
}

static bool batch_rank(const unsigned char *classes)
{
    return batch_of(classes) < rank_of(classes);
}

/* whether the axis has more than one element; of the outputs it has K */
static bool long_input(const unsigned char *classes)
{
    return !HAS(LENGTH, 1);
}

static bool long_output(const unsigned char *classes)
{
    return !HAS(K, 1);
}

/* whether a tensor has dimensions of more than 1 for a layout, numbered as the input's are */
static bool dimensions_do(unsigned layout, unsigned batch, bool long_axis)
{
    switch (layout + TOPK_CLASS_INPUT_PACKED) {
    case TOPK_CLASS_INPUT_PADDED:
    case TOPK_CLASS_INPUT_PERMUTED:
    case TOPK_CLASS_INPUT_WINDOWS:
        return batch + long_axis >= 2;
    case TOPK_CLASS_INPUT_INTERLEAVED:
    case TOPK_CLASS_INPUT_BROADCAST:
        return batch + long_axis >= 1;
    default:
        return true;
    }
}

static bool input_dimensions(const unsigned char *classes)
{
    return dimensions_do(classes[TOPK_ASPECT_INPUT] - (unsigned)TOPK_CLASS_INPUT_PACKED,
                         batch_of(classes), long_input(classes));
}

static bool value_dimensions(const unsigned char *classes)
{
    return dimensions_do(classes[TOPK_ASPECT_VALUE_OUT] - (unsigned)TOPK_CLASS_VALUE_OUT_PACKED,
                         batch_of(classes), long_output(classes));
}

static bool index_dimensions(const unsigned char *classes)
{
    return dimensions_do(classes[TOPK_ASPECT_INDEX_OUT] - (unsigned)TOPK_CLASS_INDEX_OUT_PACKED,
                         batch_of(classes), long_output(classes));
}

static bool input_size_one(const unsigned char *classes)
{
    return implies(HAS(INPUT, SIZE_ONE),
                   batch_of(classes) + long_input(classes) < rank_of(classes));
}

static bool value_size_one(const unsigned char *classes)
{
    return implies(HAS(VALUE_OUT, SIZE_ONE),
                   batch_of(classes) + long_output(classes) < rank_of(classes));
}

static bool index_size_one(const unsigned char *classes)
{
    return implies(HAS(INDEX_OUT, SIZE_ONE),
                   batch_of(classes) + long_output(classes) < rank_of(classes));
}

/* ---- values ---------------------------------------------------------------------------------- */

static bool ties_short(const unsigned char *classes)
{
    return implies(HAS(LENGTH, 1), HAS(TIES, NONE) || HAS(TIES, UNORDERED)) &&
           implies(HAS(LENGTH, 2), HAS(TIES, NONE) || HAS(TIES, UNORDERED) || HAS(TIES, ALL));
}

static bool ties_unselected(const unsigned char *classes)
{
    return implies(HAS(TIES, UNSELECTED),
                   !HAS(K, ALL) && !HAS(K, ALL_BUT_ONE) && !(HAS(LENGTH, 3) && HAS(K, 2)));
}

static bool ties_inside(const unsigned char *classes)
{
    return implies(HAS(TIES, INSIDE), !HAS(K, 1));
}

static bool ties_boundary(const unsigned char *classes)
{
    return implies(HAS(TIES, BOUNDARY), !HAS(K, ALL));
}

static bool specials_type(const unsigned char *classes)
{
    return implies(!is_float(classes), HAS(SPECIALS, NONE) || HAS(SPECIALS, EXTREMES));
}

static bool zeros_tie(const unsigned char *classes)
{
    return implies(HAS(SPECIALS, ZEROS), !HAS(TIES, NONE));
}

static bool unordered_nan(const unsigned char *classes)
{
    return implies(HAS(TIES, UNORDERED), HAS(SPECIALS, NAN));
}

static bool nan_apart(const unsigned char *classes)
{
    return implies(HAS(SPECIALS, NAN) && !HAS(TIES, UNORDERED), !HAS(BATCH, NONE));
}

static bool broadcast_one(const unsigned char *classes)
{
    return implies(HAS(INPUT, BROADCAST) && HAS(BATCH, NONE),
                   HAS(TIES, ALL) || HAS(TIES, UNORDERED));
}

static bool broadcast_zeros(const unsigned char *classes)
{
    return implies(HAS(INPUT, BROADCAST) && HAS(BATCH, NONE), !HAS(SPECIALS, ZEROS));
}

static bool broadcast_nan(const unsigned char *classes)
{
    return implies(HAS(INPUT, BROADCAST) && HAS(BATCH, ONE) && HAS(SPECIALS, NAN),
                   HAS(TIES, ALL) || HAS(TIES, UNORDERED));
}

/* ---- the table ------------------------------------------------------------------------------- */

#define A(aspect) (1u << TOPK_ASPECT_##aspect)

const struct topk_rule topk_rules[] = {
    {A(OPERATOR) | A(DIRECTION), top_k_largest,
     "TOP_K has no direction, it selects the largest (S02)"},
    {A(OPERATOR) | A(LEVEL), top_k1_level, "TOP_K1 exists from feature level 2.1 (V14)"},
    {A(TYPE) | A(LEVEL), integer_level, "integers of 8 to 32 bits need feature level 2.1 (V09)"},
    {A(TYPE) | A(LEVEL), wide_type_level, "64-bit integers need feature level 5.0 (V09)"},
    {A(INDEX) | A(LEVEL), wide_index_level, "a UINT64 index needs feature level 5.0 (V07)"},
    {A(RANK) | A(LEVEL), rank_level, "below feature level 3.1 there are 4 dimensions (V08)"},
    {A(RANK) | A(AXIS), axis_only,
     "the axis is the only dimension in rank 1 and in no other (V01)"},
    {A(RANK) | A(AXIS), axis_middle, "two dimensions have none in the middle (V01)"},
    {A(LENGTH) | A(K), k_short,
     "K is at most the length (V03b), and of one that is short 1, n or 2"},
    {A(RANK) | A(BATCH), batch_rank,
     "sequences lie along dimensions other than the axis, and the rank has fewer (S01)"},
    {A(INPUT) | A(LENGTH) | A(BATCH), input_dimensions,
     "the input has too few dimensions of more than 1 for its strides to matter (T04)"},
    {A(VALUE_OUT) | A(K) | A(BATCH), value_dimensions,
     "the value output has too few dimensions of more than 1 for its strides to matter (T04)"},
    {A(INDEX_OUT) | A(K) | A(BATCH), index_dimensions,
     "the index output has too few dimensions of more than 1 for its strides to matter (T04)"},
    {A(INPUT) | A(LENGTH) | A(BATCH) | A(RANK), input_size_one,
     "the input has no dimension of size 1 (T06)"},
    {A(VALUE_OUT) | A(K) | A(BATCH) | A(RANK), value_size_one,
     "the value output has no dimension of size 1 (T06)"},
    {A(INDEX_OUT) | A(K) | A(BATCH) | A(RANK), index_size_one,
     "the index output has no dimension of size 1 (T06)"},
    {A(LENGTH) | A(TIES), ties_short, "one element ties with nothing, two tie only all (S08)"},
    {A(LENGTH) | A(K) | A(TIES), ties_unselected,
     "K leaves fewer than two elements unselected (S08)"},
    {A(K) | A(TIES), ties_inside, "one selected element ties with no other selected one (S08)"},
    {A(K) | A(TIES), ties_boundary, "K = n leaves no element across its boundary (S09)"},
    {A(TYPE) | A(LENGTH) | A(K) | A(TIES) | A(SPECIALS), topk_cover_room,
     "more elements than the type has values, so that some tie (S08)"},
    {A(TYPE) | A(SPECIALS), specials_type,
     "integers have no second zero, infinity, denormal or NaN (F01-F05)"},
    {A(TIES) | A(SPECIALS), zeros_tie, "+0 and -0 in one sequence tie (F01)"},
    {A(TIES) | A(SPECIALS), unordered_nan, "without a NaN a sequence is ordered (S12)"},
    {A(TIES) | A(SPECIALS) | A(BATCH), nan_apart, "one sequence has a NaN or has none (F02)"},
    {A(INPUT) | A(BATCH) | A(TIES), broadcast_one,
     "one sequence that broadcasts repeats one element (T05)"},
    {A(INPUT) | A(BATCH) | A(SPECIALS), broadcast_zeros,
     "one sequence that broadcasts repeats one element, of one sign (T05)"},
    {A(INPUT) | A(BATCH) | A(TIES) | A(SPECIALS), broadcast_nan,
     "sequences that broadcasts makes the same all have a NaN or none, others repeat one element "
     "(T05)"},
};
const unsigned topk_rule_count = sizeof topk_rules / sizeof topk_rules[0];

_Static_assert(sizeof topk_rules / sizeof topk_rules[0] <= 64, "a set of rules is a uint64_t");
_Static_assert(TOPK_ASPECT_COUNT <= 32, "a set of aspects is a uint32_t");

uint64_t topk_rules_all(void)
{
    return UINT64_MAX >> (64 - topk_rule_count);
}

uint64_t topk_rules_broken(const unsigned char classes[TOPK_ASPECT_COUNT], uint64_t rules)
{
    uint64_t broken = 0;
    for (unsigned i = 0; i < topk_rule_count; i++) {
        if ((rules >> i & 1) != 0 && !topk_rules[i].holds(classes)) {
            broken |= (uint64_t)1 << i;
        }
    }
    return broken;
}
