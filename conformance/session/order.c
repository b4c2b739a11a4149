/* The order in which the cases of a list run. */
#include "order.h"

#include <stdlib.h>

#include "session.h"

uint64_t *cli_bits_new(uint64_t count)
{
    return cli_need(calloc((size_t)(count / 64 + 1), sizeof(uint64_t)));
}

bool cli_bits_have(const uint64_t *bits, uint64_t number)
{
    return ((bits[number / 64] >> number % 64) & 1) != 0;
}

void cli_bits_put(uint64_t *bits, uint64_t number)
{
    bits[number / 64] |= (uint64_t)1 << number % 64;
}

static void shuffle(struct cli_order *order, uint64_t seed)
{
    struct topk_pcg pcg;
    topk_pcg_seed(&pcg, seed, 0);
    for (uint64_t i = order->count; i > 1; i--) {
        const uint64_t j = topk_pcg_below(&pcg, (uint32_t)i);
        const uint32_t number = order->list[i - 1];
        order->list[i - 1] = order->list[j];
        order->list[j] = number;
    }
}

void cli_order_make(struct cli_order *order, uint64_t count,
                    bool (*has)(const void *context, uint64_t number), const void *context,
                    const uint64_t *finished, uint64_t seed)
{
    bool listed = seed != 0;
    *order = (struct cli_order){0};
    for (uint64_t i = 0; i < count; i++) {
        const bool in = has == NULL || has(context, i);
        const bool done = finished != NULL && cli_bits_have(finished, i);
        order->count += in && !done;
        listed = listed || !in || done;
    }
    if (!listed) {
        return;
    }
    if (count > UINT32_MAX) {
        cli_fail(CLI_USAGE, "more than %u cases can be neither shuffled, divided nor continued",
                 UINT32_MAX);
    }
    order->list = cli_need(malloc((size_t)(order->count + 1) * sizeof *order->list));
    uint64_t position = 0;
    for (uint64_t i = 0; i < count; i++) {
        if ((has == NULL || has(context, i)) && (finished == NULL || !cli_bits_have(finished, i))) {
            order->list[position++] = (uint32_t)i;
        }
    }
    if (seed != 0) {
        shuffle(order, seed);
    }
}

uint64_t cli_order_at(const struct cli_order *order, uint64_t position)
{
    return order->list != NULL ? order->list[position] : order->first + position;
}

void cli_order_free(struct cli_order *order)
{
    free(order->list);
    *order = (struct cli_order){0};
}
