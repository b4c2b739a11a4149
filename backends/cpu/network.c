/* Batcher's odd-even merge sort, without the comparators that the first K positions do not need. */
#include "network.h"

#include <stdbool.h>
#include <stddef.h>

static void add(struct topk_cpu_network *network, uint32_t first, uint32_t second)
{
    network->comparators[network->count++] =
        (struct topk_cpu_comparator){(uint8_t)first, (uint8_t)second};
}

/* If the length is no power of two, the elements beyond it count as the greatest. No comparator
 * would move them, so comparators that touch them are left out. */
static void add_all(struct topk_cpu_network *network, uint32_t length)
{
    for (uint32_t merged = 1; merged < length; merged *= 2) {
        for (uint32_t distance = merged; distance >= 1; distance /= 2) {
            for (uint32_t from = distance % merged; from + distance < length;
                 from += 2 * distance) {
                for (uint32_t i = from; i < from + distance && i + distance < length; i++) {
                    if (i / (2 * merged) == (i + distance) / (2 * merged)) {
                        add(network, i, i + distance);
                    }
                }
            }
        }
    }
}

void topk_cpu_network_make(struct topk_cpu_network *network, uint32_t length, uint32_t k)
{
    bool needed[TOPK_CPU_NETWORK_LENGTH] = {false};
    for (uint32_t i = 0; i < k; i++) {
        needed[i] = true;
    }
    network->count = 0;
    add_all(network, length);
    /* from the last to the first: drops comparators without a needed output; the others need both
     * inputs */
    uint32_t kept = network->count;
    for (uint32_t i = network->count; i-- > 0;) {
        const struct topk_cpu_comparator comparator = network->comparators[i];
        if (needed[comparator.first] || needed[comparator.second]) {
            needed[comparator.first] = true;
            needed[comparator.second] = true;
            network->comparators[--kept] = comparator;
        }
    }
    network->count -= kept;
    for (uint32_t i = 0; i < network->count; i++) {
        network->comparators[i] = network->comparators[kept + i];
    }
}
