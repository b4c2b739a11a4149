/* The runner: results, verdicts, and what workers say that they must not. fake_worker.h has the
 * workers. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fake_worker.h"

static void normal_run(void **state)
{
    (void)state;
    struct run run = {.count = CASES};
    for (uint64_t i = 0; i < run.count; i++) {
        run.texts[i] = "ok";
    }
    assert_int_equal(run_with(&run, "echo '" HELLO "'\n" ONE_BY_ONE LOOP), TOPK_RUNNER_DONE);
    expect_one_bad(&run, CASES, TOPK_VERDICT_PASS, "");
    assert_string_equal(run.greeting.name, "fake");
    assert_string_equal(run.greeting.version, "1.0");
    assert_string_equal(run.greeting.device, "none");
    assert_int_equal(run.greeting.level, 0x5000);
    assert_int_equal(run.greeting.flags, 4);
    assert_int_equal(run.restarts, 0);
    assert_int_equal(run.notes, 0);
}

static void several_workers(void **state)
{
    (void)state;
    struct run run = {.count = CASES, .jobs = 4};
    for (uint64_t i = 0; i < run.count; i++) {
        run.texts[i] = i == 77 ? "segv" : "ok";
    }
    assert_int_equal(run_with(&run, "echo '" HELLO "'\n" ONE_BY_ONE LOOP), TOPK_RUNNER_DONE);
    expect_one_bad(&run, 77, TOPK_VERDICT_CRASH, "signal 11");
}

static void order_is_kept(void **state)
{
    (void)state;
    struct run run = {.count = 100, .shuffle = true};
    for (uint64_t i = 0; i < run.count; i++) {
        run.texts[i] = "ok";
    }
    assert_int_equal(run_with(&run, "echo '" HELLO "'\n" ONE_BY_ONE LOOP), TOPK_RUNNER_DONE);
    for (uint64_t i = 0; i < run.count; i++) {
        assert_int_equal(run.sequence[i], run.count - 1 - i);
    }
}

static void no_cases(void **state)
{
    (void)state;
    struct run run = {0};
    assert_int_equal(run_with(&run, "echo '" HELLO "'\n" ONE_BY_ONE LOOP), TOPK_RUNNER_DONE);
    assert_int_equal(run.done, 0);
}

static void carriage_returns_are_ignored(void **state)
{
    (void)state;
    struct run run = {.count = 1, .texts = {"ok"}};
    assert_int_equal(run_with(&run,
                              "printf '" HELLO "\\r\\n'; read x; read y; "
                              "printf 'begin 0 1\\r\\ndone 0 pass clause=- obs=0 ns=1\\r\\n'"),
                     TOPK_RUNNER_DONE);
    expect_one_bad(&run, 1, TOPK_VERDICT_PASS, "");
}

static void failure_comes_through(void **state)
{
    (void)state;
    expect_verdict("fail", TOPK_VERDICT_FAIL, "");
}

static void crash_by_signal(void **state)
{
    (void)state;
    expect_verdict("segv", TOPK_VERDICT_CRASH,
                   "killed by signal 11 (Segmentation fault); stderr: some words");
}

static void crash_of_a_sanitizer(void **state)
{
    (void)state;
    expect_verdict("asan", TOPK_VERDICT_CRASH,
                   "exited with 1; stderr: SUMMARY: AddressSanitizer: x");
}

static void exit_with_0_in_a_case(void **state)
{
    (void)state;
    expect_verdict("zero", TOPK_VERDICT_CRASH, "exited with 0");
}

static void hang_is_a_timeout(void **state)
{
    (void)state;
    expect_verdict("hang", TOPK_VERDICT_TIMEOUT, "not finished after 0.6 s");
}

static void each_call_of_a_check_has_its_time(void **state)
{
    (void)state;
    struct run run = {
        .count = 4,
        .timeout = LIMIT,
        .texts = {"ok", "late check=repeat", "late x check=soak data=", "hang check=repeat"}};
    assert_int_equal(run_with(&run, "echo '" HELLO "'\n" ONE_BY_ONE LOOP), TOPK_RUNNER_DONE);
    expect_one_bad(&run, 3, TOPK_VERDICT_TIMEOUT,
                   "not finished after 1.8 s, 0.6 s for each of 3 calls");
}

static void words_are_garbage(void **state)
{
    (void)state;
    expect_verdict("words", TOPK_VERDICT_CRASH, "garbage on the pipe: \"hello there\"");
}

static void a_crash_that_is_told_goes_with_its_verdict(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum topk_verdict verdict;
        const char *reason;
        const char *signal;
    } rows[] = {
        {"told", TOPK_VERDICT_CRASH, "killed by signal 11", "SIGSEGV"},
        {"told-died", TOPK_VERDICT_CRASH, "so", "SIGSEGV"},
        {"segv", TOPK_VERDICT_CRASH, "killed by signal 11", ""},
        {"told-wrongly", TOPK_VERDICT_CRASH, "garbage on the pipe: \"crash SIGSEGV@10\"", ""},
        {"told-twice", TOPK_VERDICT_CRASH, "garbage on the pipe: \"crash SIGSEGV@0x10;", ""},
        {"told-falsely", TOPK_VERDICT_CRASH, "garbage on the pipe: \"done 0 pass", ""},
        {"told-hangs", TOPK_VERDICT_TIMEOUT, "not finished after 0.6 s", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct run run = {.count = 1,
                          .timeout = rows[i].verdict == TOPK_VERDICT_TIMEOUT ? LIMIT : AMPLE,
                          .texts = {rows[i].text}};
        assert_int_equal(run_with(&run, "echo '" HELLO "'\n" ONE_BY_ONE LOOP), TOPK_RUNNER_DONE);
        assert_int_equal(run.verdicts[0], rows[i].verdict);
        assert_non_null(strstr(run.reasons[0], rows[i].reason));
        assert_string_equal(run.crashes[0].signal, rows[i].signal);
    }
    /* it does not apply to a later end, of this worker or the next */
    struct run run = {.count = 4, .texts = {"told-falsely", "segv", "told", "segv"}};
    assert_int_equal(run_with(&run, "echo '" HELLO "'\n" ONE_BY_ONE LOOP), TOPK_RUNNER_DONE);
    assert_int_equal(run.verdicts[1], TOPK_VERDICT_CRASH);
    assert_string_equal(run.crashes[1].signal, "");
    assert_string_equal(run.crashes[2].signal, "SIGSEGV");
    assert_true(run.crashes[2].address == 0x10);
    assert_int_equal(run.crashes[2].frame_count, 1);
    assert_string_equal(run.crashes[2].frames[0].symbol, "topk_run");
    assert_string_equal(run.crashes[3].signal, "");
}

