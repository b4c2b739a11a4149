/* The limit of any work on a number of bytes: reading them once, here as sums. */
#ifndef TOPK_BENCH_LIMIT_H
#define TOPK_BENCH_LIMIT_H

#include <stdint.h>

/* Returns the sum of the bytes as 32-bit words, in lanes that compilers vectorise. Ignores a rest
 * that does not fill all lanes. from: aligned to 64 bytes. */
uint64_t topk_limit_sum(const unsigned char *from, uint64_t bytes);

/* Returns the sum of `count` elements of `width` bytes that are `stride` elements apart. Ignores a
 * rest of less than 4 elements. */
uint64_t topk_limit_strided(const unsigned char *from, uint64_t count, uint32_t width,
                            uint32_t stride);

#endif
