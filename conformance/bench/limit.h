/* The limits of any work on a number of bytes: reading them once, copying them, writing them. */
#ifndef TOPK_BENCH_LIMIT_H
#define TOPK_BENCH_LIMIT_H

#include <stdint.h>

/* The sum of bytes, in lanes that become vector code; what is left behind the last lane is not
 * read. from is aligned to 64. */
uint64_t topk_limit_sum(const unsigned char *from, uint64_t bytes);

/* The sum of count elements of `width` bytes, each `stride` elements behind the one before. */
uint64_t topk_limit_strided(const unsigned char *from, uint64_t count, uint32_t width,
                            uint32_t stride);

#endif
