/* Radix select: histograms of 8-bit digits from the highest down narrow the K-th key to one value.
 * What is less is gathered with as many of its equals as are wanted, and sorted by a stable radix
 * sort from the lowest digit up. */
#include "control.h"

#include <stdlib.h>
#include <string.h>

#define DIGIT 8u
#define BINS  256u

static uint32_t digit_of(uint64_t key, uint32_t shift)
{
    return (uint32_t)(key >> shift) & (BINS - 1);
}

/* Finds the K-th least key. ties: how many of its equals are among the K. */
static uint64_t find_threshold(const uint64_t *keys, uint32_t n, uint32_t k, uint32_t bits,
                               uint32_t *ties)
{
    uint64_t prefix = 0;
    uint64_t known = 0; /* the bits of prefix that are decided */
    uint32_t left = k;
    for (uint32_t shift = bits; shift > 0;) {
        uint32_t histogram[BINS] = {0};
        shift -= DIGIT;
        for (uint32_t i = 0; i < n; i++) {
            if ((keys[i] & known) == prefix) {
                histogram[digit_of(keys[i], shift)]++;
            }
        }
        uint32_t bin = 0;
        while (histogram[bin] < left) {
            left -= histogram[bin++];
        }
        prefix |= (uint64_t)bin << shift;
        known |= (uint64_t)(BINS - 1) << shift;
        if (histogram[bin] == left && shift > 0) {
            /* all of this bin are wanted: the rest of the digits does not matter */
            *ties = UINT32_MAX;
            return prefix | (((uint64_t)1 << shift) - 1);
        }
    }
    *ties = left;
    return prefix;
}

static uint32_t gather(const uint64_t *keys, uint32_t n, uint64_t threshold, uint32_t ties,
                       uint32_t *to)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (keys[i] < threshold || (keys[i] == threshold && ties > 0)) {
            ties -= keys[i] == threshold;
            to[count++] = i;
        }
    }
    return count;
}

static void sort_by_digit(const uint64_t *keys, const uint32_t *from, uint32_t *to, uint32_t count,
                          uint32_t shift)
{
    uint32_t starts[BINS + 1] = {0};
    for (uint32_t i = 0; i < count; i++) {
        starts[digit_of(keys[from[i]], shift) + 1]++;
    }
    for (uint32_t bin = 1; bin <= BINS; bin++) {
        starts[bin] += starts[bin - 1];
    }
    for (uint32_t i = 0; i < count; i++) {
        to[starts[digit_of(keys[from[i]], shift)]++] = from[i];
    }
}

bool control_select(const uint64_t *keys, uint32_t n, uint32_t k, uint32_t bits, uint32_t *order)
{
    uint32_t *other = malloc(k * sizeof *other);
    if (other == NULL) {
        return false;
    }
    uint32_t ties;
    uint64_t threshold = find_threshold(keys, n, k, bits, &ties);
    gather(keys, n, threshold, ties, order);
    for (uint32_t shift = 0; shift < bits; shift += DIGIT) {
        uint64_t varies = 0;
        for (uint32_t j = 1; j < k; j++) {
            varies |= keys[order[j]] ^ keys[order[0]];
        }
        if (digit_of(varies, shift) != 0) {
            sort_by_digit(keys, order, other, k, shift);
            memcpy(order, other, k * sizeof *order);
        }
    }
    free(other);
    return true;
}
