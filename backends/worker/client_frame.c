/* Sends frames of calls, and receives their answers. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "client_state.h"
#include "platform/platform.h"
#include "platform/stage.h"

/* Nanoseconds in which a process that closed its input may still send lines. */
#define UNREAD_GRACE ((uint64_t)1000000000)
/* Nanoseconds for which a call that runs alone is watched after its answer. */
#define WATCH ((uint64_t)20000000)

/* what is expected when no answer is outstanding */
static const char unasked[] = "nothing, as all is answered,";

/* ---- sending --------------------------------------------------------------------------------- */

static enum topk_wire_read put_text(struct topk_client *client, const char *text)
{
    return topk_stream_put(&client->stream, text, strlen(text));
}

/* Writes the lines of groups and calls into the pipe; returns the result of writing. */
static enum topk_wire_read put_calls(struct topk_client *client, const struct topk_frame *frame)
{
    char line[TOPK_WIRE_LINE];
    enum topk_wire_read came = TOPK_WIRE_READ;
    for (uint32_t i = 0; came == TOPK_WIRE_READ && i < frame->count; i++) {
        const struct topk_call *call = frame->queue[i];
        struct topk_backend_call said = call->backend_call;
        if (call->starts_group) {
            uint32_t calls = 1;
            while (i + calls < frame->count && !frame->queue[i + calls]->starts_group) {
                calls++;
            }
            snprintf(line, sizeof line, "group %" PRIu32 "\n", calls);
            came = put_text(client, line);
        }
        said.create_only = frame->create ? 1 : said.create_only;
        const enum topk_guard_page guard_page =
            said.create_only != 0 ? TOPK_GUARD_PAGE_NONE : call->guard_page;
        const size_t length = topk_wire_call_print(&said, call->at, guard_page, line);
        line[length] = '\n';
        if (came == TOPK_WIRE_READ) {
            came = topk_stream_put(&client->stream, line, length + 1);
        }
    }
    return came;
}

/* approximate number of a frame's bytes that go through the pipe */
static uint64_t in_pipe(const struct topk_client *client, const struct topk_frame *frame)
{
    return frame->wire + (client->memory == NULL ? frame->bytes : 0);
}

static void send_frame(struct topk_client *client, struct topk_frame *frame)
{
    char line[160];
    frame->number = client->number + 1;
    if (client->memory != NULL) {
        topk_client_settle_half(client, frame->number);
        if (client->at_end) {
            return;
        }
        topk_client_share_block(client, frame);
    }
    client->number++;
    topk_client_wait(client, TOPK_PHASE_READING, client->limit, in_pipe(client, frame));
    int used = snprintf(line, sizeof line, "frame %" PRIu64 " %" PRIu32 " %" PRIu32 " %" PRIu64,
                        frame->number, frame->count, frame->groups, frame->bytes);
    if (client->memory != NULL) {
        used += snprintf(line + used, sizeof line - (size_t)used, " %" PRIu64,
                         (uint64_t)(topk_client_half(client, frame->number) - client->memory));
    }
    snprintf(line + used, sizeof line - (size_t)used, "\n");
    client->sent++; /* from now on, being late means being late with this frame */
    enum topk_wire_read came = put_text(client, line);
    if (came == TOPK_WIRE_READ) {
        came = put_calls(client, frame);
    }
    if (came == TOPK_WIRE_READ && client->memory == NULL) {
        came = topk_client_put_block(client, frame);
    }
    if (came == TOPK_WIRE_READ) {
        came = topk_stream_flush(&client->stream);
    }
    if (came == TOPK_WIRE_LATE) {
        topk_client_lost(client, came);
    }
    /* a process that ended or closed its input may have sent lines before */
    client->unread |= came == TOPK_WIRE_END;
    frame->sent = topk_clock_now();
}

/* Sends all frames that may be sent now. */
static void pump(struct topk_client *client)
{
    const enum topk_stage before = topk_stage_enter(TOPK_STAGE_SEND);
    while (!client->at_end && client->sent < client->frame_count &&
           client->sent < TOPK_CLIENT_AHEAD) {
        struct topk_frame *frame = &client->frames[client->sent];
        if (!topk_client_make_room(client, frame)) {
            break;
        }
        if (client->sent > 0 && in_pipe(client, frame) > TOPK_CLIENT_AHEAD_BYTES) {
            break;
        }
        if (!client->at_end) {
            send_frame(client, frame);
        }
    }
    topk_stage_enter(before);
}

void topk_client_send(struct topk_client *client, struct topk_call *const queue[], uint32_t count)
{
    client->part++;
    for (uint32_t i = 0; i < count; i++) {
        queue[i]->answer = (struct topk_backend_answer){.status = TOPK_BACKEND_FAILED};
    }
    if (client->at_end) {
        return;
    }
    topk_client_cut(client, queue, count);
    pump(client);
}

/* ---- receiving ------------------------------------------------------------------------------- */

/* "at F G": a hint where the process is */
static bool take_mark(struct topk_client *client, const struct topk_frame *frame, const char *line,
                      size_t length)
{
    const char *at = line + 3;
    const char *end = line + length;
    uint64_t number;
    uint64_t group;
    if (strncmp(line, "at ", 3) != 0 || !topk_wire_number(&at, end, UINT64_MAX, &number) ||
        number != frame->number || !topk_wire_number(&at, end, frame->groups - 1, &group) ||
        at != end || (number << 16 | group) < client->mark) {
        return false;
    }
    /* each mark counts once, so marks cannot extend the time forever */
    client->mark = (number << 16 | group) + 1;
    return true;
}

