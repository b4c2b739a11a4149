/* The runner with several jobs, and with cases that come one after the other. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "fake_worker.h"

static void each_case_has_a_fresh_worker(void **state)
{
    (void)state;
    for (uint32_t jobs = 1; jobs <= 2; jobs++) {
        struct run run = {.count = 9, .jobs = jobs, .fresh = true};
        for (uint64_t i = 0; i < run.count; i++) {
            run.texts[i] = i == 5 ? "segv" : "ok";
        }
        const unsigned before = starts();
        assert_int_equal(run_with(&run, COUNTED ONE_BY_ONE LOOP), TOPK_RUNNER_DONE);
        expect_one_bad(&run, 5, TOPK_VERDICT_CRASH, "signal 11");
        assert_true(starts() - before >= run.count);
        assert_int_equal(run.restarts, 1); /* only the crashed one */
    }
}

static void jobs_share_a_worker(void **state)
{
    (void)state;
    struct run run = {.count = 90};
    enum topk_runner_status status;
    for (uint64_t i = 0; i < run.count; i++) {
        run.texts[i] = "ok";
    }
    struct topk_runner *runner = open_with(&run, COUNTED ONE_BY_ONE LOOP, &status);
    assert_non_null(runner);
    assert_int_equal(run_part(runner, &run, 0, 80, 0), TOPK_RUNNER_DONE);
    assert_int_equal(run_part(runner, &run, 80, 80, 0), TOPK_RUNNER_DONE);
    assert_int_equal(run_part(runner, &run, 80, 90, 0), TOPK_RUNNER_DONE);
    expect_one_bad(&run, run.count, TOPK_VERDICT_PASS, "");
    assert_int_equal(topk_runner_restarts(runner), 0);
    topk_runner_close(runner);
    assert_int_equal(starts(), 1);
    assert_int_equal(run.notes, 0);
}

static void workers_are_let_go(void **state)
{
    (void)state;
    struct run run = {.count = 1, .texts = {"ok"}};
    assert_int_equal(run_with(&run, COUNTED "trap 'echo end >>$DIR/starts' EXIT\n" ONE_BY_ONE LOOP),
                     TOPK_RUNNER_DONE);
    assert_int_equal(starts(), 2);
}

/* Runs a case with a worker that does something other than end when it is told to quit. */
static void expect_note(const char *instead, const char *note)
{
    char script[4096];
    struct run run = {.count = 1, .texts = {"ok"}};
    snprintf(script, sizeof script, "%s%s\n", COUNTED ONE_BY_ONE LOOP, instead);
    assert_true(strlen(script) + 1 < sizeof script);
    assert_int_equal(run_with(&run, script), TOPK_RUNNER_DONE);
    assert_int_equal(run.notes, 1);
    assert_string_equal(run.noted, note);
}

static void worker_that_does_not_end_is_said_to_be_killed_for_it(void **state)
{
    (void)state;
#define NOTE "a worker did not end well after its last case: "
    expect_note("exit 7", NOTE "exited with 7");
    expect_note("kill -KILL $$", NOTE "killed by signal 9 (Killed)");
    expect_note("sleep 99", NOTE "killed, as it did not end within 5 s of being told to quit");
    expect_note("exec >&- 2>&-; sleep 99",
                NOTE "killed, as it did not end within 1 s of closing its output");
}

static void job_after_a_crash_and_a_hang(void **state)
{
    (void)state;
    struct run run = {.count = 4, .timeout = 9, .texts = {"segv", "ok", "hang check=soak", "ok"}};
    enum topk_runner_status status;
    struct topk_runner *runner = open_with(&run, COUNTED ONE_BY_ONE LOOP, &status);
    assert_non_null(runner);
    for (uint64_t i = 0; i < run.count; i++) {
        /* the job's own limit applies to the whole case, and replaces the runner's */
        assert_int_equal(run_part(runner, &run, i, i + 1, i == 2 ? 0.25 : 0), TOPK_RUNNER_DONE);
        assert_int_equal(run.results[i], 1);
    }
    assert_int_equal(run.verdicts[0], TOPK_VERDICT_CRASH);
    assert_int_equal(run.verdicts[1], TOPK_VERDICT_PASS);
    assert_int_equal(run.verdicts[2], TOPK_VERDICT_TIMEOUT);
    assert_string_equal(run.reasons[2], "not finished after 0.25 s");
    assert_int_equal(run.verdicts[3], TOPK_VERDICT_PASS);
    topk_runner_close(runner);
    assert_int_equal(starts(), 4); /* a hang is settled only in a fresh worker */
}

