/* Tests the backend's end of the backend protocol against a judge that may say anything: which
 * requests, and which lines before the introduction, are answered, and which end the process.
 * serve_frames_test.c tests the contents of frames. */
#include "serving.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "reference/result.h"

/* ---- requests -------------------------------------------------------------------------------- */

static void malformed_requests_end_it(void **state)
{
    (void)state;
    static const char *const frame = "a frame must be \"frame F CALLS GROUPS BYTES\"";
    static const char *const memory = "memory must be \"memory HANDLE BYTES\"";
    static const char *const probe = "a probe must be \"probe N\"";
    const struct {
        const char *request;
        const char *why;
    } rows[] = {
        {"frame x 1 1 192", frame},
        {"frame 01 1 1 192", frame},
        {"frame 18446744073709551616 1 1 192", frame},
        {"frame 1", frame},
        {"frame 1 x 1 192", frame},
        {"frame 1 0 1 192", frame},
        {"frame 1 1025 1 192", frame},
        {"frame 1 1 x 192", frame},
        {"frame 1 1 0 192", frame},
        {"frame 1 1 2 192", frame},
        {"frame 1 1 1 x", frame},
        {"frame 1 1 1 -1", frame},
        {"frame 1 1 1 192 4096", frame},
        {"memory x 4096", memory},
        {"memory 3", memory},
        {"memory 3 x", memory},
        {"memory 3 7", memory},
        {"memory 3 4096 1", memory},
        {"probe x", probe},
        {"probe 1 1", probe},
        {"probe 4294967296", probe},
        {"probe", "not understood: probe"},
        {"probes 1", "not understood: probes 1"},
        {"frame", "not understood: frame"},
        {"quit now", "not understood: quit now"},
        {"", "not understood: "},
        {"devices", "not understood: devices"},
        {"open 1 ", "not understood: open 1 "},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[400];
        snprintf(text, sizeof text, "open 1 \n%s\nprobes\n", rows[i].request);
        assert_refused(serve_text(text), rows[i].request, rows[i].why);
        assert_int_equal(adder.closed, 1);
        assert_int_equal(adder.calls, 0);
    }
}

static void lines_that_are_none_end_it(void **state)
{
    (void)state;
    static const char *const why = "a line is too long, or has a zero byte";
    static char text[TOPK_WORKER_LINE + 100];
    size_t used = put_text(text, "open 1 \n");
    memset(text + used, 'x', TOPK_WORKER_LINE + 2);
    used += TOPK_WORKER_LINE + 2;
    text[used++] = '\n';
    assert_refused(serve((struct said){.first = text, .first_length = used}, NULL), "long", why);
    static const char zero[] = "open 1 \npro\0bes\n";
    assert_refused(serve((struct said){.first = zero, .first_length = sizeof zero - 1}, NULL),
                   "zero", why);
    /* also where the calls of a frame are expected */
    used = put_text(text, "open 1 \nframe 1 1 1 192\ngroup 1\n");
    text[used++] = 0;
    text[used++] = '\n';
    assert_refused(serve((struct said){.first = text, .first_length = used}, NULL), "call", why);
    /* also before the backend is open; then there is no introduction */
    assert_int_equal(serve((struct said){.first = "\0\n", .first_length = 2}, NULL),
                     TOPK_WORKER_EXIT_HARNESS);
    assert_non_null(strstr(judge.out, "error a%20line%20is%20too%20long"));
    assert_int_equal(adder.opened, 0);
}

static void requests_are_answered_in_order(void **state)
{
    (void)state;
    assert_int_equal(serve_text("open 1 \nprobes\nprobe 7\nmemory 2147483648 4096\nquit\nprobes\n"),
                     EXIT_SUCCESS);
    static const char due[] =
        "probes=\nverdict=failed value= detail=there%20is%20no%20such%20probe\nmemory failed ";
    assert_memory_equal(judge.answer, due, sizeof due - 1);
    const char *end = strchr(judge.answer + sizeof due - 1, '\n');
    assert_non_null(end);
    assert_string_equal(end + 1, ""); /* nothing follows quit */
}

static void input_that_ends_is_no_error(void **state)
{
    (void)state;
    char text[2 * TOPK_WIRE_LINE];
    size_t used = put_text(text, "open 1 \nprobes\n");
    used += put_frame(text + used, 9, 2, 0);
    for (size_t cut = 0; cut <= used + FRAME; cut++) {
        const struct said said = {.first = text,
                                  .first_length = cut < used ? cut : used,
                                  .zeros = cut < used ? 0 : cut - used};
        assert_int_equal(serve(said, NULL), EXIT_SUCCESS);
        assert_null(strstr(judge.out, "error"));
        assert_int_equal(adder.opened, cut >= 8);
        assert_int_equal(adder.calls, cut == used + FRAME);
        assert_true((strstr(judge.answer, "answer 9 1 192\ndone \n") != NULL) ==
                    (cut == used + FRAME));
    }
}

/* ---- the introduction ------------------------------------------------------------------------ */

