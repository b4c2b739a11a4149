/* The entries of a sequence: their order, and a correct sort. */
#include "faulty.h"

#include <string.h>

bool faulty_before(const struct entry *a, const struct entry *b)
{
    return a->key != b->key ? a->key < b->key : a->index < b->index;
}

bool faulty_before_key(const struct entry *a, const struct entry *b)
{
    return a->key < b->key;
}

void faulty_swap(struct entry *a, struct entry *b)
{
    const struct entry swapped = *a;
    *a = *b;
    *b = swapped;
}

void faulty_reverse(struct entry *entries, uint32_t count)
{
    for (uint32_t j = 0; j < count / 2; j++) {
        faulty_swap(&entries[j], &entries[count - 1 - j]);
    }
}

static void insert(struct entry *entries, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        struct entry moved = entries[i];
        uint32_t j = i;
        for (; j > 0 && moved.key < entries[j - 1].key; j--) {
            entries[j] = entries[j - 1];
        }
        entries[j] = moved;
    }
}

/* sequences up to this length are sorted by insertion */
#define INSERTED 64u
#define DIGITS   8u
#define DIGIT    256u

/* Moves the entries to `to` in the order of one digit of their keys; counts: entries of each digit,
 * which become places. */
static void distribute(const struct entry *entries, uint32_t count, unsigned shift,
                       uint32_t *counts, struct entry *to)
{
    uint32_t place = 0;
    for (uint32_t digit = 0; digit < DIGIT; digit++) {
        const uint32_t next = place + counts[digit];
        counts[digit] = place;
        place = next;
    }
    for (uint32_t i = 0; i < count; i++) {
        to[counts[entries[i].key >> shift & (DIGIT - 1)]++] = entries[i];
    }
}

void faulty_sort(struct entry *entries, uint32_t count, struct entry *scratch)
{
    struct entry *from = entries;
    struct entry *to = scratch;
    uint32_t counts[DIGITS][DIGIT];
    if (count <= INSERTED) {
        insert(entries, count);
        return;
    }
    memset(counts, 0, sizeof counts);
    for (uint32_t i = 0; i < count; i++) {
        for (unsigned d = 0; d < DIGITS; d++) {
            counts[d][entries[i].key >> d * 8 & (DIGIT - 1)]++;
        }
    }
    for (unsigned d = 0; d < DIGITS; d++) {
        const uint32_t shared = counts[d][entries[0].key >> d * 8 & (DIGIT - 1)];
        if (shared < count) { /* else the digit is that of all keys */
            distribute(from, count, d * 8, counts[d], to);
            struct entry *swapped = from;
            from = to;
            to = swapped;
        }
    }
    if (from != entries) {
        memcpy(entries, from, count * sizeof *entries);
    }
}
