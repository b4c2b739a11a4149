/* Entries: elements that are sorted. An entry has a part of an element's key above the element's
 * position among others, 32 bits each. */
#ifndef TOPK_CPU_ENTRIES_H
#define TOPK_CPU_ENTRIES_H

#include <stddef.h>
#include <stdint.h>

/* Which part: the upper bits of what a key exceeds the least one by. */
struct topk_cpu_scale {
    uint32_t bits;  /* that the part has at most */
    uint32_t shift; /* lower bits that it lacks */
};

/* The scale by which so many elements are best sorted whose keys differ by up to `range`: parts
 * tell most of them apart. */
struct topk_cpu_scale topk_cpu_scale_of(uint64_t range, size_t count);

/* Sorts entries by their part, which has so many bits. Those with one part keep their order if it
 * is that of positions. Returns where they are then: entries, or spare, which has as much room. */
uint64_t *topk_cpu_entries_sort(uint64_t *entries, uint64_t *spare, size_t count, uint32_t bits);

#endif
