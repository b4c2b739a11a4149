/* The backend's end of the backend protocol: requests come in, calls are made, bytes go out. What
 * runs here is under test, with this file beside it in one process: nobody believes more of it than
 * the bytes. */
#include "serve_calls.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "protocol/protocol.h"
#include "reference/result.h"

/* as the plugin interface promises */
#define ALIGNMENT 64u

/* Calls that came together, their buffers behind one another in one block; kept for the next ones,
 * up to so many bytes. */
#define KEPT_BYTES ((uint64_t)64 << 20)
struct frame {
    uint64_t number;
    uint32_t count; /* 0: none */
    uint32_t room;
    struct topk_wire_call *wires;
    struct topk_backend_call *calls;
    struct topk_backend_answer *answers;
    unsigned char *block;
    uint64_t block_room;
};

struct server {
    struct topk_loaded *loaded;
    FILE *in;
    FILE *out;
    struct frame frame;
    bool started; /* frame was, and is not finished */
    char line[TOPK_WORKER_LINE + 2];
};

/* says what is wrong with the other side; false */
static bool refuse(struct server *server, const char *format, ...)
{
    char why[512];
    char word[1600];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, sizeof why, format, arguments);
    va_end(arguments);
    topk_word_print(why, word, sizeof word);
    fprintf(server->out, "error %s\n", word);
    fflush(server->out);
    return false;
}

static bool reserve_calls(struct frame *frame, uint32_t count)
{
    if (count <= frame->room) {
        return true;
    }
    free(frame->wires);
    free(frame->calls);
    free(frame->answers);
    frame->wires = calloc(count, sizeof *frame->wires);
    frame->calls = calloc(count, sizeof *frame->calls);
    frame->answers = calloc(count, sizeof *frame->answers);
    const bool there = frame->wires != NULL && frame->calls != NULL && frame->answers != NULL;
    frame->room = there ? count : 0;
    return there;
}

static bool reserve_block(struct frame *frame, uint64_t bytes)
{
    if (bytes <= frame->block_room && frame->block_room <= KEPT_BYTES) {
        return true;
    }
    free(frame->block);
    frame->block_room = bytes > SIZE_MAX - ALIGNMENT ? 0 : bytes;
    frame->block = frame->block_room < bytes ? NULL : malloc((size_t)bytes + ALIGNMENT);
    frame->block_room = frame->block == NULL ? 0 : bytes;
    return frame->block != NULL;
}

