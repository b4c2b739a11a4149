/* PCG32. pcg_test.c holds it against the published vector. */
#include "pcg.h"

#define MULTIPLIER UINT64_C(6364136223846793005)

void topk_pcg_seed(struct topk_pcg *pcg, uint64_t seed, uint64_t stream)
{
    pcg->state = 0;
    pcg->increment = stream << 1 | 1;
    topk_pcg_next(pcg);
    pcg->state += seed;
    topk_pcg_next(pcg);
}

uint32_t topk_pcg_next(struct topk_pcg *pcg)
{
    uint64_t old = pcg->state;
    pcg->state = old * MULTIPLIER + pcg->increment;
    uint32_t xorshifted = (uint32_t)((old >> 18 ^ old) >> 27);
    uint32_t rotation = (uint32_t)(old >> 59);
    return xorshifted >> rotation | xorshifted << (-rotation & 31);
}

uint64_t topk_pcg_next64(struct topk_pcg *pcg)
{
    uint64_t high = topk_pcg_next(pcg);
    return high << 32 | topk_pcg_next(pcg);
}

uint32_t topk_pcg_below(struct topk_pcg *pcg, uint32_t bound)
{
    /* draws below 2^32 mod bound would make small results likelier */
    uint32_t threshold = -bound % bound;
    for (;;) {
        uint32_t draw = topk_pcg_next(pcg);
        if (draw >= threshold) {
            return draw % bound;
        }
    }
}

void topk_pcg_advance(struct topk_pcg *pcg, uint64_t delta)
{
    /* x -> a*x + c applied delta times, by squaring the map */
    uint64_t multiplier = MULTIPLIER;
    uint64_t increment = pcg->increment;
    uint64_t total_multiplier = 1;
    uint64_t total_increment = 0;
    while (delta != 0) {
        if (delta & 1) {
            total_multiplier *= multiplier;
            total_increment = total_increment * multiplier + increment;
        }
        increment *= multiplier + 1;
        multiplier *= multiplier;
        delta >>= 1;
    }
    pcg->state = total_multiplier * pcg->state + total_increment;
}