static void what_comes_before_it_is_open(void **state)
{
    (void)state;
    static const struct {
        const char *said;
        int code;
        const char *answer; /* beginning of the output */
    } rows[] = {
        {"quit\nopen 1 \n", EXIT_SUCCESS, ""},
        {"devices\n", EXIT_SUCCESS, "devices=a%2Cb,a%2Cb\n"},
        {"open 2 \n", TOPK_WORKER_EXIT_HARNESS, "error not%20understood:%20open%202%20\n"},
        {"open 1\n", TOPK_WORKER_EXIT_HARNESS, "error not%20understood:%20open%201\n"},
        {"probes\n", TOPK_WORKER_EXIT_HARNESS, "error not%20understood:%20probes\n"},
        {"open 1 %2\n", TOPK_WORKER_EXIT_HARNESS,
         "error not%20understood:%20open%20must%20be%20\"open%201%20W\"\n"},
        {"open 1 a,b\n", TOPK_WORKER_EXIT_HARNESS, "error not%20understood:%20open%20must"},
        {"open 1 none\n", TOPK_WORKER_EXIT_UNAVAILABLE,
         "unavailable there%20is%20no%20device%2C%20100%25\n"},
    };
    adder.devices = 2;
    adder.device = "a,b";
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(serve_text(rows[i].said), rows[i].code);
        assert_int_equal(adder.opened, 0);
        if (strncmp(judge.out, rows[i].answer, strlen(rows[i].answer)) != 0 ||
            (rows[i].answer[0] == 0) != (judge.used == 0)) {
            fail_msg("%s: %s", rows[i].said, judge.out);
        }
    }
    /* a device name longer than any valid one */
    char text[700] = "open 1 ";
    memset(text + 7, 'x', 600);
    memcpy(text + 607, "\n", 2);
    assert_int_equal(serve_text(text), TOPK_WORKER_EXIT_HARNESS);
    assert_int_equal(adder.opened, 0);
}

static void it_introduces_itself(void **state)
{
    (void)state;
    static struct topk_greeting greeting;
    static char why[TOPK_GREETING_ERROR];
    adder.devices = 1;
    adder.device = "device=0";
    adder.contract = "ties=any";
    assert_int_equal(serve_text("devices\ndevices\nopen 1 device%3D0\nquit\n"), EXIT_SUCCESS);
    assert_string_equal(adder.options, "device=0");
    static const char devices[] = "devices=device%3D0\ndevices=device%3D0\n";
    assert_memory_equal(judge.out, devices, sizeof devices - 1);
    const char *line = judge.out + sizeof devices - 1;
    const char *end = strchr(line, '\n');
    assert_non_null(end);
    assert_string_equal(end, "\n");
    assert_int_equal(
        topk_greeting_parse(TOPK_SPEAKER_BACKEND, line, (size_t)(end - line), &greeting, why),
        TOPK_GREETING_HELLO);
    assert_string_equal(greeting.name, "adder");
    assert_int_equal(greeting.flags, TOPK_FLAG_IN_PLACE | TOPK_FLAG_MEMORY | TOPK_FLAG_GUARD_PAGES);
    assert_int_equal(greeting.batch, BATCH);
    assert_int_equal(greeting.align, 64);
    assert_int_equal(greeting.frame, 0);
    assert_string_equal(greeting.version, "");

    /* an invalid contract is reported as misdeclared */
    adder.contract = "ties=never";
    assert_int_equal(serve_text("open 1 \nquit\n"), TOPK_WORKER_EXIT_HARNESS);
    assert_int_equal(
        topk_greeting_parse(TOPK_SPEAKER_BACKEND, judge.out, judge.used - 1, &greeting, why),
        TOPK_GREETING_MISDECLARED);
    assert_non_null(strstr(why, "backend adder: its contract, "));
}

/* The line of devices is never longer than allowed, no matter how many devices there are and how
 * long their names are. */
static void devices_have_a_line(void **state)
{
    (void)state;
    char name[400];
    memset(name, '%', sizeof name - 1);
    name[sizeof name - 1] = 0;
    adder.devices = UINT32_MAX;
    adder.device = name;
    assert_int_equal(serve_text("devices\nquit\n"), EXIT_SUCCESS);
    assert_int_equal(judge.out[judge.used - 1], '\n');
    assert_true(judge.used - 1 <= TOPK_WORKER_LINE);
    uint32_t count = 0;
    for (const char *at = judge.out + 8; *at != '\n'; count++) {
        char device[400];
        const size_t length = strcspn(at, ",\n");
        assert_true(topk_word_parse(at, length, device, sizeof device));
        assert_int_equal(strlen(device), 255); /* names are cut to the maximum length */
        at += length + (at[length] == ',');
    }
    assert_true(count > 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(malformed_requests_end_it, serving_reset),
        cmocka_unit_test_setup(lines_that_are_none_end_it, serving_reset),
        cmocka_unit_test_setup(requests_are_answered_in_order, serving_reset),
        cmocka_unit_test_setup(input_that_ends_is_no_error, serving_reset),
        cmocka_unit_test_setup(what_comes_before_it_is_open, serving_reset),
        cmocka_unit_test_setup(it_introduces_itself, serving_reset),
        cmocka_unit_test_setup(devices_have_a_line, serving_reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
