/* The entries of a sequence: their order, and a correct sort. */
#include "faulty.h"

#include <string.h>

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

/* sequences up to INSERTED are sorted by insertion, those from LONG on by larger digits */
#define INSERTED   64u
#define LONG       1024u
#define MOST_DIGIT (1u << 11)

/* Moves the entries to `to` in the order of one digit of their keys, which is below `digits`. */
static void distribute(const struct entry *entries, uint32_t count, unsigned shift, uint32_t digits,
                       struct entry *to)
{
    uint32_t places[MOST_DIGIT];
    uint32_t place = 0;
    memset(places, 0, digits * sizeof *places);
    for (uint32_t i = 0; i < count; i++) {
        places[entries[i].key >> shift & (digits - 1)]++;
    }
    for (uint32_t digit = 0; digit < digits; digit++) {
        const uint32_t next = place + places[digit];
        places[digit] = place;
        place = next;
    }
    for (uint32_t i = 0; i < count; i++) {
        to[places[entries[i].key >> shift & (digits - 1)]++] = entries[i];
    }
}

void faulty_sort(struct entry *entries, uint32_t count, struct entry *scratch)
{
    const unsigned width = count < LONG ? 8 : 11;
    struct entry *from = entries;
    struct entry *to = scratch;
    uint64_t differing = 0;
    if (count <= INSERTED) {
        insert(entries, count);
        return;
    }
    for (uint32_t i = 1; i < count; i++) {
        differing |= entries[i].key ^ entries[0].key;
    }
    for (unsigned shift = 0; shift < 64; shift += width) {
        if ((differing >> shift & ((1u << width) - 1)) != 0) {
            distribute(from, count, shift, 1u << width, to);
            struct entry *swapped = from;
            from = to;
            to = swapped;
        }
    }
    if (from != entries) {
        memcpy(entries, from, count * sizeof *entries);
    }
}