/* a write outside of a tensor breaks the clause on it */
static void a_crash_by_a_write_names_its_clause(void **state)
{
    (void)state;
    struct run run = {.count = 4, .texts = {"wrote:input", "wrote:value", "wrote:index", "told"}};
    assert_int_equal(run_with(&run, "echo '" HELLO "'\n" ONE_BY_ONE LOOP), TOPK_RUNNER_DONE);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(run.verdicts[i], TOPK_VERDICT_CRASH);
        assert_int_equal(run.clauses[i], i == 0   ? TOPK_CLAUSE_M01
                                         : i == 3 ? TOPK_CLAUSE_NONE
                                                  : TOPK_CLAUSE_M02);
    }
}

/* What answers rightly and ends badly is told, whatever the way. */
static void an_end_that_no_case_accounts_for_is_told(void **state)
{
    (void)state;
    static const struct {
        const char *script; /* comes after a loop that runs the cases */
        const char *text;   /* of the first of two cases */
        enum topk_process_end end;
        unsigned count;
        const char *how;
    } rows[] = {
        {"", "", TOPK_PROCESS_COUNT, 0, ""},
        {"exit 3", "", TOPK_PROCESS_QUIT, 1, "exited with 3"},
        {"kill -SEGV $$", "", TOPK_PROCESS_QUIT, 1, "killed by signal 11"},
        {"kill -9 $$", "", TOPK_PROCESS_OUTSIDE, 1, "killed by signal 9"},
        {"echo 'done 0 pass clause=- obs=0 ns=5'", "", TOPK_PROCESS_QUIT, 1, "garbage on the pipe"},
        {"printf 'done 0'", "", TOPK_PROCESS_QUIT, 1, "garbage on the pipe: \"done 0\""},
        {"echo 'died 0 0 so'; exit 70", "", TOPK_PROCESS_QUIT, 1, "so"},
        {"echo 'died 0 0 killed%20by%20signal%209%20(Killed)'; exit 70", "", TOPK_PROCESS_OUTSIDE,
         1, "killed by signal 9"},
        {"echo 'died 0 1 so'; exit 70", "", TOPK_PROCESS_QUIT, 1, "garbage on the pipe"},
        {TOLD, "", TOPK_PROCESS_QUIT, 1, ""},
        {"", "twice", TOPK_PROCESS_BETWEEN, 1, "garbage on the pipe: \"done 0"},
        {"", "segv", TOPK_PROCESS_UNDER_WAY, 1, "killed by signal 11"},
        {"", "outside-told", TOPK_PROCESS_OUTSIDE, 1, "killed by signal 9"},
        {"", "early-told", TOPK_PROCESS_OUTSIDE, 1, "killed by signal 9"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct run run = {.count = 2, .texts = {rows[i].text, ""}};
        char script[16384];
        snprintf(script, sizeof script, "%s%s\n", "echo '" HELLO "'\n" ONE_BY_ONE LOOP,
                 rows[i].script);
        assert_int_equal(run_with(&run, script), TOPK_RUNNER_DONE);
        for (int end = 0; end < TOPK_PROCESS_COUNT; end++) {
            const unsigned wanted = end == (int)rows[i].end ? rows[i].count : 0;
            if (run.ended[end] != wanted || strstr(run.how, rows[i].how) == NULL) {
                fail_msg("'%s', '%s': %u of %s, not %u: %s", rows[i].script, rows[i].text,
                         run.ended[end], topk_process_word((enum topk_process_end)end), wanted,
                         run.how);
            }
        }
    }
}

/* a worker that is started again and says that it is another one */
static void who_changes_ends_the_run(void **state)
{
    (void)state;
    static const struct {
        const char *change, *reason;
    } rows[] = {
        {"s/level=5.0/level=4.0/", "feature level 0x4000 where it had 0x5000"},
        {"s/level=5.0/level=5.1/", "feature level 0x5100 where it had 0x5000"},
        {"s/flags=4/flags=c/", "flags c where it had 4"},
        {"s/version=1.0/version=1.1/", "version '1.1' where it had '1.0'"},
        {"s/own=/own=x/", "reason for invalid calls 'x' where it had ''"},
        {"s/$/ parts=a%201/", "list of libraries 'a 1' where it had ''"},
        {"s/$/ contract=ties%3Dany/",
         "another contract than at first, ties=any where it had ties="},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct run run = {.count = 2, .texts = {"segv", "ok"}};
        char script[16384];
        snprintf(script, sizeof script, "%s%s%s",
                 "change=; mkdir $DIR/first 2>/dev/null || change='", rows[i].change,
                 "'\necho '" HELLO "' | sed \"$change\"\n" ONE_BY_ONE LOOP);
        assert_int_equal(run_with(&run, script), TOPK_RUNNER_BROKEN);
        if (strstr(run.error, rows[i].reason) == NULL) {
            fail_msg("'%s' is not in '%s'", rows[i].reason, run.error);
        }
        assert_int_equal(run.ended[TOPK_PROCESS_CHANGED], 1);
        assert_int_equal(run.done, 1);
        assert_int_equal(remove_folder(NULL), 0);
        assert_int_equal(make_folder(NULL), 0);
    }
}

/* A message has no more than one case, or a megabyte. */
static void long_cases_come_one_by_one(void **state)
{
    (void)state;
    enum {
        LENGTH = 600000
    };
    struct run run = {.count = 3};
    char *text = malloc(LENGTH + 1);
    assert_non_null(text);
    memset(text, 'x', LENGTH);
    text[LENGTH] = 0;
    for (uint64_t i = 0; i < run.count; i++) {
        run.texts[i] = text;
    }
    assert_int_equal(run_with(&run, "echo '" HELLO "'\n"
                                    "while read -r word n; do\n"
                                    "  [ \"$word\" = batch ] || break\n"
                                    "  echo $n >>$DIR/batches\n"
                                    "  head -n $n >/dev/null\n"
                                    "  i=0\n"
                                    "  while [ $i -lt $n ]; do\n"
                                    "    echo \"begin $i 1\"\n"
                                    "    echo \"done $i pass clause=- obs=0 ns=5\"; i=$((i+1))\n"
                                    "  done\n"
                                    "done\n"),
                     TOPK_RUNNER_DONE);
    expect_one_bad(&run, 3, TOPK_VERDICT_PASS, "");
    assert_int_equal(lines_of("batches"), 3);
    free(text);
}

static void verdict_without_ground_is_garbage(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *reason;
    } lies[] = {
        {"said:expected-fail_clause=S09_obs=0_ns=1",
         "'expected-fail': it is not said what the case came to"},
        {"said:unexpected-pass_clause=-_obs=0_ns=1",
         "'unexpected-pass': it is not said what the case came to"},
        {"said:pass_clause=-_obs=0_ns=1_finding=S09,tie-left-out,index,0.0,1,2,1",
         "'pass': it has findings"},
        {"said:pass_clause=-_obs=0_ns=1_sequence=1,2", "'pass': it has findings"},
        {"said:pass_clause=-_obs=0_ns=1_got=0,1.1", "'pass': it has findings"},
        {"said:pass_clause=-_obs=0_ns=1_cause=opposite-direction", "'pass': it has findings"},
        {"said:unsupported_clause=S09_obs=0_ns=1_finding=S09,tie-left-out,index,0.0,1,2,1",
         "'unsupported': it has findings"},
        {"said:fail_clause=S09_obs=0_ns=1", "'fail': it has neither a finding nor a reason"},
        {"said:accepted_clause=V02_obs=0_ns=1_why=x", "'accepted': it has no finding"},
        {"said:error_clause=-_obs=0_ns=1", "'error': it has no reason"},
        {"said:error_clause=-_obs=0_ns=1_finding=S09,tie-left-out,index,0.0,1,2,1_why=x",
         "'error': it has findings"},
    };
    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        expect_verdict(lies[i].text, TOPK_VERDICT_CRASH, lies[i].reason);
    }
    expect_verdict("said:fail_clause=S12_obs=0_ns=1_why=x", TOPK_VERDICT_FAIL, "x");
    expect_verdict("said:error_clause=-_obs=0_ns=1_why=x", TOPK_VERDICT_ERROR, "x");
}

