/* The judge's fast path, for type T: topk_sequence_holds() is true for a sequence of at most N
 * elements exactly if the outputs are those of S12. For all bit patterns of elements, outputs and
 * indices of INDEX bytes, every K, both directions, elements that are STEP elements apart. */
#include "judge.h"
#include "sequence.h"

static void prove(uint32_t n, uint32_t k)
{
    const struct topk_sequence s = any_sequence(n, k);
    const bool holds = topk_sequence_holds(&s, TOPK_ORDER_EXACT);
    /* F02 leaves the order of NaN open: not for this path */
    const bool right = !stated_has_nan(&s) && stated_right(&s, as_it_is);
    PROVE(holds == right);
    REACHED(right);
    REACHED(!right);
}
