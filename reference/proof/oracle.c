/* The oracle gives the outputs of S12: topk_oracle_sequence() for a sequence of at most N elements
 * of type T, for all bit patterns, every K, both directions; and it reports NaN. */
#include "oracle.h"
#include "sequence.h"

#include <stdlib.h>

/* The functions of the C library that the oracle uses. */
void qsort(void *base, size_t count, size_t size, int (*compare)(const void *, const void *))
{
    unsigned char *const at = base;
    unsigned char taken[128];
    PROVE(size <= sizeof taken);
    for (size_t i = 1; i < count; i++) {
        for (size_t j = i; j > 0 && compare(at + (j - 1) * size, at + j * size) > 0; j--) {
            memcpy(taken, at + j * size, size);
            memcpy(at + j * size, at + (j - 1) * size, size);
            memcpy(at + (j - 1) * size, taken, size);
        }
    }
}

/* for results that are neither denormal nor infinite: adds to the exponent */
double ldexp(double number, int exponent)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    const int64_t now = (int64_t)(bits >> 52 & 0x7ff);
    if (number == 0) {
        return number;
    }
    PROVE(now > 0 && now < 0x7ff && now + exponent > 0 && now + exponent < 0x7ff);
    bits += (uint64_t)(int64_t)exponent << 52;
    memcpy(&number, &bits, sizeof number);
    return number;
}

static void prove(uint32_t n, uint32_t k)
{
    const struct topk_sequence s = any_sequence(n, k);
    const struct topk_operator op = {
        .kind = TOPK_TOP_K1,
        .k = k,
        .direction = s.increasing ? TOPK_INCREASING : TOPK_DECREASING,
        .tensors = {{.present = true, .type = TYPE, .rank = 1, .sizes = {n}}}};
    uint64_t value[N];
    uint64_t index[N];
    const enum topk_oracle_status status = topk_oracle_sequence(&op, s.input, 0, value, index);
    if (status == TOPK_ORACLE_NO_MEMORY) {
        return;
    }
    PROVE(status == (stated_has_nan(&s) ? TOPK_ORACLE_NAN : TOPK_ORACLE_UNIQUE));
    for (uint32_t j = 0; j < k; j++) {
        PROVE(index[j] < n);
        values[N - k + j] = (BITS)value[j];
        indices[N - k + j] = (index_type)index[j];
    }
    PROVE(status == TOPK_ORACLE_NAN ? stated_are_elements(&s, false) : stated_right(&s, as_it_is));
    REACHED(status == TOPK_ORACLE_UNIQUE);
}
