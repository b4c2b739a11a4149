/* F04: topk_sequence_holds() under TOPK_ORDER_DENORMAL_ZERO agrees with S12 if FLOAT32 denormals
 * are zeros. Without NaN; otherwise as judge_exact.c. */
#include "sequence.h"

static VIEW flushed(const struct topk_sequence *s, BITS bits)
{
    (void)s;
    const VALUE x = value_of(bits);
    return x > -0x1p-126f && x < 0x1p-126f ? 0 : x;
}

static void prove(uint32_t n, uint32_t k)
{
    const struct topk_sequence s = any_sequence(n, k);
    ASSUME(!stated_has_nan(&s));
    const bool holds = topk_sequence_holds(&s, TOPK_ORDER_DENORMAL_ZERO);
    const bool right = stated_right(&s, flushed);
    PROVE(holds == right);
    REACHED(right && !stated_right(&s, as_it_is));
    REACHED(!right && stated_right(&s, as_it_is));
}
