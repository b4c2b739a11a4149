/* Memory that calls rotate through: slices of equal size, used one after the other. */
#ifndef TOPK_BENCH_BUFFERS_H
#define TOPK_BENCH_BUFFERS_H

#include <stdbool.h>
#include <stdint.h>

struct pool {
    unsigned char *bytes; /* aligned to TOPK_BENCH_ALIGNMENT */
    void *allocated;      /* owned */
    uint64_t room;
    uint64_t slice; /* bytes of one, a multiple of the alignment */
    uint64_t count;
    uint32_t type;   /* of the elements that it is filled with, from its start on */
    uint64_t filled; /* bytes of them */
};

#define TOPK_BENCH_ALIGNMENT 64u

uint64_t topk_bench_align(uint64_t bytes);

/* Parts a pool of at least `least` bytes into slices, one at least. False if memory is short, or
 * the pool would have more than a third of what the machine lets this process have. What the pool
 * holds is kept if it has room already. */
bool topk_pool_part(struct pool *pool, uint64_t slice, uint64_t least);

/* Fills at least the first bytes with elements of a type, drawn at random: no NaN, no denormal. */
void topk_pool_fill(struct pool *pool, uint32_t type, uint64_t bytes);

/* Has all slices hold what the first one does. */
void topk_pool_repeat(struct pool *pool);

/* The slice of a call. */
unsigned char *topk_pool_at(const struct pool *pool, uint64_t number);

void topk_pool_free(struct pool *pool);

#endif