static uint64_t aligned(uint64_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static bool read_call(struct server *server, struct topk_wire_call *wire)
{
    char error[512];
    size_t length;
    if (topk_wire_line_read(server->in, server->line, sizeof server->line, &length) !=
        TOPK_WIRE_READ) {
        return refuse(server, "a call is missing");
    }
    return topk_wire_call_parse(server->line, length, wire, error, sizeof error) ||
           refuse(server, "%s", error);
}

/* Gives each buffer its place in the block and fills it. */
static bool read_buffers(struct server *server)
{
    struct frame *frame = &server->frame;
    unsigned char *at = frame->block + (ALIGNMENT - (uintptr_t)frame->block % ALIGNMENT);
    for (uint32_t i = 0; i < frame->count; i++) {
        struct topk_backend_call *call = &frame->calls[i];
        *call = frame->wires[i].call;
        for (uint32_t tensor = 0; call->create_only == 0 && tensor < TOPK_WIRE_TENSORS; tensor++) {
            struct topk_backend_buffer *buffer = topk_wire_buffer(call, tensor);
            buffer->data = at;
            if (fread(at, 1, (size_t)buffer->bytes, server->in) != buffer->bytes) {
                return refuse(server, "the bytes of a call are missing");
            }
            at += aligned(buffer->bytes);
        }
    }
    return true;
}

/* Reads what stands behind "run " or "start ", and all that belongs to it. */
static bool read_frame(struct server *server, const char *at, const char *end)
{
    struct frame *frame = &server->frame;
    uint64_t count;
    uint64_t bytes;
    uint64_t sum = 0;
    uint64_t room = 0;
    if (!topk_wire_number(&at, end, UINT64_MAX, &frame->number) ||
        !topk_wire_number(&at, end, server->loaded->info.batch, &count) || count == 0 ||
        !topk_wire_number(&at, end, UINT64_MAX, &bytes) || at != end) {
        return refuse(server, "not understood: %.100s", server->line);
    }
    frame->count = (uint32_t)count;
    if (!reserve_calls(frame, frame->count)) {
        return refuse(server, "out of memory");
    }
    for (uint32_t i = 0; i < frame->count; i++) {
        if (!read_call(server, &frame->wires[i])) {
            return false;
        }
        const uint64_t own = topk_wire_call_bytes(&frame->wires[i].call);
        const uint64_t padded = own + (uint64_t)TOPK_WIRE_TENSORS * ALIGNMENT;
        sum = own > UINT64_MAX - sum ? UINT64_MAX : sum + own;
        room = padded < own || padded > UINT64_MAX - room ? UINT64_MAX : room + padded;
    }
    if (sum != bytes) {
        return refuse(server, "a frame announces %" PRIu64 " bytes, its calls have %" PRIu64, bytes,
                      sum);
    }
    return (reserve_block(frame, room) || refuse(server, "out of memory")) && read_buffers(server);
}

static void answer_frame(struct server *server)
{
    struct frame *frame = &server->frame;
    char line[TOPK_WIRE_LINE];
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < frame->count; i++) {
        frame->answers[i].reason[sizeof frame->answers[i].reason - 1] = 0;
        if (frame->answers[i].status == TOPK_BACKEND_DONE) {
            bytes += topk_wire_call_bytes(&frame->wires[i].call);
        }
    }
    fprintf(server->out, "answer %" PRIu64 " %" PRIu32 " %" PRIu64 "\n", frame->number,
            frame->count, bytes);
    for (uint32_t i = 0; i < frame->count; i++) {
        const size_t length = topk_wire_answer_print(&frame->answers[i], line);
        line[length] = '\n';
        fwrite(line, 1, length + 1, server->out);
    }
    for (uint32_t i = 0; i < frame->count; i++) {
        const struct topk_backend_call *call = &frame->wires[i].call;
        if (frame->answers[i].status != TOPK_BACKEND_DONE || call->create_only != 0) {
            continue;
        }
        for (uint32_t tensor = 0; tensor < TOPK_WIRE_TENSORS; tensor++) {
            const struct topk_backend_buffer *buffer = topk_wire_buffer(&frame->calls[i], tensor);
            fwrite(buffer->data, 1, (size_t)buffer->bytes, server->out);
        }
    }
    fflush(server->out);
    frame->count = 0;
}

static void clear_answers(struct frame *frame)
{
    memset(frame->answers, 0, frame->count * sizeof *frame->answers);
}

static bool serve_run(struct server *server, const char *at, const char *end)
{
    struct topk_loaded *loaded = server->loaded;
    if (server->started) {
        return refuse(server, "run before finish");
    }
    if (!read_frame(server, at, end)) {
        return false;
    }
    clear_answers(&server->frame);
    loaded->backend->run(loaded->self, server->frame.calls, server->frame.count,
                         server->frame.answers);
    answer_frame(server);
    return true;
}

static bool serve_start(struct server *server, const char *at, const char *end)
{
    struct topk_loaded *loaded = server->loaded;
    if (server->started || !loaded->starts) {
        return refuse(server, server->started ? "start before finish" : "start without the flag");
    }
    if (!read_frame(server, at, end)) {
        return false;
    }
    clear_answers(&server->frame);
    loaded->backend->start(loaded->self, server->frame.calls, server->frame.count,
                           server->frame.answers);
    server->started = true;
    return true;
}

