/* PCG32. pcg_test.c compares it with the published vector. */
#include "pcg.h"

void topk_pcg_seed(struct topk_pcg *pcg, uint64_t seed, uint64_t stream)
{
    pcg->state = 0;
    pcg->increment = stream << 1 | 1;
    topk_pcg_next(pcg);
    pcg->state += seed;
    topk_pcg_next(pcg);
}

void topk_pcg_advance(struct topk_pcg *pcg, uint64_t delta)
{
    /* applies x -> a*x + c delta times, by squaring the map */
    uint64_t multiplier = TOPK_PCG_MULTIPLIER;
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
