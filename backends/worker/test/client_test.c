/* The client, with a process that is simulated in this test: messages conform to
 * docs/backend-protocol.md, results arrive in the right place, and the owners are correct when the
 * process ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/platform.h"
#include "protocol/protocol.h"
#include "worker/client.h"
#include "worker/host.h"

#define WIRE_ROOM  ((size_t)8 << 20)
#define CALLS_MAX  300u
#define AHEAD_MOST 49152u

/* What the process changes in the buffers of outputs. */
enum change {
    CHANGE_ALL,
    CHANGE_FIRST, /* the first byte, which is in a guard */
    CHANGE_LAST,  /* the last byte, too */
    CHANGE_TENSOR /* the first byte of the tensor */
};

/* A simulated backend process. It collects input until the client reads, then answers one request.
 * It adds 1 to each byte of the outputs' buffers. */
struct process {
    /* properties */
    uint32_t flags;
    uint32_t batch;
    uint64_t frame;
    uint32_t align;
    /* at which frame it misbehaves; 0: never */
    uint64_t silent_at; /* it sends nothing more */
    uint64_t gone_at;   /* it ends */
    uint64_t late_at;   /* it writes to the memory after its answer */
    uint64_t stray_at;  /* it writes between the buffers */
    bool stray_once;    /* in one place only */
    uint64_t amiss_at;  /* it says that it answers a call more */
    bool refuses;       /* it refuses all calls, and sends bytes all the same */
    const char *more;   /* what it says once it has said all */
    bool deaf;          /* it does not read that it is to quit */
    bool input;         /* it writes to inputs */
    enum change change; /* which bytes it adds 1 to */
    bool marks;         /* it sends marks */
    uint32_t mark_most; /* up to this group */
    /* records */
    char *wire; /* both have WIRE_ROOM */
    size_t wire_used;
    char *out;
    size_t out_from;
    size_t out_used;
    unsigned char *memory;
    uint64_t memory_bytes;
    uint64_t place;
    size_t unread_most; /* bytes of requests after the first one */
    uint32_t frames;
    uint32_t creates; /* calls that were only created */
    uint32_t runs;
    uint32_t group_most;
    bool ended;
    bool silent;
};

static struct process process;

static void start_process(const struct process *given)
{
    static char wire[WIRE_ROOM];
    static char out[WIRE_ROOM];
    process = *given;
    process.wire = wire;
    process.out = out;
    process.batch = given->batch == 0 ? 1 : given->batch;
    process.align = given->align == 0 ? 1 : given->align;
}

/* whether the process changes byte b of a buffer of `size` bytes */
static bool changes(uint64_t b, uint64_t size)
{
    static const uint64_t guard = 256; /* of the cases here */
    return process.change == CHANGE_ALL || (process.change == CHANGE_FIRST && b == 0) ||
           (process.change == CHANGE_LAST && b == size - 1) ||
           (process.change == CHANGE_TENSOR && b == guard);
}

static void say(const char *text, size_t length)
{
    assert_true(process.out_used + length <= WIRE_ROOM);
    memcpy(process.out + process.out_used, text, length);
    process.out_used += length;
}

static void say_line(const char *text)
{
    say(text, strlen(text));
}

/* the length of the line at an offset of the wire; 0 if it is not complete */
static size_t line_at(size_t at)
{
    const char *feed = memchr(process.wire + at, '\n', process.wire_used - at);
    return feed == NULL ? 0 : (size_t)(feed - process.wire) + 1 - at;
}