static bool serve_finish(struct server *server, const char *at, const char *end)
{
    uint64_t number;
    if (!server->started || !topk_wire_number(&at, end, UINT64_MAX, &number) ||
        number != server->frame.number || at != end) {
        return refuse(server, "nothing of that number was started: %.100s", server->line);
    }
    server->loaded->backend->finish(server->loaded->self);
    server->started = false;
    answer_frame(server);
    return true;
}

static bool serve_supports(struct server *server)
{
    struct topk_loaded *loaded = server->loaded;
    struct topk_wire_call wire;
    struct topk_backend_answer answer;
    char line[TOPK_WIRE_LINE];
    if (!read_call(server, &wire)) {
        return false;
    }
    memset(&answer, 0, sizeof answer);
    if (loaded->backend->supports != NULL) {
        loaded->backend->supports(loaded->self, &wire.call, &answer);
        answer.reason[sizeof answer.reason - 1] = 0;
    }
    topk_wire_answer_print(&answer, line);
    fprintf(server->out, "supports %s\n", line);
    fflush(server->out);
    return true;
}

static bool put_line(struct server *server, const char *text)
{
    fprintf(server->out, "%s\n", text);
    fflush(server->out);
    return true;
}

static bool serve_probe(struct server *server, const char *at, const char *end)
{
    uint64_t number;
    if (!topk_wire_number(&at, end, UINT32_MAX, &number) || at != end) {
        return refuse(server, "not understood: %.100s", server->line);
    }
    char text[TOPK_LOADER_PROBE_TEXT];
    topk_loader_probe_print(server->loaded, (uint32_t)number, text);
    return put_line(server, text);
}

/* whether a line starts with a word; then *at stands behind it */
static bool starts_with(const char **at, const char *word)
{
    const size_t length = strlen(word);
    if (strncmp(*at, word, length) != 0) {
        return false;
    }
    *at += length;
    return true;
}

static bool serve_request(struct server *server, size_t length)
{
    const char *at = server->line;
    const char *end = at + length;
    if (starts_with(&at, "run ")) {
        return serve_run(server, at, end);
    }
    if (strcmp(at, "supports") == 0) {
        return serve_supports(server);
    }
    if (starts_with(&at, "start ")) {
        return serve_start(server, at, end);
    }
    if (starts_with(&at, "finish ")) {
        return serve_finish(server, at, end);
    }
    if (strcmp(at, "probes") == 0) {
        char text[TOPK_LOADER_PROBE_TEXT];
        topk_loader_probes_print(server->loaded, text);
        return put_line(server, text);
    }
    if (starts_with(&at, "probe ")) {
        return serve_probe(server, at, end);
    }
    return refuse(server, "not understood: %.100s", server->line);
}

int topk_calls_serve(struct topk_loaded *loaded, FILE *in, FILE *out)
{
    static struct server server;
    server = (struct server){.loaded = loaded, .in = in, .out = out};
    uint32_t flags = loaded->info.flags;
    flags |= loaded->backend->supports != NULL ? TOPK_FLAG_SUPPORTS : 0;
    flags |= loaded->starts ? TOPK_FLAG_STARTS : 0;
    topk_greeting_print(TOPK_SPEAKER_BACKEND, &loaded->info, flags, out);
    bool good = true;
    size_t length;
    enum topk_wire_read read = TOPK_WIRE_READ;
    while (good && (read = topk_wire_line_read(in, server.line, sizeof server.line, &length)) ==
                       TOPK_WIRE_READ) {
        if (strcmp(server.line, "quit") == 0) {
            break;
        }
        good = serve_request(&server, length);
    }
    if (read == TOPK_WIRE_BAD) {
        good = refuse(&server, "a line is too long");
    }
    free(server.frame.wires);
    free(server.frame.calls);
    free(server.frame.answers);
    free(server.frame.block);
    return good ? EXIT_SUCCESS : TOPK_WORKER_EXIT_HARNESS;
}
