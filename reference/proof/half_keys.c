/* The keys for F06 compare like FLOAT32 values that C rounds to FLOAT16, to nearest and towards
 * zero: for all bit patterns except NaN. */
#include <math.h>

#include "element.h"
#include "prove.h"

static float value(uint32_t bits)
{
    float real;
    memcpy(&real, &bits, sizeof real);
    return real;
}

/* finite values stay finite, as in Direct3D's rules and with C's rounding towards zero */
static _Float16 rounded(float real, int mode)
{
    __CPROVER_rounding_mode = mode;
    const _Float16 half = (_Float16)real;
    __CPROVER_rounding_mode = 0;
    return half;
}

int main(void)
{
    const uint32_t a = nondet_u32();
    const uint32_t b = nondet_u32();
    const float x = value(a);
    const float y = value(b);
    ASSUME(x == x && y == y);
    const _Float16 near_x = rounded(x, 0);
    const _Float16 near_y = rounded(y, 0);
    PROVE((topk_element_key_half(a) < topk_element_key_half(b)) == (near_x < near_y));
    PROVE((topk_element_key_half(a) == topk_element_key_half(b)) == (near_x == near_y));
    const _Float16 cut_x = rounded(x, 3);
    const _Float16 cut_y = rounded(y, 3);
    PROVE((topk_element_key_half_truncated(a) < topk_element_key_half_truncated(b)) ==
          (cut_x < cut_y));
    PROVE((topk_element_key_half_truncated(a) == topk_element_key_half_truncated(b)) ==
          (cut_x == cut_y));
    REACHED(true);
}