static void foreign_case_is_garbage(void **state)
{
    (void)state;
    expect_verdict("other", TOPK_VERDICT_CRASH, "garbage on the pipe: \"done 1023 ");
}

static void second_begin_is_garbage(void **state)
{
    (void)state;
    expect_verdict("again", TOPK_VERDICT_CRASH, "garbage on the pipe: \"begin 4 1\"");
}

static void begin_beyond_the_batch_is_garbage(void **state)
{
    (void)state;
    expect_verdict("beyond", TOPK_VERDICT_CRASH, "garbage on the pipe: \"begin 5 999\"");
    expect_verdict("behind", TOPK_VERDICT_CRASH, "garbage on the pipe: \"begin 10 1\"");
}

static void binary_is_garbage(void **state)
{
    (void)state;
    expect_verdict("binary", TOPK_VERDICT_CRASH, "garbage on the pipe: \"done \\x00\\x01\\xff\"");
}

static void long_line_is_garbage(void **state)
{
    (void)state;
    expect_verdict("long", TOPK_VERDICT_CRASH,
                   "garbage on the pipe: a line of more than 8192 bytes");
}

static void lost_device_restarts(void **state)
{
    (void)state;
    expect_verdict("lost", TOPK_VERDICT_DEVICE_LOST, "gone");
}

