/* Tests the memory that the client shares with a backend process: that it is created, replaced and
 * freed as frames need it, that frames work without it, and that the client notices writes outside
 * the buffers of a frame. */
#include "scripted.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define MIB ((uint64_t)1 << 20)

/* Returns the size of the memory for two halves of this size. */
static uint64_t bytes_of(uint64_t half)
{
    return TOPK_CLIENT_HEAD + 2 * half;
}

static void memory_that_cannot_be_shared_is_done_without(void **state)
{
    (void)state;
    open_client(HELLO_MEMORY "|memory failed why\n|answer 1 2 $\ndone \ndone \n|#|", ENDS);
    ask();
    assert_string_equal(topk_client_ended(client)->how, "");
    assert_int_equal(process.shares, 1);
    close_client();
    open_client(HELLO_MEMORY "|answer 1 2 $\ndone \ndone \n|#|", ENDS);
    process.no_memory = true;
    ask();
    assert_string_equal(topk_client_ended(client)->how, "");
    assert_int_equal(calls[1].answer.status, TOPK_BACKEND_DONE);
    close_client();
    /* no reply, or a malformed one */
    static const struct {
        const char *says;
        const char *how;
    } rows[] = {
        {HELLO_MEMORY "|", "it ended"},
        {HELLO_MEMORY "|memories done \n",
         TOPK_BROKE_PROTOCOL "it said \"memories done \" where \"memory STATUS "
                             "REASON\" has to stand"},
        {HELLO_MEMORY "|memory none \n", TOPK_BROKE_PROTOCOL
         "it said \"memory none \" where \"memory STATUS REASON\" has to stand"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        open_client(rows[i].says, ENDS);
        topk_client_send(client, queue, 2);
        assert_end(rows[i].says, rows[i].how, false, 0, 1);
        topk_client_receive(client);
        close_client();
    }
}

/* Sends frames of different sizes and tests whether the memory is created, kept or replaced. */
static void memory_grows_with_frames(void **state)
{
    (void)state;
    static const struct {
        uint64_t bytes;
        uint32_t shares; /* how often memory is shared */
        uint64_t half;   /* size of a half afterwards */
    } rows[] = {
        {1, 1, MIB},
        {MIB - TOPK_CLIENT_SUM_BYTES, 0, MIB},
        {MIB, 1, 2 * MIB},
        {1, 0, 2 * MIB},             /* memory is kept for a smaller frame */
        {64 * MIB, 1, 128 * MIB},    /* a large frame */
        {100 * MIB, 0, 128 * MIB},   /* the memory is used for the next large frame */
        {1, 1, MIB},                 /* but not for a small one */
        {1024 * MIB, 1, 2048 * MIB}, /* a huge frame */
        {1024 * MIB, 2, 2048 * MIB}, /* a small memory replaces it before the next huge one */
        {1, 1, MIB},                 /* which a small frame can use */
    };
    open_client(HELLO_MEMORY, SILENT);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct topk_frame frame = {.bytes = rows[i].bytes};
        const uint32_t before = process.shares;
        process.says = "memory done \n|memory done \n";
        assert_true(topk_client_make_room(client, &frame));
        assert_string_equal(topk_client_ended(client)->how, "");
        assert_int_equal(process.shares - before, rows[i].shares);
        assert_int_equal(client->half_bytes, rows[i].half);
        assert_true(process.shares == before || process.shared == bytes_of(rows[i].half));
        client->stream.from = client->stream.to; /* drop the unread reply */
    }
    /* memory is not replaced while a frame is unanswered */
    const struct topk_frame frame = {.bytes = 2 * MIB};
    client->sent = 1;
    assert_false(topk_client_make_room(client, &frame));
    client->sent = 0;
    /* a process that mapped memory before must do so again */
    process.says = "memory failed why\n|";
    assert_true(topk_client_make_room(client, &frame));
    assert_end("failed", TOPK_BROKE_PROTOCOL "it could map memory before, and now cannot: why",
               false, 1, 0);
    close_client();
    open_client(HELLO_MEMORY "|memory done \n|", ENDS);
    const struct topk_frame small = {.bytes = 1};
    assert_true(topk_client_make_room(client, &small));
    process.no_memory = true;
    assert_true(topk_client_make_room(client, &frame));
    assert_end("no memory", "no memory of 8392704 bytes could be shared with it", false, 1, 0);
    close_client();
    /* huge memory is replaced in two steps; the process may end at the first */
    open_client(HELLO_MEMORY "|memory done \n|", ENDS);
    const struct topk_frame huge = {.bytes = 1024 * MIB};
    assert_true(topk_client_make_room(client, &huge));
    const uint32_t before = process.shares;
    assert_true(topk_client_make_room(client, &huge));
    assert_int_equal(process.shares - before, 1);
    assert_string_equal(topk_client_ended(client)->how, "it ended");
    close_client();
}

/* If a frame needs larger memory, the client waits for the answers to earlier frames. It checks
 * their memory for late writes before it replaces the memory. */
