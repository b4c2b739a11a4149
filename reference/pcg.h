/* PCG32: the one source of random numbers, the same on every machine.
 * Source: M. E. O'Neill, "PCG: A Family of Simple Fast Space-Efficient Statistically Good
 * Algorithms for Random Number Generation", XSH-RR 64/32. */
#ifndef TOPK_PCG_H
#define TOPK_PCG_H

#include <stdint.h>

struct topk_pcg {
    uint64_t state;
    uint64_t increment; /* odd: the stream */
};

/* Starts stream number `stream` (its top bit is ignored) at `seed`. */
void topk_pcg_seed(struct topk_pcg *pcg, uint64_t seed, uint64_t stream);
/* 32 uniform bits. */
uint32_t topk_pcg_next(struct topk_pcg *pcg);
/* 64 uniform bits: two draws, the first on top. */
uint64_t topk_pcg_next64(struct topk_pcg *pcg);
/* Uniform in 0..bound-1 without bias; bound > 0. */
uint32_t topk_pcg_below(struct topk_pcg *pcg, uint32_t bound);
/* Moves by `delta` draws in O(log delta); 2^64 - n moves back by n. */
void topk_pcg_advance(struct topk_pcg *pcg, uint64_t delta);

#endif
