/* The runner with workers on several machines. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "fake_worker.h"

/* A worker on machine $1. A function `meet`, if defined, is called before its first batch. The
 * machine is gone if $DIR/gone-$M exists; it does not answer if $DIR/mute-$M exists; only one of
 * its workers starts if $DIR/slow-$M exists. Its name is $name. */
#define ON_MACHINE                                                                                 \
    "M=$1\n"                                                                                       \
    "echo >>$DIR/started; echo >>$DIR/started-$M\n"                                                \
    "first() { mkdir $DIR/first 2>/dev/null; }\n"                                                  \
    "[ ! -e $DIR/gone-$M ] || { echo refused >&2; exit 255; }\n"                                   \
    "[ ! -e $DIR/mute-$M ] || sleep 99\n"                                                          \
    "[ ! -e $DIR/slow-$M ] || ! { mkdir $DIR/2 || mkdir $DIR/1; } 2>/dev/null || exit 3\n"         \
    "echo '" HELLO "' | sed \"s/fake/${name:-fake}/\"\n"                                           \
    "all() {\n"                                                                                    \
    "  i=0\n"                                                                                      \
    "  [ -n \"$met\" ] || { met=1; ! type meet >/dev/null || meet; }\n"                            \
    "  while [ $i -lt $1 ]; do\n"                                                                  \
    "    eval \"text=\\$t$i\"\n"                                                                   \
    "    echo \"begin $i 1\"\n"                                                                    \
    "    case $text in\n"                                                                          \
    "    segv) kill -SEGV $$;;\n"                                                                  \
    "    goes) ! first || { : >$DIR/gone-$M; kill -SEGV $$; };;\n"                                 \
    "    goes-2) [ $M != 2 ] || { : >$DIR/gone-$M; kill -SEGV $$; };;\n"                           \
    "    all-go) : >$DIR/gone-$M; kill -SEGV $$;;\n"                                               \
    "    hangs) ! first || { : >$DIR/mute-$M; sleep 99; };;\n"                                     \
    "    wakes) ! first || { : >$DIR/slow-$M; kill -SEGV $$; };;\n"                                \
    "    esac\n"                                                                                   \
    "    pass $i; i=$((i+1))\n"                                                                    \
    "  done\n"                                                                                     \
    "}\n" LOOP

/* Runs cases on machines; all have the same text, except number 20. */
static enum topk_runner_status run_on(struct run *run, uint32_t machines, uint32_t jobs,
                                      const char *text)
{
    run->count = CASES;
    run->machines = machines;
    run->jobs = jobs;
    for (uint64_t i = 0; i < run->count; i++) {
        run->texts[i] = i == 20 ? text : "ok";
    }
    return run_with(run, ON_MACHINE);
}

/* Asserts that `count` ends of processes have this kind, and that there are no others. */
static void expect_ends(const struct run *run, enum topk_process_end end, unsigned count,
                        const char *how)
{
    for (int i = 0; i < TOPK_PROCESS_COUNT; i++) {
        assert_int_equal(run->ended[i], i == (int)end ? count : 0);
    }
    if (strstr(run->how, how) == NULL) {
        fail_msg("'%s' is not in '%s'", how, run->how);
    }
}

static void cases_of_a_machine_that_is_lost_go_to_others(void **state)
{
    (void)state;
    struct run run = {0};
    assert_int_equal(run_on(&run, 3, 3, "goes"), TOPK_RUNNER_DONE);
    expect_one_bad(&run, CASES, TOPK_VERDICT_PASS, "");
    expect_ends(&run, TOPK_PROCESS_LOST, 1,
                "cases: killed by signal 11 (Segmentation fault); it could not be started again: "
                "exited with 255; stderr: refused");
    assert_non_null(strstr(run.how, "'ssh "));
    assert_int_equal(run.notes, 1);
}

