/* The simplest kernel, and the one of the mutants of rows.c, checks.c and rules.c: a list that
 * keeps the k best so far, into which each element is inserted. Long lists are kept as a heap,
 * whose root is the worst, and sorted at the end. */
#include "control.h"

#define SHORT 24u

static bool before(const uint64_t *keys, uint32_t a, uint32_t b)
{
    return keys[a] < keys[b] || (keys[a] == keys[b] && a < b);
}

static void insert(const uint64_t *keys, uint32_t *order, uint32_t count, uint32_t k, uint32_t i)
{
    uint32_t at = count < k ? count : k - 1;
    while (at > 0 && before(keys, i, order[at - 1])) {
        order[at] = order[at - 1];
        at--;
    }
    order[at] = i;
}

static void sift(const uint64_t *keys, uint32_t *heap, uint32_t count, uint32_t at)
{
    uint32_t moved = heap[at];
    while (2 * at + 1 < count) {
        uint32_t child = 2 * at + 1;
        if (child + 1 < count && before(keys, heap[child], heap[child + 1])) {
            child++;
        }
        if (!before(keys, moved, heap[child])) {
            break;
        }
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = moved;
}

static void select_by_heap(const uint64_t *keys, uint32_t n, uint32_t k, uint32_t *heap)
{
    for (uint32_t i = 0; i < k; i++) {
        heap[i] = i;
    }
    for (uint32_t i = k / 2; i-- > 0;) {
        sift(keys, heap, k, i);
    }
    for (uint32_t i = k; i < n; i++) {
        if (keys[i] < keys[heap[0]]) {
            heap[0] = i;
            sift(keys, heap, k, 0);
        }
    }
    for (uint32_t count = k; count-- > 1;) {
        uint32_t worst = heap[0];
        heap[0] = heap[count];
        heap[count] = worst;
        sift(keys, heap, count, 0);
    }
}

bool control_select(const uint64_t *keys, uint32_t n, uint32_t k, uint32_t bits, uint32_t *order)
{
    (void)bits;
    if (k > SHORT) {
        select_by_heap(keys, n, k, order);
        return true;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (i < k || keys[i] < keys[order[k - 1]]) {
            insert(keys, order, i < k ? i : k, k, i);
        }
    }
    return true;
}
