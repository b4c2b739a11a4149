/* Sorts by order keys: short sequences, which are the most common, by insertion; others by
 * radix. */
#include "sort.h"

#define SHORT 64u

/* sorts by insertion, and keeps only the first `count` */
static void sort_short(struct topk_keyed *elements, uint32_t length, uint32_t count)
{
    for (uint32_t i = 1; i < length; i++) {
        const struct topk_keyed element = elements[i];
        uint32_t at = i;
        if (i >= count) {
            at = count - 1; /* its element falls out, or this one */
            if (element.key >= elements[at].key) {
                continue;
            }
        }
        for (; at > 0 && element.key < elements[at - 1].key; at--) {
            elements[at] = elements[at - 1];
        }
        elements[at] = element;
    }
}

struct topk_keyed *topk_sort_first(struct topk_keyed *elements, struct topk_keyed *spare,
                                   uint32_t length, uint32_t count)
{
    uint64_t varies = 0;
    if (length <= SHORT || count <= SHORT) {
        sort_short(elements, length, count);
        return elements;
    }
    for (uint32_t i = 1; i < length; i++) {
        varies |= elements[i].key ^ elements[0].key;
    }
    /* from the lowest byte; skip a byte that is equal in all keys */
    for (unsigned shift = 0; shift < 64; shift += 8) {
        uint32_t start[257] = {0};
        if ((varies >> shift & 0xff) == 0) {
            continue;
        }
        for (uint32_t i = 0; i < length; i++) {
            start[(elements[i].key >> shift & 0xff) + 1]++;
        }
        for (unsigned i = 1; i < 256; i++) {
            start[i] += start[i - 1];
        }
        for (uint32_t i = 0; i < length; i++) {
            spare[start[elements[i].key >> shift & 0xff]++] = elements[i];
        }
        struct topk_keyed *const sorted = spare;
        spare = elements;
        elements = sorted;
    }
    return elements;
}

struct topk_keyed *topk_sort_keyed(struct topk_keyed *elements, struct topk_keyed *spare,
                                   uint32_t length)
{
    return topk_sort_first(elements, spare, length, length);
}
