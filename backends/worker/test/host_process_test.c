/* Tests a host whose backend is a separate process: which parts of a batch the process gets at
 * once, and which cases have results if it ends in the middle. */
#define _POSIX_C_SOURCE 200809L /* fmemopen */
#include "scripted.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "worker/host.h"
#include "worker/serve.h"

#define VALID "top_k fl=5.0 in=f32[4] axis=0 k=2 data=shuffle.1:1"

static void parse(const char *text, struct topk_case *tc)
{
    struct topk_case_error error;
    if (!topk_case_parse(text, strlen(text), tc, &error)) {
        fail_msg("%s: column %zu: %s", text, error.column, error.message);
    }
}

/* A process gets a batch in parts, so that the host can prepare the next part meanwhile. */
static void a_process_gets_parts(void **state)
{
    enum {
        COUNT = 40
    };
    (void)state;
    static const struct {
        uint32_t batch;
        uint32_t part;
    } rows[] = {{4, 16}, {32, 16}, {36, 18}, {128, 16}, {200, 25}};
    struct topk_case tc;
    const struct topk_case *cases[COUNT];
    struct topk_result results[COUNT];
    parse(VALID, &tc);
    for (uint32_t i = 0; i < COUNT; i++) {
        cases[i] = &tc;
    }
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        char says[2000];
        char wanted[40];
        size_t used = (size_t)sprintf(says,
                                      "topk-backend 1 name=fake version= device= driver= features= "
                                      "level=5.0 flags=0 batch=%u frame=0 align=1 own=\n|",
                                      (unsigned)rows[r].batch);
        uint32_t number = 0;
        for (uint32_t from = 0; from < COUNT; from += rows[r].part) {
            const uint32_t count = COUNT - from < rows[r].part ? COUNT - from : rows[r].part;
            used += (size_t)sprintf(says + used, "answer %u %u 0\n", (unsigned)++number,
                                    (unsigned)count);
            for (uint32_t i = 0; i < count; i++) {
                used += (size_t)sprintf(says + used, "unsupported no\n");
            }
            says[used++] = '|';
            says[used] = 0;
        }
        open_client(says, ENDS);
        struct topk_host host = {.client = client, .loaded = loaded};
        topk_host_run(&host, cases, COUNT, results);
        assert_null(topk_host_died(&host));
        snprintf(wanted, sizeof wanted, "frame 1 %u ", (unsigned)rows[r].part);
        assert_non_null(strstr(process.said, wanted));
        for (uint32_t i = 0; i < COUNT; i++) {
            assert_int_equal(results[i].verdict, TOPK_VERDICT_UNSUPPORTED);
            assert_true(topk_host_done(&host, i));
        }
        char how[400];
        topk_host_close(&host, how, sizeof how);
    }
    topk_case_clear(&tc);
}

/* A case that makes its second calls one by one is not part of such a part: each of its calls is
 * sent alone. */
static void a_process_gets_single_calls_between_parts(void **state)
{
    enum {
        COUNT = 17
    };
    (void)state;
    struct topk_case soak;
    struct topk_case tc;
    const struct topk_case *cases[COUNT] = {&soak};
    struct topk_result results[COUNT];
    char how[400];
    char says[1000];
    parse("top_k fl=5.0 in=f32[9] axis=0 k=4 check=soak data=shuffle.1:1", &soak);
    parse(VALID, &tc);
    size_t used = (size_t)sprintf(says, HELLO "|answer 1 15 0\n");
    for (uint32_t i = 1; i < COUNT; i++) {
        cases[i] = &tc;
        used += i < 16 ? (size_t)sprintf(says + used, "unsupported no\n") : 0;
    }
    sprintf(says + used, "|answer 2 1 0\nunsupported alone\n|answer 3 1 0\nunsupported last\n|");
    open_client(says, ENDS);
    struct topk_host host = {.client = client, .loaded = loaded};
    topk_host_run(&host, cases, COUNT, results);
    assert_null(topk_host_died(&host));
    assert_string_equal(results[0].reason, "alone");
    assert_string_equal(results[1].reason, "no");
    assert_string_equal(results[16].reason, "last");
    topk_host_close(&host, how, sizeof how);
    topk_case_clear(&soak);
    topk_case_clear(&tc);
}

/* If the process ends, exactly the cases that were answered for both sides have results. A sequence
 * needs answers to all its calls. */
