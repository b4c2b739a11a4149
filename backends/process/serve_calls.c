/* The backend's end of the backend protocol: reads requests, makes calls, writes bytes. The code
 * under test runs in this process, so the judge trusts nothing here but the bytes.
 *
 * The bytes of a frame are in memory of this process, or in memory shared with the judge; the
 * backend works on them in place. A backend with start() computes while the next frame is read.
 */
#include "serve_calls.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "guard_page.h"
#include "platform/platform.h"
#include "reference/result.h"

/* alignment of buffers in the plugin interface */
#define ALIGNMENT 64u
/* greatest size of frames whose memory is kept */
#define KEPT_BYTES ((uint64_t)64 << 20)

/* A frame that was read. */
struct frame {
    uint64_t number;
    uint32_t count;
    uint32_t group_count;
    uint64_t bytes;
    unsigned char *data; /* its bytes */
    bool shared;         /* `data` is shared memory, so the bytes are not sent back */
    unsigned char *block;
    uint64_t room; /* size of `block` */
    struct topk_wire_call wires[TOPK_WIRE_CALLS];
    struct topk_backend_answer answers[TOPK_WIRE_CALLS];
    uint32_t groups[TOPK_WIRE_CALLS]; /* number of calls in each */
};

struct server {
    struct topk_loaded *loaded;
    struct topk_judge_line line;
    struct topk_stream *stream;
    char *pending; /* a line that was read, but not served yet; or NULL */
    size_t pending_length;
    unsigned char *memory; /* shared by the judge; or NULL */
    uint64_t memory_bytes;
    struct frame frames[2]; /* one whose calls are made, and one that is read meanwhile */
    /* the calls of a group that are passed to the backend, without those that it declines */
    struct topk_backend_call calls[TOPK_WIRE_CALLS];
    struct topk_backend_answer answers[TOPK_WIRE_CALLS];
    uint32_t places[TOPK_WIRE_CALLS];     /* their positions in the frame */
    struct topk_guard_pages *guard_pages; /* NULL: no call needed any */
};

/* How a request ended. */
enum served {
    SERVED,
    SERVED_QUIT,
    SERVED_WRONG /* it was malformed, and the judge got a message */
};

/* ---- talking --------------------------------------------------------------------------------- */

static enum served put_line(struct server *server, const char *text, size_t length)
{
    topk_stream_put(server->stream, text, length);
    topk_stream_put(server->stream, "\n", 1);
    topk_stream_flush(server->stream); /* if it fails, so does the next read */
    return SERVED;
}

/* sends a message about a violation by the judge */
static enum served refuse(struct server *server, const char *format, ...)
{
    char why[512];
    char line[1600] = "error ";
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, sizeof why, format, arguments);
    va_end(arguments);
    put_line(server, line, 6 + topk_word_print(why, line + 6, sizeof line - 6));
    return SERVED_WRONG;
}

/* Reads a line; QUIT at the end of the input. */
static enum served read_line(struct server *server, char **line, size_t *length)
{
    if (server->pending != NULL) {
        *line = server->pending;
        *length = server->pending_length;
        server->pending = NULL;
        return SERVED;
    }
    switch (topk_stream_line(server->stream, line, length)) {
    case TOPK_WIRE_READ:
        return SERVED;
    case TOPK_WIRE_BAD:
        return refuse(server, "a line is too long, or has a zero byte");
    default:
        return SERVED_QUIT;
    }
}

/* whether a line starts with a word; if so, *at is set to the text after it */
static bool starts_with(const char **at, const char *word)
{
    const size_t length = strlen(word);
    if (strncmp(*at, word, length) != 0) {
        return false;
    }
    *at += length;
    return true;
}

/* ---- reading a frame ------------------------------------------------------------------------- */

static bool reserve_block(struct frame *frame)
{
    if (frame->block == NULL || frame->bytes > frame->room || frame->room > KEPT_BYTES) {
        free(frame->block);
        frame->room = 0;
        frame->block =
            frame->bytes > SIZE_MAX - ALIGNMENT ? NULL : malloc((size_t)frame->bytes + ALIGNMENT);
        if (frame->block == NULL) {
            return false;
        }
        frame->room = frame->bytes;
    }
    frame->data = frame->block + (ALIGNMENT - (uintptr_t)frame->block % ALIGNMENT);
    return true;
}

