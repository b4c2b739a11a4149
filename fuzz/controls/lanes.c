/* A warp of 32 lanes with votes and shuffles. For K up to 32 a sorted queue lies across the lanes,
 * and each chunk that has something better is sorted and merged into it. A greater K is found bit
 * by bit with votes, compacted by the number of votes of lower lanes, and sorted by odd-even merges
 * of runs of 32. */
#include "control.h"

#include <stdlib.h>
#include <string.h>

#define LANES 32u
#define ALL   UINT32_MAX

struct warp {
    uint64_t key[LANES];
    uint32_t index[LANES];
};

static uint32_t votes_below(uint32_t votes, uint32_t lane)
{
    return (uint32_t)__builtin_popcount(votes & ((1u << lane) - 1));
}

/* Lane `lane` compares itself with lane ^ mask, and keeps the less of the two or the greater. */
static void shuffle(struct warp *warp, uint32_t mask, uint32_t block)
{
    struct warp old = *warp;
    for (uint32_t lane = 0; lane < LANES; lane++) {
        uint32_t other = lane ^ mask;
        bool less = old.key[other] < old.key[lane] ||
                    (old.key[other] == old.key[lane] && old.index[other] < old.index[lane]);
        bool keep_less = ((lane & block) == 0) == (lane < other);
        if (less == keep_less) {
            warp->key[lane] = old.key[other];
            warp->index[lane] = old.index[other];
        }
    }
}

static void sort_warp(struct warp *warp)
{
    for (uint32_t block = 2; block <= LANES; block *= 2) {
        for (uint32_t mask = block / 2; mask > 0; mask /= 2) {
            shuffle(warp, mask, block);
        }
    }
}

/* Loads 32 keys; lanes beyond the end are masked out, and hold sentinels. */
static uint32_t load(const uint64_t *keys, uint32_t n, uint32_t base, struct warp *warp)
{
    uint32_t active = n - base >= LANES ? ALL : (1u << (n - base)) - 1;
    for (uint32_t lane = 0; lane < LANES; lane++) {
        bool inside = (active >> lane & 1) != 0;
        warp->key[lane] = inside ? keys[base + lane] : UINT64_MAX;
        warp->index[lane] = inside ? base + lane : UINT32_MAX;
    }
    return active;
}

static void select_by_queue(const uint64_t *keys, uint32_t n, uint32_t k, uint32_t *order)
{
    struct warp queue;
    load(keys, n, 0, &queue);
    sort_warp(&queue);
    for (uint32_t base = LANES; base < n; base += LANES) {
        struct warp chunk;
        uint32_t active = load(keys, n, base, &chunk);
        uint32_t better = 0;
        for (uint32_t lane = 0; lane < LANES; lane++) {
            better |= (uint32_t)(chunk.key[lane] < queue.key[k - 1]) << lane;
        }
        if ((better & active) == 0) {
            continue;
        }
        sort_warp(&chunk);
        for (uint32_t lane = 0; lane < LANES; lane++) {
            uint32_t mirror = LANES - 1 - lane;
            if (chunk.key[mirror] < queue.key[lane]) {
                queue.key[lane] = chunk.key[mirror];
                queue.index[lane] = chunk.index[mirror];
            }
        }
        for (uint32_t mask = LANES / 2; mask > 0; mask /= 2) {
            shuffle(&queue, mask, LANES);
        }
    }
    memcpy(order, queue.index, k * sizeof *order);
}

/* The K-th key, decided from its highest bit down; ties: how many of its equals are wanted. */
static uint64_t vote(const uint64_t *keys, uint32_t n, uint32_t k, uint32_t bits, uint32_t *ties)
{
    uint64_t prefix = 0;
    for (uint32_t bit = bits; bit-- > 0;) {
        uint32_t zeros = 0;
        for (uint32_t base = 0; base < n; base += LANES) {
            uint32_t votes = 0;
            for (uint32_t lane = 0; lane < LANES && base + lane < n; lane++) {
                votes |= (uint32_t)(keys[base + lane] >> bit == prefix >> bit) << lane;
            }
            zeros += (uint32_t)__builtin_popcount(votes);
        }
        if (zeros < k) {
            k -= zeros;
            prefix |= (uint64_t)1 << bit;
        }
    }
    *ties = k;
    return prefix;
}

static void compact(const uint64_t *keys, uint32_t n, uint64_t threshold, uint32_t ties,
                    uint32_t *to)
{
    uint32_t taken = 0;
    uint32_t count = 0;
    for (uint32_t base = 0; base < n; base += LANES) {
        uint32_t less = 0;
        uint32_t equal = 0;
        for (uint32_t lane = 0; lane < LANES && base + lane < n; lane++) {
            less |= (uint32_t)(keys[base + lane] < threshold) << lane;
            equal |= (uint32_t)(keys[base + lane] == threshold) << lane;
        }
        uint32_t votes = less;
        for (uint32_t lane = 0; lane < LANES; lane++) {
            if ((equal >> lane & 1) != 0 && taken + votes_below(equal, lane) < ties) {
                votes |= 1u << lane;
            }
        }
        for (uint32_t lane = 0; lane < LANES; lane++) {
            if ((votes >> lane & 1) != 0) {
                to[count + votes_below(votes, lane)] = base + lane;
            }
        }
        taken += (uint32_t)__builtin_popcount(equal);
        count += (uint32_t)__builtin_popcount(votes);
    }
}

/* Merges two sorted runs that follow each other: each item's place is its own and the number of
 * others before it. */
static void merge(const uint64_t *keys, const uint32_t *from, uint32_t a, uint32_t b, uint32_t *to)
{
    for (uint32_t i = 0; i < a + b; i++) {
        const uint32_t *other = i < a ? from + a : from;
        uint32_t low = 0;
        uint32_t high = i < a ? b : a;
        while (low < high) {
            uint32_t middle = (low + high) / 2;
            uint64_t key = keys[other[middle]];
            if (key < keys[from[i]] || (key == keys[from[i]] && i >= a)) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        to[(i < a ? i : i - a) + low] = from[i];
    }
}

static void sort_selected(const uint64_t *keys, uint32_t *items, uint32_t count, uint32_t *other)
{
    for (uint32_t base = 0; base < count; base += LANES) {
        struct warp warp;
        for (uint32_t lane = 0; lane < LANES; lane++) {
            bool inside = base + lane < count;
            warp.key[lane] = inside ? keys[items[base + lane]] : UINT64_MAX;
            warp.index[lane] = inside ? items[base + lane] : UINT32_MAX;
        }
        sort_warp(&warp);
        for (uint32_t lane = 0; lane < LANES && base + lane < count; lane++) {
            items[base + lane] = warp.index[lane];
        }
    }
    for (uint32_t run = LANES; run < count; run *= 2) {
        for (uint32_t base = 0; base < count; base += 2 * run) {
            uint32_t a = count - base < run ? count - base : run;
            uint32_t b = count - base - a < run ? count - base - a : run;
            merge(keys, items + base, a, b, other + base);
        }
        memcpy(items, other, count * sizeof *items);
    }
}

bool control_select(const uint64_t *keys, uint32_t n, uint32_t k, uint32_t bits, uint32_t *order)
{
    if (k <= LANES) {
        select_by_queue(keys, n, k, order);
        return true;
    }
    uint32_t *other = malloc(k * sizeof *other);
    if (other == NULL) {
        return false;
    }
    uint32_t ties;
    uint64_t threshold = vote(keys, n, k, bits, &ties);
    compact(keys, n, threshold, ties, order);
    sort_selected(keys, order, k, other);
    free(other);
    return true;
}