/* Answers the frame at the start of the wire; returns its size, 0 if it is not complete. */
static size_t answer_frame(void)
{
    static struct topk_wire_call wires[TOPK_WIRE_CALLS];
    static unsigned char seen[WIRE_ROOM];
    unsigned long long number;
    unsigned long long bytes;
    unsigned long long place = 0;
    unsigned calls;
    unsigned groups;
    char line[200];
    size_t at = line_at(0);
    const int fields = sscanf(process.wire, "frame %llu %u %u %llu %llu", &number, &calls, &groups,
                              &bytes, &place);
    assert_int_equal(fields, process.memory != NULL ? 5 : 4);
    assert_true(calls > 0 && calls <= TOPK_WIRE_CALLS && groups > 0 && groups <= calls);
    assert_true(process.frame == 0 || bytes <= process.frame);
    unsigned group = 0;
    unsigned left = 0;
    bool any = false;
    for (unsigned i = 0; i < calls;) {
        char error[512];
        const size_t length = line_at(at);
        if (length == 0) {
            return 0;
        }
        if (left == 0) {
            assert_int_equal(sscanf(process.wire + at, "group %u\n", &left), 1);
            assert_true(left > 0 && left <= process.batch && group < groups);
            process.group_most = left > process.group_most ? left : process.group_most;
            group++;
        } else {
            if (!topk_wire_call_parse(process.wire + at, length - 1, &wires[i], error,
                                      sizeof error)) {
                fail_msg("%s", error);
            }
            assert_true(topk_wire_call_fits(&wires[i], bytes));
            any |= wires[i].call.create_only == 0;
            i++;
            left--;
        }
        at += length;
    }
    assert_int_equal(group, groups);
    const size_t in_pipe = process.memory == NULL ? (size_t)bytes : 0;
    if (process.wire_used - at < in_pipe) {
        return 0;
    }
    unsigned char *data =
        process.memory == NULL ? (unsigned char *)process.wire + at : process.memory + place;
    assert_true(process.memory == NULL ||
                (place % 4096 == 0 && place >= 4096 && place + bytes <= process.memory_bytes));
    process.frames++;
    if (number == process.gone_at || number == process.silent_at) {
        process.ended = number == process.gone_at;
        process.silent = true;
        for (unsigned g = 0; process.marks && g <= process.mark_most; g++) {
            const uint64_t mark = (uint64_t)number << 16 | g;
            snprintf(line, sizeof line, "at %llu %u\n", number, g);
            if (process.memory != NULL) {
                memcpy(process.memory, &mark, sizeof mark);
            } else {
                say_line(line);
            }
        }
        return at + in_pipe;
    }
    memset(seen, 0, (size_t)bytes);
    for (unsigned i = 0; i < calls; i++) {
        struct topk_backend_call *call = &wires[i].call;
        process.creates += call->create_only;
        process.runs += 1 - call->create_only;
        for (uint32_t t = 0; t < TOPK_WIRE_TENSORS && call->create_only == 0; t++) {
            const uint64_t size = topk_wire_buffer(call, t)->bytes;
            assert_true(wires[i].at[t] % process.align == 0);
            const uint64_t from = wires[i].at[t];
            for (uint64_t b = from; b < from + size; b++) {
                assert_int_equal(seen[b]++, 0); /* no two buffers share a byte */
                data[b] = (unsigned char)(data[b] +
                                          ((t > 0 || process.input) && changes(b - from, size)));
            }
        }
    }
    bool strayed = number != process.stray_at;
    for (uint64_t b = 0; !strayed && b < bytes; b++) {
        data[b] = (unsigned char)(data[b] + (seen[b] == 0));
        strayed = process.stray_once && seen[b] == 0;
    }
    snprintf(line, sizeof line, "answer %llu %u %zu\n", number,
             calls + (number == process.amiss_at), any ? in_pipe : 0);
    say_line(line);
    for (unsigned i = 0; i < calls; i++) {
        say_line(process.refuses ? "refused so\n" : "done a%20note\n");
    }
    say((const char *)data, any ? in_pipe : 0);
    process.place = number == process.late_at ? place : 0;
    return at + in_pipe;
}

