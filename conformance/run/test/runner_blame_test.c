/* The runner with cases that hang or end the worker: which case is to blame, and which is run
 * again. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "fake_worker.h"

/* Begins up to four cases at once, and reports that more than one were late. */
#define TOO_LATE_TOGETHER                                                                          \
    "all() {\n"                                                                                    \
    "  i=0\n"                                                                                      \
    "  while [ $i -lt $1 ]; do\n"                                                                  \
    "    k=$(($1-i)); [ $k -lt 4 ] || k=4\n"                                                       \
    "    echo \"begin $i $k\"\n"                                                                   \
    "    [ $k = 1 ] || { ends; echo \"expired $i $k not%20done\"; exit 70; }\n"                    \
    "    pass $i; i=$((i+1))\n"                                                                    \
    "  done\n"                                                                                     \
    "}\n"

static void culprit_of_three_is_found(void **state)
{
    (void)state;
    for (uint64_t bad = 0; bad < 7; bad++) {
        struct run run = {.count = 7};
        for (uint64_t i = 0; i < run.count; i++) {
            run.texts[i] = i == bad ? "segv" : "ok";
        }
        assert_int_equal(run_with(&run, "echo '" HELLO "'\n" BY_THREES LOOP), TOPK_RUNNER_DONE);
        expect_one_bad(&run, bad, TOPK_VERDICT_CRASH, "killed by signal 11");
    }
}

static void hanging_one_of_three_is_found(void **state)
{
    (void)state;
    struct run run = {.count = 6, .timeout = LIMIT};
    for (uint64_t i = 0; i < run.count; i++) {
        run.texts[i] = i == 1 ? "hang" : "ok";
    }
    assert_int_equal(run_with(&run, "echo '" HELLO "'\n" BY_THREES LOOP), TOPK_RUNNER_DONE);
    expect_one_bad(&run, 1, TOPK_VERDICT_TIMEOUT, "not finished after 0.6 s");
}

static void three_slow_ones_are_no_failure(void **state)
{
    (void)state;
    struct run run = {.count = 3, .timeout = 2 * LIMIT, .texts = {"slow", "slow", "slow"}};
    assert_int_equal(run_with(&run, "echo '" HELLO "'\n" BY_THREES LOOP), TOPK_RUNNER_DONE);
    expect_one_bad(&run, 3, TOPK_VERDICT_PASS, "");
    /* cases that begin together share one limit; then each has one alone, in a fresh worker */
    assert_int_equal(run.restarts, 3);
    assert_int_equal(run.notes, 1);
    assert_non_null(
        strstr(run.noted, "the time for 3 cases in one batch ran out (not finished after"));
}

static void cases_begun_together_have_the_time_of_the_longest(void **state)
{
    (void)state;
    struct run run = {.count = 3, .timeout = LIMIT, .texts = {"ok", "late check=repeat", "ok"}};
    assert_int_equal(run_with(&run, "echo '" HELLO "'\n" BY_THREES LOOP), TOPK_RUNNER_DONE);
    expect_one_bad(&run, 3, TOPK_VERDICT_PASS, "");
    assert_int_equal(run.restarts, 0);
}

static void loser_of_three_devices_is_found(void **state)
{
    (void)state;
    struct run run = {.count = 6, .texts = {"ok", "ok", "ok", "ok", "lost", "ok"}};
    assert_int_equal(run_with(&run, "echo '" HELLO "'\n" BY_THREES LOOP), TOPK_RUNNER_DONE);
    expect_one_bad(&run, 4, TOPK_VERDICT_DEVICE_LOST, "");
}

static void end_without_a_culprit_is_flaky(void **state)
{
    (void)state;
    struct run run = {.count = 6, .texts = {"ok", "ok", "ok", "ok", "once", "ok"}};
    assert_int_equal(run_with(&run, "echo '" HELLO "'\n" BY_THREES LOOP), TOPK_RUNNER_DONE);
    expect_one_bad(&run, 3, TOPK_VERDICT_FLAKY, "together: killed by signal 11");
}

