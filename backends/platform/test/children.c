/* Tests the child functions of platform.h: this program starts itself, in a role. Also built for
 * Windows, where no unit tests run. Usage: children. Prints a line for each check, and "N passed, M
 * failed". */
#include "platform/platform.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define MILLISECOND ((uint64_t)1000000)
/* a deadline that nothing here reaches */
#define NEVER (UINT64_MAX / 2)
/* more than pipes and buffers hold */
#define STREAM_BYTES ((size_t)5 << 20)

static const char *self;
static unsigned passed;
static unsigned failed;

static void check(bool holds, const char *what, const char *said)
{
    passed += holds ? 1 : 0;
    failed += holds ? 0 : 1;
    fprintf(stderr, "%sok %s%s%s\n", holds ? "" : "not ", what, holds ? "" : ": ",
            holds ? "" : said);
}

static uint64_t in(uint64_t milliseconds)
{
    return topk_clock_now() + milliseconds * MILLISECOND;
}

static void let_pass(uint64_t milliseconds)
{
    for (const uint64_t until = in(milliseconds); topk_clock_now() < until;) {
    }
}

static unsigned char pattern(size_t at)
{
    return (unsigned char)(at * 7 + at / 251 + at / 65521);
}

/* ---- roles of the child ---------------------------------------------------------------------- */

/* returns its input, slowly and after a pause */
static int copy(FILE *out)
{
    static unsigned char data[10007];
    size_t copied = 0;
    let_pass(300);
    while (copied < STREAM_BYTES) {
        const int64_t got = topk_input_read(data, sizeof data);
        if (got <= 0) {
            return 1;
        }
        fwrite(data, 1, (size_t)got, out);
        fflush(out);
        copied += (size_t)got;
        if (copied / 500000 != (copied - (size_t)got) / 500000) {
            let_pass(30);
        }
    }
    return 0;
}

static int listen(void)
{
    unsigned char data[100];
    while (topk_input_read(data, sizeof data) > 0) {
    }
    return 0;
}

/* For each handle and size that it reads, maps the memory and fills it. */
static int map(FILE *out)
{
    uint64_t request[2];
    char error[512];
    while (topk_input_read(request, sizeof request) == sizeof request) {
        unsigned char *memory = topk_memory_map(request[0], request[1], error, sizeof error);
        fputc(memory == NULL ? 'n' : 'y', out);
        if (memory != NULL) {
            for (uint64_t i = 1; i < request[1]; i++) {
                memory[i] = (unsigned char)(memory[0] + pattern((size_t)i));
            }
            topk_memory_unmap(memory, request[1]);
        }
        fflush(out);
    }
    return 0;
}

/* ---- checks by the parent
 * ------------------------------------------------------------------------ */

static struct topk_child *start(const char *role)
{
    char error[512];
    struct topk_child *child =
        topk_child_start((const char *const[]){self, role, NULL}, error, sizeof error);
    if (child == NULL) {
        fprintf(stderr, "%s\n", error);
        exit(2);
    }
    return child;
}

static void ends(struct topk_child *child, bool good, const char *wanted, const char *what)
{
    char how[512];
    const bool ended = topk_child_end(child, good ? 20000 : 100, "its last word", how, sizeof how);
    check(ended == good && strcmp(how, wanted) == 0, what, how);
}

/* both directions at once, with deadlines that pass repeatedly */
static void try_streams(void)
{
    static unsigned char sent[STREAM_BYTES];
    static unsigned char came[STREAM_BYTES];
    struct topk_child *child = start("copy");
    size_t to = 0;
    size_t from = 0;
    bool open = true;
    for (size_t i = 0; i < STREAM_BYTES; i++) {
        sent[i] = pattern(i);
    }
    while (open && from < STREAM_BYTES) {
        const int64_t put = to == STREAM_BYTES
                                ? TOPK_IO_LATE
                                : topk_child_write(child, sent + to, STREAM_BYTES - to, in(2));
        to += put > 0 ? (size_t)put : 0;
        const int64_t got = topk_child_read(child, came + from, STREAM_BYTES - from, in(2));
        from += got > 0 ? (size_t)got : 0;
        open = put != 0 && got != 0;
    }
    check(open && memcmp(sent, came, STREAM_BYTES) == 0, "each byte comes through once, in order",
          open ? "the bytes differ" : "a stream ended");
    ends(child, true, "exited with 0", "it ends by itself");
}