/* Answers the request at the start of the wire, if it is complete. */
static void answer(void)
{
    char line[400];
    size_t length = line_at(0);
    unsigned long long handle;
    unsigned long long bytes;
    if (length == 0 || process.silent) {
        return;
    }
    if (strncmp(process.wire, "frame ", 6) == 0) {
        length = answer_frame();
    } else if (strncmp(process.wire, "open 1 ", 7) == 0) {
        snprintf(line, sizeof line,
                 "topk-backend 1 name=fake version= device= driver= features= level=5.0 flags=%x "
                 "batch=%u frame=%llu align=%u own=\n",
                 process.flags, process.batch, (unsigned long long)process.frame, process.align);
        say_line(line);
    } else if (sscanf(process.wire, "memory %llu %llu\n", &handle, &bytes) == 2) {
        assert_int_equal(handle, 77);
        assert_int_equal(bytes, process.memory_bytes);
        say_line("memory done \n");
    } else if (strncmp(process.wire, "devices\n", 8) == 0) {
        say_line("devices=device%3D0,other\n");
    } else {
        assert_int_equal(strncmp(process.wire, "quit\n", 5), 0);
        process.ended = true;
    }
    process.wire_used -= length;
    memmove(process.wire, process.wire + length, process.wire_used);
}

static int64_t read_process(void *self, void *data, size_t room, uint64_t deadline)
{
    (void)self;
    if (process.place > 0) {
        process.memory[process.place + 600] ^= 1; /* after the answer */
        process.place = 0;
    }
    if (process.out_from == process.out_used) {
        process.out_from = process.out_used = 0;
        answer();
        if (process.out_used == 0 && process.more != NULL) {
            say_line(process.more);
            process.more = NULL;
        }
    }
    const size_t there = process.out_used - process.out_from;
    if (there == 0 && !process.ended) {
        while (topk_clock_now() < deadline) {
        }
        return TOPK_IO_LATE;
    }
    const size_t got = there < room ? there : room;
    memcpy(data, process.out + process.out_from, got);
    process.out_from += got;
    return (int64_t)got;
}

static int64_t write_process(void *self, const void *data, size_t bytes, uint64_t deadline)
{
    (void)self;
    (void)deadline;
    assert_true(process.wire_used + bytes <= WIRE_ROOM);
    memcpy(process.wire + process.wire_used, data, bytes);
    process.wire_used += bytes;
    return (int64_t)bytes;
}

static void close_process(void *self)
{
    (void)self;
}

static bool unheard(void *self)
{
    (void)self;
    return process.deaf;
}

static bool ended(void *self)
{
    (void)self;
    return process.ended;
}

static unsigned char *share(void *self, uint64_t bytes, uint64_t *handle)
{
    (void)self;
    free(process.memory);
    process.memory = calloc(1, (size_t)bytes);
    process.memory_bytes = bytes;
    *handle = 77;
    return process.memory;
}

static bool end(void *self, unsigned milliseconds, const char *event, char *how, size_t how_bytes)
{
    (void)self;
    (void)milliseconds;
    (void)event;
    snprintf(how, how_bytes, "%s", process.ended ? "it ended" : "it was killed");
    free(process.memory);
    process.memory = NULL;
    return process.ended;
}

static const struct topk_link link = {
    &process, read_process, write_process, close_process, unheard, ended, share, end,
};

/* ---- calls ----------------------------------------------------------------------------------- */

static struct topk_call calls[CALLS_MAX];
static struct topk_call *queue[CALLS_MAX];
static struct topk_client *client;
static struct topk_loaded loaded;

static void open_client(struct process given)
{
    char error[600];
    enum topk_greeting_kind kind;
    start_process(&given);
    client = topk_client_open(&link, "", &loaded, &kind, error, sizeof error);
    assert_non_null(client);
    assert_string_equal(loaded.info.name, "fake");
}

static bool close_client(void)
{
    char how[400];
    return topk_client_close(client, how, sizeof how);
}