/* reads "answer F CALLS BYTES", after any marks */
static bool read_answer_line(struct topk_client *client, const struct topk_frame *frame,
                             uint64_t *bytes)
{
    char wanted[80];
    char *line;
    size_t length;
    uint64_t number = 0;
    uint64_t count = 0;
    snprintf(wanted, sizeof wanted, "\"answer %" PRIu64 " %" PRIu32 " BYTES\"", frame->number,
             frame->count);
    do {
        /* a process that cannot read requests gets only a short time for the rest of its output */
        const uint64_t patience = client->unread ? UNREAD_GRACE : client->limit;
        topk_client_wait(client, TOPK_PHASE_ANSWER, patience, 0);
        if (!topk_client_line(client, wanted, &line, &length)) {
            return false;
        }
    } while (take_mark(client, frame, line, length));
    const char *at = line + 7;
    const char *end = line + length;
    if (strncmp(line, "answer ", 7) != 0 || !topk_wire_number(&at, end, UINT64_MAX, &number) ||
        number != frame->number || !topk_wire_number(&at, end, UINT32_MAX, &count) ||
        count != frame->count || !topk_wire_number(&at, end, UINT64_MAX, bytes) || at != end) {
        topk_client_wrong_line(client, line, length, wanted);
        return false;
    }
    return true;
}

/* Reads the statuses; *any: whether any answer has bytes. */
static bool read_statuses(struct topk_client *client, const struct topk_frame *frame, bool *any)
{
    static const char wanted[] = "the status of a call";
    *any = false;
    for (uint32_t i = 0; i < frame->count; i++) {
        struct topk_backend_answer answer;
        struct topk_call *call = frame->queue[i];
        char *line;
        size_t length;
        if (!topk_client_line(client, wanted, &line, &length)) {
            return false;
        }
        if (!topk_wire_answer_parse(line, length, &answer)) {
            topk_client_wrong_line(client, line, length, wanted);
            return false;
        }
        if (answer.status == TOPK_BACKEND_OUT_OF_MEMORY && answer.reason[0] == 0) {
            snprintf(answer.reason, sizeof answer.reason, "out of memory");
        }
        *any |= !frame->create && answer.status == TOPK_BACKEND_DONE &&
                call->backend_call.create_only == 0;
        if (!frame->create) {
            call->answer = answer;
        }
    }
    return true;
}

/* Receives the answer to the oldest frame. */
static bool receive_frame(struct topk_client *client)
{
    const struct topk_frame frame = client->frames[0];
    uint64_t announced;
    bool any;
    if (!read_answer_line(client, &frame, &announced)) {
        return false;
    }
    const uint64_t now = topk_clock_now();
    client->spent += now - (frame.sent > client->answered ? frame.sent : client->answered);
    client->answered = now;
    topk_client_wait(client, TOPK_PHASE_BYTES, client->limit, frame.bytes);
    if (!read_statuses(client, &frame, &any)) {
        return false;
    }
    const uint64_t due = any && client->memory == NULL ? frame.bytes : 0;
    if (announced != due) {
        topk_client_wrong(client,
                          "its answer announces %" PRIu64 " bytes, and has to bring %" PRIu64,
                          announced, due);
        return false;
    }
    if (client->memory != NULL) {
        if (!topk_client_copy_block(client, &frame)) {
            return false;
        }
    } else if (due > 0 && !topk_client_take_block(client, &frame)) {
        return false;
    }
    if (client->sent == 1 && topk_stream_waiting(&client->stream) > 0) {
        char *line;
        size_t length;
        if (topk_client_line(client, unasked, &line, &length)) {
            topk_client_wrong_line(client, line, length, unasked);
        }
        return false; /* so that the failure belongs to this frame */
    }
    client->last = topk_client_owners(&frame);
    client->sent--;
    client->frame_count--;
    memmove(client->frames, client->frames + 1, client->frame_count * sizeof *client->frames);
    return true;
}

uint64_t topk_client_receive(struct topk_client *client)
{
    const enum topk_stage before = topk_stage_enter(TOPK_STAGE_RECEIVE);
    const uint32_t part = ++client->received_part;
    client->spent = 0;
    pump(client);
    while (!client->at_end && client->frame_count > 0 && client->frames[0].part == part) {
        receive_frame(client);
        pump(client);
    }
    topk_stage_enter(before);
    return client->spent;
}

/* Detects output after the last answer. A careful client waits for a while, because its call ran
 * alone in a fresh process. */
static void watch(struct topk_client *client)
{
    char *line;
    size_t length;
    topk_client_wait(client, TOPK_PHASE_ANSWER, client->careful ? WATCH : 0, 0);
    const enum topk_wire_read came = topk_stream_line(&client->stream, &line, &length);
    if (came == TOPK_WIRE_READ || came == TOPK_WIRE_BAD || length > 0) {
        topk_client_wrong_line(client, line, length, unasked);
    }
}

void topk_client_settle(struct topk_client *client)
{
    if (!client->at_end) {
        watch(client);
    }
    topk_client_settle_halves(client);
    client->last = (struct topk_owners){1, 0}; /* output from now on belongs to no call */
}
