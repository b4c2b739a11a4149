/* See buffers.h. */

#define _POSIX_C_SOURCE 200809L /* for uv.h */
#include "buffers.h"

#include <stdlib.h>
#include <string.h>
#include <uv.h>

#include "reference/element.h"
#include "reference/pcg.h"

/* Bytes drawn at random; the rest of a pool repeats them. */
#define DRAWN (UINT64_C(16) << 20)

uint64_t topk_bench_align(uint64_t bytes)
{
    return (bytes + TOPK_BENCH_ALIGNMENT - 1) / TOPK_BENCH_ALIGNMENT * TOPK_BENCH_ALIGNMENT;
}

void topk_pool_free(struct pool *pool)
{
    free(pool->allocated);
    *pool = (struct pool){0};
}

static uint64_t memory_of_machine(void)
{
    const uint64_t total = uv_get_total_memory();
    const uint64_t allowed = uv_get_constrained_memory(); /* 0: unknown */
    return allowed > 0 && allowed < total ? allowed : total;
}

bool topk_pool_part(struct pool *pool, uint64_t slice, uint64_t least)
{
    const uint64_t wanted = slice > least ? slice : least;
    if (wanted > pool->room) {
        topk_pool_free(pool);
        if (wanted > memory_of_machine() / 3 || wanted > SIZE_MAX - TOPK_BENCH_ALIGNMENT) {
            return false;
        }
        pool->allocated = malloc((size_t)wanted + TOPK_BENCH_ALIGNMENT);
        if (pool->allocated == NULL) {
            return false;
        }
        pool->bytes = (unsigned char *)pool->allocated + TOPK_BENCH_ALIGNMENT -
                      (uintptr_t)pool->allocated % TOPK_BENCH_ALIGNMENT;
        pool->room = wanted;
        memset(pool->bytes, 0, (size_t)wanted); /* so that timing includes no page faults */
    }
    pool->slice = slice;
    pool->count = pool->room / slice;
    return true;
}

/* Draws an element that all backends order alike: special floats become normal numbers. */
static uint64_t draw(struct topk_pcg *pcg, uint32_t type)
{
    const uint64_t bits = topk_pcg_next64(pcg);
    if (!topk_type_float(type)) {
        return bits;
    }
    const uint64_t exponent = type == TOPK_TYPE_F16 ? 0x7c00 : 0x7f800000;
    const uint64_t lowest = exponent & -exponent;
    if ((bits & exponent) == exponent) {
        return bits & ~lowest;
    }
    return (bits & exponent) == 0 ? bits | lowest : bits;
}

void topk_pool_fill(struct pool *pool, uint32_t type, uint64_t bytes)
{
    const uint32_t width = topk_type_bytes(type);
    const uint64_t drawn = bytes < DRAWN ? bytes : DRAWN;
    struct topk_pcg pcg;
    if (pool->type == type && pool->filled >= bytes) {
        return;
    }
    topk_pcg_seed(&pcg, 1, type);
    for (uint64_t at = 0; at + width <= drawn; at += width) {
        topk_element_store(pool->bytes + at, width, draw(&pcg, type));
    }
    for (uint64_t at = drawn; at < bytes;) {
        const uint64_t more = bytes - at < drawn ? bytes - at : drawn;
        memcpy(pool->bytes + at, pool->bytes, (size_t)more);
        at += more;
    }
    pool->type = type;
    pool->filled = bytes;
}

void topk_pool_repeat(struct pool *pool)
{
    for (uint64_t i = 1; i < pool->count; i++) {
        memcpy(topk_pool_at(pool, i), pool->bytes, (size_t)pool->slice);
    }
    pool->filled = pool->filled < pool->slice ? pool->filled : pool->slice;
}

unsigned char *topk_pool_at(const struct pool *pool, uint64_t number)
{
    return pool->bytes + number % pool->count * pool->slice;
}