/* Prepares calls; every third is larger and has another rank. */
static void prepare(uint32_t from, uint32_t count)
{
    static const char *const texts[] = {
        "top_k fl=5.0 in=f32[2,4] axis=1 k=2 data=few.1:7:3",
        "top_k1 fl=5.0 in=f16[3,5,2] axis=2 k=1 dir=inc data=few.1:7:3",
        "top_k fl=5.0 in=u8[700] axis=0 k=5 data=few.1:7:3",
        /* more than is compared at a time */
        "top_k fl=5.0 in=u8[40000] axis=0 k=20000 data=few.1:7:3",
    };
    for (uint32_t i = from; i < from + count; i++) {
        struct topk_case tc;
        struct topk_case_error error;
        const char *text = texts[process.change == CHANGE_FIRST && i % 3 == 2 ? 3 : i % 3];
        if (!topk_case_parse(text, strlen(text), &tc, &error)) {
            fail_msg("%s", error.message);
        }
        assert_true(topk_call_prepare(&calls[i], &tc, TOPK_POISON_RANDOM));
        calls[i].owner = i;
        queue[i] = &calls[i];
    }
}

/* the process changed the buffers of these calls, and nothing else changed */
static void assert_done(uint32_t from, uint32_t count)
{
    for (uint32_t i = from; i < from + count; i++) {
        assert_int_equal(calls[i].answer.status, TOPK_BACKEND_DONE);
        assert_string_equal(calls[i].answer.reason, "a note");
        if (process.memory != NULL && topk_machine_little_endian()) {
            const bool kept = process.change == CHANGE_TENSOR;
            assert_int_equal(calls[i].kept[TOPK_INPUT], !process.input);
            assert_int_equal(calls[i].kept[TOPK_VALUE], kept);
            assert_int_equal(calls[i].kept[TOPK_INDEX], kept);
        }
        topk_call_complete(&calls[i]);
        for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
            struct topk_backend_call copy = calls[i].backend_call;
            const uint64_t size = topk_wire_buffer(&copy, (uint32_t)role)->bytes;
            for (uint64_t b = 0; b < calls[i].bytes[role]; b++) {
                const bool inside = b >= TOPK_SLACK_FRONT && b < TOPK_SLACK_FRONT + size;
                const unsigned char due = (unsigned char)(calls[i].given[role][b] +
                                                          (inside && (role > 0 || process.input) &&
                                                           changes(b - TOPK_SLACK_FRONT, size)));
                assert_int_equal(calls[i].live[role].data[b], due);
            }
        }
    }
}