static void a_hang_costs_two_limits_however_large_its_batch(void **state)
{
    (void)state;
    struct run run = {.count = 64, .timeout = LIMIT};
    assert_int_equal(run_all_but(&run, 40, "hang", COUNTED AT_ONCE LOOP), TOPK_RUNNER_DONE);
    expect_one_bad(&run, 40, TOPK_VERDICT_TIMEOUT, "not finished after 0.6 s");
    assert_int_equal(lines_of("ends"), 2);
    assert_int_equal(starts(), 65); /* each of them had its own worker */
    assert_int_equal(run.notes, 0);
}

static void a_hang_behind_other_cases_is_run_again_alone(void **state)
{
    (void)state;
    struct run run = {.count = 3, .timeout = LIMIT};
    assert_int_equal(run_all_but(&run, 1, "hang", COUNTED ONE_BY_ONE LOOP), TOPK_RUNNER_DONE);
    expect_one_bad(&run, 1, TOPK_VERDICT_TIMEOUT, "not finished after 0.6 s");
    assert_int_equal(lines_of("ends"), 2);
    assert_int_equal(starts(), 3);
}

static void a_hang_of_the_first_case_is_a_verdict(void **state)
{
    (void)state;
    struct run run = {.count = 3, .timeout = LIMIT};
    assert_int_equal(run_all_but(&run, 0, "hang", COUNTED ONE_BY_ONE LOOP), TOPK_RUNNER_DONE);
    expect_one_bad(&run, 0, TOPK_VERDICT_TIMEOUT, "not finished after 0.6 s");
    assert_int_equal(lines_of("ends"), 1);
    assert_int_equal(starts(), 2);
}

static void a_hang_behind_other_cases_only_is_flaky(void **state)
{
    (void)state;
    struct run run = {.count = 3, .timeout = LIMIT};
    assert_int_equal(run_all_but(&run, 1, "stale", "echo '" HELLO "'\n" ONE_BY_ONE LOOP),
                     TOPK_RUNNER_DONE);
    expect_one_bad(&run, 1, TOPK_VERDICT_FLAKY,
                   "it was late after other cases; alone, in a new worker, it was done: pass; "
                   "before: not finished after 0.6 s");
    assert_int_equal(lines_of("ends"), 1);
    assert_int_equal(run.notes, 0);
}

static void what_a_keeper_says_is_late_once_is_flaky(void **state)
{
    (void)state;
    struct run run = {.count = 7};
    assert_int_equal(
        run_all_but(&run, 4, "once:expired_@_1_too%20long", "echo '" KEEPER "'\n" AT_ONCE LOOP),
        TOPK_RUNNER_DONE);
    expect_one_bad(&run, 4, TOPK_VERDICT_FLAKY, "before: too long");
}

static void the_last_of_several_that_is_late_once_is_slow(void **state)
{
    (void)state;
    struct run run = {.count = 7, .timeout = LIMIT};
    assert_int_equal(run_all_but(&run, 4, "slow",
                                 "echo '" HELLO "'\n"
                                 "all() { echo \"begin 0 $1\"; i=0; while [ $i -lt $1 ]; do\n"
                                 "eval \"text=\\$t$i\"; [ $text = ok ] || [ $1 = 1 ] || late=$i\n"
                                 "[ \"$late\" = $i ] || pass $i; i=$((i+1)); done\n"
                                 "[ -z \"$late\" ] || sleep 99; }\n" LOOP),
                     TOPK_RUNNER_DONE);
    expect_one_bad(&run, 7, TOPK_VERDICT_PASS, "");
    assert_int_equal(run.notes, 1);
}

