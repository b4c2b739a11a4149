/* A filter with a threshold: what beats the K-th best so far goes into a buffer of 128; a full
 * buffer is sorted and merged with the list of the best. Where the list would be too long, the row
 * is sorted by merging instead. */
#include "control.h"

#include <stdlib.h>
#include <string.h>

#define CAPACITY 128u
#define LONGEST  256u
#define RUN      8u

struct filter {
    const uint64_t *keys;
    uint32_t k;
    uint32_t listed;
    uint32_t buffered;
    uint64_t threshold; /* the key of the last of a full list */
    uint32_t list[LONGEST];
    uint32_t buffer[CAPACITY];
};

/* Stable, so that indices that stand in order stay so where keys are equal. */
static void sort_run(const uint64_t *keys, uint32_t *items, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        uint32_t moved = items[i];
        uint32_t at = i;
        while (at > 0 && keys[items[at - 1]] > keys[moved]) {
            items[at] = items[at - 1];
            at--;
        }
        items[at] = moved;
    }
}

/* Merges two runs, the second of which has the higher indices, until `most` are written. */
static uint32_t merge(const uint64_t *keys, const uint32_t *a, uint32_t a_count, const uint32_t *b,
                      uint32_t b_count, uint32_t *to, uint32_t most)
{
    uint32_t i = 0;
    uint32_t j = 0;
    while (i + j < most && i + j < a_count + b_count) {
        bool first = j == b_count || (i < a_count && keys[a[i]] <= keys[b[j]]);
        to[i + j] = first ? a[i] : b[j];
        i += first;
        j += !first;
    }
    return i + j;
}

static void flush(struct filter *filter)
{
    uint32_t merged[LONGEST];
    sort_run(filter->keys, filter->buffer, filter->buffered);
    filter->listed = merge(filter->keys, filter->list, filter->listed, filter->buffer,
                           filter->buffered, merged, filter->k);
    memcpy(filter->list, merged, filter->listed * sizeof *merged);
    filter->buffered = 0;
    if (filter->listed == filter->k) {
        /* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.ArraySubscript): K were merged */
        filter->threshold = filter->keys[merged[filter->k - 1]];
    }
}

static void select_by_filter(const uint64_t *keys, uint32_t n, uint32_t k, uint32_t *order)
{
    struct filter filter = {.keys = keys, .k = k};
    for (uint32_t i = 0; i < n; i++) {
        if (filter.listed == k && keys[i] >= filter.threshold) {
            continue;
        }
        filter.buffer[filter.buffered++] = i;
        if (filter.buffered == CAPACITY) {
            flush(&filter);
        }
    }
    flush(&filter);
    memcpy(order, filter.list, k * sizeof *order);
}

static bool select_by_merging(const uint64_t *keys, uint32_t n, uint32_t k, uint32_t *order)
{
    uint32_t *from = malloc(2 * (size_t)n * sizeof *from);
    if (from == NULL) {
        return false;
    }
    uint32_t *const memory = from;
    uint32_t *to = from + n;
    for (uint32_t base = 0; base < n; base += RUN) {
        uint32_t end = n - base < RUN ? n : base + RUN;
        for (uint32_t i = base; i < end; i++) {
            from[i] = i;
        }
        sort_run(keys, from + base, end - base);
    }
    for (uint32_t run = RUN; run < n; run *= 2) {
        for (uint32_t base = 0; base < n; base += 2 * run) {
            uint32_t a = n - base < run ? n - base : run;
            uint32_t b = n - base - a < run ? n - base - a : run;
            merge(keys, from + base, a, from + base + a, b, to + base, a + b);
        }
        uint32_t *kept = from;
        from = to;
        to = kept;
    }
    memcpy(order, from, k * sizeof *order);
    free(memory);
    return true;
}

bool control_select(const uint64_t *keys, uint32_t n, uint32_t k, uint32_t bits, uint32_t *order)
{
    (void)bits;
    if (k > LONGEST) {
        return select_by_merging(keys, n, k, order);
    }
    select_by_filter(keys, n, k, order);
    return true;
}