static void assert_blamed(uint32_t first, uint32_t last, bool expired)
{
    const struct topk_client_end *how = topk_client_ended(client);
    assert_true(how->how[0] != 0);
    assert_int_equal(how->first, first);
    assert_int_equal(how->last, last);
    assert_int_equal(how->expired, expired);
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void bytes_go_and_come_whatever_the_process_asks_for(void **state)
{
    (void)state;
    static const uint32_t aligns[] = {1, 2, 64, 512, 4096};
    static const uint32_t batches[] = {1, 3, 64, 1024};
    for (uint32_t n = 0; n < 16; n++) {
        const uint32_t flags = n % 4;
        for (size_t a = 0; a < sizeof aligns / sizeof aligns[0]; a++) {
            const uint32_t batch = batches[(a + flags) % 4];
            open_client((struct process){.flags = flags * TOPK_FLAG_IN_PLACE,
                                         .align = aligns[a],
                                         .batch = batch,
                                         .input = a % 2 == 1,
                                         .change = (enum change)(n / 4)});
            assert_true(TOPK_FLAG_MEMORY == 2 * TOPK_FLAG_IN_PLACE);
            prepare(0, 100);
            topk_client_send(client, queue, 60);
            topk_client_send(client, queue + 60, 40);
            topk_client_receive(client);
            assert_done(0, 60);
            topk_client_receive(client);
            assert_done(60, 40);
            topk_client_settle(client);
            assert_int_equal(process.runs, 100);
            assert_int_equal(process.creates, 0);
            assert_int_equal(process.group_most, batch < 60 ? batch : 60);
            assert_int_equal((process.flags & TOPK_FLAG_MEMORY) != 0, process.memory != NULL);
            assert_true(close_client());
        }
    }
}

static void no_more_is_sent_ahead_than_a_pipe_holds(void **state)
{
    (void)state;
    for (uint32_t memory = 0; memory < 2; memory++) {
        open_client((struct process){.flags = memory * TOPK_FLAG_MEMORY, .batch = 16});
        prepare(0, 300);
        size_t most = 0;
        for (uint32_t from = 0, part = 0; from < 300; from += part) {
            part = memory == 1 ? 100 : from % 36 == 0 ? 6 : 30;
            part = from + part > 300 ? 300 - from : part;
            topk_client_send(client, queue + from, part);
            /* the process reads the first frame completely before it answers */
            size_t first = 0;
            const char *second = NULL;
            for (const char *at = process.wire + 1; at < process.wire + process.wire_used - 6;
                 at++) {
                if (memcmp(at, "frame ", 6) == 0) {
                    second = at;
                    break;
                }
            }
            first = second == NULL ? process.wire_used : (size_t)(second - process.wire);
            most = process.wire_used - first > most ? process.wire_used - first : most;
            if (from > 0) {
                topk_client_receive(client);
            }
        }
        topk_client_receive(client);
        assert_true(most <= AHEAD_MOST);
        assert_true(most > 0); /* something was sent ahead */
        assert_done(0, 300);
        assert_true(close_client());
    }
}

static void what_is_too_large_for_a_frame_is_unsupported(void **state)
{
    (void)state;
    prepare(0, 3);
    struct topk_backend_call copy = calls[2].backend_call;
    uint64_t bytes = 0;
    for (uint32_t t = 0; t < TOPK_WIRE_TENSORS; t++) {
        bytes += topk_wire_buffer(&copy, t)->bytes;
    }
    for (uint64_t less = 0; less < 2; less++) {
        open_client((struct process){.frame = bytes - less, .batch = 64});
        prepare(0, 30);
        topk_client_send(client, queue, 30);
        topk_client_receive(client);
        for (uint32_t i = 0; i < 30; i++) {
            assert_int_equal(calls[i].answer.status, i % 3 == 2 && less == 1
                                                         ? TOPK_BACKEND_UNSUPPORTED
                                                         : TOPK_BACKEND_DONE);
        }
        assert_int_equal(process.runs, less == 0 ? 30 : 20);
        assert_true(close_client());
    }
}

static void a_frame_may_be_full(void **state)
{
    (void)state;
    prepare(0, 4);
    struct topk_call *two[] = {&calls[0], &calls[3]}; /* of one text */
    struct topk_backend_call copy = calls[0].backend_call;
    uint64_t bytes = 0;
    for (uint32_t t = 0; t < TOPK_WIRE_TENSORS; t++) {
        bytes += 2 * topk_wire_buffer(&copy, t)->bytes;
    }
    for (uint32_t less = 0; less < 2; less++) {
        open_client((struct process){.frame = bytes - less, .batch = 64});
        topk_client_send(client, two, 2);
        topk_client_receive(client);
        assert_int_equal(process.frames, 1 + less);
        assert_int_equal(process.group_most, 2 - less);
        assert_int_equal(process.runs, 2);
        assert_true(close_client());
    }
}

static void answers_that_do_not_fit_are_of_nothing(void **state)
{
    (void)state;
    static const struct process wrong[] = {{.amiss_at = 1, .batch = 4},
                                           {.refuses = true, .batch = 4}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        open_client(wrong[i]);
        prepare(0, 3);
        topk_client_send(client, queue, 3);
        topk_client_receive(client);
        assert_blamed(0, 2, false);
        assert_false(close_client());
    }
}

/* an empty line, too */
static void nothing_is_said_behind_the_last_answer(void **state)
{
    (void)state;
    static const char *const more[] = {"\n", "done \n", "x"};
    for (size_t i = 0; i < sizeof more / sizeof more[0]; i++) {
        open_client((struct process){.batch = 4, .more = more[i]});
        prepare(0, 3);
        topk_client_send(client, queue, 3);
        topk_client_receive(client);
        assert_string_equal(topk_client_ended(client)->how, "");
        topk_client_settle(client);
        assert_true(topk_client_ended(client)->how[0] != 0);
        assert_false(close_client());
    }
}

/* whoever ends before it reads that it is to ends badly */
static void an_end_that_was_not_told_is_no_good_one(void **state)
{
    (void)state;
    char how[400];
    for (int deaf = 0; deaf < 2; deaf++) {
        open_client((struct process){.deaf = deaf == 1});
        process.ended = deaf == 0;
        assert_false(topk_client_close(client, how, sizeof how));
        assert_string_equal(how, "it ended, and had not been told to");
    }
}

static void carefully_each_call_is_created_first_and_goes_alone(void **state)
{
    (void)state;
    for (uint32_t own = 0; own < 2; own++) {
        open_client(
            (struct process){.flags = own * TOPK_FLAG_OWN_CONTRACT, .batch = 64, .align = 64});
        topk_client_limit(client, 1000, true);
        prepare(0, 10);
        topk_client_send(client, queue, 10);
        topk_client_receive(client);
        assert_done(0, 10);
        assert_int_equal(process.runs, 10);
        assert_int_equal(process.creates, own == 1 ? 0 : 10);
        assert_int_equal(process.group_most, 1);
        assert_true(close_client());
    }
}

static void who_was_at_it_when_the_process_ended_is_said(void **state)
{
    (void)state;
    for (uint32_t memory = 0; memory < 2; memory++) {
        const uint32_t flags = memory * TOPK_FLAG_MEMORY;
        /* all calls of the frame without an answer; the earlier ones have theirs */
        open_client((struct process){.flags = flags, .batch = 4, .gone_at = 2});
        prepare(0, 60);
        topk_client_send(client, queue, 20);
        topk_client_send(client, queue + 20, 20);
        topk_client_receive(client);
        assert_done(0, 20);
        topk_client_send(client, queue + 40, 20);
        topk_client_receive(client);
        assert_blamed(20, 39, false);
        assert_false(close_client());
        /* or only the group of its mark */
        open_client((struct process){
            .flags = flags, .batch = 4, .gone_at = 2, .marks = true, .mark_most = 3});
        prepare(0, 40);
        topk_client_send(client, queue, 20);
        topk_client_send(client, queue + 20, 20);
        topk_client_receive(client);
        topk_client_receive(client);
        assert_blamed(32, 35, false);
        assert_false(close_client());
        /* a mark with a group that does not exist is ignored */
        open_client((struct process){
            .flags = flags, .batch = 4, .silent_at = 1, .marks = memory == 1, .mark_most = 9});
        topk_client_limit(client, 50, false);
        prepare(0, 20);
        topk_client_send(client, queue, 20);
        topk_client_receive(client);
        assert_blamed(0, 19, true);
        assert_string_equal(topk_client_ended(client)->how, "not finished after 0.05 s");
        assert_false(close_client());
    }
    /* none, because no call was sent */
    open_client((struct process){.batch = 4});
    assert_string_equal(topk_client_ended(client)->how, "");
    assert_true(close_client());
}

static void writes_after_the_answer_and_between_buffers_are_seen(void **state)
{
    (void)state;
    for (uint64_t number = 1; number < 3; number++) {
        open_client((struct process){
            .flags = TOPK_FLAG_MEMORY | TOPK_FLAG_IN_PLACE, .batch = 64, .late_at = number});
        prepare(0, 40);
        topk_client_send(client, queue, 20);
        topk_client_send(client, queue + 20, 20);
        topk_client_receive(client);
        topk_client_receive(client);
        assert_string_equal(topk_client_ended(client)->how, "");
        topk_client_settle(client);
        assert_blamed((uint32_t)number * 20 - 20, (uint32_t)number * 20 - 1, false);
        assert_non_null(strstr(topk_client_ended(client)->how, "after it had answered"));
        assert_false(close_client());
    }
    for (uint32_t memory = 0; memory < 4; memory++) {
        open_client((struct process){.flags = memory % 2 * TOPK_FLAG_MEMORY,
                                     .align = 4096,
                                     .batch = 64,
                                     .stray_at = 1,
                                     .stray_once = memory >= 2});
        prepare(0, 20);
        topk_client_send(client, queue, 20);
        topk_client_receive(client);
        assert_blamed(0, 19, false);
        assert_false(close_client());
    }
}

static void what_was_judged_is_not_done_if_its_bytes_changed_since(void **state)
{
    enum {
        COUNT = 32
    };
    static const char text[] = "top_k fl=5.0 in=f32[2,4] axis=1 k=2 data=few.1:7:3";
    struct topk_case tc;
    struct topk_case_error error;
    const struct topk_case *cases[COUNT];
    struct topk_result results[COUNT];
    char how[400];
    (void)state;
    assert_true(topk_case_parse(text, strlen(text), &tc, &error));
    for (uint32_t i = 0; i < COUNT; i++) {
        cases[i] = &tc;
    }
    /* what is late at the second of two frames is seen when both are judged */
    for (uint32_t late = 0; late < 3; late++) {
        open_client((struct process){.flags = TOPK_FLAG_MEMORY | TOPK_FLAG_IN_PLACE,
                                     .late_at = late,
                                     .gone_at = late == 2 ? 0 : 2});
        struct topk_host host = {.client = client, .loaded = loaded};
        topk_host_run(&host, cases, COUNT, results);
        const struct topk_client_end *end = topk_client_ended(client);
        assert_string_equal(end->how,
                            late ? "it wrote to the memory of a frame after it had answered it"
                                 : "it ended");
        for (uint32_t i = 0; i < COUNT; i++) {
            const bool blamed = i >= end->first && i <= end->last;
            assert_int_equal(blamed, late == 1 ? i < COUNT / 2 : i >= COUNT / 2);
            assert_int_equal(topk_host_done(&host, i), late != 1 && i < COUNT / 2);
        }
        topk_host_close(&host, how, sizeof how);
    }
    topk_case_clear(&tc);
}

static void devices_are_listed_before_one_is_opened(void **state)
{
    (void)state;
    char text[100] = "";
    char error[400];
    FILE *out = tmpfile();
    assert_non_null(out);
    start_process(&(struct process){.batch = 1});
    assert_true(topk_client_devices(&link, out, error, sizeof error));
    rewind(out);
    assert_int_equal(fread(text, 1, sizeof text, out), 15);
    assert_string_equal(text, "device=0\nother\n");
    fclose(out);
}

static int free_calls(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < CALLS_MAX; i++) {
        topk_call_free(&calls[i]);
    }
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_go_and_come_whatever_the_process_asks_for),
        cmocka_unit_test(no_more_is_sent_ahead_than_a_pipe_holds),
        cmocka_unit_test(what_is_too_large_for_a_frame_is_unsupported),
        cmocka_unit_test(a_frame_may_be_full),
        cmocka_unit_test(answers_that_do_not_fit_are_of_nothing),
        cmocka_unit_test(nothing_is_said_behind_the_last_answer),
        cmocka_unit_test(an_end_that_was_not_told_is_no_good_one),
        cmocka_unit_test(carefully_each_call_is_created_first_and_goes_alone),
        cmocka_unit_test(who_was_at_it_when_the_process_ended_is_said),
        cmocka_unit_test(writes_after_the_answer_and_between_buffers_are_seen),
        cmocka_unit_test(what_was_judged_is_not_done_if_its_bytes_changed_since),
        cmocka_unit_test(devices_are_listed_before_one_is_opened),
    };
    return cmocka_run_group_tests(tests, NULL, free_calls);
}