/* Reads the lines of groups and calls. */
static enum served read_calls(struct server *server, struct frame *frame)
{
    uint32_t left = 0; /* calls that the group still needs */
    uint32_t groups = 0;
    for (uint32_t i = 0; i < frame->count;) {
        char *line;
        size_t length;
        char error[512];
        uint64_t count;
        const enum served read = read_line(server, &line, &length);
        if (read != SERVED) {
            return read;
        }
        const char *at = line;
        const char *end = line + length;
        if (left == 0) {
            if (!starts_with(&at, "group ") ||
                !topk_wire_number(&at, end, server->loaded->info.batch, &count) || at != end ||
                count == 0 || count > frame->count - i || groups == frame->group_count) {
                return refuse(server, "no group of its frame: %.100s", line);
            }
            left = frame->groups[groups++] = (uint32_t)count;
            continue;
        }
        struct topk_wire_call *wire = &frame->wires[i];
        if (!topk_wire_call_parse(line, length, wire, error, sizeof error)) {
            return refuse(server, "%s", error);
        }
        if (!topk_wire_call_fits(wire, frame->bytes)) {
            return refuse(server, "the buffers of a call do not fit into its frame");
        }
        for (uint32_t t = 0; wire->call.create_only == 0 && t < TOPK_WIRE_TENSORS; t++) {
            if (wire->at[t] % ALIGNMENT != 0) {
                return refuse(server, "a buffer is not aligned to %u bytes", ALIGNMENT);
            }
        }
        i++;
        left--;
    }
    return groups == frame->group_count ? SERVED : refuse(server, "a frame lacks groups");
}

/* Reads the rest of a frame, after "frame ". */
static enum served read_frame(struct server *server, const char *at, const char *end,
                              struct frame *frame)
{
    uint64_t count;
    uint64_t groups;
    uint64_t place = 0;
    const bool shared = server->memory != NULL;
    if (!topk_wire_number(&at, end, UINT64_MAX, &frame->number) ||
        !topk_wire_number(&at, end, TOPK_WIRE_CALLS, &count) || count == 0 ||
        !topk_wire_number(&at, end, count, &groups) || groups == 0 ||
        !topk_wire_number(&at, end, UINT64_MAX, &frame->bytes) ||
        (shared && !topk_wire_number(&at, end, UINT64_MAX, &place)) || at != end) {
        return refuse(server, "not understood: a frame must be \"frame F CALLS GROUPS BYTES%s\"",
                      shared ? " AT" : "");
    }
    frame->count = (uint32_t)count;
    frame->group_count = (uint32_t)groups;
    frame->shared = shared;
    const enum served read = read_calls(server, frame);
    if (read != SERVED) {
        return read;
    }
    if (frame->shared) {
        if (place % ALIGNMENT != 0 || place > server->memory_bytes ||
            frame->bytes > server->memory_bytes - place) {
            return refuse(server, "a frame lies outside of the memory");
        }
        frame->data = server->memory + place;
        return SERVED;
    }
    if (!reserve_block(frame)) {
        return refuse(server, "out of memory");
    }
    return topk_stream_take(server->stream, frame->data, frame->bytes) == TOPK_WIRE_READ
               ? SERVED
               : SERVED_QUIT;
}

/* ---- making its calls ------------------------------------------------------------------------ */

/* sends a mark: a hint for the judge in case this process ends */
static void mark(struct server *server, const struct frame *frame, uint32_t group)
{
    if (server->memory != NULL) {
        const uint64_t now = frame->number * 65536 + group;
        memcpy(server->memory, &now, sizeof now);
    }
}

/* Places the tensors of a call next to guard pages, if it requests that; *answer says why it
 * failed. */
