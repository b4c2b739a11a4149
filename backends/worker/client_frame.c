/* Frames of calls: cut, sent, answered, their bytes copied. docs/backend-protocol.md says what a
 * frame is, and why no pair of pipes can fill up on both sides: what is sent ahead of an answer
 * fits into a pipe. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client_state.h"
#include "platform/platform.h"

/* Most bytes that are sent ahead of an answer. */
#define AHEAD_BYTES 49152u
/* Groups that together need more bytes go in several frames. */
#define FRAME_BYTES ((uint64_t)4 << 20)
/* What the lines of a frame and of a call take at most, by its rank. */
#define FRAME_LINE        100u
#define CALL_LINE         860u
#define CALL_LINE_OF_RANK 72u
/* Halves are no smaller, and larger ones are not kept for small frames. */
#define HALF_LEAST ((uint64_t)1 << 20)
#define HALF_KEPT  ((uint64_t)64 << 20)
/* How long a process may still speak that closed its input, nanoseconds. */
#define UNREAD_GRACE ((uint64_t)1000000000)
/* How long a call that is run alone is watched when it is answered, nanoseconds. */
#define WATCH ((uint64_t)20000000)

/* what stands where nothing has to */
static const char unasked[] = "nothing, as all is answered,";

static uint64_t round_up(uint64_t bytes, uint64_t to)
{
    return (bytes + to - 1) / to * to;
}

/* ---- the bytes of a frame -----------------------------------------------------------------------
 * The buffers of its calls, with what is kept around them if the process computes in place, and
 * gaps between them, which are zero. */

struct region {
    unsigned char *data;
    uint64_t at;
    uint64_t bytes;
};

static bool in_place(const struct topk_client *client)
{
    return (client->greeting.flags & TOPK_FLAG_IN_PLACE) != 0;
}

static struct region region_of(const struct topk_client *client, const struct topk_call *call,
                               int role)
{
    if (in_place(client)) {
        return (struct region){call->live[role].data, call->at[role] - TOPK_SLACK_FRONT,
                               call->bytes[role]};
    }
    struct topk_backend_call copy = call->backend_call;
    const struct topk_backend_buffer *buffer = topk_wire_buffer(&copy, (uint32_t)role);
    return (struct region){buffer->data, call->at[role], buffer->bytes};
}

/* Gives the buffers of a call their places from `from` on; returns where they end. */
static uint64_t place_call(const struct topk_client *client, struct topk_call *call, uint64_t from)
{
    const uint64_t align = client->greeting.align;
    const uint64_t front = in_place(client) ? TOPK_SLACK_FRONT : 0;
    for (int role = 0; call->backend_call.create_only == 0 && role < TOPK_ROLE_COUNT; role++) {
        call->at[role] = round_up(from + front, align);
        const struct region region = region_of(client, call, role);
        from = region.at + region.bytes;
    }
    return from;
}

/* Steps over the regions of a frame and the gaps before them. */
struct regions {
    const struct topk_client *client;
    const struct topk_frame *frame;
    uint32_t call;
    int role;
    uint64_t end; /* of the region before */
};

/* False behind the last. */
static bool next_region(struct regions *over, struct region *region, uint64_t *gap)
{
    while (over->call < over->frame->count && !over->frame->create) {
        const struct topk_call *call = over->frame->queue[over->call];
        if (over->role == TOPK_ROLE_COUNT || call->backend_call.create_only != 0) {
            over->call++;
            over->role = 0;
            continue;
        }
        *region = region_of(over->client, call, over->role++);
        *gap = region->at - over->end;
        over->end = region->at + region->bytes;
        return true;
    }
    return false;
}

static bool all_zero(const unsigned char *data, uint64_t bytes)
{
    return bytes == 0 || (data[0] == 0 && memcmp(data, data + 1, (size_t)bytes - 1) == 0);
}

/* ---- memory -------------------------------------------------------------------------------------
 */

/* Looks at what a half held last for writes that came too late. */
static void settle_half(struct topk_client *client, uint32_t number)
{
    struct topk_half *half = &client->halves[number];
    if (half->bytes > 0 && !client->at_end &&
        topk_client_sum(topk_client_half(client, number), half->bytes) != half->sum) {
        topk_client_wrong(client, "it wrote to memory too late"); /* what ends it says more */
    }
    half->bytes = 0;
}

static void settle_halves(struct topk_client *client)
{
    for (uint32_t i = 0; i < TOPK_CLIENT_AHEAD; i++) {
        settle_half(client, i);
    }
}

