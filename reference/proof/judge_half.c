/* F06: topk_sequence_holds() under TOPK_ORDER_HALF agrees with S12 for FLOAT32 values that C rounds
 * to FLOAT16, and under TOPK_ORDER_HALF_TRUNCATED for those that C rounds towards zero. Without
 * NaN; otherwise as judge_exact.c. */
#include "sequence.h"

/* CBMC's numbers of rounding modes */
#define TO_NEAREST  0
#define TOWARD_ZERO 3

static VIEW rounded(const struct topk_sequence *s, BITS bits)
{
    (void)s;
    return (VIEW)value_of(bits);
}

static void prove(uint32_t n, uint32_t k)
{
    const struct topk_sequence s = any_sequence(n, k);
    ASSUME(!stated_has_nan(&s));
    const bool nearest = nondet_bool();
    const bool holds =
        topk_sequence_holds(&s, nearest ? TOPK_ORDER_HALF : TOPK_ORDER_HALF_TRUNCATED);
    __CPROVER_rounding_mode = nearest ? TO_NEAREST : TOWARD_ZERO;
    const bool right = stated_right(&s, rounded);
    PROVE(holds == right);
    REACHED(right && nearest);
    REACHED(right && !nearest);
    REACHED(!right);
}