static void done_twice_is_garbage(void **state)
{
    (void)state;
    struct run run = {.count = 3, .texts = {"ok", "twice", "ok"}};
    assert_int_equal(run_with(&run, "echo '" HELLO "'\n" ONE_BY_ONE LOOP), TOPK_RUNNER_DONE);
    expect_one_bad(&run, 3, TOPK_VERDICT_PASS, "");
    /* no case had begun: there is a note, and the run continues */
    assert_int_equal(run.notes, 1);
    assert_int_equal(run.restarts, 1);
}

static void stop_is_heeded(void **state)
{
    (void)state;
    struct run run = {.count = 50, .stop_after = 3};
    for (uint64_t i = 0; i < run.count; i++) {
        run.texts[i] = "ok";
    }
    assert_int_equal(run_with(&run, "echo '" HELLO "'\n" ONE_BY_ONE LOOP), TOPK_RUNNER_STOPPED);
    assert_int_equal(run.done, 3);
}

static void interrupt_stops(void **state)
{
    (void)state;
    struct run run = {.count = 50, .interrupt = true};
    for (uint64_t i = 0; i < run.count; i++) {
        run.texts[i] = i == 5 ? "hang" : "ok";
    }
    assert_int_equal(run_with(&run, "echo '" HELLO "'\n" ONE_BY_ONE LOOP), TOPK_RUNNER_INTERRUPTED);
    assert_true(run.done >= 1 && run.done <= 5);
}

