/* Entries: elements of a sequence on their way to be sorted. */
#ifndef TOPK_CPU_ENTRIES_H
#define TOPK_CPU_ENTRIES_H

#include <stddef.h>
#include <stdint.h>

/* An entry has a part of an element's key above its index, 32 bits each. The part is by how much the
 * key exceeds the least one, or the upper 32 bits of that if it has more. */
struct topk_cpu_scale {
    uint64_t least;
    uint32_t bits;  /* that the part has at most */
    uint32_t shift; /* lower bits that it lacks; not 0 only if keys have 64 bits */
};

struct topk_cpu_scale topk_cpu_scale_of(uint64_t least, uint64_t greatest);

/* Sorts entries by the lower `bits` of their part; in the others they are alike. Those with one part
 * keep the order that they have, which is that of their indices. Returns where they are then: entries,
 * or spare, which has as much room. */
uint64_t *topk_cpu_entries_sort(uint64_t *entries, uint64_t *spare, size_t count, uint32_t bits);

#endif
