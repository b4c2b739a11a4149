/* Entries, which are sorted in place of elements: a part of the element's key in the upper 32 bits,
 * and its position among the elements in the lower 32 bits. */
#ifndef TOPK_CPU_ENTRIES_H
#define TOPK_CPU_ENTRIES_H

#include <stddef.h>
#include <stdint.h>

/* Which part of a key an entry has: the upper bits of its difference from the least key. */
struct topk_cpu_scale {
    uint32_t bits;  /* greatest number of bits in the part */
    uint32_t shift; /* number of lower bits that are dropped */
};

/* The scale with which `count` elements, whose keys differ by up to `range`, are sorted best: the
 * parts distinguish most of them. */
struct topk_cpu_scale topk_cpu_scale_of(uint64_t range, size_t count);

/* Sorts entries by their part, which has up to `bits` bits. The sort is stable if entries with the
 * same part are in order of position. Returns where the result is: entries, or spare, which has the
 * same size. */
uint64_t *topk_cpu_entries_sort(uint64_t *entries, uint64_t *spare, size_t count, uint32_t bits);

#endif