/* the last of several, too */
static void any_machine_may_be_lost(void **state)
{
    (void)state;
    struct run run = {.machines = 2, .jobs = 2, .count = CASES};
    for (uint64_t i = 0; i < run.count; i++) {
        run.texts[i] = "goes-2";
    }
    assert_int_equal(run_with(&run, "meet() { until [ $(wc -l <$DIR/started) -ge 2 ]; do sleep "
                                    "0.02; done; }\n" ON_MACHINE),
                     TOPK_RUNNER_DONE);
    expect_one_bad(&run, CASES, TOPK_VERDICT_PASS, "");
    expect_ends(&run, TOPK_PROCESS_LOST, 1, "'ssh 2' is lost after 0 cases");
}

static void all_workers_of_a_machine_are_lost_at_once(void **state)
{
    (void)state;
    struct run run = {0};
    assert_int_equal(run_on(&run, 2, 7, "goes"), TOPK_RUNNER_DONE);
    expect_one_bad(&run, CASES, TOPK_VERDICT_PASS, "");
    expect_ends(&run, TOPK_PROCESS_LOST, 1, "is lost after");
}

static void workers_are_dealt_over_the_machines(void **state)
{
    (void)state;
    struct run run = {.machines = 2, .jobs = 5, .count = CASES};
    for (uint64_t i = 0; i < run.count; i++) {
        run.texts[i] = "ok";
    }
    assert_int_equal(run_with(&run, "meet() { until [ $(wc -l <$DIR/started) -ge 5 ]; do sleep "
                                    "0.02; done; }\n" ON_MACHINE),
                     TOPK_RUNNER_DONE);
    expect_one_bad(&run, CASES, TOPK_VERDICT_PASS, "");
    assert_int_equal(lines_of("started-1"), 3);
    assert_int_equal(lines_of("started-2"), 2);
    expect_ends(&run, TOPK_PROCESS_COUNT, 0, "");
}

static void a_machine_that_hangs_is_lost(void **state)
{
    (void)state;
    struct run run = {.timeout = LIMIT, .start_timeout = 4 * LIMIT};
    assert_int_equal(run_on(&run, 2, 2, "hangs"), TOPK_RUNNER_DONE);
    expect_one_bad(&run, CASES, TOPK_VERDICT_PASS, "");
    expect_ends(
        &run, TOPK_PROCESS_LOST, 1,
        "not finished after 0.6 s; it could not be started again: it said nothing for 2.4 s");
}

static void a_crash_on_a_machine_that_stays_is_a_crash(void **state)
{
    (void)state;
    struct run run = {0};
    assert_int_equal(run_on(&run, 2, 2, "segv"), TOPK_RUNNER_DONE);
    expect_one_bad(&run, 20, TOPK_VERDICT_CRASH, "killed by signal 11");
    expect_ends(&run, TOPK_PROCESS_UNDER_WAY, 1, "killed by signal 11");
}

static void a_machine_that_comes_back_is_not_lost(void **state)
{
    (void)state;
    struct run run = {0};
    assert_int_equal(run_on(&run, 2, 2, "wakes"), TOPK_RUNNER_DONE);
    expect_one_bad(&run, 20, TOPK_VERDICT_CRASH, "killed by signal 11");
    assert_int_equal(run.ended[TOPK_PROCESS_LOST], 0);
    assert_int_equal(run.ended[TOPK_PROCESS_UNDER_WAY], 1);
    assert_int_equal(run.ended[TOPK_PROCESS_BETWEEN], 2);
}

static void no_case_is_judged_when_all_machines_are_lost(void **state)
{
    (void)state;
    struct run run = {0};
    assert_int_equal(run_on(&run, 2, 2, "all-go"), TOPK_RUNNER_BROKEN);
    assert_non_null(strstr(run.error, "all machines are lost; the last one was 'ssh "));
    assert_int_equal(run.results[20], 0);
    expect_ends(&run, TOPK_PROCESS_LOST, 2, "is lost after");
}