static void try_waiting(void)
{
    unsigned char byte = 0;
    struct topk_child *child = start("listen");
    check(topk_child_read(child, &byte, 1, in(20)) == TOPK_IO_LATE, "who is silent is late", "");
    check(!topk_child_ended(child), "and still there", "");
    ends(child, true, "exited with 0", "and ends with its input");

    child = start("listen");
    topk_child_write(child, "word", 4, NEVER);
    topk_child_close(child);
    topk_child_read(child, &byte, 1, NEVER);
    check(!topk_child_unheard(child), "who reads its input has heard it", "");
    ends(child, true, "exited with 0", "and ends well");

#if defined(__linux__)
    child = start("exit");
    topk_child_write(child, "word", 4, NEVER); /* it has ended, or will soon */
    topk_child_close(child);
    topk_child_read(child, &byte, 1, NEVER);
    check(topk_child_unheard(child), "who ends by itself has not heard its last word", "");
    ends(child, false, "exited with 3", "which its end does not tell");
#endif

    child = start("exit");
    check(topk_child_read(child, &byte, 1, NEVER) == 0, "the end of who ends is seen", "");
    ends(child, false, "exited with 3", "and its exit code");

    child = start("exit");
    int64_t put;
    do {
        put = topk_child_write(child, &byte, 1, NEVER);
    } while (put > 0);
    check(put == 0, "who is gone hears nothing", "");
    while (!topk_child_ended(child)) {
    }
    ends(child, false, "exited with 3", "and is known to be gone");

    child = start("deaf");
    static unsigned char much[STREAM_BYTES];
    size_t to = 0;
    do {
        put = topk_child_write(child, much, sizeof much, in(20));
        to += put > 0 ? (size_t)put : 0;
    } while (put > 0);
    check(put == TOPK_IO_LATE && to < sizeof much, "who does not listen is late", "");
    ends(child, false, "killed, as it did not end within 0.1 s of its last word", "and is killed");
}

static void try_memory(void)
{
    static const uint64_t sizes[] = {4096, (uint64_t)3 << 20, 70000};
    struct topk_child *child = start("map");
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        uint64_t request[2] = {0, sizes[i]};
        char answer = 0;
        bool right = true;
        unsigned char *memory = topk_child_share(child, sizes[i], &request[0]);
        check(memory != NULL, "memory is shared", "no memory was shared");
        if (memory == NULL) {
            continue;
        }
        memory[0] = (unsigned char)(100 + i);
        topk_child_write(child, request, sizeof request, NEVER);
        check(topk_child_read(child, &answer, 1, NEVER) == 1 && answer == 'y', "it is mapped", "");
        request[1] = 1;
        topk_child_write(child, request, sizeof request, NEVER);
        topk_child_read(child, &answer, 1, NEVER);
        for (uint64_t at = 1; at < sizes[i]; at++) {
            right = right && memory[at] == (unsigned char)(memory[0] + pattern((size_t)at));
        }
        check(right && answer == 'y', "it is the same memory, and can be mapped again", "");
    }
    ends(child, true, "exited with 0", "it ends by itself");
}

int main(int argc, char **argv)
{
    char **arguments = topk_process_start(argc, argv);
    FILE *out = topk_stdout_take();
    const char *role = argc > 1 ? argv[1] : "";
    if (arguments == NULL || out == NULL) {
        return 2;
    }
    self = arguments[0];
    if (strcmp(role, "copy") == 0) {
        return copy(out);
    }
    if (strcmp(role, "listen") == 0) {
        return listen();
    }
    if (strcmp(role, "map") == 0) {
        return map(out);
    }
    if (strcmp(role, "exit") == 0) {
        return 3;
    }
    while (strcmp(role, "deaf") == 0) {
        let_pass(100);
    }
    try_streams();
    try_waiting();
    try_memory();
    fprintf(stderr, "%u passed, %u failed\n", passed, failed);
    return failed == 0 ? 0 : 1;
}