static void hangs_with_several_workers(void **state)
{
    (void)state;
    struct run run = {.count = CASES, .jobs = 3, .timeout = LIMIT};
    for (uint64_t i = 0; i < run.count; i++) {
        run.texts[i] = i % 90 == 50 ? "hang" : "ok";
    }
    assert_int_equal(run_with(&run, "echo '" HELLO "'\n" AT_ONCE LOOP), TOPK_RUNNER_DONE);
    for (uint64_t i = 0; i < run.count; i++) {
        assert_int_equal(run.results[i], 1);
        assert_int_equal(run.verdicts[i], i % 90 == 50 ? TOPK_VERDICT_TIMEOUT : TOPK_VERDICT_PASS);
    }
    assert_int_equal(lines_of("ends"), 4);
}

static void a_keeper_is_told_the_limit(void **state)
{
    (void)state;
    struct run run = {.count = 6, .texts = {"ok", "ok", "ok", "segv", "ok", "ok"}};
    enum topk_runner_status status;
    char limits[64] = "";
    struct topk_runner *runner = open_with(&run, "echo '" KEEPER "'\n" ONE_BY_ONE LOOP, &status);
    assert_non_null(runner);
    assert_int_equal(run_part(runner, &run, 0, 1, 0), TOPK_RUNNER_DONE);
    assert_int_equal(run_part(runner, &run, 1, 2, 0), TOPK_RUNNER_DONE);
    assert_int_equal(run_part(runner, &run, 2, 4, 45), TOPK_RUNNER_DONE);
    assert_int_equal(run_part(runner, &run, 4, 6, 45), TOPK_RUNNER_DONE); /* a new worker */
    topk_runner_close(runner);
    char path[100];
    snprintf(path, sizeof path, "%s/limits", folder);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_true(fread(limits, 1, sizeof limits - 1, file) > 0);
    fclose(file);
    assert_string_equal(limits, "60000\n45000\n45000\n");
}

static void others_are_not_told_the_limit(void **state)
{
    (void)state;
    expect_verdict("ok", TOPK_VERDICT_PASS, "");
    assert_int_equal(lines_of("limits"), 0);
}

static void a_keeper_is_not_watched_by_the_limit(void **state)
{
    (void)state;
    struct run run = {.count = 3, .timeout = LIMIT};
    assert_int_equal(run_all_but(&run, 1, "late", "echo '" KEEPER "'\n" AT_ONCE LOOP),
                     TOPK_RUNNER_DONE);
    expect_one_bad(&run, 3, TOPK_VERDICT_PASS, "");
    assert_int_equal(run.restarts, 0);
}

static void a_keeper_that_hangs_itself_is_killed(void **state)
{
    (void)state;
    struct run run = {.count = 2, .timeout = 0.2, .backstop = 0.2};
    assert_int_equal(run_all_but(&run, 0, "hang", "echo '" KEEPER "'\n" ONE_BY_ONE LOOP),
                     TOPK_RUNNER_DONE);
    expect_one_bad(&run, 0, TOPK_VERDICT_TIMEOUT,
                   "the worker enforces the limit of 0.2 s itself, but did not end");
}

static void what_a_keeper_says_is_late_is_run_again_alone(void **state)
{
    (void)state;
    struct run run = {.count = 64};
    assert_int_equal(run_all_but(&run, 40, "says:expired_@_1_too%20long",
                                 "echo start >>$DIR/starts\necho '" KEEPER "'\n" AT_ONCE LOOP),
                     TOPK_RUNNER_DONE);
    expect_one_bad(&run, 40, TOPK_VERDICT_TIMEOUT, "too long");
    assert_int_equal(lines_of("ends"), 2);
    assert_int_equal(starts(), 3); /* the others were not running */
    assert_int_equal(run.notes, 0);
}

static void a_worker_that_is_slow_gets_smaller_batches(void **state)
{
    (void)state;
    struct run run = {.count = 40};
    assert_int_equal(run_all_but(&run, 40, "", "echo '" KEEPER "'\n" TOO_LATE_TOGETHER LOOP),
                     TOPK_RUNNER_DONE);
    expect_one_bad(&run, 40, TOPK_VERDICT_PASS, "");
    assert_int_equal(lines_of("ends"), 3); /* of the batches of 4, 4 and 2 */
    assert_int_equal(run.notes, 1);
    assert_non_null(
        strstr(run.noted, "the time for 4 cases in one batch ran out (not done); alone"));
}

