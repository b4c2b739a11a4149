/* Sorting the elements of a sequence by their order keys, to see which are equal. */
#ifndef TOPK_SORT_H
#define TOPK_SORT_H

#include <stdint.h>

struct topk_keyed {
    uint64_t key; /* topk_element_key(), or its complement */
    uint64_t bits;
};

/* Sorts by key, the least first; those of one key stay in their order. spare: room for as many, for
 * the sort's use. Returns where the sorted elements are, `elements` or `spare`. */
struct topk_keyed *topk_sort_keyed(struct topk_keyed *elements, struct topk_keyed *spare,
                                   uint32_t length);

#endif