static void guard(struct server *server, const struct frame *frame, uint32_t number,
                  struct topk_backend_call *call, struct topk_backend_answer *answer)
{
    const struct topk_guard_room room = {frame->data, frame->data + frame->bytes};
    const struct topk_guard_room rooms[TOPK_WIRE_TENSORS] = {room, room, room};
    const enum topk_guard_page side = frame->wires[number].guard_page;
    if (side == TOPK_GUARD_PAGE_NONE) {
        return;
    }
    if (server->guard_pages == NULL) {
        server->guard_pages = topk_guard_pages_new();
    }
    if (server->guard_pages == NULL ||
        !topk_guard_pages_give(server->guard_pages, side, rooms, call)) {
        answer->status = TOPK_BACKEND_OUT_OF_MEMORY;
        snprintf(answer->reason, sizeof answer->reason, "no memory for guard pages");
    }
}

/* Converts the elements of the passed calls between the protocol's byte order and the machine's. */
static void turn(const struct server *server, uint32_t given)
{
    for (uint32_t i = 0; i < given; i++) {
        struct topk_backend_call call = server->calls[i];
        for (uint32_t t = 0; call.create_only == 0 && t < TOPK_WIRE_TENSORS; t++) {
            topk_wire_turn(&call, t, topk_wire_buffer(&call, t));
        }
    }
}

/* Collects the calls of a group that the backend supports; returns their number. */
static uint32_t give_group(struct server *server, struct frame *frame, uint32_t from,
                           uint32_t count)
{
    const struct topk_backend *backend = server->loaded->backend;
    uint32_t given = 0;
    for (uint32_t i = from; i < from + count; i++) {
        struct topk_backend_answer *answer = &frame->answers[i];
        struct topk_backend_call call = frame->wires[i].call;
        for (uint32_t t = 0; call.create_only == 0 && t < TOPK_WIRE_TENSORS; t++) {
            topk_wire_buffer(&call, t)->data = frame->data + frame->wires[i].at[t];
        }
        memset(answer, 0, sizeof *answer);
        guard(server, frame, i, &call, answer);
        if (answer->status == TOPK_BACKEND_DONE && backend->supports != NULL &&
            call.create_only == 0) {
            backend->supports(server->loaded->self, &call, answer);
        }
        if (answer->status == TOPK_BACKEND_DONE) {
            memset(&server->answers[given], 0, sizeof server->answers[given]);
            server->calls[given] = call;
            server->places[given++] = i;
        }
    }
    return given;
}

static void take_group(struct server *server, struct frame *frame, uint32_t given)
{
    if (server->guard_pages != NULL) {
        topk_guard_pages_take(server->guard_pages);
    }
    for (uint32_t i = 0; i < given; i++) {
        frame->answers[server->places[i]] = server->answers[i];
    }
}

static enum served answer_frame(struct server *server, const struct frame *frame)
{
    char line[TOPK_WIRE_LINE];
    bool any = false;
    for (uint32_t i = 0; i < frame->count; i++) {
        any |=
            frame->answers[i].status == TOPK_BACKEND_DONE && frame->wires[i].call.create_only == 0;
    }
    const uint64_t bytes = any && !frame->shared ? frame->bytes : 0;
    int used = snprintf(line, sizeof line, "answer %" PRIu64 " %" PRIu32 " %" PRIu64 "\n",
                        frame->number, frame->count, bytes);
    topk_stream_put(server->stream, line, (size_t)used);
    for (uint32_t i = 0; i < frame->count; i++) {
        struct topk_backend_answer answer = frame->answers[i];
        answer.reason[sizeof answer.reason - 1] = 0;
        const size_t length = topk_wire_answer_print(&answer, line);
        line[length] = '\n';
        topk_stream_put(server->stream, line, length + 1);
    }
    topk_stream_put(server->stream, frame->data, bytes);
    topk_stream_flush(server->stream);
    return SERVED;
}

