/* Tests how the backend's end of the protocol reads frames. No malformed frame may reach the
 * backend, and every byte of a valid frame must end up where it belongs. Frames come through the
 * pipe, in shared memory, with guard pages, and while the backend works on the previous frame. */
#define _POSIX_C_SOURCE 200809L /* fileno */
#include "serving.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "platform/platform.h"

/* ---- frames ---------------------------------------------------------------------------------- */

static void groups_that_do_not_fit_their_frame_end_it(void **state)
{
    (void)state;
    static const char *const group = "no group of its frame";
    const struct {
        const char *lines; /* C stands for the line of a call */
        const char *why;
    } rows[] = {
        {"frame 1 1 1 192\nC", group},
        {"frame 1 1 1 192\ngroup\n", group},
        {"frame 1 1 1 192\ngroup x\n", group},
        {"frame 1 1 1 192\ngroup 0\n", group},
        {"frame 1 1 1 192\ngroup 2\n", group},   /* more calls than the frame has left */
        {"frame 1 3 3 192\ngroup 3\n", group},   /* more than `batch` */
        {"frame 1 1 1 192\ngroup 1 1\n", group}, /* something after the number */
        {"frame 1 2 1 192\ngroup 1\nCgroup 1\nC", group},
        {"frame 1 3 2 192\ngroup 2\nCCgroup 2\n", group},
        {"frame 1 2 2 192\ngroup 2\nCC", "a frame lacks groups"},
        {"frame 1 2 1 192\ngroup 2\nCgroup 1\n", "malformed"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[4 * TOPK_WIRE_LINE];
        size_t used = put_text(text, "open 1 \n");
        for (const char *c = rows[i].lines; *c != 0; c++) {
            if (*c == 'C') {
                used += put_call(text + used, 2, 0, packed, TOPK_GUARD_PAGE_NONE);
            } else {
                text[used++] = *c;
            }
        }
        const struct said said = {.first = text, .first_length = used, .zeros = FRAME};
        assert_refused(serve(said, NULL), rows[i].lines,
                       strcmp(rows[i].why, "malformed") == 0 ? "" : rows[i].why);
        assert_int_equal(adder.calls, 0);
    }
}

static void buffers_outside_of_their_frame_end_it(void **state)
{
    (void)state;
    static const char *const fit = "the buffers of a call do not fit into its frame";
    static const char *const aligned = "a buffer is not aligned to 64 bytes";
    static const struct {
        uint64_t at[TOPK_WIRE_TENSORS];
        const char *const *why;
    } rows[] = {
        {{0, 64, 192}, &fit},
        {{0, 64, 129}, &fit},
        {{64, 64, 128}, &fit}, /* two buffers share all bytes */
        {{UINT64_MAX - 63, 64, 128}, &fit},
        {{0, 64, UINT64_MAX}, &fit},
        {{32, 96, 0}, &fit}, /* two buffers share some bytes */
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[2 * TOPK_WIRE_LINE];
        size_t used = put_text(text, "open 1 \nframe 1 1 1 192\ngroup 1\n");
        used += put_call(text + used, 2, 0, rows[i].at, TOPK_GUARD_PAGE_NONE);
        const struct said said = {.first = text, .first_length = used, .zeros = FRAME};
        assert_refused(serve(said, NULL), text, *rows[i].why);
        assert_int_equal(adder.calls, 0);
    }
    for (int t = 0; t < 3; t++) {
        uint64_t at[] = {0, 128, 256};
        char text[2 * TOPK_WIRE_LINE];
        at[t] += 32;
        size_t used = put_text(text, "open 1 \nframe 1 1 1 384\ngroup 1\n");
        used += put_call(text + used, 2, 0, at, TOPK_GUARD_PAGE_NONE);
        const struct said said = {.first = text, .first_length = used, .zeros = 384};
        assert_refused(serve(said, NULL), text, aligned);
        assert_int_equal(adder.calls, 0);
    }
    /* more bytes than there is memory */
    char text[2 * TOPK_WIRE_LINE];
    size_t used = put_text(text, "open 1 \nframe 1 1 1 18446744073709551615\ngroup 1\n");
    used += put_call(text + used, 2, 0, packed, TOPK_GUARD_PAGE_NONE);
    assert_refused(serve((struct said){.first = text, .first_length = used}, NULL), text,
                   "out of memory");
}

/* A valid frame is answered. Calls that the backend does not serve, and calls that are only
 * created, are answered without bytes. */
static void frames_are_answered(void **state)
{
    (void)state;
    static const char done[] = "answer 5 1 192\ndone \n";
    char text[8 * TOPK_WIRE_LINE];
    size_t used = put_text(text, "open 1 \n");
    used += put_frame(text + used, 5, 2, 0);
    struct said said = {.first = text, .first_length = used, .zeros = FRAME};
    assert_int_equal(serve(said, NULL), EXIT_SUCCESS);
    assert_int_equal(judge.answer_length, sizeof done - 1 + FRAME);
    assert_memory_equal(judge.answer, done, sizeof done - 1);
    for (size_t b = 0; b < FRAME; b++) {
        assert_int_equal(judge.answer[sizeof done - 1 + b], b < 64 ? 0 : 1);
    }
    assert_int_equal(adder.asked, 1);

    used = put_text(text, "open 1 \n");
    used += put_frame(text + used, 6, DECLINED, 0);
    said.first_length = used;
    assert_int_equal(serve(said, NULL), EXIT_SUCCESS);
    assert_string_equal(judge.answer, "answer 6 1 0\nunsupported no%20such%20K\n");
    assert_int_equal(adder.runs, 0);

    /* supports() is not called for a call that is only created */
    used = put_text(text, "open 1 \n");
    used += put_frame(text + used, 7, DECLINED, 1);
    assert_int_equal(serve((struct said){.first = text, .first_length = used}, NULL), EXIT_SUCCESS);
    assert_string_equal(judge.answer, "answer 7 1 0\ndone \n");
    assert_int_equal(adder.asked, 0);
    assert_int_equal(adder.created, 1);

    /* the backend gets only those calls of a group that it serves, and the groups in order */
    static const uint64_t places[][TOPK_WIRE_TENSORS] = {
        {0, 64, 128}, {192, 256, 320}, {384, 448, 512}};
    used = put_text(text, "open 1 \nframe 8 3 2 576\ngroup 2\n");
    used += put_call(text + used, DECLINED, 0, places[0], TOPK_GUARD_PAGE_NONE);
    used += put_call(text + used, 2, 0, places[1], TOPK_GUARD_PAGE_NONE);
    used += put_text(text + used, "group 1\n");
    used += put_call(text + used, 1, 0, places[2], TOPK_GUARD_PAGE_NONE);
    said = (struct said){.first = text, .first_length = used, .zeros = 576};
    assert_int_equal(serve(said, NULL), EXIT_SUCCESS);
    static const char mixed[] = "answer 8 3 576\nunsupported no%20such%20K\ndone \ndone \n";
    assert_int_equal(judge.answer_length, sizeof mixed - 1 + 576);
    assert_memory_equal(judge.answer, mixed, sizeof mixed - 1);
    for (size_t b = 0; b < 576; b++) {
        const bool changed = b >= 192 && b % 192 >= 64;
        assert_int_equal(judge.answer[sizeof mixed - 1 + b], changed ? 1 : 0);
    }
    assert_int_equal(adder.runs, 2);

    /* without supports(), every call is run */
    adder_table.supports = NULL;
    used = put_text(text, "open 1 \n");
    used += put_frame(text + used, 9, DECLINED, 0);
    said = (struct said){.first = text, .first_length = used, .zeros = FRAME};
    assert_int_equal(serve(said, NULL), EXIT_SUCCESS);
    assert_non_null(strstr(judge.answer, "answer 9 1 192\ndone \n"));
}

/* After a huge frame, the following ones still have room. */
static void frames_of_any_size_follow_each_other(void **state)
{
    (void)state;
    char first[2 * TOPK_WIRE_LINE];
    char last[4 * TOPK_WIRE_LINE];
    static const size_t huge = ((size_t)64 << 20) + 64;
    size_t used = put_text(first, "open 1 \nframe 1 1 1 67108928\ngroup 1\n");
    used += put_call(first + used, DECLINED, 0, packed, TOPK_GUARD_PAGE_NONE);
    size_t length = put_frame(last, 2, 2, 0);
    memset(last + length, 3, FRAME);
    length += FRAME;
    length += put_frame(last + length, 3, 2, 0);
    memset(last + length, 5, FRAME);
    length += FRAME;
    const struct said said = {first, used, huge, last, length};
    assert_int_equal(serve(said, NULL), EXIT_SUCCESS);
    static const char due[] = "answer 1 1 0\nunsupported no%20such%20K\nanswer 2 1 192\ndone \n";
    static const char next[] = "answer 3 1 192\ndone \n";
    assert_int_equal(judge.answer_length, sizeof due + sizeof next - 2 + 2 * FRAME);
    assert_memory_equal(judge.answer, due, sizeof due - 1);
    assert_int_equal(judge.answer[sizeof due - 1], 3);
    assert_int_equal(judge.answer[sizeof due - 1 + 64], 4);
    assert_memory_equal(judge.answer + sizeof due - 1 + FRAME, next, sizeof next - 1);
    assert_int_equal(judge.answer[judge.answer_length - 1], 6);
}

/* A frame larger than all before gets a larger room. */
static void frames_may_grow(void **state)
{
    (void)state;
    static const uint64_t at[] = {0, 64, 50048};
    static const char due[] = "answer 2 1 50112\ndone \n";
    char text[4 * TOPK_WIRE_LINE];
    size_t used = put_text(text, "open 1 \n");
    used += put_frame(text + used, 1, 2, 0);
    memset(text + used, 7, FRAME);
    used += FRAME;
    used += put_text(text + used, "frame 2 1 1 50112\ngroup 1\n");
    used += put_call(text + used, 2, 0, at, TOPK_GUARD_PAGE_NONE);
    const struct said said = {.first = text, .first_length = used, .zeros = 50112};
    assert_int_equal(serve(said, NULL), EXIT_SUCCESS);
    const char *came = judge.answer + sizeof "answer 1 1 192\ndone \n" - 1 + FRAME;
    assert_memory_equal(came, due, sizeof due - 1);
    came += sizeof due - 1;
    for (size_t b = 0; b < 50112; b++) {
        assert_int_equal(came[b], (b >= 64 && b < 128) || b >= 50048);
    }
}

/* ---- a backend with start() and finish() ----------------------------------------------------- */

static bool is_ready(void)
{
    return true;
}

static bool is_not_ready(void)
{
    return false;
}

static void start_with(const char *text, size_t used, bool (*ready)(void), int code)
{
    serving_start();
    assert_int_equal(serve((struct said){.first = text, .first_length = used}, ready), code);
}

static void requests_are_read_while_it_is_at_work(void **state)
{
    (void)state;
    static const char both[] = "answer 1 1 0\ndone \nanswer 2 1 0\ndone \n";
    char text[8 * TOPK_WIRE_LINE];
    const size_t open = put_text(text, "open 1 \n");
    const size_t one = open + put_frame(text + open, 1, 2, 1);
    const size_t two = one + put_frame(text + one, 2, 2, 1);
    start_with(text, two, is_ready, EXIT_SUCCESS);
    assert_string_equal(judge.answer, both);
    assert_int_equal(adder.runs, 2);

    /* at the end of the input, or after `quit', frames that were started are still answered */
    start_with(text, one, is_ready, EXIT_SUCCESS);
    assert_string_equal(judge.answer, "answer 1 1 0\ndone \n");
    size_t used = one + put_text(text + one, "quit\nprobes\n");
    start_with(text, used, is_ready, EXIT_SUCCESS);
    assert_string_equal(judge.answer, "answer 1 1 0\ndone \n");
    start_with(text, two - 10, is_ready, EXIT_SUCCESS); /* in the middle of the second frame */
    assert_string_equal(judge.answer, "answer 1 1 0\ndone \n");

    /* another request is answered after the frame */
    used = one + put_text(text + one, "probes\nquit\n");
    start_with(text, used, is_ready, EXIT_SUCCESS);
    assert_string_equal(judge.answer, "answer 1 1 0\ndone \nprobes=\n");

    /* a malformed frame ends the process at once, but the backend is still finished */
    used = one + put_text(text + one, "frame 2 0 1 0\n");
    start_with(text, used, is_ready, TOPK_WORKER_EXIT_HARNESS);
    assert_refused(TOPK_WORKER_EXIT_HARNESS, text + one, "a frame must be");
    text[one] = 0;
    text[one + 1] = '\n';
    start_with(text, one + 2, is_ready, TOPK_WORKER_EXIT_HARNESS);
    assert_refused(TOPK_WORKER_EXIT_HARNESS, "zero", "a line is too long, or has a zero byte");
    text[one] = 'x';
    start_with(text, one + 2, is_ready, TOPK_WORKER_EXIT_HARNESS);
    const char *error = strstr(judge.answer, "error not%20understood:%20x\n");
    assert_non_null(error);
    assert_memory_equal(judge.answer, "answer 1 1 0\ndone \n", (size_t)(error - judge.answer));
}

/* The process does not wait for a request while the backend is working. */
static void nothing_is_waited_for_while_it_is_at_work(void **state)
{
    (void)state;
    static bool (*const rows[])(void) = {NULL, is_not_ready, is_ready};
    char first[2 * TOPK_WIRE_LINE];
    char last[2 * TOPK_WIRE_LINE];
    size_t used = put_text(first, "open 1 \nframe 1 1 1 192\ngroup 1\n");
    used += put_call(first + used, 2, 0, packed, TOPK_GUARD_PAGE_NONE);
    const size_t length = put_frame(last, 2, 2, 1);
    serving_start();
    for (size_t i = 0; i < 3; i++) {
        adder.read = 0;
        const struct said said = {first, used, FRAME, last, length};
        assert_int_equal(serve(said, rows[i]), EXIT_SUCCESS);
        assert_int_equal(adder.runs, 2);
        assert_int_equal(adder.read, used + FRAME + (i == 2 ? length : 0));
        assert_non_null(
            strstr(judge.answer + sizeof "answer 1 1 192\ndone " + FRAME, "answer 2 1 0\ndone \n"));
    }
    /* with several groups, the next request is read while the last group is running */
    static const uint64_t places[][TOPK_WIRE_TENSORS] = {{0, 64, 128}, {192, 256, 320}};
    used = put_text(first, "open 1 \nframe 1 2 2 384\ngroup 1\n");
    used += put_call(first + used, 2, 0, places[0], TOPK_GUARD_PAGE_NONE);
    used += put_text(first + used, "group 1\n");
    used += put_call(first + used, DECLINED, 0, places[1], TOPK_GUARD_PAGE_NONE);
    const struct said said = {first, used, 384, last, length};
    assert_int_equal(serve(said, is_ready), EXIT_SUCCESS);
    static const char due[] = "answer 1 2 384\ndone \nunsupported no%20such%20K\n";
    assert_memory_equal(judge.answer, due, sizeof due - 1);
    assert_memory_equal(judge.answer + sizeof due - 1 + 384, "answer 2 1 0\ndone \n", 19);
}

/* ---- shared memory --------------------------------------------------------------------------- */

#define MEMORY 12288u

static void frames_in_shared_memory(void **state)
{
    (void)state;
    FILE *file = tmpfile();
    static unsigned char bytes[MEMORY];
    char text[8 * TOPK_WIRE_LINE];
    char line[TOPK_WIRE_LINE];
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, MEMORY, file), MEMORY);
    assert_int_equal(fflush(file), 0);
    put_call(line, 2, 0, packed, TOPK_GUARD_PAGE_NONE);

    /* a second `memory' replaces the first */
    snprintf(text, sizeof text,
             "open 1 \nmemory %d 4096\nmemory %d %u\nframe 3 1 1 192 4096\ngroup 1\n%squit\n",
             fileno(file), fileno(file), MEMORY, line);
    assert_int_equal(serve_text(text), EXIT_SUCCESS);
    assert_string_equal(judge.answer, "memory done \nmemory done \nanswer 3 1 0\ndone \n");
    rewind(file);
    assert_int_equal(fread(bytes, 1, MEMORY, file), MEMORY);
    uint64_t mark;
    memcpy(&mark, bytes, sizeof mark);
    assert_int_equal(mark, 3 * 65536);
    for (size_t b = sizeof mark; b < MEMORY; b++) {
        assert_int_equal(bytes[b], b >= 4096 + 64 && b < 4096 + FRAME ? 1 : 0);
    }

    /* frames outside the memory, and frames in the form for the pipe */
    static const struct {
        const char *frame;
        const char *why;
    } rows[] = {
        {"frame 3 1 1 192 4097", "a frame lies outside of the memory"},
        {"frame 3 1 1 192 12288", "a frame lies outside of the memory"},
        {"frame 3 1 1 192 12160", "a frame lies outside of the memory"},
        {"frame 3 1 1 18446744073709551552 4096", "a frame lies outside of the memory"},
        {"frame 3 1 1 192 18446744073709551552", "a frame lies outside of the memory"},
        {"frame 3 1 1 192", "a frame must be \"frame F CALLS GROUPS BYTES AT\""},
        {"frame 3 1 1 192 x", "a frame must be \"frame F CALLS GROUPS BYTES AT\""},
        {"frame 3 1 1 192 4096 1", "a frame must be \"frame F CALLS GROUPS BYTES AT\""},
    };
    static const char mapped[] = "memory done \n";
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        snprintf(text, sizeof text, "open 1 \nmemory %d %u\n%s\ngroup 1\n%s", fileno(file), MEMORY,
                 rows[i].frame, line);
        const int code = serve_text(text);
        assert_memory_equal(judge.answer, mapped, sizeof mapped - 1);
        judge.answer += sizeof mapped - 1;
        judge.answer_length -= sizeof mapped - 1;
        assert_refused(code, rows[i].frame, rows[i].why);
        assert_int_equal(adder.calls, 0);
    }

    /* if the memory cannot be mapped, frames come through the pipe */
    size_t used = put_text(text, "open 1 \nmemory 2147483648 4096\n");
    used += put_frame(text + used, 4, 2, 0);
    assert_int_equal(
        serve((struct said){.first = text, .first_length = used, .zeros = FRAME}, NULL),
        EXIT_SUCCESS);
    assert_memory_equal(judge.answer, "memory failed ", 14);
    assert_non_null(strstr(judge.answer, "\nanswer 4 1 192\ndone \n"));
    fclose(file);
}

