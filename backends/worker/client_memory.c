/* The memory shared with a process: its halves, the checksum that reveals late writes, and the mark
 * of the process. */
#include <string.h>

#include "client_state.h"

#define SUM_LANES (TOPK_CLIENT_SUM_BYTES / sizeof(uint64_t))

unsigned char *topk_client_half(const struct topk_client *client, uint64_t number)
{
    return client->memory + TOPK_CLIENT_HEAD + number % TOPK_CLIENT_AHEAD * client->half_bytes;
}

/* Eight sums. As members rather than an array, they stay in the registers of vectors. */
struct lanes {
    uint64_t a, b, c, d, e, f, g, h;
};
_Static_assert(sizeof(struct lanes) == TOPK_CLIENT_SUM_BYTES, "a block has a word for each lane");

static struct lanes add(struct lanes x, struct lanes y)
{
    return (struct lanes){x.a + y.a, x.b + y.b, x.c + y.c, x.d + y.d,
                          x.e + y.e, x.f + y.f, x.g + y.g, x.h + y.h};
}

/* Fletcher's checksum in lanes: it depends on each byte and on their order. */
uint64_t topk_client_sum(const unsigned char *data, uint64_t bytes)
{
    struct lanes sums = {0};
    struct lanes sums_of_sums = {0};
    uint64_t ends[2][SUM_LANES];
    uint64_t sum = 0;
    /* the last block may extend into the tail */
    for (uint64_t i = 0; i < bytes; i += TOPK_CLIENT_SUM_BYTES) {
        struct lanes words;
        memcpy(&words, data + i, sizeof words);
        sums = add(sums, words);
        sums_of_sums = add(sums_of_sums, sums);
    }
    memcpy(ends[0], &sums_of_sums, sizeof ends[0]);
    memcpy(ends[1], &sums, sizeof ends[1]);
    for (uint32_t lane = 0; lane < SUM_LANES; lane++) {
        sum = (sum + ends[0][lane]) * 0x9e3779b97f4a7c15u;
        sum = (sum + ends[1][lane]) * 0x9e3779b97f4a7c15u;
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