static void worker_that_ended_between_jobs_is_replaced(void **state)
{
    (void)state;
    struct run run = {.count = 2, .texts = {"last", "ok"}};
    enum topk_runner_status status;
    struct topk_runner *runner = open_with(
        &run, COUNTED "all() { echo begin 0 1; pass 0; [ \"$t0\" != last ] || exit 0; }\n" LOOP,
        &status);
    assert_non_null(runner);
    assert_int_equal(run_part(runner, &run, 0, 1, 0), TOPK_RUNNER_DONE);
    assert_int_equal(run_part(runner, &run, 1, 2, 0), TOPK_RUNNER_DONE);
    expect_one_bad(&run, 2, TOPK_VERDICT_PASS, "");
    topk_runner_close(runner);
    assert_int_equal(starts(), 2);
    assert_int_equal(run.notes, 1);
}

static void job_that_was_stopped_is_forgotten(void **state)
{
    (void)state;
    struct run run = {.count = 60, .stop_after = 3};
    enum topk_runner_status status;
    for (uint64_t i = 0; i < run.count; i++) {
        run.texts[i] = "ok";
    }
    struct topk_runner *runner = open_with(&run, COUNTED ONE_BY_ONE LOOP, &status);
    assert_non_null(runner);
    assert_int_equal(run_part(runner, &run, 0, 50, 0), TOPK_RUNNER_STOPPED);
    assert_int_equal(run.done, 3);
    run.stop_after = 0;
    assert_int_equal(run_part(runner, &run, 50, 60, 0), TOPK_RUNNER_DONE);
    for (uint64_t i = 0; i < run.count; i++) {
        assert_int_equal(run.results[i], i < 3 || i >= 50);
    }
    topk_runner_close(runner);
    assert_int_equal(starts(), 1); /* its outstanding answers were received and dropped */
    assert_int_equal(run.notes, 0);
}

static void stopped_job_does_not_wait_for_a_hang(void **state)
{
    (void)state;
    /* it would take 99 s */
    struct run run = {.count = 3, .stop_after = 1, .timeout = 60, .texts = {"ok", "mute", "ok"}};
    enum topk_runner_status status;
    struct topk_runner *runner = open_with(&run, COUNTED ONE_BY_ONE LOOP, &status);
    assert_non_null(runner);
    assert_int_equal(run_part(runner, &run, 0, 2, 0), TOPK_RUNNER_STOPPED);
    run.stop_after = 0;
    assert_int_equal(run_part(runner, &run, 2, 3, 0), TOPK_RUNNER_DONE);
    assert_int_equal(run.results[0], 1);
    assert_int_equal(run.results[1], 0);
    assert_int_equal(run.results[2], 1);
    topk_runner_close(runner);
    assert_int_equal(starts(), 2);
    assert_int_equal(run.notes, 0);
}

static void suspects_of_a_stopped_job_are_dropped(void **state)
{
    (void)state;
    /* the first three began together and are run again alone; the second result stops the job */
    struct run run = {
        .count = 7, .stop_after = 2, .texts = {"ok", "segv", "ok", "ok", "ok", "ok", "ok"}};
    enum topk_runner_status status;
    struct topk_runner *runner = open_with(&run, COUNTED BY_THREES LOOP, &status);
    assert_non_null(runner);
    assert_int_equal(run_part(runner, &run, 0, 6, 0), TOPK_RUNNER_STOPPED);
    assert_int_equal(run.done, 2);
    run.stop_after = 0;
    assert_int_equal(run_part(runner, &run, 6, 7, 0), TOPK_RUNNER_DONE);
    assert_int_equal(run.results[6], 1);
    assert_int_equal(run.verdicts[6], TOPK_VERDICT_PASS);
    topk_runner_close(runner);
}

static void interrupt_is_for_good(void **state)
{
    (void)state;
    struct run run = {.count = 2, .texts = {"ok", "ok"}};
    enum topk_runner_status status;
    struct topk_runner *runner = open_with(&run, COUNTED ONE_BY_ONE LOOP, &status);
    assert_non_null(runner);
    run.interrupt = true;
    assert_int_equal(run_part(runner, &run, 0, 1, 0), TOPK_RUNNER_DONE);
    run.interrupt = false;
    /* the signal arrived with the last result, so it interrupts the next job */
    assert_int_equal(run_part(runner, &run, 1, 2, 0), TOPK_RUNNER_INTERRUPTED);
    assert_int_equal(run_part(runner, &run, 1, 2, 0), TOPK_RUNNER_INTERRUPTED);
    topk_runner_close(runner);
}

/* ---- cases one after the other --------------------------------------------------------------- */

struct stream {
    struct run run;
    struct topk_runner *runner;
    uint64_t given;
    uint64_t end; /* the number of cases */
    uint64_t ticks;
};

