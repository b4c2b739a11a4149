/* The order in which the cases of a list run. It keeps the number of each case only if the list is
 * shuffled, divided or continued. */
#ifndef TOPK_CLI_ORDER_H
#define TOPK_CLI_ORDER_H

#include "select.h"

/* Sets of cases, with a bit for each. */
uint64_t *cli_bits_new(uint64_t count); /* an empty one, to be freed */
bool cli_bits_have(const uint64_t *bits, uint64_t number);
void cli_bits_put(uint64_t *bits, uint64_t number);

struct cli_order {
    uint64_t count;
    uint64_t first; /* without a list, the order has the numbers from here on */
    uint32_t *list; /* owned; or NULL */
};

/* Makes the order of the cases below `count` for which has() is true (NULL: all), without those in
 * `finished` (NULL: none). seed: 0 keeps their order; any other value shuffles them, the same way
 * each time. Ends the program if memory is short, or if a list is needed for 2^32 cases or more. */
void cli_order_make(struct cli_order *order, uint64_t count,
                    bool (*has)(const void *context, uint64_t number), const void *context,
                    const uint64_t *finished, uint64_t seed);

/* The number of the case at a position below the count. */
uint64_t cli_order_at(const struct cli_order *order, uint64_t position);

void cli_order_free(struct cli_order *order);

#endif
