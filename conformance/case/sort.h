/* Sorts the elements of a sequence by their order keys, so that equal ones are adjacent. */
#ifndef TOPK_SORT_H
#define TOPK_SORT_H

#include <stdint.h>

struct topk_keyed {
    uint64_t key; /* topk_element_key(), or its complement */
    uint64_t bits;
};

/* Sorts `length` elements by ascending key; the sort is stable. spare: scratch space for as many
 * elements. Returns the array that holds the sorted elements, `elements` or `spare`. */
struct topk_keyed *topk_sort_keyed(struct topk_keyed *elements, struct topk_keyed *spare,
                                   uint32_t length);

/* The same, but sorts only the first `count` elements of the order; the others are undefined. */
struct topk_keyed *topk_sort_first(struct topk_keyed *elements, struct topk_keyed *spare,
                                   uint32_t length, uint32_t count);

#endif
