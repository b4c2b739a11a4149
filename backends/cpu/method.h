/* Chooses the method for a row by its length, K and the number of rows. */
#ifndef TOPK_CPU_METHOD_H
#define TOPK_CPU_METHOD_H

#include "network.h"

#include <stddef.h>

enum topk_cpu_method {
    TOPK_CPU_LANES,  /* short rows, several at once, sorted by a network */
    TOPK_CPU_FIRST,  /* K = 1: finds the least key */
    TOPK_CPU_FILTER, /* few of many: skips elements beyond a bound, and sorts the others */
    TOPK_CPU_SORT,   /* all elements are sorted */
    /* distributes elements by the upper digit of their keys, then sorts the buckets that the first
     * K elements can be in */
    TOPK_CPU_DIGITS
};

/* Fewer rows do not fill the lanes. */
#define TOPK_CPU_LANES_LEAST_ROWS 4u
/* Up to this length, a filter finds no parts to skip, and the L1 cache holds a row for sorting. */
#define TOPK_CPU_FILTER_LENGTH 128u
#define TOPK_CPU_FILTER_RATIO  8u
/* From this length on, elements are first distributed by a digit. */
#define TOPK_CPU_DIGITS_LENGTH 8192u

static inline enum topk_cpu_method topk_cpu_method(size_t length, size_t k, size_t rows)
{
    if (k == 1) {
        return TOPK_CPU_FIRST;
    }
    if (length <= TOPK_CPU_NETWORK_LENGTH && rows >= TOPK_CPU_LANES_LEAST_ROWS) {
        return TOPK_CPU_LANES;
    }
    if (length >= TOPK_CPU_FILTER_LENGTH && k <= length / TOPK_CPU_FILTER_RATIO) {
        return TOPK_CPU_FILTER;
    }
    return length < TOPK_CPU_DIGITS_LENGTH ? TOPK_CPU_SORT : TOPK_CPU_DIGITS;
}

#endif
