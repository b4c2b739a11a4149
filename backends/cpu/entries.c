/* Sorts entries: a few by insertion, more by radix sort from the lowest digit. */
#include "entries.h"

#include <stdbool.h>

#define FEW        32u
#define MAX_DIGITS 2u
#define MAX_VALUES (1u << 10)

/* The width of one of two digits, such that with a usual distribution few elements have both in
 * common. */
static uint32_t digit_bits_for(size_t count)
{
    return count <= 256 ? 8 : count <= 2048 ? 9 : 10;
}

struct topk_cpu_scale topk_cpu_scale_of(uint64_t range, size_t count)
{
    const uint32_t most = count <= FEW ? 32 : MAX_DIGITS * digit_bits_for(count);
    uint32_t bits = 0;
    while (bits < 64 && range >> bits != 0) {
        bits++;
    }
    return bits <= most ? (struct topk_cpu_scale){bits, 0}
                        : (struct topk_cpu_scale){most, bits - most};
}

static void sort_few(uint64_t *entries, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const uint64_t entry = entries[i];
        size_t at = i;
        for (; at > 0 && entries[at - 1] > entry; at--) {
            entries[at] = entries[at - 1];
        }
        entries[at] = entry;
    }
}

struct digit {
    uint32_t shift;
    uint32_t mask;
};

static inline uint32_t digit_of(uint64_t entry, struct digit digit)
{
    return (uint32_t)(entry >> digit.shift) & digit.mask;
}

/* Turns counts of a digit's values into the starts of their runs. Returns false if all entries have
 * the same value, so that nothing must be moved. */
static bool counts_to_starts(uint32_t *counts, uint32_t values, size_t total)
{
    uint32_t start = 0;
    for (uint32_t i = 0; i < values; i++) {
        const uint32_t count = counts[i];
        if (count == total) {
            return false;
        }
        counts[i] = start;
        start += count;
    }
    return true;
}

uint64_t *topk_cpu_entries_sort(uint64_t *entries, uint64_t *spare, size_t count, uint32_t bits)
{
    if (bits == 0 || count < 2) {
        return entries;
    }
    if (count <= FEW) {
        sort_few(entries, count);
        return entries;
    }
    uint32_t counts[MAX_DIGITS][MAX_VALUES] = {{0}};
    const uint32_t most = digit_bits_for(count);
    const uint32_t digits = (bits + most - 1) / most;
    const uint32_t digit_bits = (bits + digits - 1) / digits;
    struct digit parts[MAX_DIGITS];
    for (uint32_t i = 0; i < digits; i++) {
        parts[i] = (struct digit){32 + i * digit_bits, (1u << digit_bits) - 1};
    }
    for (size_t i = 0; i < count; i++) {
        for (uint32_t d = 0; d < digits; d++) {
            counts[d][digit_of(entries[i], parts[d])]++;
        }
    }
    uint64_t *from = entries;
    uint64_t *to = spare;
    for (uint32_t d = 0; d < digits; d++) {
        uint32_t *starts = counts[d];
        if (!counts_to_starts(starts, parts[d].mask + 1, count)) {
            continue;
        }
        for (size_t i = 0; i < count; i++) {
            to[starts[digit_of(from[i], parts[d])]++] = from[i];
        }
        uint64_t *swap = from;
        from = to;
        to = swap;
    }
    return from;
}