static void memory_that_is_replaced_is_looked_at(void **state)
{
    (void)state;
    struct topk_case tc;
    struct topk_case_error error;
    static const char large[] = "top_k fl=5.0 in=u8[1100000] axis=0 k=2 data=shuffle.1:1";
    assert_true(topk_case_parse(large, sizeof large - 1, &tc, &error));
    assert_true(topk_call_prepare(&calls[2], &tc, TOPK_POISON_RANDOM));
    open_client(HELLO_MEMORY "|memory done \n|answer 1 2 0\ndone \ndone \n|memory done \n"
                             "|answer 2 1 0\nfailed \n|",
                ENDS);
    topk_client_send(client, queue, 2);
    topk_client_send(client, queue + 2, 1);
    assert_int_equal(process.shares, 1);
    topk_client_receive(client);
    assert_int_equal(process.shares, 2);
    topk_client_receive(client);
    assert_int_equal(calls[2].answer.status, TOPK_BACKEND_FAILED);
    assert_string_equal(topk_client_ended(client)->how, "");
    close_client();
    /* a process writes to an answered frame's half before the next frame uses that half */
    for (int late = 0; late < 2; late++) {
        open_client(HELLO_MEMORY "|memory done \n|answer 1 2 0\ndone \ndone \n|"
                                 "answer 2 1 0\ndone \n|answer 3 1 0\ndone \n|",
                    ENDS);
        prepare_small(NULL);
        ask();
        scripted_memory[TOPK_CLIENT_HEAD + MIB] ^=
            (unsigned char)late; /* half 1, which frame 1 used */
        topk_client_send(client, queue + 2, 1);
        topk_client_receive(client);
        topk_client_send(client, queue + 3, 1);
        topk_client_receive(client);
        assert_end("late",
                   late == 0 ? "" : "it wrote to the memory of a frame after it had answered it",
                   false, late == 0 ? 1 : 0, late == 0 ? 0 : 1);
        close_client();
    }
    /* a late write is also noticed before larger memory is created */
    open_client(HELLO_MEMORY "|memory done \n|answer 1 2 0\ndone \ndone \n|", ENDS);
    ask();
    scripted_memory[TOPK_CLIENT_HEAD + MIB] ^= 1;
    const struct topk_frame larger = {.bytes = 2 * MIB};
    assert_true(topk_client_make_room(client, &larger));
    assert_int_equal(process.shares, 1);
    assert_end("late", "it wrote to the memory of a frame after it had answered it", false, 0, 1);
    close_client();
    /* the head of the memory and the bytes after a frame must stay zero */
    for (int where = 0; where < 3; where++) {
        open_client(HELLO_MEMORY "|memory done \n|answer 1 2 0\ndone \ndone \n|", ENDS);
        topk_client_send(client, queue, 2);
        scripted_memory[TOPK_CLIENT_HEAD - 1] = where == 1;
        scripted_memory[TOPK_CLIENT_HEAD + MIB + process.block] = where == 2;
        topk_client_receive(client);
        assert_end("outside",
                   where == 0 ? ""
                              : TOPK_BROKE_PROTOCOL
                       "it wrote to the memory outside of the buffers of its frame",
                   false, where == 0 ? 1 : 0, where == 0 ? 0 : 1);
        close_client();
    }
}

/* A mark that advances restarts the time limit of a frame. An invalid mark does not. */
static void marks_in_memory_give_time(void **state)
{
    (void)state;
    static const struct {
        uint64_t mark;
        uint64_t milliseconds; /* until the client gives up */
        uint32_t first;
        uint32_t last;
    } rows[] = {
        {(uint64_t)1 << 16 | 1, 220, 2, 3}, /* stored after 100 ms */
        {(uint64_t)1 << 16 | 2, 120, 0, 3}, /* invalid: the frame has only two groups */
        {(uint64_t)9 << 16, 120, 0, 3},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        open_client(HELLO_MEMORY "|memory done \n|", SILENT);
        topk_client_limit(client, 120, false);
        topk_client_send(client, queue, 4);
        process.mark = rows[i].mark;
        const uint64_t before = now;
        topk_client_receive(client);
        assert_end("mark", "not finished after 0.12 s", true, rows[i].first, rows[i].last);
        assert_int_equal(now - before, rows[i].milliseconds * 1000000);
        close_client();
    }
    /* if an answer stops in the middle, the mark does not help */
    open_client(HELLO_MEMORY "|memory done \n|answer 1 4 0\ndone \n|", SILENT);
    process.mark = (uint64_t)1 << 16 | 1;
    topk_client_send(client, queue, 4);
    topk_client_receive(client);
    assert_end("stops", "it stopped for 0.05 s in the middle of an answer", true, 2, 3);
    close_client();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_that_cannot_be_shared_is_done_without),
        cmocka_unit_test(memory_grows_with_frames),
        cmocka_unit_test(memory_that_is_replaced_is_looked_at),
        cmocka_unit_test(marks_in_memory_give_time),
    };
    return cmocka_run_group_tests(tests, prepare_small, free_calls);
}