static void a_process_may_end_in_the_middle(void **state)
{
    enum {
        COUNT = 20
    };
    (void)state;
    struct topk_case tc;
    const struct topk_case *cases[COUNT];
    struct topk_result results[COUNT];
    char says[1000];
    char how[400];
    char error[200];
    parse(VALID, &tc);
    size_t used =
        (size_t)sprintf(says, "topk-backend 1 name=fake version= device= driver= features= "
                              "level=5.0 flags=120 batch=50 frame=0 align=64 own=\n|"
                              "answer 1 25 0\n");
    for (uint32_t i = 0; i < COUNT; i++) {
        cases[i] = &tc;
    }
    for (uint32_t i = 0; i < 25; i++) {
        used += (size_t)sprintf(says + used, "unsupported no\n");
    }
    open_client(says, ENDS);
    struct topk_host host = {.client = client, .loaded = loaded};
    assert_true(topk_host_guard(&host, TOPK_GUARD_PAGE_BOTH, error, sizeof error));
    topk_host_run(&host, cases, COUNT, results);
    assert_string_equal(topk_host_died(&host), "it ended");
    for (uint32_t i = 0; i < COUNT; i++) {
        assert_int_equal(topk_host_done(&host, i), i < 12);
        assert_true(i >= 12 || results[i].verdict == TOPK_VERDICT_UNSUPPORTED);
    }
    topk_host_close(&host, how, sizeof how);
    topk_case_clear(&tc);

    parse(VALID " then " VALID, &tc);
    for (int answered = 0; answered < 2; answered++) {
        open_client(answered == 0 ? HELLO "|" : HELLO "|answer 1 1 0\nunsupported no\n|", ENDS);
        struct topk_host other = {.client = client, .loaded = loaded};
        topk_host_run(&other, cases, 1, results);
        assert_string_equal(topk_host_died(&other), "it ended");
        assert_false(topk_host_done(&other, 0));
        topk_host_close(&other, how, sizeof how);
    }
    topk_case_clear(&tc);
}

/* A case has no result if the process ends between its two sides. */
static void a_case_needs_both_sides(void **state)
{
    (void)state;
    static const char *const rows[] = {
        "|answer 1 4 0\nunsupported no\nunsupported no\nunsupported no\nunsupported no\n|", "|"};
    struct topk_case tc;
    struct topk_result results[2];
    char error[200];
    parse(VALID, &tc);
    const struct topk_case *cases[] = {&tc, &tc};
    for (size_t i = 0; i < 2; i++) {
        char says[400];
        uint32_t first = 9;
        uint32_t last = 9;
        char how[400];
        snprintf(says, sizeof says,
                 "topk-backend 1 name=fake version= device= driver= features= level=5.0 flags=120 "
                 "batch=4 frame=0 align=64 own=\n%s",
                 rows[i]);
        open_client(says, ENDS);
        struct topk_host host = {.client = client, .loaded = loaded};
        assert_true(topk_host_guard(&host, TOPK_GUARD_PAGE_BOTH, error, sizeof error));
        topk_host_run(&host, cases, 2, results);
        assert_int_equal(topk_host_died(&host) == NULL, i == 0);
        assert_int_equal(topk_host_done(&host, 0), i == 0);
        assert_int_equal(topk_host_blamed(&host, &first, &last), i == 1);
        assert_true(i == 0 || (first == 0 && last == 1));
        topk_host_close(&host, how, sizeof how);
    }
    open_client(HELLO, ENDS);
    struct topk_host host = {.client = client, .loaded = loaded};
    assert_false(topk_host_guard(&host, TOPK_GUARD_PAGE_END, error, sizeof error));
    assert_memory_equal(error, "guard pages need topk-backend", 29);
    topk_host_close(&host, error, sizeof error);
    topk_case_clear(&tc);
}

