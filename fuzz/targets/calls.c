/* Checks the backend's end of the backend protocol: whatever requests arrive, it must send an
 * introduction and then answers that follow docs/backend-protocol.md line by line and byte by byte,
 * and it must exit with 0, or with 3 after an `error`. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "process/serve_calls.h"
#include "protocol/protocol.h"

/* largest frame that an input may announce; a larger one would only be allocated */
#define FRAME_MAX 65536u

/* a line that arrives or is sent */
struct line {
    const unsigned char *at;
    size_t left;
    FILE *out;
};

static int64_t read_request(void *self, void *data, size_t room)
{
    struct line *line = self;
    const size_t got = room < line->left ? room : line->left;
    memcpy(data, line->at, got);
    line->at += got;
    line->left -= got;
    return (int64_t)got;
}

static int64_t write_answer(void *self, const void *data, size_t bytes)
{
    struct line *line = self;
    return (int64_t)fwrite(data, 1, bytes, line->out);
}

/* Returns whether all numbers in the input are small enough for its calls to be fast. */
static bool quick(const unsigned char *bytes, size_t length)
{
    size_t digits = 0;
    for (size_t i = 0; i < length; i++) {
        digits = bytes[i] >= '0' && bytes[i] <= '9' ? digits + 1 : 0;
        if (digits > 5 && bytes[i - 5] > '1') {
            return false;
        }
    }
    return true;
}

/* Checks "answer FRAME COUNT BYTES" with its statuses and bytes. Returns false if the stream ends
 * in the middle of it. */
static void check_answer(struct topk_stream *out, const char *line, size_t length)
{
    static char bytes_of[FRAME_MAX];
    const char *at = line + 7;
    const char *end = line + length;
    uint64_t frame;
    uint64_t count;
    uint64_t bytes;
    FUZZ_REQUIRE(topk_wire_number(&at, end, UINT64_MAX, &frame) &&
                     topk_wire_number(&at, end, TOPK_WIRE_CALLS, &count) && count > 0 &&
                     topk_wire_number(&at, end, FRAME_MAX, &bytes) && at == end,
                 "calls answer", line);
    for (uint64_t i = 0; i < count; i++) {
        struct topk_backend_answer answer;
        char *status;
        size_t read;
        FUZZ_REQUIRE(topk_stream_line(out, &status, &read) == TOPK_WIRE_READ &&
                         topk_wire_answer_parse(status, read, &answer),
                     "calls status", status);
    }
    FUZZ_REQUIRE(topk_stream_take(out, bytes_of, bytes) == TOPK_WIRE_READ, "calls bytes", "");
}

static void check_output(struct topk_stream *out, int code)
{
    char *line = NULL;
    static struct topk_greeting greeting;
    static char why[TOPK_GREETING_ERROR];
    struct topk_probe probe;
    size_t length;
    bool error = false;
    bool unavailable = false;
    while (topk_stream_line(out, &line, &length) == TOPK_WIRE_READ) {
        FUZZ_REQUIRE(!error, "calls after-error", line);
        if (strncmp(line, "answer ", 7) == 0) {
            check_answer(out, line, length);
        } else if (strncmp(line, "topk-backend ", 13) == 0) {
            FUZZ_REQUIRE(topk_greeting_parse(TOPK_SPEAKER_BACKEND, line, length, &greeting, why) ==
                             TOPK_GREETING_HELLO,
                         "calls greeting", line);
        } else if (strncmp(line, "unavailable ", 12) == 0) {
            unavailable = true;
        } else if (strncmp(line, "error ", 6) == 0) {
            error = true;
        } else {
            FUZZ_REQUIRE(strncmp(line, "probes=", 7) == 0 || strcmp(line, "devices=") == 0 ||
                             strncmp(line, "memory failed ", 14) == 0 ||
                             topk_probe_parse(line, length, &probe),
                         "calls line", line);
        }
    }
    const int due = error ? TOPK_WORKER_EXIT_HARNESS : 0;
    FUZZ_REQUIRE(code == (unavailable ? TOPK_WORKER_EXIT_UNAVAILABLE : due), "calls exit", "");
}

static void run(const unsigned char *bytes, size_t length)
{
    char *said = NULL;
    size_t said_bytes = 0;
    if (length == 0 || !quick(bytes, length)) {
        return;
    }
    static struct topk_stream stream;
    struct line line = {bytes, length, open_memstream(&said, &said_bytes)};
    struct topk_loaded loaded;
    char error[512];
    if (line.out == NULL || !topk_loader_find(&loaded, "cpu", error, sizeof error)) {
        abort();
    }
    stream = (struct topk_stream){.self = &line, .read = read_request, .write = write_answer};
    const int code = topk_calls_serve(&loaded, &(struct topk_judge_line){.stream = &stream});
    fclose(line.out);
    line = (struct line){(const unsigned char *)said, said_bytes, NULL};
    stream = (struct topk_stream){.self = &line, .read = read_request};
    check_output(&stream, code);
    free(said);
}

static const char *const words[] = {"open 1 \n",      "devices\n",
                                    "frame 1 1 1 ",   "group 1\n",
                                    "probes\n",       "memory ",
                                    "probe ",         "quit\n",
                                    "call",           " operator=71",
                                    " operator=112",  " level=20480",
                                    " execution=0",   " create_only=0",
                                    " create_only=1", " axis=0",
                                    " k=1",           " direction=0",
                                    " input",         " value",
                                    " index",         ".type=1",
                                    ".flags=0",       ".alignment=0",
                                    ".sizes=",        ".strides=packed",
                                    ".bytes=",        ".buffer=",
                                    ".offset=",       ".at=",
                                    "=absent",        NULL};

const struct fuzz_target fuzz_target = {
    .name = "calls",
    .about = "a backend process answers what it is asked as the page says, or refuses it",
    .max_bytes = 16384,
    .run = run,
    .words = words,
};