/* Reads the next request if one waits. If it is a frame, reads it and sets *ahead. */
static enum served read_ahead(struct server *server, struct frame *frame, bool *ahead)
{
    static const char verb[] = "frame ";
    char *line;
    size_t length;
    *ahead = false;
    if (topk_stream_waiting(server->stream) == 0 &&
        (server->line.ready == NULL || !server->line.ready())) {
        return SERVED;
    }
    const enum served read = read_line(server, &line, &length);
    if (read != SERVED) {
        return read;
    }
    if (strncmp(line, verb, sizeof verb - 1) != 0) {
        server->pending = line; /* it must be served before anything else is read */
        server->pending_length = length;
        return SERVED;
    }
    *ahead = true;
    return read_frame(server, line + sizeof verb - 1, line + length, frame);
}

/* Serves the frame in frames[0], and those that are read meanwhile. */
static enum served serve_frames(struct server *server)
{
    struct topk_loaded *loaded = server->loaded;
    struct frame *frame = &server->frames[0];
    struct frame *next = &server->frames[1];
    enum served read = SERVED;
    bool ahead = true;
    while (ahead && read == SERVED) {
        ahead = false;
        for (uint32_t g = 0, from = 0; g < frame->group_count; from += frame->groups[g++]) {
            mark(server, frame, g);
            const uint32_t given = give_group(server, frame, from, frame->groups[g]);
            turn(server, given);
            if (given > 0 && loaded->starts) {
                loaded->backend->start(loaded->self, server->calls, given, server->answers);
                if (g + 1 == frame->group_count) {
                    read = read_ahead(server, next, &ahead);
                }
                loaded->backend->finish(loaded->self);
            } else if (given > 0) {
                loaded->backend->run(loaded->self, server->calls, given, server->answers);
            }
            turn(server, given);
            take_group(server, frame, given);
        }
        if (read != SERVED_WRONG) {
            answer_frame(server, frame);
        }
        struct frame *served = frame;
        frame = next;
        next = served;
    }
    return read;
}

/* ---- other requests -------------------------------------------------------------------------- */

/* handles the rest of a request, after "memory " */
static enum served serve_memory(struct server *server, const char *at, const char *end)
{
    struct topk_backend_answer answer = {.status = TOPK_BACKEND_DONE};
    char line[TOPK_WIRE_LINE + 8] = "memory ";
    uint64_t handle;
    uint64_t bytes;
    if (!topk_wire_number(&at, end, UINT64_MAX, &handle) ||
        !topk_wire_number(&at, end, UINT64_MAX, &bytes) || bytes < sizeof(uint64_t) || at != end) {
        return refuse(server, "not understood: memory must be \"memory HANDLE BYTES\"");
    }
    if (server->memory != NULL) {
        topk_memory_unmap(server->memory, server->memory_bytes);
    }
    server->memory = topk_memory_map(handle, bytes, answer.reason, sizeof answer.reason);
    server->memory_bytes = bytes;
    answer.status = server->memory == NULL ? TOPK_BACKEND_FAILED : TOPK_BACKEND_DONE;
    return put_line(server, line, 7 + topk_wire_answer_print(&answer, line + 7));
}

static enum served serve_probe(struct server *server, const char *at, const char *end)
{
    uint64_t number;
    if (!topk_wire_number(&at, end, UINT32_MAX, &number) || at != end) {
        return refuse(server, "not understood: a probe must be \"probe N\"");
    }
    char text[TOPK_LOADER_PROBE_TEXT];
    topk_loader_probe_print(server->loaded, (uint32_t)number, text);
    return put_line(server, text, strlen(text));
}

static enum served serve_request(struct server *server, const char *line, size_t length)
{
    const char *at = line;
    const char *end = line + length;
    if (starts_with(&at, "frame ")) {
        const enum served read = read_frame(server, at, end, &server->frames[0]);
        return read == SERVED ? serve_frames(server) : read;
    }
    if (starts_with(&at, "memory ")) {
        return serve_memory(server, at, end);
    }
    if (strcmp(at, "probes") == 0) {
        char text[TOPK_LOADER_PROBE_TEXT];
        topk_loader_probes_print(server->loaded, text);
        return put_line(server, text, strlen(text));
    }
    if (starts_with(&at, "probe ")) {
        return serve_probe(server, at, end);
    }
    return strcmp(at, "quit") == 0 ? SERVED_QUIT : refuse(server, "not understood: %.100s", line);
}

