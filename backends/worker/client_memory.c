/* The memory shared with a process: its halves, the checksum that reveals late writes, and the mark
 * of the process. */
#include <string.h>

#include "client_state.h"

#define SUM_LANES (TOPK_CLIENT_SUM_BYTES / sizeof(uint64_t))

unsigned char *topk_client_half(const struct topk_client *client, uint64_t number)
{
    return client->memory + TOPK_CLIENT_HEAD + number % TOPK_CLIENT_AHEAD * client->half_bytes;
}

_Static_assert(sizeof(struct topk_client_lanes) == TOPK_CLIENT_SUM_BYTES,
               "a block has a word for each lane");

static struct topk_client_lanes add(struct topk_client_lanes x, struct topk_client_lanes y)
{
    return (struct topk_client_lanes){x.a + y.a, x.b + y.b, x.c + y.c, x.d + y.d,
                                      x.e + y.e, x.f + y.f, x.g + y.g, x.h + y.h};
}

/* Fletcher's checksum in lanes. */
void topk_client_sum_take(struct topk_client_sum *sum, const unsigned char *data, uint64_t bytes)
{
    struct topk_client_lanes sums = sum->sums;
    struct topk_client_lanes sums_of_sums = sum->sums_of_sums;
    uint64_t taken = sum->taken;
    /* the last block may extend into the tail */
    for (; taken < bytes; taken += TOPK_CLIENT_SUM_BYTES) {
        struct topk_client_lanes words;
        memcpy(&words, data + taken, sizeof words);
        sums = add(sums, words);
        sums_of_sums = add(sums_of_sums, sums);
    }
    *sum = (struct topk_client_sum){sums, sums_of_sums, taken};
}

uint64_t topk_client_sum_end(const struct topk_client_sum *sum)
{
    uint64_t ends[2][SUM_LANES];
    uint64_t end = 0;
    memcpy(ends[0], &sum->sums_of_sums, sizeof ends[0]);
    memcpy(ends[1], &sum->sums, sizeof ends[1]);
    for (uint32_t lane = 0; lane < SUM_LANES; lane++) {
        end = (end + ends[0][lane]) * 0x9e3779b97f4a7c15u;
        end = (end + ends[1][lane]) * 0x9e3779b97f4a7c15u;
    }
    return end;
}

uint64_t topk_client_sum(const unsigned char *data, uint64_t bytes)
{
    struct topk_client_sum sum = {.taken = 0};
    topk_client_sum_take(&sum, data, bytes);
    return topk_client_sum_end(&sum);
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
