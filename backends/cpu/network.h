/* A network of comparators that moves the first K elements of a short sequence to its front,
 * sorted. */
#ifndef TOPK_CPU_NETWORK_H
#define TOPK_CPU_NETWORK_H

#include <stdint.h>

#define TOPK_CPU_NETWORK_LENGTH      64u
#define TOPK_CPU_NETWORK_COMPARATORS 543u /* for 64 elements */

/* Puts the lesser element into the first position, the other into the second. */
struct topk_cpu_comparator {
    uint8_t first;
    uint8_t second;
};

struct topk_cpu_network {
    uint32_t count;
    struct topk_cpu_comparator comparators[TOPK_CPU_NETWORK_COMPARATORS];
};

/* Makes the network for a length up to TOPK_CPU_NETWORK_LENGTH and a K up to that length. */
void topk_cpu_network_make(struct topk_cpu_network *network, uint32_t length, uint32_t k);

#endif
