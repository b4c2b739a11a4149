/* Creates and replaces the memory that is shared with a process, and checks each half for late
 * writes. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "client_state.h"

/* Least size of a half, and the greatest size that is kept for small frames. */
#define HALF_LEAST ((uint64_t)1 << 20)
#define HALF_KEPT  ((uint64_t)64 << 20)
/* Only one half may be larger than this: that of the last frame is released first. */
#define HALF_ALONE ((uint64_t)1 << 30)

void topk_client_settle_half(struct topk_client *client, uint64_t number)
{
    struct topk_half *half = &client->halves[number % TOPK_CLIENT_AHEAD];
    if (half->bytes > 0 && !client->at_end &&
        topk_client_sum(topk_client_half(client, number), half->bytes) != half->sum) {
        /* stop() says more about it */
        topk_client_wrong(client, "it wrote to memory too late");
    }
    half->bytes = 0;
}

void topk_client_settle_halves(struct topk_client *client)
{
    for (uint32_t i = 0; i < TOPK_CLIENT_AHEAD; i++) {
        topk_client_settle_half(client, i);
    }
}

/* Makes the process map memory with halves of `half` bytes. No frame may be outstanding. */
static void share(struct topk_client *client, uint64_t half)
{
    static const char wanted[] = "\"memory STATUS REASON\"";
    struct topk_backend_answer answer;
    char request[80];
    char *line;
    size_t length;
    uint64_t handle = 0;
    const uint64_t bytes = TOPK_CLIENT_HEAD + TOPK_CLIENT_AHEAD * half;
    topk_client_settle_halves(client);
    if (client->at_end) {
        return;
    }
    const bool had = client->memory != NULL;
    client->memory = client->link.share(client->link.self, bytes, &handle);
    client->half_bytes = half;
    if (client->memory == NULL) {
        if (had) {
            char why[80];
            snprintf(why, sizeof why, "no memory of %" PRIu64 " bytes could be shared with it",
                     bytes);
            topk_client_give_up(client, why);
        }
        client->no_memory = true;
        return;
    }
    memset(client->memory, 0, TOPK_CLIENT_HEAD);
    snprintf(request, sizeof request, "memory %" PRIu64 " %" PRIu64 "\n", handle, bytes);
    topk_client_wait(client, TOPK_PHASE_ANSWER, client->limit, 0);
    topk_stream_put(&client->stream, request, strlen(request));
    topk_stream_flush(&client->stream);
    if (!topk_client_line(client, wanted, &line, &length)) {
        return;
    }
    if (strncmp(line, "memory ", 7) != 0 ||
        !topk_wire_answer_parse(line + 7, length - 7, &answer)) {
        topk_client_wrong_line(client, line, length, wanted);
    } else if (answer.status != TOPK_BACKEND_DONE && had) {
        topk_client_wrong(client, "it could map memory before, and now cannot: %s", answer.reason);
    } else if (answer.status != TOPK_BACKEND_DONE) {
        client->memory = NULL;
        client->no_memory = true;
    }
}

bool topk_client_make_room(struct topk_client *client, const struct topk_frame *frame)
{
    if (client->no_memory) {
        return true;
    }
    uint64_t half = HALF_LEAST;
    while (half < frame->bytes + TOPK_CLIENT_SUM_BYTES) {
        half *= 2;
    }
    const bool alone = client->half_bytes > HALF_ALONE;
    const bool large = client->half_bytes > HALF_KEPT && half <= HALF_KEPT;
    if (client->memory != NULL && half <= client->half_bytes && !large && !alone) {
        return true;
    }
    if (client->sent > 0) {
        return false;
    }
    if (alone && half > HALF_LEAST) {
        share(client, HALF_LEAST);
    }
    if (!client->at_end) {
        share(client, half);
    }
    return true;
}
