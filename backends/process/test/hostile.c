/* A hostile backend process:
 *
 *   hostile MODE [WORD...]   speaks docs/backend-protocol.md over standard input and output
 *   hostile --list           prints the modes and what each does
 *
 * It computes each call with the backend cpu, then does what its mode says. A mode is a row of a
 * table. Each other file has one table:
 *
 *   hostile_bytes.c      wrong bytes or statuses, in valid answers
 *   hostile_answer.c     too many bytes, too few, or the answer to another frame
 *   hostile_lines.c      lines that the protocol does not have, floods, wrong marks
 *   hostile_ends.c       ends, hangs and closed pipes
 *   hostile_greeting.c   greetings
 *   hostile_requests.c   answers to requests for devices and probes
 *   hostile_memory.c     misuse of the shared memory
 *   hostile_reach.c      attacks on other processes and files
 *
 * Words after MODE are ignored: hostile_test.sh finds processes by them. HOSTILE_STATE names a file
 * that counts the starts, for modes that differ from one start to the next.
 */
#define _POSIX_C_SOURCE 200809L
#include "hostile.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define ALIGNMENT 64u
#define BLOCK     4096u

struct hostile hostile = {.memory_file = -1};

static struct topk_loaded loaded;
static struct topk_stream in;

_Noreturn void give_up(const char *why)
{
    fprintf(stderr, "hostile: %s\n", why);
    exit(TOPK_WORKER_EXIT_HARNESS);
}

_Noreturn void hang(void)
{
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    for (;;) {
        sleep_microseconds(UINT64_C(3600000000));
    }
}

_Noreturn void die_by(int number)
{
    signal(number, SIG_DFL);
    raise(number);
    hang();
}

void sleep_microseconds(uint64_t microseconds)
{
    nanosleep(&(struct timespec){.tv_sec = (time_t)(microseconds / 1000000),
                                 .tv_nsec = (long)(microseconds % 1000000) * 1000},
              NULL);
}

uint64_t starts(void)
{
    const char *path = getenv("HOSTILE_STATE"); /* NOLINT(concurrency-mt-unsafe): one thread */
    struct stat status = {.st_size = 0};
    const int file = path == NULL ? -1 : open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (file < 0 || write(file, "x", 1) != 1 || fstat(file, &status) != 0) {
        give_up("HOSTILE_STATE has to name a file that can be written");
    }
    close(file);
    return (uint64_t)status.st_size;
}

/* ---- writing --------------------------------------------------------------------------------- */

void say(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(hostile.out, format, arguments);
    va_end(arguments);
}

void say_many(char c, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        putc(c, hostile.out);
    }
}

void say_greeting(const struct said *said)
{
    static const char any[] = " frame=0";
    char line[TOPK_GREETING_LINE];
    topk_greeting_print(TOPK_SPEAKER_BACKEND, &said->info, NULL, NULL, said->flags, said->align,
                        line);
    const char *frame = strstr(line, any);
    say("%.*s frame=%" PRIu64 "%s", (int)(frame - line), line, said->frame, frame + sizeof any - 1);
    fflush(hostile.out);
}

bool computed(const struct call *call)
{
    return call->answer.status == TOPK_BACKEND_DONE && call->wire.call.create_only == 0;
}

static bool any_computed(const struct frame *frame)
{
    bool any = false;
    for (uint32_t i = 0; i < frame->count; i++) {
        any |= computed(&frame->calls[i]);
    }
    return any;
}

uint64_t answer_bytes(const struct frame *frame)
{
    return any_computed(frame) && frame->shared == NULL ? frame->bytes : 0;
}

void say_head(const struct frame *frame, uint64_t bytes)
{
    say("answer %" PRIu64 " %" PRIu32 " %" PRIu64 "\n", frame->number, frame->count, bytes);
}

void say_status(const struct call *call)
{
    char line[TOPK_WIRE_LINE];
    topk_wire_answer_print(&call->answer, line);
    say("%s\n", line);
}

void say_statuses(const struct frame *frame)
{
    for (uint32_t i = 0; i < frame->count; i++) {
        say_status(&frame->calls[i]);
    }
}

void say_bytes(const struct frame *frame)
{
    if (frame->shared != NULL) {
        memcpy(frame->shared, frame->now, (size_t)frame->bytes);
    } else {
        fwrite(frame->now, 1, (size_t)answer_bytes(frame), hostile.out);
    }
}

void say_answer(struct frame *frame)
{
    if (frame->shared != NULL) {
        say_bytes(frame); /* before the status */
    }
    say_head(frame, answer_bytes(frame));
    say_statuses(frame);
    if (frame->shared == NULL) {
        say_bytes(frame);
    }
    fflush(hostile.out);
}

void say_mark(uint64_t number, uint64_t group)
{
    const uint64_t mark = number * 65536 + group;
    if (hostile.memory != NULL) {
        memcpy(hostile.memory, &mark, sizeof mark);
    } else {
        say("at %" PRIu64 " %" PRIu64 "\n", number, group);
        fflush(hostile.out);
    }
}

