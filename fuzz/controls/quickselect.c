/* Quickselect of pairs, with the median of three as pivot and a limit of rounds, then a sort of the
 * K: by insertion if they are few, else by Shell's method. */
#include "control.h"

#include <stdlib.h>

#define FEW    16u
#define ROUNDS 48u

struct pair {
    uint64_t key;
    uint32_t index;
};

static bool less(const struct pair *a, const struct pair *b)
{
    /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): all pairs are written */
    if (a->key == b->key) {
        return a->index < b->index;
    }
    return a->key < b->key;
}

static void swap(struct pair *a, struct pair *b)
{
    struct pair kept = *a;
    *a = *b;
    *b = kept;
}

static void sort(struct pair *pairs, uint32_t count)
{
    uint32_t gap = 1;
    while (count > FEW && gap < count / 3) {
        gap = 3 * gap + 1;
    }
    for (; gap > 0; gap /= 3) {
        for (uint32_t i = gap; i < count; i++) {
            struct pair moved = pairs[i];
            uint32_t at = i;
            for (; at >= gap && less(&moved, &pairs[at - gap]); at -= gap) {
                pairs[at] = pairs[at - gap];
            }
            pairs[at] = moved;
        }
    }
}

/* Puts the median of first, middle and last at the end, and what is less than it before it. Returns
 * its place. */
static uint32_t partition(struct pair *pairs, uint32_t low, uint32_t high)
{
    uint32_t middle = low + (high - low) / 2;
    if (less(&pairs[middle], &pairs[low])) {
        swap(&pairs[middle], &pairs[low]);
    }
    if (less(&pairs[high], &pairs[low])) {
        swap(&pairs[high], &pairs[low]);
    }
    if (less(&pairs[middle], &pairs[high])) {
        swap(&pairs[middle], &pairs[high]);
    }
    uint32_t place = low;
    for (uint32_t i = low; i < high; i++) {
        if (less(&pairs[i], &pairs[high])) {
            swap(&pairs[i], &pairs[place++]);
        }
    }
    swap(&pairs[place], &pairs[high]);
    return place;
}

bool control_select(const uint64_t *keys, uint32_t n, uint32_t k, uint32_t bits, uint32_t *order)
{
    (void)bits;
    struct pair *pairs = malloc(n * sizeof *pairs);
    if (pairs == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < n; i++) {
        pairs[i] = (struct pair){keys[i], i};
    }
    uint32_t low = 0;
    uint32_t high = n - 1;
    uint32_t rounds = 0;
    while (low < high && rounds++ < ROUNDS) {
        uint32_t place = partition(pairs, low, high);
        if (place + 1 == k || place == k) {
            break;
        }
        if (place < k) {
            low = place + 1;
        } else {
            high = place - 1;
        }
    }
    sort(pairs, rounds <= ROUNDS ? k : n);
    for (uint32_t j = 0; j < k; j++) {
        order[j] = pairs[j].index;
    }
    free(pairs);
    return true;
}