/* Looks for what the process says though all is answered. A call that is run alone in a fresh
 * process, because of what came of it before, is watched for a while. */
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
    settle_halves(client);
    client->last = (struct topk_owners){1, 0}; /* what comes now is of none of these */
}

/* Has the process map memory with halves of so many bytes. Nothing is under way. */
static void share(struct topk_client *client, uint64_t half)
{
    static const char wanted[] = "\"memory STATUS REASON\"";
    struct topk_backend_answer answer;
    char request[80];
    char *line;
    size_t length;
    uint64_t handle = 0;
    const uint64_t bytes = TOPK_CLIENT_HEAD + TOPK_CLIENT_AHEAD * half;
    settle_halves(client);
    if (client->at_end) {
        return;
    }
    const bool had = client->memory != NULL;
    client->memory = client->link.share(client->link.self, bytes, &handle);
    client->half_bytes = half;
    if (client->memory == NULL) {
        if (had) {
            topk_client_wrong(client, "no memory of %" PRIu64 " bytes could be shared with it",
                              bytes);
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

/* Sees to the memory that a frame needs; false if that has to wait for answers. */
static bool make_room(struct topk_client *client, const struct topk_frame *frame)
{
    if (client->no_memory) {
        return true;
    }
    uint64_t half = HALF_LEAST;
    while (half < frame->bytes + TOPK_CLIENT_SUM_BYTES) {
        half *= 2;
    }
    const bool large = client->half_bytes > HALF_KEPT && half <= HALF_KEPT;
    if (client->memory != NULL && half <= client->half_bytes && !large) {
        return true;
    }
    if (client->sent > 0) {
        return false;
    }
    share(client, half);
    return true;
}

/* ---- cutting ------------------------------------------------------------------------------------
 */

static struct topk_frame *add_frame(struct topk_client *client)
{
    if (client->frame_count == client->frame_room) {
        const uint32_t room = client->frame_room * 2 + 16;
        struct topk_frame *grown = realloc(client->frames, room * sizeof *grown);
        if (grown == NULL) {
            topk_client_wrong(client, "memory ran out");
            return NULL;
        }
        client->frames = grown;
        client->frame_room = room;
    }
    struct topk_frame *frame = &client->frames[client->frame_count++];
    *frame = (struct topk_frame){.part = client->part};
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

/* Answers a call that is too large for the process. */
static bool declined(const struct topk_client *client, struct topk_call *call)
{
    const uint64_t bytes = place_call(client, call, 0);
    if (client->greeting.frame == 0 || bytes <= client->greeting.frame) {
        return false;
    }
    call->answer = (struct topk_backend_answer){.status = TOPK_BACKEND_UNSUPPORTED};
    snprintf(call->answer.reason, sizeof call->answer.reason,
             "needs a frame of %" PRIu64 " bytes, the backend takes %" PRIu64, bytes,
             client->greeting.frame);
    return true;
}

/* Calls go one by one, and each first as one that is only created. */
static void send_carefully(struct topk_client *client, struct topk_call *const queue[],
                           uint32_t count)
{
    const bool creates = (client->greeting.flags & TOPK_FLAG_OWN_CONTRACT) == 0;
    for (uint32_t i = 0; i < count; i++) {
        struct topk_frame frame = {.queue = &queue[i],
                                   .count = 1,
                                   .groups = 1,
                                   .part = client->part,
                                   .wire = FRAME_LINE + line_bytes(queue[i])};
        if (declined(client, queue[i])) {
            continue;
        }
        queue[i]->starts_group = true;
        for (int step = creates && queue[i]->backend_call.create_only == 0 ? 0 : 1; step < 2;
             step++) {
            struct topk_frame *added = add_frame(client);
            if (added == NULL) {
                return;
            }
            frame.create = step == 0;
            frame.bytes = frame.create ? 0 : place_call(client, queue[i], 0);
            *added = frame;
        }
    }
}

/* Whether a call starts a group, and whether that starts a frame. */
static bool starts_group(const struct topk_client *client, uint32_t grouped)
{
    return grouped == 0 || grouped == client->greeting.batch || grouped == TOPK_PROTOCOL_BATCH;
}

static void cut(struct topk_client *client, struct topk_call *const queue[], uint32_t count)
{
    struct topk_frame *frame = NULL;
    const uint64_t most = client->greeting.frame == 0 ? UINT64_MAX : client->greeting.frame;
    uint32_t grouped = 0; /* calls of the group so far */
    for (uint32_t i = 0; i < count; i++) {
        struct topk_call *call = queue[i];
        if (declined(client, call)) {
            frame = NULL;
            continue;
        }
        bool starts = frame == NULL || starts_group(client, grouped);
        const uint64_t line = line_bytes(call);
        if (frame != NULL) {
            const uint64_t end = place_call(client, call, frame->bytes);
            /* a group is cut only where the process cannot take it whole */
            const bool over = end > most || frame->count == TOPK_WIRE_CALLS;
            const bool enough = starts && (end > FRAME_BYTES || frame->wire + line > AHEAD_BYTES);
            if (over || enough) {
                frame = NULL;
                starts = true;
            }
        }
        if (frame == NULL) {
            frame = add_frame(client);
            if (frame == NULL) {
                return;
            }
            frame->queue = &queue[i];
            frame->wire = FRAME_LINE;
        }
        call->starts_group = starts;
        grouped = starts ? 1 : grouped + 1;
        frame->groups += starts ? 1 : 0;
        frame->bytes = place_call(client, call, frame->bytes);
        frame->wire += line;
        frame->count++;
    }
}

/* ---- sending ------------------------------------------------------------------------------------
 */

static enum topk_wire_read put_text(struct topk_client *client, const char *text)
{
    return topk_stream_put(&client->stream, text, strlen(text));
}

/* Puts the lines of groups and calls into the pipe; what came of it. */
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
        const size_t length = topk_wire_call_print(&said, call->at, line);
        line[length] = '\n';
        if (came == TOPK_WIRE_READ) {
            came = topk_stream_put(&client->stream, line, length + 1);
        }
    }
    return came;
}

/* Puts the bytes of a frame into the pipe; what came of it. */
static enum topk_wire_read put_bytes(struct topk_client *client, const struct topk_frame *frame)
{
    static const unsigned char zeros[8192];
    struct regions over = {.client = client, .frame = frame};
    struct region region;
    uint64_t gap;
    enum topk_wire_read came = TOPK_WIRE_READ;
    while (came == TOPK_WIRE_READ && next_region(&over, &region, &gap)) {
        came = topk_stream_put(&client->stream, zeros, gap); /* below an alignment and a front */
        if (came == TOPK_WIRE_READ) {
            came = topk_stream_put(&client->stream, region.data, region.bytes);
        }
    }
    return came;
}

static void share_bytes(struct topk_client *client, const struct topk_frame *frame)
{
    unsigned char *half = topk_client_half(client, frame->number);
    struct regions over = {.client = client, .frame = frame};
    struct region region;
    uint64_t gap;
    while (next_region(&over, &region, &gap)) {
        memset(half + region.at - gap, 0, (size_t)gap);
        memcpy(half + region.at, region.data, (size_t)region.bytes);
    }
    memset(half + frame->bytes, 0, TOPK_CLIENT_SUM_BYTES); /* topk_client_sum() reads of it */
}

static void send_frame(struct topk_client *client, struct topk_frame *frame)
{
    char line[160];
    frame->number = client->number + 1;
    if (client->memory != NULL) {
        settle_half(client, frame->number % TOPK_CLIENT_AHEAD);
        if (client->at_end) {
            return;
        }
        share_bytes(client, frame);
    }
    client->number++;
    const uint64_t in_pipe = client->memory == NULL ? frame->bytes : 0;
    topk_client_wait(client, TOPK_PHASE_READING, client->limit, frame->wire + in_pipe);
    int used = snprintf(line, sizeof line, "frame %" PRIu64 " %" PRIu32 " %" PRIu32 " %" PRIu64,
                        frame->number, frame->count, frame->groups, frame->bytes);
    if (client->memory != NULL) {
        used += snprintf(line + used, sizeof line - (size_t)used, " %" PRIu64,
                         (uint64_t)(topk_client_half(client, frame->number) - client->memory));
    }
    snprintf(line + used, sizeof line - (size_t)used, "\n");
    client->sent++; /* whoever is late now is late with this */
    enum topk_wire_read came = put_text(client, line);
    if (came == TOPK_WIRE_READ) {
        came = put_calls(client, frame);
    }
    if (came == TOPK_WIRE_READ && in_pipe > 0) {
        came = put_bytes(client, frame);
    }
    if (came == TOPK_WIRE_READ) {
        came = topk_stream_flush(&client->stream);
    }
    if (came == TOPK_WIRE_LATE) {
        topk_client_lost(client, came);
    }
    /* if it is gone, or closed its input, it may have said something before */
    client->unread |= came == TOPK_WIRE_END;
    frame->sent = topk_clock_now();
}

/* Sends what may be sent now. */
static void pump(struct topk_client *client)
{
    while (!client->at_end && client->sent < client->frame_count &&
           client->sent < TOPK_CLIENT_AHEAD) {
        struct topk_frame *frame = &client->frames[client->sent];
        if (!make_room(client, frame)) {
            return;
        }
        const uint64_t wire = frame->wire + (client->memory == NULL ? frame->bytes : 0);
        if (client->sent > 0 && wire > AHEAD_BYTES) {
            return;
        }
        if (!client->at_end) {
            send_frame(client, frame);
        }
    }
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
    if (client->careful) {
        send_carefully(client, queue, count);
    } else {
        cut(client, queue, count);
    }
    pump(client);
}

/* ---- receiving ----------------------------------------------------------------------------------
 */

/* "at F G": where the process is, a hint */
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
    client->mark = (number << 16 | group) + 1; /* each once: there is an end to them */
    return true;
}

/* "answer F CALLS BYTES", behind any marks */
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
        /* who cannot be asked anything any more has only something left to say */
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

/* Reads the statuses; *any tells whether one brings bytes. */
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
        *any |= !frame->create && answer.status == TOPK_BACKEND_DONE &&
                call->backend_call.create_only == 0;
        if (!frame->create) {
            call->answer = answer;
        }
    }
    return true;
}