/* The runner is told how the process ended, and which cases are affected. */
static void the_runner_is_told(void **state)
{
    (void)state;
    static const struct {
        const char *lines;
        const char *says;
        enum ending ending;
        int code;
        const char *told; /* after the greeting */
    } rows[] = {
        {"quit\n", HELLO "|", ENDS, EXIT_SUCCESS, ""},
        {"limit 50\nbatch 1\n" VALID "\nquit\n", HELLO "|", ENDS, TOPK_WORKER_EXIT_DIED,
         "begin 0 1\ndied 0 1 it%20ended\n"},
        {"limit 50\nbatch 2\n" VALID "\n" VALID "\n", HELLO "|crash SIGFPE@0x10;a.so+0x1\n", ENDS,
         TOPK_WORKER_EXIT_DIED, "begin 0 2\ncrash SIGFPE@0x10;a.so+0x1\ndied 0 2 it%20ended\n"},
        {"limit 50\nbatch 1\n" VALID "\n", HELLO "|", SILENT, TOPK_WORKER_EXIT_DIED,
         "begin 0 1\nexpired 0 1 not%20finished%20after%200.05%20s\n"},
        {"batch 3\nnone\n" VALID "\n" VALID "\n", HELLO "|", ENDS, TOPK_WORKER_EXIT_DIED,
         "begin 0 1\ndone 0 harness-error "},
        {"probe 0\nquit\n", HELLO_PROBES "|", ENDS, TOPK_WORKER_EXIT_DIED,
         "begin 0 1\ndied 0 1 it%20ended\n"},
        {"limit 50\nprobe 0\nquit\n", HELLO_PROBES "|probes=a\n|", SILENT, TOPK_WORKER_EXIT_DIED,
         "begin 0 1\nexpired 0 1 not%20finished%20after%200.05%20s\n"},
        {"batch 1\n", HELLO "|", ENDS, EXIT_SUCCESS, ""}, /* an incomplete batch */
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char lines[400];
        char out_text[10000] = "";
        char how[400];
        snprintf(lines, sizeof lines, "%s", rows[i].lines);
        FILE *in = fmemopen(lines, strlen(lines), "r");
        FILE *out = fmemopen(out_text, sizeof out_text, "w");
        assert_non_null(in);
        assert_non_null(out);
        open_client(rows[i].says, rows[i].ending);
        struct topk_host host = {.client = client, .loaded = loaded};
        assert_int_equal(topk_serve(&host, in, out), rows[i].code);
        fclose(in);
        fclose(out);
        const char *told = strchr(out_text, '\n');
        assert_non_null(told);
        if (strncmp(told + 1, rows[i].told, strlen(rows[i].told)) != 0) {
            fail_msg("%s: %s", rows[i].lines, told + 1);
        }
        assert_true(rows[i].told[0] != 0 || told[1] == 0);
        assert_true(i != 4 || strstr(told, "\nbegin 1 2\ndied 1 2 it%20ended\n") != NULL);
        topk_host_close(&host, how, sizeof how);
    }
}

/* The runner also gets the results from before the end. */
static void the_runner_gets_what_was_done(void **state)
{
    enum {
        COUNT = 20,
        PART = 16 /* cases that the process gets at once */
    };
    (void)state;
    char lines[COUNT * 80];
    char says[1000];
    char out_text[10000] = "";
    char how[400];
    size_t used = (size_t)sprintf(lines, "batch %d\n", COUNT);
    size_t length = (size_t)sprintf(says, HELLO "|answer 1 %d 0\n", PART);
    for (int i = 0; i < COUNT; i++) {
        used += (size_t)sprintf(lines + used, VALID "\n");
        length += i < PART ? (size_t)sprintf(says + length, "unsupported no\n") : 0;
    }
    FILE *in = fmemopen(lines, used, "r");
    FILE *out = fmemopen(out_text, sizeof out_text, "w");
    assert_non_null(in);
    assert_non_null(out);
    open_client(says, ENDS);
    struct topk_host host = {.client = client, .loaded = loaded};
    assert_int_equal(topk_serve(&host, in, out), TOPK_WORKER_EXIT_DIED);
    fclose(in);
    fclose(out);
    for (int i = 0; i < COUNT; i++) {
        char done[40];
        snprintf(done, sizeof done, "\ndone %d unsupported ", i);
        assert_true((strstr(out_text, done) != NULL) == (i < PART));
    }
    assert_non_null(strstr(out_text, "\ndied 16 4 it%20ended\n"));
    topk_host_close(&host, how, sizeof how);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_process_gets_parts),
        cmocka_unit_test(a_process_gets_single_calls_between_parts),
        cmocka_unit_test(a_process_may_end_in_the_middle),
        cmocka_unit_test(a_case_needs_both_sides),
        cmocka_unit_test(the_runner_is_told),
        cmocka_unit_test(the_runner_gets_what_was_done),
    };
    return cmocka_run_group_tests(tests, prepare_small, free_calls);
}