/* ---- opening --------------------------------------------------------------------------------- */

static enum served list_devices(struct server *server)
{
    char line[TOPK_WORKER_LINE] = "devices=";
    char options[256];
    size_t used = strlen(line);
    for (uint32_t i = 0; used + 3 * sizeof options < sizeof line &&
                         topk_loader_device(server->loaded, i, options, sizeof options);
         i++) {
        if (i > 0) {
            line[used++] = ',';
        }
        used += topk_word_print(options, line + used, sizeof line - used);
    }
    return put_line(server, line, used);
}

/* Opens the backend; if that fails, *code is the exit code. */
static bool open_backend(struct server *server, const char *at, const char *end, int *code)
{
    char device[512];
    static char error[4096]; /* static, like the line: the stack may be small */
    static char line[3 * sizeof error];
    uint32_t flags;
    if (!topk_word_parse(at, (size_t)(end - at), device, sizeof device)) {
        refuse(server, "not understood: open must be \"open 1 W\"");
        *code = TOPK_WORKER_EXIT_HARNESS;
        return false;
    }
    if (!topk_loader_open_found(server->loaded, device, error, sizeof error)) {
        const bool misdeclared = server->loaded->misdeclared;
        snprintf(line, sizeof line, "%s ", misdeclared ? "misdeclared" : "unavailable");
        put_line(server, line, 12 + topk_word_print(error, line + 12, sizeof line - 12));
        *code = misdeclared ? TOPK_WORKER_EXIT_HARNESS : TOPK_WORKER_EXIT_UNAVAILABLE;
        return false;
    }
    flags =
        server->loaded->info.flags | TOPK_FLAG_IN_PLACE | TOPK_FLAG_MEMORY | TOPK_FLAG_GUARD_PAGES;
    topk_stream_put(server->stream, line,
                    topk_greeting_print(TOPK_SPEAKER_BACKEND, &server->loaded->info,
                                        &server->loaded->contract, server->loaded->parts, flags,
                                        ALIGNMENT, line));
    topk_stream_flush(server->stream);
    return true;
}

/* Handles requests before the backend is open; false if it does not get opened. */
static bool introduce(struct server *server, int *code)
{
    char *line;
    size_t length;
    enum served read;
    *code = EXIT_SUCCESS;
    while ((read = read_line(server, &line, &length)) == SERVED) {
        const char *at = line;
        if (strcmp(line, "devices") == 0) {
            list_devices(server);
        } else if (starts_with(&at, "open 1 ")) {
            return open_backend(server, at, line + length, code);
        } else if (strcmp(line, "quit") == 0) {
            return false;
        } else {
            read = refuse(server, "not understood: %.100s", line);
            break;
        }
    }
    *code = read == SERVED_WRONG ? TOPK_WORKER_EXIT_HARNESS : EXIT_SUCCESS;
    return false;
}

int topk_calls_serve(struct topk_loaded *loaded, const struct topk_judge_line *line)
{
    struct server *server = calloc(1, sizeof *server);
    int code = TOPK_WORKER_EXIT_HARNESS;
    if (server == NULL) {
        topk_loader_close(loaded);
        return code;
    }
    server->loaded = loaded;
    server->line = *line;
    server->stream = line->stream;
    if (introduce(server, &code)) {
        enum served served = SERVED;
        char *request;
        size_t length;
        while (served == SERVED && (served = read_line(server, &request, &length)) == SERVED) {
            served = serve_request(server, request, length);
        }
        code = served == SERVED_WRONG ? TOPK_WORKER_EXIT_HARNESS : EXIT_SUCCESS;
    }
    if (server->memory != NULL) {
        topk_memory_unmap(server->memory, server->memory_bytes);
    }
    topk_guard_pages_free(server->guard_pages);
    free(server->frames[0].block);
    free(server->frames[1].block);
    free(server);
    topk_loader_close(loaded);
    return code;
}