/* ---- guard pages ----------------------------------------------------------------------------- */

/* Distance between the starts of two buffers: the bytes around one are copied, and must not overlap
 * the next. */
#define APART (BUFFER + TOPK_SLACK_FRONT + TOPK_SLACK_BACK)

static void place_apart(uint64_t at[TOPK_WIRE_TENSORS], uint64_t number)
{
    for (uint64_t t = 0; t < TOPK_WIRE_TENSORS; t++) {
        at[t] = (TOPK_WIRE_TENSORS * number + t) * APART + TOPK_SLACK_FRONT;
    }
}

static void calls_are_made_against_guard_pages(void **state)
{
    (void)state;
    static const char due[] = "done \nunsupported no%20such%20K\ndone \n";
    static const enum topk_guard_page sides[] = {TOPK_GUARD_PAGE_END, TOPK_GUARD_PAGE_START};
    const size_t bytes = 9 * APART;
    for (size_t s = 0; s < 2; s++) {
        char text[8 * TOPK_WIRE_LINE];
        uint64_t at[TOPK_WIRE_TENSORS];
        size_t used = (size_t)sprintf(text, "open 1 \nframe 1 3 2 %zu\ngroup 2\n", bytes);
        place_apart(at, 0);
        used += put_call(text + used, 2, 0, at, sides[s]);
        place_apart(at, 1);
        used += put_call(text + used, DECLINED, 0, at, sides[s]);
        used += put_text(text + used, "group 1\n");
        place_apart(at, 2);
        used += put_call(text + used, 2, 0, at, sides[s]);
        adder.walled = s == 0;
        const struct said said = {.first = text, .first_length = used, .zeros = bytes};
        assert_int_equal(serve(said, NULL), EXIT_SUCCESS);
        assert_int_equal(adder.runs, 2);
        const char *answered = strstr(judge.answer, due);
        assert_non_null(answered);
        const char *came = answered + sizeof due - 1;
        assert_ptr_equal(came + bytes, judge.answer + judge.answer_length);
        /* the outputs of the calls that were made came back */
        for (size_t b = 0; b < 9; b++) {
            const bool made = b % 3 > 0 && b / 3 != 1;
            for (size_t i = 0; i < 8; i++) {
                assert_int_equal(came[b * APART + TOPK_SLACK_FRONT + i], made);
            }
        }
    }
}