static void machines_that_differ_are_refused(void **state)
{
    (void)state;
    struct run run = {.machines = 2, .jobs = 2, .count = 1, .texts = {"ok"}};
    assert_int_equal(run_with(&run, "[ $1 = 1 ] || name=other\n" ON_MACHINE), TOPK_RUNNER_UNLIKE);
    assert_non_null(strstr(run.error, "'ssh 2' has name 'other' where 'ssh 1' had 'fake'"));
    expect_ends(&run, TOPK_PROCESS_COUNT, 0, "");
}

static void each_machine_has_to_be_there_at_first(void **state)
{
    (void)state;
    struct run run = {.machines = 3, .jobs = 3, .count = 1, .texts = {"ok"}};
    assert_int_equal(run_with(&run, ": >$DIR/gone-2\n" ON_MACHINE), TOPK_RUNNER_UNAVAILABLE);
    assert_non_null(strstr(run.error, "'ssh 2': the worker ended before"));
    expect_ends(&run, TOPK_PROCESS_COUNT, 0, "");
}

static bool take_answer(void *context, uint64_t number, const char *text, size_t length)
{
    struct run *run = context;
    (void)number;
    snprintf(run->noted, sizeof run->noted, "%.*s", (int)length, text);
    return true;
}

/* after the machine that had them is lost, and after a job of cases */
static void requests_and_jobs_find_a_machine_that_is_there(void **state)
{
    (void)state;
    struct run run = {.machines = 2, .jobs = 2, .texts = {"go", "ok"}};
    enum topk_runner_status status;
    struct topk_runner *runner = open_with(
        &run,
        "[ ! -e $DIR/gone-$1 ] || exit 255\n"
        "echo '" HELLO "'\n"
        "while read -r word n; do\n"
        "  [ $word != batch ] || { read -r x; echo 'begin 0 1'; "
        "    echo 'done 0 pass clause=- obs=0 ns=5'; continue; }\n"
        "  [ $word = go ] || break\n"
        "  echo 'begin 0 1'; [ $1 = 2 ] || { : >$DIR/gone-1; exit 255; }; echo \"done 0 of $1\"\n"
        "done\n",
        &status);
    struct topk_runner_machine there[TOPK_RUNNER_MACHINES];
    assert_non_null(runner);
    struct topk_runner_job job = {
        .count = 1, .text = text_of, .result = take_result, .answer = take_answer, .context = &run};
    assert_int_equal(topk_runner_machines(runner, there), 2);
    assert_int_equal(topk_runner_run(runner, &job, run.error), TOPK_RUNNER_DONE);
    assert_string_equal(run.noted, "of 2");
    expect_ends(&run, TOPK_PROCESS_LOST, 1, "'ssh 1' is lost after 0 cases");
    assert_int_equal(topk_runner_machines(runner, there), 1);
    assert_string_equal(there[0].name, "ssh 2");
    job.answer = NULL;
    run.texts[0] = "ok";
    assert_int_equal(topk_runner_run(runner, &job, run.error), TOPK_RUNNER_DONE);
    assert_int_equal(run.results[0], 1);
    topk_runner_close(runner);
    expect_ends(&run, TOPK_PROCESS_LOST, 1, "'ssh 1'");
}

int main(void)
{
    signal(SIGPIPE, SIG_IGN);
    const struct CMUnitTest tests[] = {
        TEST(cases_of_a_machine_that_is_lost_go_to_others),
        TEST(any_machine_may_be_lost),
        TEST(all_workers_of_a_machine_are_lost_at_once),
        TEST(workers_are_dealt_over_the_machines),
        TEST(a_machine_that_hangs_is_lost),
        TEST(a_crash_on_a_machine_that_stays_is_a_crash),
        TEST(a_machine_that_comes_back_is_not_lost),
        TEST(no_case_is_judged_when_all_machines_are_lost),
        TEST(machines_that_differ_are_refused),
        TEST(each_machine_has_to_be_there_at_first),
        TEST(requests_and_jobs_find_a_machine_that_is_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
