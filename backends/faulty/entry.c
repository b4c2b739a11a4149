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

static void merge(const struct entry *a, uint32_t a_count, const struct entry *b, uint32_t b_count,
                  struct entry *to)
{
    while (a_count > 0 && b_count > 0) {
        if (b->key < a->key) {
            *to++ = *b++;
            b_count--;
        } else {
            *to++ = *a++;
            a_count--;
        }
    }
    memcpy(to, a, a_count * sizeof *a);
    memcpy(to + a_count, b, b_count * sizeof *b);
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

void faulty_sort(struct entry *entries, uint32_t count, struct entry *scratch)
{
    const uint32_t run = 16;
    for (uint64_t at = 0; at < count; at += run) {
        insert(entries + at, count - at < run ? (uint32_t)(count - at) : run);
    }
    for (uint64_t width = run; width < count; width *= 2) {
        for (uint64_t at = 0; at < count; at += 2 * width) {
            uint64_t left = count - at < width ? count - at : width;
            uint64_t right = count - at - left < width ? count - at - left : width;
            merge(entries + at, (uint32_t)left, entries + at + left, (uint32_t)right, scratch + at);
        }
        memcpy(entries, scratch, count * sizeof *entries);
    }
}