bool moment_is_there(struct frame *frame, uint64_t right)
{
    if (hostile.served < right) {
        say_answer(frame);
        return false;
    }
    return true;
}

/* ---- reading --------------------------------------------------------------------------------- */

static int64_t read_input(void *self, void *data, size_t room)
{
    ssize_t got;
    (void)self;
    do {
        got = read(STDIN_FILENO, data, room);
    } while (got < 0 && errno == EINTR);
    return got < 0 ? 0 : got;
}

bool read_request(char **line, size_t *length)
{
    return topk_stream_line(&in, line, length) == TOPK_WIRE_READ;
}

bool request_waits(void)
{
    struct pollfd waiting = {.fd = STDIN_FILENO, .events = POLLIN};
    return topk_stream_waiting(&in) > 0 || poll(&waiting, 1, 200) > 0;
}

static unsigned char *reserve(uint64_t bytes)
{
    unsigned char *data =
        bytes > SIZE_MAX / 2 ? NULL : aligned_alloc(BLOCK, (size_t)(bytes / BLOCK + 1) * BLOCK);
    if (data == NULL) {
        give_up("out of memory");
    }
    return data;
}

static void read_call(struct call *call, uint32_t group)
{
    char error[512];
    char *line;
    size_t length;
    memset(call, 0, sizeof *call);
    call->group = group;
    if (!read_request(&line, &length) ||
        !topk_wire_call_parse(line, length, &call->wire, error, sizeof error)) {
        give_up("a call is missing");
    }
}

static void read_calls(struct frame *frame)
{
    uint32_t call = 0;
    for (uint32_t group = 0; group < frame->groups; group++) {
        char *line;
        size_t length;
        uint64_t calls;
        if (!read_request(&line, &length) || strncmp(line, "group ", 6) != 0) {
            give_up("a group is missing");
        }
        const char *at = line + 6;
        if (!topk_wire_number(&at, line + length, frame->count - call, &calls)) {
            give_up("a group is too large");
        }
        while (calls-- > 0) {
            read_call(&frame->calls[call++], group);
        }
    }
}

static void place_call(struct frame *frame, struct call *call)
{
    for (uint32_t t = 0; call->wire.call.create_only == 0 && t < TOPK_WIRE_TENSORS; t++) {
        struct topk_backend_buffer *buffer = topk_wire_buffer(&call->wire.call, t);
        call->bytes[t] = buffer->bytes;
        call->came[t] = frame->came + call->wire.at[t];
        call->now[t] = frame->now + call->wire.at[t];
        buffer->data = call->now[t];
    }
}

void read_frame(struct frame *frame, const char *at)
{
    const char *end = at + strlen(at);
    uint64_t count;
    uint64_t groups;
    uint64_t place = 0;
    if (!topk_wire_number(&at, end, UINT64_MAX, &frame->number) ||
        !topk_wire_number(&at, end, TOPK_WIRE_CALLS, &count) ||
        !topk_wire_number(&at, end, count, &groups) ||
        !topk_wire_number(&at, end, UINT64_MAX, &frame->bytes) ||
        (at < end && !topk_wire_number(&at, end, hostile.memory_bytes - frame->bytes, &place))) {
        give_up("a request is not understood");
    }
    frame->count = (uint32_t)count;
    frame->groups = (uint32_t)groups;
    frame->shared = place > 0 && hostile.memory != NULL ? hostile.memory + place : NULL;
    read_calls(frame);
    frame->came = reserve(frame->bytes);
    frame->now = reserve(frame->bytes);
    if (place == 0 && topk_stream_take(&in, frame->came, frame->bytes) != TOPK_WIRE_READ) {
        give_up("bytes of a frame are missing");
    }
    if (frame->shared != NULL) {
        memcpy(frame->came, frame->shared, (size_t)frame->bytes);
    }
    memcpy(frame->now, frame->came, (size_t)frame->bytes);
    for (uint32_t i = 0; i < frame->count; i++) {
        struct call *call = &frame->calls[i];
        place_call(frame, call);
        loaded.backend->run(loaded.self, &call->wire.call, 1, &call->answer);
    }
}

void spoil_each(struct frame *frame, void (*spoil)(struct call *call))
{
    for (uint32_t i = 0; spoil != NULL && i < frame->count; i++) {
        if (computed(&frame->calls[i])) {
            spoil(&frame->calls[i]);
        }
    }
}

/* ---- serving --------------------------------------------------------------------------------- */

