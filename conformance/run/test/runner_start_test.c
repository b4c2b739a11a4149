/* The runner with workers that do not start, or end where no case is to blame. */
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "fake_worker.h"

static void end_between_cases_is_noted(void **state)
{
    (void)state;
    struct run run = {.count = 5, .texts = {"ok", "ok", "early", "ok", "ok"}};
    assert_int_equal(run_with(&run, "echo '" HELLO "'\n" ONE_BY_ONE LOOP), TOPK_RUNNER_DONE);
    expect_one_bad(&run, 5, TOPK_VERDICT_PASS, "");
    assert_int_equal(run.notes, 1);
}

static void ends_with_results_between_do_not_break(void **state)
{
    (void)state;
    struct run run = {
        .count = 8,
        .texts = {"early1", "ok", "early2", "ok", "early3", "ok", "early4", "ok"},
    };
    assert_int_equal(run_with(&run, "echo '" HELLO "'\n" ONE_BY_ONE LOOP), TOPK_RUNNER_DONE);
    expect_one_bad(&run, 8, TOPK_VERDICT_PASS, "");
    assert_int_equal(run.notes, 4);
}

static void three_ends_between_cases_break(void **state)
{
    (void)state;
    struct run run = {.count = 3, .texts = {"ok", "doomed", "ok"}};
    assert_int_equal(run_with(&run, "echo '" HELLO "'\n" ONE_BY_ONE LOOP), TOPK_RUNNER_BROKEN);
    assert_non_null(strstr(run.error, "exited with 7"));
    assert_int_equal(run.results[0], 1);
    assert_int_equal(run.results[1], 0);
}

static void done_before_begin_breaks(void **state)
{
    (void)state;
    struct run run = {.count = 1, .texts = {"unbegun"}};
    assert_int_equal(run_with(&run, "echo '" HELLO "'\n" ONE_BY_ONE LOOP), TOPK_RUNNER_BROKEN);
    assert_non_null(strstr(run.error, "garbage on the pipe: \"done 0 pass"));
}

static void silence_breaks(void **state)
{
    (void)state;
    struct run run = {.count = 1, .texts = {"mute"}, .start_timeout = LIMIT};
    assert_int_equal(run_with(&run, "echo '" HELLO "'\n" ONE_BY_ONE LOOP), TOPK_RUNNER_BROKEN);
    assert_non_null(strstr(run.error, "it said nothing for 0.6 s"));
}

static void error_line_breaks(void **state)
{
    (void)state;
    struct run run = {.count = 1, .texts = {"ok"}};
    assert_int_equal(run_with(&run, "echo '" HELLO "'; read x; read y; echo error not%20mine; "
                                    "exit 3"),
                     TOPK_RUNNER_BROKEN);
    assert_non_null(strstr(run.error, "did not understand: not mine"));
}

/* A worker that reports an error must end: it cannot stay alive by repeating the error. */
static void endless_error_lines_break(void **state)
{
    (void)state;
    struct run run = {.count = 1, .texts = {"ok"}};
    assert_int_equal(run_with(&run, "echo '" HELLO "'; read x; read y; "
                                    "while echo error not%20mine; do :; done"),
                     TOPK_RUNNER_BROKEN);
    assert_non_null(strstr(run.error, "did not understand: not mine"));
}

static void an_end_with_nothing_under_way_is_noted(void **state)
{
    (void)state;
    struct run run = {.count = 7};
    assert_int_equal(run_all_but(&run, 4, "once:died_0_0_gone", COUNTED AT_ONCE LOOP),
                     TOPK_RUNNER_DONE);
    expect_one_bad(&run, 7, TOPK_VERDICT_PASS, "");
    assert_int_equal(run.notes, 1);
    assert_string_equal(run.noted, "a worker ended between cases: gone");
}

static void three_ends_with_nothing_under_way_break(void **state)
{
    (void)state;
    struct run run = {.count = 7};
    assert_int_equal(run_all_but(&run, 4, "says:expired_0_0_gone", COUNTED AT_ONCE LOOP),
                     TOPK_RUNNER_BROKEN);
    assert_int_equal(run.done, 0);
    assert_int_equal(starts(), 3);
}

/* Runs a worker that fails before its first case. */

static void expect_refused(const char *script, enum topk_runner_status status, const char *reason)
{
    struct run run = {.count = 1, .texts = {"ok"}};
    run.start_timeout = strstr(reason, "said nothing") == NULL ? AMPLE : LIMIT;
    assert_int_equal(run_with(&run, script), status);
    if (strstr(run.error, reason) == NULL) {
        fail_msg("the reason is \"%s\", without \"%s\"", run.error, reason);
    }
    assert_int_equal(run.done, 0);
}

static void expect_unavailable(const char *script, const char *reason)
{
    expect_refused(script, TOPK_RUNNER_UNAVAILABLE, reason);
}

static void no_greeting(void **state)
{
    (void)state;
    expect_unavailable("sleep 99", "said nothing for 0.6 s");
    expect_unavailable("echo oops >&2; exit 5", "exited with 5\noops");
    expect_unavailable("kill -ABRT $$", "signal 6");
    expect_unavailable("echo hello", "says \"hello\"");
    expect_unavailable("printf '\\001%09999d'", "says \"\\x01000");
    expect_unavailable("no-such-command-here", "exited with 127");
}

