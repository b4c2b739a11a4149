/* The memory shared with a process: its halves, the checksum that reveals late writes, and the mark
 * of the process. */
#include <string.h>

#include "client_state.h"

#define SUM_LANES (TOPK_CLIENT_SUM_BYTES / sizeof(uint64_t))

unsigned char *topk_client_half(const struct topk_client *client, uint64_t number)
{
    return client->memory + TOPK_CLIENT_HEAD + number % TOPK_CLIENT_AHEAD * client->half_bytes;
}

/* Fletcher's checksum in lanes that a compiler can vectorize: it depends on each byte and on their
 * order. There are two loops, so that the lanes stay in registers. */
uint64_t topk_client_sum(const unsigned char *data, uint64_t bytes)
{
    uint64_t sums[SUM_LANES] = {0};
    uint64_t sums_of_sums[SUM_LANES] = {0};
    uint64_t sum = 0;
    /* the last block may extend into the tail */
    for (uint64_t i = 0; i < bytes; i += TOPK_CLIENT_SUM_BYTES) {
        uint64_t words[SUM_LANES];
        memcpy(words, data + i, sizeof words);
        for (uint32_t lane = 0; lane < SUM_LANES; lane++) {
            sums[lane] += words[lane];
        }
        for (uint32_t lane = 0; lane < SUM_LANES; lane++) {
            sums_of_sums[lane] += sums[lane];
        }
    }
    for (uint32_t lane = 0; lane < SUM_LANES; lane++) {
        sum = (sum + sums_of_sums[lane]) * 0x9e3779b97f4a7c15u;
        sum = (sum + sums[lane]) * 0x9e3779b97f4a7c15u;
    }
    return sum;
}

const struct topk_half *topk_client_late(const struct topk_client *client)
{
    for (uint32_t i = 0; i < TOPK_CLIENT_AHEAD; i++) {
        const struct topk_half *half = &client->halves[i];
        if (half->bytes > 0 &&
            topk_client_sum(topk_client_half(client, i), half->bytes) != half->sum) {
            return half;
        }
    }
    return NULL;
}

uint64_t topk_client_mark(const struct topk_client *client)
{
    return *(const volatile uint64_t *)(const void *)client->memory;
}
