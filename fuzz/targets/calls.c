/* Asserts of the backend's end of the backend protocol that whatever requests come in, what goes
 * out is an introduction and then, line by line and byte by byte, answers as the page has them; and
 * that it ends with 0, or with 3 after an `error`. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "process/serve_calls.h"
#include "protocol/protocol.h"

/* a frame may announce no more than this: what is larger is only allocated */
#define FRAME_MAX 65536u

static struct topk_loaded loaded;

static bool open_backend(void)
{
    char error[512];
    if (!topk_loader_open(&loaded, "cpu", error, sizeof error)) {
        fprintf(stderr, "fuzz calls: %s\n", error);
        return false;
    }
    loaded.info.batch = 4;
    return true;
}

/* whether no number of the input is so great that a call of it takes long */
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

/* "answer FRAME COUNT BYTES", its statuses and its bytes; false if the stream ends within */
static void check_answer(FILE *out, const char *line, size_t length)
{
    char status[TOPK_WORKER_LINE + 2];
    const char *at = line + 7;
    const char *end = line + length;
    uint64_t frame;
    uint64_t count;
    uint64_t bytes;
    FUZZ_REQUIRE(topk_wire_number(&at, end, UINT64_MAX, &frame) &&
                     topk_wire_number(&at, end, 4, &count) && count > 0 &&
                     topk_wire_number(&at, end, FRAME_MAX, &bytes) && at == end,
                 "calls answer", line);
    for (uint64_t i = 0; i < count; i++) {
        struct topk_backend_answer answer;
        size_t read;
        FUZZ_REQUIRE(topk_wire_line_read(out, status, sizeof status, &read) == TOPK_WIRE_READ &&
                         topk_wire_answer_parse(status, read, &answer),
                     "calls status", status);
    }
    for (uint64_t i = 0; i < bytes; i++) {
        FUZZ_REQUIRE(fgetc(out) != EOF, "calls bytes", line);
    }
}

static void check_output(FILE *out, int code)
{
    static char line[TOPK_WORKER_LINE + 2];
    static struct topk_greeting greeting;
    static char why[TOPK_GREETING_ERROR];
    struct topk_backend_answer answer;
    struct topk_probe probe;
    size_t length;
    bool error = false;
    FUZZ_REQUIRE(topk_wire_line_read(out, line, sizeof line, &length) == TOPK_WIRE_READ &&
                     topk_greeting_parse(TOPK_SPEAKER_BACKEND, line, length, &greeting, why) ==
                         TOPK_GREETING_HELLO,
                 "calls greeting", line);
    while (topk_wire_line_read(out, line, sizeof line, &length) == TOPK_WIRE_READ) {
        FUZZ_REQUIRE(!error, "calls after-error", line);
        if (strncmp(line, "answer ", 7) == 0) {
            check_answer(out, line, length);
        } else if (strncmp(line, "supports ", 9) == 0) {
            FUZZ_REQUIRE(topk_wire_answer_parse(line + 9, length - 9, &answer), "calls supports",
                         line);
        } else if (strncmp(line, "error ", 6) == 0) {
            error = true;
        } else {
            FUZZ_REQUIRE(strncmp(line, "probes=", 7) == 0 || topk_probe_parse(line, length, &probe),
                         "calls line", line);
        }
    }
    FUZZ_REQUIRE(code == (error ? TOPK_WORKER_EXIT_HARNESS : 0), "calls exit", line);
}

static void run(const unsigned char *bytes, size_t length)
{
    char *said = NULL;
    size_t said_bytes = 0;
    if (length == 0 || !quick(bytes, length)) {
        return;
    }
    FILE *in = fmemopen((void *)bytes, length, "rb"); /* which does not write */
    FILE *out = open_memstream(&said, &said_bytes);
    if (in == NULL || out == NULL) {
        abort();
    }
    const int code = topk_calls_serve(&loaded, in, out);
    fclose(in);
    fclose(out);
    FILE *answers = fmemopen(said, said_bytes, "rb");
    if (answers == NULL) {
        abort();
    }
    check_output(answers, code);
    fclose(answers);
    free(said);
}

static const char *const words[] = {
    "run ",         "start ",       "finish ",        "supports\n",     "probes\n",
    "probe ",       "quit\n",       "call",           " operator=71",   " operator=112",
    " level=20480", " execution=0", " create_only=0", " create_only=1", " axis=0",
    " k=1",         " direction=0", " input",         " value",         " index",
    ".type=1",      ".flags=0",     ".alignment=0",   ".sizes=",        ".strides=packed",
    ".bytes=",      ".buffer=",     ".offset=",       "=absent",        NULL};

const struct fuzz_target fuzz_target = {
    .name = "calls",
    .about = "a backend process answers what it is asked as the page says, or refuses it",
    .max_bytes = 8192,
    .open = open_backend,
    .run = run,
    .words = words,
};