static void wrong_version(void **state)
{
    (void)state;
    expect_unavailable("echo topk-worker 2 shape=other", "speaks version 2 of the protocol");
}

static void malformed_greeting(void **state)
{
    (void)state;
#define ANONYMOUS "topk-worker 1 name=a version= device= driver= features="
    static const struct {
        const char *line;
        const char *reason;
    } rows[] = {
        {"topk-worker 1", "\"\" stands where name= has to"},
        {"topk-worker 1 name=a device=b", "\" device=b\" stands where version= has to"},
        {ANONYMOUS " level=5 flags=0 batch=1 own=", "level= is \"5\"; it must be a feature level"},
        {ANONYMOUS " level=0.0 flags=0 batch=1 own=", "level= is \"0.0\""},
        {ANONYMOUS " level=2.15 flags=0 batch=1 own=", "level= is \"2.15\""},
        {ANONYMOUS " level=5.0 flags=0x1 batch=1 own=",
         "flags= is \"0x1\"; it must be a number in"},
        {ANONYMOUS " level=5.0 flags=0 batch=0 own=",
         "batch= is \"0\"; it must be a number from 1"},
        {ANONYMOUS " level=5.0 flags=0 batch=1 own= x",
         "\" x\" stands behind its end; a space in own= must be written %20"},
        {"topk-worker 1 name=my own version=",
         "\" own version=\" stands where version= has to; a space "
         "in name= must be written %20"},
        {"topk-worker 1 name=%zz version=", "name= is \"%zz\"; it must be a word"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char script[300];
        char reason[300];
        snprintf(script, sizeof script, "echo '%s'; sleep 9", rows[i].line);
        snprintf(reason, sizeof reason, "introduction is malformed: %s", rows[i].reason);
        expect_unavailable(script, reason);
    }
}

static void backend_unavailable(void **state)
{
    (void)state;
    expect_unavailable("echo 'unavailable '", "gives no reason");
    expect_unavailable("echo unavailable no%20device%20here; exit 4", "no device here");
}

static void contract_is_wrong(void **state)
{
    (void)state;
    static const char introduction[] = "echo topk-worker 1 name= version= device= driver= "
                                       "features= level=5.0 flags=0 batch=1 own= "
                                       "contract=ties%3Dnone; sleep 9";
    expect_refused("echo misdeclared no%20such%20rule; exit 3", TOPK_RUNNER_MISDECLARED,
                   "no such rule");
    expect_refused(introduction, TOPK_RUNNER_MISDECLARED, "ties is 'none'");
}

static void command_is_missing(void **state)
{
    (void)state;
    static const char *const command[] = {"/nonexistent/worker", NULL};
    struct topk_runner_options options = {.command = command, .jobs = 1, .timeout = 1};
    struct topk_greeting greeting;
    enum topk_runner_status status;
    char error[TOPK_RUNNER_ERROR];
    assert_null(topk_runner_open(&options, &greeting, &status, error));
    assert_int_equal(status, TOPK_RUNNER_BROKEN);
    assert_non_null(strstr(error, "no such file"));
}

static void group_of_the_worker_is_killed(void **state)
{
    (void)state;
    struct run run = {.count = 1, .texts = {"hang"}, .timeout = LIMIT};
    char path[100];
    snprintf(path, sizeof path, "%s/child", folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    int end = open(path, O_RDONLY | O_NONBLOCK);
    assert_true(end >= 0);
    /* only the child holds the other end of the pipe */
    assert_int_equal(run_with(&run, "(echo >&7; exec sleep 99) 7>$DIR/child &\n"
                                    "echo '" HELLO "'\n" ONE_BY_ONE LOOP),
                     TOPK_RUNNER_DONE);
    struct pollfd ended = {.fd = end, .events = POLLIN};
    char lines[16];
    ssize_t length;
    size_t said = 0;
    do {
        assert_int_equal(poll(&ended, 1, (int)(AMPLE * 1000)), 1);
        length = read(end, lines, sizeof lines);
        assert_true(length >= 0);
        said += (size_t)length;
    } while (length > 0);  /* end of file: the child is gone */
    assert_true(said > 0); /* it existed; so may the one of a restarted worker */
    close(end);
}

int main(void)
{
    signal(SIGPIPE, SIG_IGN);
    const struct CMUnitTest tests[] = {
        TEST(end_between_cases_is_noted),
        TEST(ends_with_results_between_do_not_break),
        TEST(three_ends_between_cases_break),
        TEST(done_before_begin_breaks),
        TEST(silence_breaks),
        TEST(error_line_breaks),
        TEST(endless_error_lines_break),
        TEST(an_end_with_nothing_under_way_is_noted),
        TEST(three_ends_with_nothing_under_way_break),
        TEST(no_greeting),
        TEST(wrong_version),
        TEST(malformed_greeting),
        TEST(backend_unavailable),
        TEST(contract_is_wrong),
        TEST(command_is_missing),
        TEST(group_of_the_worker_is_killed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