/* A call that is only created has no tensors to place. Tensors of calls without guard pages stay in
 * the frame. */
static void calls_without_guard_pages_stand_beside_those_with(void **state)
{
    (void)state;
    char text[8 * TOPK_WIRE_LINE];
    size_t used = put_text(text, "open 1 \nframe 1 1 1 192\ngroup 1\n");
    used += put_call(text + used, 2, 0, packed, TOPK_GUARD_PAGE_START);
    char last[8 * TOPK_WIRE_LINE];
    size_t length = put_frame(last, 2, 2, 1);
    length += put_frame(last + length, 3, 2, 0);
    memset(last + length, 7, FRAME);
    length += FRAME;
    assert_int_equal(serve((struct said){text, used, FRAME, last, length}, NULL), EXIT_SUCCESS);
    static const char due[] = "answer 2 1 0\ndone \nanswer 3 1 192\ndone \n";
    const char *came = judge.answer + sizeof "answer 1 1 192\ndone \n" - 1 + FRAME;
    assert_memory_equal(came, due, sizeof due - 1);
    came += sizeof due - 1;
    for (size_t b = 0; b < FRAME; b++) {
        assert_int_equal(came[b], b < BUFFER ? 7 : 8);
    }
    assert_int_equal(adder.created, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(groups_that_do_not_fit_their_frame_end_it, serving_reset),
        cmocka_unit_test_setup(buffers_outside_of_their_frame_end_it, serving_reset),
        cmocka_unit_test_setup(frames_are_answered, serving_reset),
        cmocka_unit_test_setup(frames_of_any_size_follow_each_other, serving_reset),
        cmocka_unit_test_setup(frames_may_grow, serving_reset),
        cmocka_unit_test_setup(requests_are_read_while_it_is_at_work, serving_reset),
        cmocka_unit_test_setup(nothing_is_waited_for_while_it_is_at_work, serving_reset),
        cmocka_unit_test_setup(frames_in_shared_memory, serving_reset),
        cmocka_unit_test_setup(calls_are_made_against_guard_pages, serving_reset),
        cmocka_unit_test_setup(calls_without_guard_pages_stand_beside_those_with, serving_reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
