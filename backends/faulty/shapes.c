/* The ways in which kernels select. Each is correct, and the basis of some faults. */
#include "faulty.h"

#include <string.h>

/* ---- heap ------------------------------------------------------------------------------------ */

static void sift(struct entry *heap, uint32_t count, uint32_t at, faulty_order *before)
{
    for (uint64_t child; (child = 2 * (uint64_t)at + 1) < count; at = (uint32_t)child) {
        if (child + 1 < count && before(&heap[child], &heap[child + 1])) {
            child++;
        }
        if (!before(&heap[at], &heap[child])) {
            return;
        }
        faulty_swap(&heap[at], &heap[child]);
    }
}

void faulty_heap(struct row *row, faulty_order *before)
{
    struct entry *heap = row->entries;
    for (uint32_t i = row->k / 2; i-- > 0;) {
        sift(heap, row->k, i, before);
    }
    for (uint32_t i = row->k; i < row->length; i++) {
        if (before(&row->entries[i], &heap[0])) {
            heap[0] = row->entries[i];
            sift(heap, row->k, 0, before);
        }
    }
    for (uint32_t last = row->k; last-- > 1;) {
        faulty_swap(&heap[0], &heap[last]);
        sift(heap, last, 0, before);
    }
}

void faulty_heap_by_value(struct row *row)
{
    faulty_heap(row, faulty_before_key);
}

static void by_heap(struct row *row)
{
    faulty_heap(row, faulty_before);
}

/* ---- bitonic network ------------------------------------------------------------------------- */

const struct entry faulty_pad = {.key = UINT64_MAX};

void faulty_exchange_right(struct entry *a, struct entry *b)
{
    if (faulty_before(b, a)) {
        faulty_swap(a, b);
    }
}

/* exchanges `step` entries with those that are `step` further on */
static void exchange_all(struct entry *entries, uint64_t step, bool up, faulty_exchange *exchange)
{
    struct entry *first = up ? entries : entries + step;
    struct entry *second = up ? entries + step : entries;
    for (uint64_t i = 0; i < step; i++) {
        if (exchange == faulty_exchange_right) { /* most of them: without a call */
            faulty_exchange_right(&first[i], &second[i]);
        } else {
            exchange(&first[i], &second[i]);
        }
    }
}

void faulty_network(struct row *row, const struct entry *pad, faulty_exchange *exchange)
{
    struct entry *all = row->scratch;
    memcpy(all, row->entries, row->length * sizeof *all);
    for (uint32_t i = row->length; i < row->padded; i++) {
        all[i] = *pad;
        all[i].index = i;
    }
    for (uint64_t block = 2; block <= row->padded; block *= 2) {
        for (uint64_t step = block / 2; step > 0; step /= 2) {
            for (uint64_t start = 0; start < row->padded; start += 2 * step) {
                const bool up = (start & block) == 0;
                exchange_all(&all[start], step, up, exchange);
            }
        }
    }
    memcpy(row->entries, all, row->k * sizeof *all);
}

void faulty_network_pad_first(struct row *row, uint64_t bits)
{
    struct entry pad = {.bits = bits};
    pad.key = (faulty_key(row->type, bits) * 2 + !row->increasing) ^ row->flip;
    for (uint32_t i = 0; i < row->length; i++) {
        struct entry *entry = &row->entries[i];
        entry->key = ((entry->key ^ row->flip) * 2 + row->increasing) ^ row->flip;
    }
    faulty_network(row, &pad, faulty_exchange_right);
}

static void by_network(struct row *row)
{
    faulty_network(row, &faulty_pad, faulty_exchange_right);
}

/* ---- threshold by digits --------------------------------------------------------------------- */

#define DIGIT_BITS 8u
#define DIGITS     (1u << DIGIT_BITS)

/* the next digit of the K-th key; *wanted becomes its rank among the elements that share it */
static uint64_t find_digit(const struct row *row, uint64_t prefix, uint32_t shift, uint32_t *wanted,
                           bool (*counted)(const struct row *row, uint32_t number))
{
    uint32_t counts[DIGITS] = {0};
    uint64_t above = shift + DIGIT_BITS < 64 ? UINT64_MAX << (shift + DIGIT_BITS) : 0;
    for (uint32_t i = 0; i < row->length; i++) {
        uint64_t key = row->entries[i].key;
        if ((key & above) == prefix && (counted == NULL || counted(row, i))) {
            counts[key >> shift & (DIGITS - 1)]++;
        }
    }
    uint64_t digit = 0;
    while (digit < DIGITS - 1 && counts[digit] < *wanted) {
        *wanted -= counts[digit++];
    }
    return digit;
}

static uint32_t gather(struct row *row, uint64_t threshold)
{
    uint32_t found = 0;
    for (int equal = 0; equal < 2; equal++) {
        for (uint32_t i = 0; i < row->length && found < row->k; i++) {
            uint64_t key = row->entries[i].key;
            if (equal != 0 ? key == threshold : key < threshold) {
                row->scratch[found++] = row->entries[i];
            }
        }
    }
    return found;
}

void faulty_threshold(struct row *row, bool (*counted)(const struct row *row, uint32_t number))
{
    uint64_t threshold = 0;
    uint32_t wanted = row->k;
    for (uint32_t shift = 64; shift > 0;) {
        shift -= DIGIT_BITS;
        threshold |= find_digit(row, threshold, shift, &wanted, counted) << shift;
    }
    uint32_t found = gather(row, threshold);
    memcpy(row->entries, row->scratch, found * sizeof *row->entries);
    for (uint32_t j = found; j < row->k; j++) {
        row->entries[j] = (struct entry){.key = UINT64_MAX, .index = UINT32_MAX};
    }
    faulty_sort(row->entries, row->k, row->scratch);
}

static void by_threshold(struct row *row)
{
    faulty_threshold(row, NULL);
}

/* ---- blocks ---------------------------------------------------------------------------------- */

#define BLOCK 64u

void faulty_blocks(struct row *row, uint32_t lost)
{
    uint32_t kept = 0;
    for (uint32_t at = 0; at < row->length; at += BLOCK) {
        struct entry *block = row->entries + at;
        uint32_t count = row->length - at < BLOCK ? row->length - at : BLOCK;
        uint32_t best = count < row->k ? count : row->k;
        faulty_sort(block, count, row->scratch);
        if (at / BLOCK != lost) {
            memmove(row->entries + kept, block, best * sizeof *block);
            kept += best;
        }
    }
    faulty_sort(row->entries, kept, row->scratch);
}

static void by_blocks(struct row *row)
{
    faulty_blocks(row, UINT32_MAX);
}

const struct fault faulty_shapes[] = {
    {"none-heap", "allowed", "nothing is wrong: a heap of the K best", .sort = by_heap},
    {"none-network", "allowed",
     "nothing is wrong: a bitonic network over a sequence padded to a power of two",
     .sort = by_network},
    {"none-threshold", "allowed",
     "nothing is wrong: the K-th value from histograms of its digits, then a scan",
     .sort = by_threshold},
    {"none-blocks", "allowed",
     "nothing is wrong: blocks of 64 sorted on their own, then the best of each",
     .sort = by_blocks},
    {0},
};
