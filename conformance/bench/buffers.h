/* Memory that calls rotate through: slices of equal size, used one after another. */
#ifndef TOPK_BENCH_BUFFERS_H
#define TOPK_BENCH_BUFFERS_H

#include <stdbool.h>
#include <stdint.h>

struct pool {
    unsigned char *bytes; /* aligned to TOPK_BENCH_ALIGNMENT */
    void *allocated;      /* owned */
    uint64_t room;
    uint64_t slice; /* bytes of a slice, a multiple of the alignment */
    uint64_t count;
    uint32_t type;   /* of the elements that fill it from the start */
    uint64_t filled; /* bytes of these elements */
};

#define TOPK_BENCH_ALIGNMENT 64u

uint64_t topk_bench_align(uint64_t bytes);

/* Divides a pool of at least `least` bytes into slices, at least one. Allocates only if the pool is
 * too small; otherwise it keeps its contents. False if memory is short, or if the pool would need
 * more than a third of the memory available to this process. */
bool topk_pool_part(struct pool *pool, uint64_t slice, uint64_t least);

/* Fills at least the first `bytes` bytes with random elements of a type, without NaN and
 * denormals. */
void topk_pool_fill(struct pool *pool, uint32_t type, uint64_t bytes);

/* Copies the first slice to all others. */
void topk_pool_repeat(struct pool *pool);

/* Returns the slice of a call. */
unsigned char *topk_pool_at(const struct pool *pool, uint64_t number);

void topk_pool_free(struct pool *pool);

#endif
