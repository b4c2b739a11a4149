/* By which method a row is served: decided by its length, K and how many rows there are. */
#ifndef TOPK_CPU_METHOD_H
#define TOPK_CPU_METHOD_H

#include "network.h"

#include <stddef.h>

enum topk_cpu_method {
    TOPK_CPU_LANES,  /* short rows, sorted by a network, several at once */
    TOPK_CPU_FIRST,  /* K = 1: the first of the least keys */
    TOPK_CPU_FILTER, /* few of many: what is beyond a bound is passed over; the rest is sorted */
    TOPK_CPU_SORT,   /* all elements are sorted */
    TOPK_CPU_DIGITS  /* elements are dealt by the upper digit of their keys; what the first K can be
                        among is sorted, one digit after the other */
};

/* Fewer rows than this do not fill the lanes. */
#define TOPK_CPU_LANES_LEAST_ROWS 4u
/* Up to this length a filter finds no blocks to pass over, and a row is sorted in L1. */
#define TOPK_CPU_FILTER_LENGTH 128u
#define TOPK_CPU_FILTER_RATIO  8u
/* From this length on elements are dealt by a digit first. */
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