static void wrong_ranges_are_garbage(void **state)
{
    (void)state;
    static const char *const lines[] = {"died_5_1_x", "died_3_1_x",    "died_4_2_x",
                                        "died_@_1",   "died_gone",     "expired_0_1_x",
                                        "died_@_1_%", "expired_9_2_x", "died_04_1_x"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char text[64];
        snprintf(text, sizeof text, "stays:%s", lines[i]);
        expect_verdict(text, TOPK_VERDICT_CRASH,
                       lines[i][0] == 'd' ? "garbage on the pipe: \"died "
                                          : "garbage on the pipe: \"expired ");
    }
}

static void a_range_beyond_the_batch_is_garbage(void **state)
{
    (void)state;
    struct run run = {.count = 7};
    /* the cases of the previous batch on that place had begun */
    assert_int_equal(run_all_but(&run, 0, "says:died_0_2_gone", COUNTED AT_ONCE LOOP),
                     TOPK_RUNNER_DONE);
    expect_one_bad(&run, 0, TOPK_VERDICT_CRASH, "garbage on the pipe: \"died 0 2 gone\"");
}

int main(void)
{
    signal(SIGPIPE, SIG_IGN);
    const struct CMUnitTest tests[] = {
        TEST(normal_run),
        TEST(several_workers),
        TEST(order_is_kept),
        TEST(no_cases),
        TEST(carriage_returns_are_ignored),
        TEST(failure_comes_through),
        TEST(crash_by_signal),
        TEST(crash_of_a_sanitizer),
        TEST(exit_with_0_in_a_case),
        TEST(hang_is_a_timeout),
        TEST(each_call_of_a_check_has_its_time),
        TEST(words_are_garbage),
        TEST(a_crash_that_is_told_goes_with_its_verdict),
        TEST(a_crash_by_a_write_names_its_clause),
        TEST(an_end_that_no_case_accounts_for_is_told),
        TEST(who_changes_ends_the_run),
        TEST(long_cases_come_one_by_one),
        TEST(verdict_without_ground_is_garbage),
        TEST(foreign_case_is_garbage),
        TEST(second_begin_is_garbage),
        TEST(begin_beyond_the_batch_is_garbage),
        TEST(binary_is_garbage),
        TEST(long_line_is_garbage),
        TEST(lost_device_restarts),
        TEST(done_twice_is_garbage),
        TEST(wrong_ranges_are_garbage),
        TEST(a_range_beyond_the_batch_is_garbage),
        TEST(stop_is_heeded),
        TEST(interrupt_stops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