static bool next_of_stream(void *context, uint64_t *number)
{
    struct stream *stream = context;
    assert_true(stream->given <= stream->end); /* it is not called again after the end */
    *number = stream->given++;
    return *number < stream->end;
}

static const char *text_of_stream(void *context, uint64_t number, size_t *length)
{
    struct stream *stream = context;
    assert_true(number < stream->given);
    assert_int_equal(number < CASES ? stream->run.results[number] : 0, 0);
    return text_of(&stream->run, number % 3, length);
}

static bool take_of_stream(void *context, uint64_t number, const struct topk_result *result)
{
    struct stream *stream = context;
    stream->run.done++;
    if (number < CASES) {
        stream->run.results[number]++;
        stream->run.verdicts[number] = result->verdict;
    }
    return true;
}

static void stop_at_tick(void *context)
{
    struct stream *stream = context;
    if (++stream->ticks == 2) {
        topk_runner_stop(stream->runner);
    }
}

static enum topk_runner_status run_stream(struct stream *stream, void (*tick)(void *context))
{
    enum topk_runner_status status;
    stream->runner = open_with(&stream->run, COUNTED ONE_BY_ONE LOOP, &status);
    assert_non_null(stream->runner);
    struct topk_runner_job job = {
        .next = next_of_stream,
        .text = text_of_stream,
        .result = take_of_stream,
        .tick = tick,
        .context = stream,
    };
    status = topk_runner_run(stream->runner, &job, stream->run.error);
    topk_runner_close(stream->runner);
    return status;
}

static void cases_come_one_after_the_other(void **state)
{
    (void)state;
    for (uint64_t end = 0; end < CASES; end += 63) {
        struct stream stream = {
            .run = {.jobs = end % 2 == 0 ? 1 : 2, .texts = {"ok", "segv", "ok"}},
            .end = end == 63 ? 64 : end % 20};
        assert_int_equal(run_stream(&stream, NULL), TOPK_RUNNER_DONE);
        assert_int_equal(stream.given, stream.end + 1);
        for (uint64_t i = 0; i < CASES; i++) {
            assert_int_equal(stream.run.results[i], i < stream.end);
            assert_int_equal(stream.run.verdicts[i],
                             i < stream.end && i % 3 == 1 ? TOPK_VERDICT_CRASH : TOPK_VERDICT_PASS);
        }
    }
}

static void endless_cases_can_be_stopped(void **state)
{
    (void)state;
    struct stream stream = {.run = {.texts = {"ok", "ok", "ok"}}, .end = UINT64_MAX};
    assert_int_equal(run_stream(&stream, stop_at_tick), TOPK_RUNNER_STOPPED);
    assert_true(stream.run.done > 0 && stream.run.done < stream.given);
}

/* the process that each case was sent to last */
static uint64_t processes[CASES];

static void take_sent(void *context, uint64_t number, uint64_t worker)
{
    const struct run *run = context;
    assert_int_equal(run->results[number], 0);
    processes[number] = worker;
}

static void what_is_sent_is_told_with_its_process(void **state)
{
    (void)state;
    struct run run = {.count = 5, .texts = {"ok", "segv", "ok", "outside", "ok"}};
    enum topk_runner_status status;
    struct topk_runner *runner = open_with(&run, COUNTED ONE_BY_ONE LOOP, &status);
    assert_non_null(runner);
    const struct topk_runner_job job = {.count = run.count,
                                        .text = text_of,
                                        .result = take_result,
                                        .sent = take_sent,
                                        .context = &run};
    assert_int_equal(topk_runner_run(runner, &job, run.error), TOPK_RUNNER_DONE);
    topk_runner_close(runner);
    const uint64_t expected[] = {1, 1, 2, 3, 3};
    assert_memory_equal(processes, expected, sizeof expected);
}

int main(void)
{
    signal(SIGPIPE, SIG_IGN);
    const struct CMUnitTest tests[] = {
        TEST(what_is_sent_is_told_with_its_process),
        TEST(jobs_share_a_worker),
        TEST(workers_are_let_go),
        TEST(worker_that_does_not_end_is_said_to_be_killed_for_it),
        TEST(job_after_a_crash_and_a_hang),
        TEST(worker_that_ended_between_jobs_is_replaced),
        TEST(job_that_was_stopped_is_forgotten),
        TEST(stopped_job_does_not_wait_for_a_hang),
        TEST(each_case_has_a_fresh_worker),
        TEST(suspects_of_a_stopped_job_are_dropped),
        TEST(interrupt_is_for_good),
        TEST(cases_come_one_after_the_other),
        TEST(endless_cases_can_be_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
