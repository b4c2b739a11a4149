/* Cuts calls into frames, and frames into groups. docs/backend-protocol.md defines frames, and
 * explains why the two pipes cannot both fill up: everything that is sent before an answer is
 * received fits into a pipe. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "client_state.h"

/* Groups that need more bytes together go into several frames, which stay in the caches. */
#define FRAME_BYTES ((uint64_t)512 << 10)
/* Greatest length of the lines of a frame; and of the lines of a call with its group, which depends
 * on the rank. */
#define FRAME_LINE        100u
#define CALL_LINE         860u
#define CALL_LINE_OF_RANK 72u

/* Appends a frame that starts with this call; NULL if memory is short. */
static struct topk_frame *add_frame(struct topk_client *client, struct topk_call *const *queue)
{
    if (client->frame_count == client->frame_room) {
        const uint32_t room = client->frame_room * 2 + 16;
        struct topk_frame *grown = realloc(client->frames, room * sizeof *grown);
        if (grown == NULL) {
            topk_client_give_up(client, "out of memory");
            return NULL;
        }
        client->frames = grown;
        client->frame_room = room;
    }
    struct topk_frame *frame = &client->frames[client->frame_count++];
    *frame = (struct topk_frame){.queue = queue, .part = client->part, .wire = FRAME_LINE};
    return frame;
}

static uint64_t line_bytes(const struct topk_call *call)
{
    uint64_t rank = 0;
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        rank =
            call->tensors[role].dimension_count > rank ? call->tensors[role].dimension_count : rank;
    }
    return CALL_LINE + CALL_LINE_OF_RANK * rank;
}

/* Answers a call itself if it is too large for the process. */
static bool declined(const struct topk_client *client, struct topk_call *call)
{
    const uint64_t bytes = topk_client_place(client, call, 0);
    if (client->greeting.frame == 0 || bytes <= client->greeting.frame) {
        return false;
    }
    call->answer = (struct topk_backend_answer){.status = TOPK_BACKEND_UNSUPPORTED};
    snprintf(call->answer.reason, sizeof call->answer.reason,
             "needs a frame of %" PRIu64 " bytes, the backend takes %" PRIu64, bytes,
             client->greeting.frame);
    return true;
}

/* Sends calls one at a time, each first as one that is only created. */
static void cut_carefully(struct topk_client *client, struct topk_call *const queue[],
                          uint32_t count)
{
    const bool creates = (client->greeting.flags & TOPK_FLAG_OWN_CONTRACT) == 0;
    for (uint32_t i = 0; i < count; i++) {
        if (declined(client, queue[i])) {
            continue;
        }
        queue[i]->starts_group = true;
        for (int step = creates && queue[i]->backend_call.create_only == 0 ? 0 : 1; step < 2;
             step++) {
            struct topk_frame *frame = add_frame(client, &queue[i]);
            if (frame == NULL) {
                return;
            }
            frame->count = 1;
            frame->groups = 1;
            frame->wire += line_bytes(queue[i]);
            frame->create = step == 0;
            frame->bytes = frame->create ? 0 : topk_client_place(client, queue[i], 0);
        }
    }
}

static void cut_together(struct topk_client *client, struct topk_call *const queue[],
                         uint32_t count)
{
    struct topk_frame *frame = NULL;
    const uint64_t most = client->greeting.frame == 0 ? UINT64_MAX : client->greeting.frame;
    uint32_t grouped = 0; /* calls in the current group */
    for (uint32_t i = 0; i < count; i++) {
        struct topk_call *call = queue[i];
        if (declined(client, call)) {
            frame = NULL;
            continue;
        }
        bool starts = frame == NULL || grouped == client->greeting.batch;
        const uint64_t line = line_bytes(call);
        if (frame != NULL) {
            const uint64_t end = topk_client_place(client, call, frame->bytes);
            /* a group is split only if the process cannot accept it whole */
            const bool over = end > most || frame->count == TOPK_WIRE_CALLS;
            const bool enough =
                starts && (end > FRAME_BYTES || frame->wire + line > TOPK_CLIENT_AHEAD_BYTES);
            if (over || enough) {
                frame = NULL;
                starts = true;
            }
        }
        if (frame == NULL) {
            frame = add_frame(client, &queue[i]);
            if (frame == NULL) {
                return;
            }
        }
        call->starts_group = starts;
        grouped = starts ? 1 : grouped + 1;
        frame->groups += starts ? 1 : 0;
        frame->bytes = topk_client_place(client, call, frame->bytes);
        frame->wire += line;
        frame->count++;
    }
}

void topk_client_cut(struct topk_client *client, struct topk_call *const queue[], uint32_t count)
{
    if (client->careful) {
        cut_carefully(client, queue, count);
    } else {
        cut_together(client, queue, count);
    }
}
