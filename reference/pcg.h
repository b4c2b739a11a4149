/* PCG32: the only source of random numbers, the same on every machine. Source: M. E. O'Neill, "PCG:
 * A Family of Simple Fast Space-Efficient Statistically Good Algorithms for Random Number
 * Generation", XSH-RR 64/32. */
#ifndef TOPK_PCG_H
#define TOPK_PCG_H

#include <stdint.h>

struct topk_pcg {
    uint64_t state;
    uint64_t increment; /* odd; selects the stream */
};

/* Starts stream `stream` (its top bit is ignored) at `seed`. */
void topk_pcg_seed(struct topk_pcg *pcg, uint64_t seed, uint64_t stream);
/* Skips `delta` draws in O(log delta); 2^64 - n goes back by n. */
void topk_pcg_advance(struct topk_pcg *pcg, uint64_t delta);
/* Writes `count` draws to `to`, each after `skipped` draws that are not used: the same as one by
 * one, and faster for many. With skipped = 1 these are the low halves of topk_pcg_next64(). */
void topk_pcg_fill(struct topk_pcg *pcg, uint32_t *to, uint32_t count, uint32_t skipped);

#define TOPK_PCG_MULTIPLIER UINT64_C(6364136223846793005)

/* The draw of a state. */
static inline uint32_t topk_pcg_output(uint64_t state)
{
    uint32_t xorshifted = (uint32_t)((state >> 18 ^ state) >> 27);
    uint32_t rotation = (uint32_t)(state >> 59);
    return xorshifted >> rotation | xorshifted << (-rotation & 31);
}

/* 32 uniform bits. Inline, because the data of a case draws one or more for each element. */
static inline uint32_t topk_pcg_next(struct topk_pcg *pcg)
{
    uint64_t old = pcg->state;
    pcg->state = old * TOPK_PCG_MULTIPLIER + pcg->increment;
    return topk_pcg_output(old);
}

/* 64 uniform bits: two draws, the first as the high half. */
static inline uint64_t topk_pcg_next64(struct topk_pcg *pcg)
{
    uint64_t high = topk_pcg_next(pcg);
    return high << 32 | topk_pcg_next(pcg);
}

/* A uniform number from 0 to bound-1, without bias; 0 if bound is 0. */
static inline uint32_t topk_pcg_below(struct topk_pcg *pcg, uint32_t bound)
{
    while (bound > 0) {
        uint32_t draw = topk_pcg_next(pcg);
        /* draws below 2^32 mod bound would bias small results; that number is less than bound, so
         * that the division is rarely needed */
        if (draw >= bound || draw >= -bound % bound) {
            return draw % bound;
        }
    }
    return 0;
}

#endif
