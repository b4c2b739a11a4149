/* Bitonic sort, as compute shaders do it: a row is padded with sentinels to a power of two. What
 * fits into a tile is sorted in shared memory; longer rows take steps across tiles in memory, and
 * the rest of each step tile by tile. */
#include "control.h"

#include <stdlib.h>
#include <string.h>

#define TILE 1024u

struct entry {
    uint64_t key;
    uint32_t index;
};

static struct entry shared[TILE];

static void exchange(struct entry *low, struct entry *high, bool ascending)
{
    bool wrong = low->key > high->key || (low->key == high->key && low->index > high->index);
    if (wrong == ascending) {
        struct entry kept = *low;
        *low = *high;
        *high = kept;
    }
}

/* One step of `count` entries, the first of which is number `base` of the row. */
static void step(struct entry *entries, uint32_t base, uint32_t count, uint32_t block,
                 uint32_t distance)
{
    for (uint32_t thread = 0; thread < count / 2; thread++) {
        uint32_t low = 2 * thread - (thread & (distance - 1));
        exchange(&entries[low], &entries[low + distance], ((base + low) & block) == 0);
    }
}

static void sort_tile(struct entry *entries, uint32_t base, uint32_t count)
{
    memcpy(shared, entries + base, count * sizeof *entries);
    for (uint32_t block = 2; block <= count; block *= 2) {
        for (uint32_t distance = block / 2; distance > 0; distance /= 2) {
            step(shared, base, count, block, distance);
        }
    }
    memcpy(entries + base, shared, count * sizeof *entries);
}

static void merge_tile(struct entry *entries, uint32_t base, uint32_t block)
{
    memcpy(shared, entries + base, TILE * sizeof *entries);
    for (uint32_t distance = TILE / 2; distance > 0; distance /= 2) {
        step(shared, base, TILE, block, distance);
    }
    memcpy(entries + base, shared, TILE * sizeof *entries);
}

static void sort_padded(struct entry *entries, uint32_t size)
{
    uint32_t tile = size < TILE ? size : TILE;
    for (uint32_t base = 0; base < size; base += tile) {
        sort_tile(entries, base, tile);
    }
    for (uint32_t block = 2 * tile; block <= size; block *= 2) {
        for (uint32_t distance = block / 2; distance >= tile; distance /= 2) {
            step(entries, 0, size, block, distance);
        }
        for (uint32_t base = 0; base < size; base += tile) {
            merge_tile(entries, base, block);
        }
    }
}

bool control_select(const uint64_t *keys, uint32_t n, uint32_t k, uint32_t bits, uint32_t *order)
{
    (void)bits;
    uint32_t size = 1;
    while (size < n) {
        size *= 2;
    }
    struct entry *entries = malloc(size * sizeof *entries);
    if (entries == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < size; i++) {
        entries[i].key = i < n ? keys[i] : UINT64_MAX;
        entries[i].index = i < n ? i : UINT32_MAX;
    }
    sort_padded(entries, size);
    for (uint32_t j = 0; j < k; j++) {
        order[j] = entries[j].index;
    }
    free(entries);
    return true;
}
