/* F02: for a sequence with NaN, topk_sequence_nan_holds() is true exactly if its outputs are
 * distinct elements, or a NaN for a NaN; topk_sequence_holds() additionally requires each order of
 * NaN, and S12 for the other elements. Of type T, otherwise as judge_exact.c. */
#include <math.h>

#include "sequence.h"

/* an order of the elements in which NaN is beyond the infinities */
static enum topk_order order;

static bool nan_is_greatest(const struct topk_sequence *s, BITS bits)
{
    switch (order) {
    case TOPK_ORDER_NAN_GREATEST:
        return true;
    case TOPK_ORDER_NAN_LEAST:
        return false;
    case TOPK_ORDER_NAN_FIRST:
        return !s->increasing;
    case TOPK_ORDER_NAN_LAST:
        return s->increasing;
    default:
        return bits >> (8 * sizeof bits - 1) == 0; /* by sign */
    }
}

static VIEW with_nan(const struct topk_sequence *s, BITS bits)
{
    const VALUE x = value_of(bits);
    return is_nan(x)               ? (nan_is_greatest(s, bits) ? INFINITY : -INFINITY)
           : x == (VALUE)INFINITY  ? 0x1p1000
           : x == -(VALUE)INFINITY ? -0x1p1000
                                   : x;
}

/* replaces the outputs by the elements that they name, which determine the order */
static void name_outputs(const struct topk_sequence *s)
{
    for (uint32_t j = 0; j < s->k; j++) {
        values[(N - s->k + j) * STEP] = input_at(s, index_at(s, j));
    }
}

static void prove(uint32_t n, uint32_t k)
{
    const struct topk_sequence s = any_sequence(n, k);
    const bool some = stated_has_nan(&s);
    const bool elements = stated_are_elements(&s, true);
    order = (enum topk_order)(TOPK_ORDER_NAN_GREATEST + nondet_u8());
    ASSUME(order >= TOPK_ORDER_NAN_GREATEST && order <= TOPK_ORDER_NAN_BY_SIGN);
    PROVE(topk_sequence_has_nan(&s) == some);
    PROVE(topk_sequence_nan_holds(&s) == elements);
    const bool holds = topk_sequence_holds(&s, order);
    if (elements) {
        name_outputs(&s);
        const bool right = stated_in_order(&s, with_nan) && stated_are_first(&s, with_nan);
        PROVE(holds == right);
        REACHED(right && some);
        REACHED(!right && some);
    } else {
        PROVE(!holds);
    }
}
