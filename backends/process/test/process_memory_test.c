/* Tests that a backend process that runs out of memory says so or ends, and leaves its input
 * unchanged. */
#include "reference/test/scarce.h"
#include "serving.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "process/guard_page.h"

static bool find(uint32_t number, bool follow)
{
    struct topk_loaded loaded;
    char error[200] = "";
    scarce_start(number, follow);
    const bool found = topk_loader_find(&loaded, "./none", error, sizeof error);
    scarce_end();
    assert_false(found);
    assert_null(loaded.backend);
    return strcmp(error, "out of memory") != 0;
}

static bool open_adder(uint32_t number, bool follow)
{
    struct topk_loaded loaded = {.backend = &adder_table, .options = "a"};
    char error[200] = "";
    scarce_start(number, follow);
    const bool good = topk_loader_open_found(&loaded, "", error, sizeof error);
    scarce_end();
    if (!good) {
        assert_string_equal(error, "out of memory");
        assert_null(loaded.self);
    } else {
        topk_loader_close(&loaded);
    }
    return good;
}

static void a_backend_is_not_opened(void **state)
{
    (void)state;
    assert_int_equal(scarce_try(find), 2);
    assert_int_equal(scarce_try(open_adder), 2);
}

/* The first frame comes through the pipe, the second has guard pages. */
static bool serve_frames(uint32_t number, bool follow)
{
    static char text[4 * TOPK_WIRE_LINE];
    static char last[2 * TOPK_WIRE_LINE];
    size_t used = put_text(text, "open 1 \n");
    used += put_frame(text + used, 1, 2, 0);
    size_t length = (size_t)sprintf(last, "frame 2 1 1 %zu\ngroup 1\n", FRAME);
    length += put_call(last + length, 2, 0, packed, TOPK_GUARD_PAGE_END);
    memset(last + length, 1, FRAME);
    length += FRAME;
    scarce_start(number, follow);
    const int code = serve((struct said){text, used, FRAME, last, length}, NULL);
    const uint32_t failed = scarce_end();
    static const char first[] = "answer 1 1 192\ndone \n";
    static const char done[] = "answer 2 1 192\ndone \n";
    static const char no_pages[] =
        "answer 2 1 0\nout_of_memory no%20memory%20for%20guard%20pages\n";
    static const char no_frame[] = "error out%20of%20memory\n";
    if (code == EXIT_SUCCESS) {
        assert_memory_equal(judge.answer, first, sizeof first - 1);
        const char *second = judge.answer + sizeof first - 1 + FRAME;
        const bool whole = strncmp(second, done, sizeof done - 1) == 0;
        assert_true(whole || strcmp(second, no_pages) == 0);
        return whole;
    }
    assert_true(failed > 0);
    if (code == TOPK_WORKER_EXIT_UNAVAILABLE) {
        assert_string_equal(judge.out, "unavailable out%20of%20memory\n");
        return false;
    }
    assert_int_equal(code, TOPK_WORKER_EXIT_HARNESS);
    /* either the process did not start, or there was no memory for the first or the second frame */
    const char *said = judge.answer_length > sizeof first - 1 + FRAME
                           ? judge.answer + sizeof first - 1 + FRAME
                           : judge.answer;
    assert_true(judge.used == 0 || strcmp(said, no_frame) == 0);
    return false;
}

static void frames_are_answered_or_refused(void **state)
{
    (void)state;
    assert_true(scarce_try(serve_frames) > 6);
}

/* Uses more calls than there are slots; if memory is short for one, the others are not affected. */
static bool give_many(uint32_t number, bool follow)
{
    static unsigned char memory[64];
    const struct topk_backend_tensor tensor = {.total_bytes = 64};
    const struct topk_guard_room room = {memory, memory + 64};
    const struct topk_guard_room rooms[TOPK_WIRE_TENSORS] = {room, room, room};
    const struct topk_backend_buffer buffer = {memory, 64, 0};
    scarce_start(number, follow);
    struct topk_guard_pages *pages = topk_guard_pages_new();
    bool good = pages != NULL;
    for (int i = 0; good && i < 9; i++) {
        struct topk_backend_call call = {.input = &tensor,
                                         .value = &tensor,
                                         .index = &tensor,
                                         .input_buffer = buffer,
                                         .value_buffer = buffer,
                                         .index_buffer = buffer};
        good = topk_guard_pages_give(pages, TOPK_GUARD_PAGE_END, rooms, &call);
        assert_int_equal(call.input_buffer.data == memory, !good);
        assert_int_equal(call.index_buffer.data == memory, !good);
    }
    scarce_end();
    if (pages != NULL) {
        topk_guard_pages_take(pages);
    }
    topk_guard_pages_free(pages);
    return good;
}

static void guard_pages_are_not_given(void **state)
{
    (void)state;
    assert_int_equal(scarce_try(give_many), 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_backend_is_not_opened, serving_reset),
        cmocka_unit_test_setup(frames_are_answered_or_refused, serving_reset),
        cmocka_unit_test(guard_pages_are_not_given),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