static void what_died_is_run_again_alone(void **state)
{
    (void)state;
    struct run run = {.count = 7};
    assert_int_equal(run_all_but(&run, 4, "says:died_@_1_gone", COUNTED AT_ONCE LOOP),
                     TOPK_RUNNER_DONE);
    expect_one_bad(&run, 4, TOPK_VERDICT_CRASH, "gone");
    assert_int_equal(lines_of("ends"), 2);
    assert_int_equal(starts(), 3);
    assert_int_equal(lines_of("runs"), 5 + 1 + 6);
}

static void what_died_once_is_flaky(void **state)
{
    (void)state;
    struct run run = {.count = 7};
    assert_int_equal(run_all_but(&run, 4, "once:died_@_1_gone", COUNTED AT_ONCE LOOP),
                     TOPK_RUNNER_DONE);
    expect_one_bad(&run, 4, TOPK_VERDICT_FLAKY,
                   "the worker ended while it ran; alone it was done: pass; before: gone");
}

static void what_died_alone_is_a_crash(void **state)
{
    (void)state;
    expect_verdict("says:died_@_1_gone%20now", TOPK_VERDICT_CRASH, "gone now");
    expect_verdict("stays:died_@_1_gone%20now", TOPK_VERDICT_CRASH, "gone now");
}

static void what_is_killed_from_outside_is_run_again(void **state)
{
    (void)state;
    struct run run = {.count = 7};
    assert_int_equal(run_all_but(&run, 4, "outside", COUNTED ONE_BY_ONE LOOP), TOPK_RUNNER_DONE);
    expect_one_bad(&run, 7, TOPK_VERDICT_PASS, "");
    assert_int_equal(starts(), 2);
    assert_int_equal(run.notes, 1);
    assert_string_equal(run.noted, "a process was ended from outside, and its cases are run again: "
                                   "killed by signal 9 (Killed)");
    assert_string_equal(run.reasons[4],
                        "it was run again, because a process that ran it was ended from outside");
}

static void so_is_a_backend_process(void **state)
{
    static const char *const ends[] = {
        "once:died_@_1_killed%20by%20signal%2015%20(Terminated)",
        "once:died_@_3_exited%20with%20129%20(of%20a%20shell:%20signal%201%2C%20Hangup)"};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct run run = {.count = 7};
        assert_int_equal(run_all_but(&run, 4, ends[i], COUNTED AT_ONCE LOOP), TOPK_RUNNER_DONE);
        expect_one_bad(&run, 7, TOPK_VERDICT_PASS, "");
        assert_int_equal(run.notes, 1);
        assert_int_equal(remove_folder(NULL), 0);
        assert_int_equal(make_folder(NULL), 0);
    }
}

static void what_kills_itself_each_time_is_a_crash(void **state)
{
    (void)state;
    /* after two more tries, and a worker that stays */
    struct run tried = {.count = 2, .texts = {"term", "x"}};
    assert_int_equal(run_with(&tried, COUNTED ONE_BY_ONE LOOP), TOPK_RUNNER_DONE);
    expect_one_bad(&tried, 0, TOPK_VERDICT_CRASH, "killed by signal 15");
    assert_int_equal(starts(), 4);
    assert_int_equal(tried.notes, 2);
    expect_verdict("says:died_@_1_killed%20by%20signal%209%20(Killed)", TOPK_VERDICT_CRASH,
                   "killed by signal 9");
    /* a crash stays a crash if the process is killed afterwards */
    struct run run = {.count = 1, .texts = {"told-killed"}};
    assert_int_equal(run_with(&run, COUNTED ONE_BY_ONE LOOP), TOPK_RUNNER_DONE);
    expect_one_bad(&run, 0, TOPK_VERDICT_CRASH, "killed by signal 9");
    assert_int_equal(run.notes, 0);
}

