/* Threads with private lists: each of 64 threads keeps the best 16 of every 64th element, and the
 * lists are merged in a tree. For K up to 512, tiles of 1024 are sorted and their first K go on to
 * the next stage, until one tile is left. A greater K has the whole row sorted as a heap. */
#include "control.h"

#include <stdlib.h>
#include <string.h>

#define THREADS 64u
#define PRIVATE 16u
#define TILE    1024u

struct list {
    uint32_t count;
    uint32_t items[PRIVATE];
};

static bool before(const uint64_t *keys, uint32_t a, uint32_t b)
{
    return keys[a] != keys[b] ? keys[a] < keys[b] : a < b;
}

static void offer(const uint64_t *keys, struct list *list, uint32_t k, uint32_t item)
{
    if (list->count == k) {
        if (!before(keys, item, list->items[k - 1])) {
            return;
        }
        list->count--;
    }
    uint32_t at = list->count++;
    for (; at > 0 && before(keys, item, list->items[at - 1]); at--) {
        list->items[at] = list->items[at - 1];
    }
    list->items[at] = item;
}

static void merge_lists(const uint64_t *keys, struct list *into, const struct list *from,
                        uint32_t k)
{
    struct list merged = {0};
    uint32_t a = 0;
    uint32_t b = 0;
    while (merged.count < k && (a < into->count || b < from->count)) {
        bool first =
            b == from->count || (a < into->count && before(keys, into->items[a], from->items[b]));
        merged.items[merged.count++] = first ? into->items[a++] : from->items[b++];
    }
    *into = merged;
}

static void select_by_threads(const uint64_t *keys, uint32_t n, uint32_t k, uint32_t *order)
{
    static struct list lists[THREADS];
    for (uint32_t thread = 0; thread < THREADS; thread++) {
        lists[thread].count = 0;
        for (uint32_t i = thread; i < n; i += THREADS) {
            offer(keys, &lists[thread], k, i);
        }
    }
    for (uint32_t distance = THREADS / 2; distance > 0; distance /= 2) {
        for (uint32_t thread = 0; thread < distance; thread++) {
            merge_lists(keys, &lists[thread], &lists[thread + distance], k);
        }
    }
    memcpy(order, lists[0].items, k * sizeof *order);
}

/* Sorts items, the worst to the top of a heap first. */
static void sift(const uint64_t *keys, uint32_t *items, uint32_t root, uint32_t count)
{
    for (uint32_t child; (child = 2 * root + 1) < count; root = child) {
        if (child + 1 < count && before(keys, items[child], items[child + 1])) {
            child++;
        }
        if (before(keys, items[child], items[root])) {
            return;
        }
        uint32_t kept = items[root];
        items[root] = items[child];
        items[child] = kept;
    }
}

static void sort(const uint64_t *keys, uint32_t *items, uint32_t count)
{
    for (uint32_t root = count / 2; root-- > 0;) {
        sift(keys, items, root, count);
    }
    for (uint32_t last = count; last-- > 1;) {
        uint32_t kept = items[0];
        items[0] = items[last];
        items[last] = kept;
        sift(keys, items, 0, last);
    }
}

/* Sorts each tile and keeps its first k. Returns how many are left. */
static uint32_t reduce(const uint64_t *keys, uint32_t *items, uint32_t count, uint32_t k)
{
    uint32_t left = 0;
    for (uint32_t base = 0; base < count; base += TILE) {
        uint32_t size = count - base < TILE ? count - base : TILE;
        uint32_t kept = size < k ? size : k;
        sort(keys, items + base, size);
        memmove(items + left, items + base, kept * sizeof *items);
        left += kept;
    }
    return left;
}

bool control_select(const uint64_t *keys, uint32_t n, uint32_t k, uint32_t bits, uint32_t *order)
{
    (void)bits;
    if (k <= PRIVATE) {
        select_by_threads(keys, n, k, order);
        return true;
    }
    uint32_t *items = malloc(n * sizeof *items);
    if (items == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < n; i++) {
        items[i] = i;
    }
    if (k <= TILE / 2) {
        uint32_t count = n;
        while (count > TILE) {
            count = reduce(keys, items, count, k);
        }
        reduce(keys, items, count, k);
    } else {
        sort(keys, items, n);
    }
    memcpy(order, items, k * sizeof *order);
    free(items);
    return true;
}