static void serve_frame(struct frame *frame, const char *at)
{
    const struct mode *mode = &hostile.mode;
    read_frame(frame, at);
    const bool judged = any_computed(frame);
    spoil_each(frame, mode->spoil_call);
    if (mode->spoil != NULL) {
        mode->spoil(frame);
    }
    for (uint32_t i = 0; mode->status != 0 && i < frame->count; i++) {
        struct topk_backend_answer *answer = &frame->calls[i].answer;
        if (answer->status == TOPK_BACKEND_DONE) {
            answer->status = mode->status;
            snprintf(answer->reason, sizeof answer->reason, "it does not want to");
        }
    }
    if (mode->answer != NULL && (judged || mode->creates)) {
        mode->answer(frame);
    } else {
        say_answer(frame);
    }
    hostile.served += judged;
    free(frame->came);
    free(frame->now);
}

/* "memory HANDLE BYTES" */
static void serve_memory(const char *at)
{
    const char *end = at + strlen(at);
    uint64_t handle;
    if (!topk_wire_number(&at, end, INT32_MAX, &handle) ||
        !topk_wire_number(&at, end, UINT64_MAX, &hostile.memory_bytes)) {
        give_up("a request for memory is not understood");
    }
    void *mapped =
        mmap(NULL, hostile.memory_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, (int)handle, 0);
    if (mapped == MAP_FAILED) {
        give_up("the memory cannot be mapped");
    }
    hostile.memory = mapped;
    hostile.memory_file = (int)handle;
    say("memory done \n");
}

static void serve_request(struct frame *frame, const char *request)
{
    if (strncmp(request, "frame ", 6) == 0) {
        serve_frame(frame, request + 6);
    } else if (hostile.mode.other == NULL || !hostile.mode.other(request)) {
        if (strncmp(request, "memory ", 7) == 0) {
            serve_memory(request + 7);
        } else {
            say("error what%%3F\n");
        }
    }
    fflush(hostile.out);
}

static void introduce(void)
{
    const struct mode *mode = &hostile.mode;
    struct said said = {.info = loaded.info,
                        .flags = loaded.info.flags | mode->flags,
                        .align = mode->align == 0 ? ALIGNMENT : mode->align};
    said.info.batch = mode->batch == 0 ? 1 : mode->batch;
    if (mode->greet == NULL || mode->greet(&said)) {
        say_greeting(&said);
    }
}

static int serve(void)
{
    const struct mode *mode = &hostile.mode;
    static struct frame frame;
    char *line;
    size_t length;
    bool open = false;
    if (mode->begin != NULL) {
        mode->begin();
    }
    while (read_request(&line, &length) && strcmp(line, "quit") != 0) {
        if (open) {
            serve_request(&frame, line);
        } else if (strncmp(line, "open ", 5) == 0) {
            open = true;
            introduce();
        } else if (mode->other == NULL || !mode->other(line)) {
            say("devices=\n");
        }
        fflush(hostile.out);
    }
    if (mode->quit != NULL) {
        mode->quit();
    }
    if (mode->deaf) {
        hang();
    }
    return EXIT_SUCCESS;
}

/* ---- the program ----------------------------------------------------------------------------- */

static const struct mode *const tables[] = {byte_modes,   answer_modes,   line_modes,
                                            end_modes,    greeting_modes, request_modes,
                                            memory_modes, reach_modes,    contain_modes};
#define TABLES (sizeof tables / sizeof tables[0])

static void list(void)
{
    for (size_t i = 0; i < TABLES; i++) {
        for (const struct mode *mode = tables[i]; mode->name != NULL; mode++) {
            printf("%s\t%s\n", mode->name, mode->about);
        }
    }
}

static const struct mode *find(const char *name)
{
    for (size_t i = 0; i < TABLES; i++) {
        for (const struct mode *mode = tables[i]; mode->name != NULL; mode++) {
            if (strcmp(name, mode->name) == 0) {
                return mode;
            }
        }
    }
    return NULL;
}

pid_t parent_of(pid_t pid)
{
    char path[64];
    char text[512] = "";
    long parent = 0;
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    FILE *file = fopen(path, "r");
    if (file != NULL) {
        const char *state = fgets(text, sizeof text, file) == NULL ? NULL : strrchr(text, ')');
        if (state != NULL && strlen(state) > 4) {
            parent = strtol(state + 4, NULL, 10);
        }
        fclose(file);
    }
    return (pid_t)parent;
}

int main(int argc, char **argv)
{
    char error[512];
    if (argc == 2 && strcmp(argv[1], "--list") == 0) {
        list();
        return EXIT_SUCCESS;
    }
    const struct mode *mode = argc >= 2 ? find(argv[1]) : NULL;
    if (mode == NULL) {
        fputs("Usage: hostile MODE|--list [WORD...]\n", stderr);
        return EXIT_USAGE;
    }
    hostile.mode = *mode;
    hostile.out = stdout;
    hostile.judge = parent_of(getppid()); /* the keeper is in between */
    in = (struct topk_stream){.read = read_input};
    signal(SIGPIPE, SIG_IGN); /* a write fails instead, and the flood continues */
    if (!topk_loader_open(&loaded, "cpu", error, sizeof error)) {
        give_up(error);
    }
    const int code = serve();
    topk_loader_close(&loaded);
    return code;
}