static bool read_bytes(struct topk_client *client, const struct topk_frame *frame)
{
    unsigned char between[8192];
    struct regions over = {.client = client, .frame = frame};
    struct region region;
    uint64_t gap;
    while (next_region(&over, &region, &gap)) {
        enum topk_wire_read came = topk_stream_take(&client->stream, between, gap);
        if (came == TOPK_WIRE_READ && !all_zero(between, gap)) {
            topk_client_wrong(client, "it changed bytes between the buffers of a frame");
            return false;
        }
        if (came == TOPK_WIRE_READ) {
            came = topk_stream_take(&client->stream, region.data, region.bytes);
        }
        if (came != TOPK_WIRE_READ) {
            topk_client_lost(client, came);
            return false;
        }
    }
    return true;
}

/* Copies the bytes of a frame out of the memory that the process still has. */
static bool copy_bytes(struct topk_client *client, const struct topk_frame *frame)
{
    unsigned char *half = topk_client_half(client, frame->number);
    struct regions over = {.client = client, .frame = frame};
    struct region region;
    uint64_t gap;
    /* first of all: what changes from now on is seen, be it copied or not */
    const uint64_t sum = topk_client_sum(half, frame->bytes);
    bool clean = all_zero(client->memory + sizeof(uint64_t), TOPK_CLIENT_HEAD - sizeof(uint64_t)) &&
                 all_zero(half + frame->bytes, TOPK_CLIENT_SUM_BYTES);
    while (next_region(&over, &region, &gap)) {
        clean &= all_zero(half + region.at - gap, gap);
        memcpy(region.data, half + region.at, (size_t)region.bytes);
    }
    if (!clean) {
        topk_client_wrong(client, "it wrote to the memory outside of the buffers of its frame");
        return false;
    }
    client->halves[frame->number % TOPK_CLIENT_AHEAD] =
        (struct topk_half){.bytes = frame->bytes,
                           .sum = sum,
                           .first = frame->queue[0]->owner,
                           .last = frame->queue[frame->count - 1]->owner};
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
        if (!copy_bytes(client, &frame)) {
            return false;
        }
    } else if (due > 0 && !read_bytes(client, &frame)) {
        return false;
    }
    if (client->sent == 1 && topk_stream_waiting(&client->stream) > 0) {
        char *line;
        size_t length;
        if (topk_client_line(client, unasked, &line, &length)) {
            topk_client_wrong_line(client, line, length, unasked);
        }
        return false; /* so that it is the frame's */
    }
    client->last = (struct topk_owners){frame.queue[0]->owner, frame.queue[frame.count - 1]->owner};
    client->sent--;
    client->frame_count--;
    memmove(client->frames, client->frames + 1, client->frame_count * sizeof *client->frames);
    return true;
}

uint64_t topk_client_receive(struct topk_client *client)
{
    const uint32_t part = ++client->received_part;
    client->spent = 0;
    pump(client);
    while (!client->at_end && client->frame_count > 0 && client->frames[0].part == part) {
        receive_frame(client);
        pump(client);
    }
    return client->spent;
}