/* a backend that ends itself at a different case each time is excused only a few times */
static void kills_of_other_cases_are_not_excused(void **state)
{
    (void)state;
    struct run run = {.count = 10};
    static char names[10][16];
    for (uint64_t i = 0; i < run.count; i++) {
        snprintf(names[i], sizeof names[i], "outside%d", (int)i);
        run.texts[i] = names[i];
    }
    assert_int_equal(run_with(&run, COUNTED ONE_BY_ONE LOOP), TOPK_RUNNER_DONE);
    unsigned crashes = 0;
    for (uint64_t i = 0; i < run.count; i++) {
        assert_int_equal(run.results[i], 1);
        crashes += run.verdicts[i] == TOPK_VERDICT_CRASH;
    }
    assert_int_equal(crashes, 9);
    assert_int_equal(run.notes, 1);
}

static void who_accuses_others_is_found(void **state)
{
    (void)state;
    struct run run = {.count = 64};
    assert_int_equal(run_all_but(&run, 60, "says:died_0_1_gone", COUNTED AT_ONCE LOOP),
                     TOPK_RUNNER_DONE);
    for (uint64_t i = 0; i < run.count; i++) {
        assert_int_equal(run.results[i], 1);
        /* the cases that it could accuse until it was not believed any more */
        assert_int_equal(run.verdicts[i], i < 3     ? TOPK_VERDICT_FLAKY
                                          : i == 60 ? TOPK_VERDICT_CRASH
                                                    : TOPK_VERDICT_PASS);
    }
    assert_int_equal(lines_of("ends"), 5);
    assert_true(lines_of("runs") < 6 * run.count);
}

static void ends_after_each_result_are_no_endless_run(void **state)
{
    (void)state;
    struct run run = {.count = 16};
    for (uint64_t i = 0; i < run.count; i++) {
        run.texts[i] = "done:died_0_0_gone";
    }
    assert_int_equal(run_with(&run, COUNTED AT_ONCE LOOP), TOPK_RUNNER_DONE);
    /* the others were cleared three times; then they were suspects */
    expect_one_bad(&run, 4, TOPK_VERDICT_FLAKY, "it and 11 more began together");
    assert_true(starts() < 2 * run.count);
    assert_true(lines_of("runs") < 6 * run.count);
}

int main(void)
{
    signal(SIGPIPE, SIG_IGN);
    const struct CMUnitTest tests[] = {
        TEST(culprit_of_three_is_found),
        TEST(hanging_one_of_three_is_found),
        TEST(three_slow_ones_are_no_failure),
        TEST(cases_begun_together_have_the_time_of_the_longest),
        TEST(loser_of_three_devices_is_found),
        TEST(end_without_a_culprit_is_flaky),
        TEST(a_hang_costs_two_limits_however_large_its_batch),
        TEST(a_hang_behind_other_cases_is_run_again_alone),
        TEST(a_hang_of_the_first_case_is_a_verdict),
        TEST(a_hang_behind_other_cases_only_is_flaky),
        TEST(what_a_keeper_says_is_late_once_is_flaky),
        TEST(the_last_of_several_that_is_late_once_is_slow),
        TEST(hangs_with_several_workers),
        TEST(a_keeper_is_told_the_limit),
        TEST(others_are_not_told_the_limit),
        TEST(a_keeper_is_not_watched_by_the_limit),
        TEST(a_keeper_that_hangs_itself_is_killed),
        TEST(what_a_keeper_says_is_late_is_run_again_alone),
        TEST(a_worker_that_is_slow_gets_smaller_batches),
        TEST(what_died_is_run_again_alone),
        TEST(what_died_once_is_flaky),
        TEST(what_is_killed_from_outside_is_run_again),
        TEST(so_is_a_backend_process),
        TEST(what_kills_itself_each_time_is_a_crash),
        TEST(kills_of_other_cases_are_not_excused),
        TEST(what_died_alone_is_a_crash),
        TEST(who_accuses_others_is_found),
        TEST(ends_after_each_result_are_no_endless_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
