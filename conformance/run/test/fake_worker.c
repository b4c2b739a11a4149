#define _POSIX_C_SOURCE 200809L
#include "fake_worker.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

const char *text_of(void *context, uint64_t number, size_t *length)
{
    struct run *run = context;
    *length = strlen(run->texts[number]);
    return run->texts[number];
}

bool take_result(void *context, uint64_t number, const struct topk_result *result)
{
    struct run *run = context;
    run->results[number]++;
    run->verdicts[number] = result->verdict;
    assert_true(!result->by_status || result->verdict == TOPK_VERDICT_PASS);
    snprintf(run->reasons[number], TOPK_REASON, "%s", result->reason);
    run->crashes[number] = result->crash;
    run->clauses[number] = result->clause;
    run->sequence[run->done++] = number;
    if (run->interrupt) {
        raise(SIGINT);
    }
    return run->stop_after == 0 || run->done < run->stop_after;
}

static void take_note(void *context, const char *text)
{
    struct run *run = context;
    snprintf(run->noted, sizeof run->noted, "%s", text);
    run->notes++;
}

static void take_ended(void *context, enum topk_process_end end, const char *how)
{
    struct run *run = context;
    snprintf(run->how, sizeof run->how, "%s", how);
    run->ended[end]++;
}

char folder[64];

int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/runner.XXXXXX");
    return mkdtemp(folder) == NULL ? -1 : 0;
}

int remove_folder(void **state)
{
    char command[100];
    (void)state;
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command); /* NOLINT(cert-env33-c,bugprone-command-processor): a fixed text */
}

struct topk_runner *open_with(struct run *run, const char *script, enum topk_runner_status *status)
{
    static char path[100];
    static const char *const command[] = {"/bin/sh", path, NULL};
    static const char *const commands[][4] = {
        {"/bin/sh", path, "1", NULL}, {"/bin/sh", path, "2", NULL}, {"/bin/sh", path, "3", NULL}};
    static const struct topk_runner_machine machines[] = {
        {commands[0], "ssh 1"}, {commands[1], "ssh 2"}, {commands[2], "ssh 3"}};
    snprintf(path, sizeof path, "%s/worker", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "DIR=%s\n%s", folder, script);
    assert_int_equal(fclose(file), 0);
    struct topk_runner_options options = {
        .command = command,
        .machines = run->machines == 0 ? NULL : machines,
        .machine_count = run->machines,
        .jobs = run->jobs == 0 ? 1 : run->jobs,
        .timeout = run->timeout > 0 ? run->timeout : AMPLE,
        .start_timeout = run->start_timeout > 0 ? run->start_timeout : AMPLE,
        .backstop = run->backstop,
        .note = take_note,
        .ended = take_ended,
        .context = run,
    };
    return topk_runner_open(&options, &run->greeting, status, run->error);
}

enum topk_runner_status run_with(struct run *run, const char *script)
{
    static uint64_t order[CASES];
    enum topk_runner_status status;
    struct topk_runner *runner = open_with(run, script, &status);
    if (runner == NULL) {
        return status;
    }
    for (uint64_t i = 0; i < run->count; i++) {
        order[i] = run->shuffle ? run->count - 1 - i : i;
    }
    struct topk_runner_job job = {
        .count = run->count,
        .order = order,
        .text = text_of,
        .result = take_result,
        .context = run,
        .fresh = run->fresh,
    };
    status = topk_runner_run(runner, &job, run->error);
    run->restarts = topk_runner_restarts(runner);
    topk_runner_close(runner);
    return status;
}

void expect_one_bad(const struct run *run, uint64_t number, enum topk_verdict verdict,
                    const char *reason)
{
    for (uint64_t i = 0; i < run->count; i++) {
        assert_int_equal(run->results[i], 1);
        assert_int_equal(run->verdicts[i], i == number ? verdict : TOPK_VERDICT_PASS);
    }
    if (number < run->count && strstr(run->reasons[number], reason) == NULL) {
        fail_msg("the reason is \"%s\", without \"%s\"", run->reasons[number], reason);
    }
}

unsigned lines_of(const char *name)
{
    char path[100];
    unsigned lines = 0;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "r");
    for (int c = file == NULL ? EOF : fgetc(file); c != EOF; c = fgetc(file)) {
        lines += c == '\n';
    }
    if (file != NULL) {
        fclose(file);
    }
    return lines;
}

void expect_verdict(const char *text, enum topk_verdict verdict, const char *reason)
{
    struct run run = {.count = 10, .timeout = verdict == TOPK_VERDICT_TIMEOUT ? LIMIT : AMPLE};
    for (uint64_t i = 0; i < run.count; i++) {
        run.texts[i] = i == 4 ? text : "ok";
    }
    assert_int_equal(run_with(&run, "echo '" HELLO "'\n" ONE_BY_ONE LOOP), TOPK_RUNNER_DONE);
    expect_one_bad(&run, 4, verdict, reason);
    for (uint64_t i = 0; i < run.count; i++) {
        assert_int_equal(run.sequence[i], i);
    }
}

enum topk_runner_status run_part(struct topk_runner *runner, struct run *run, uint64_t from,
                                 uint64_t to, double timeout)
{
    uint64_t order[CASES];
    for (uint64_t i = from; i < to; i++) {
        order[i - from] = i;
    }
    struct topk_runner_job job = {
        .count = to - from,
        .order = order,
        .text = text_of,
        .result = take_result,
        .context = run,
        .timeout = timeout,
    };
    return topk_runner_run(runner, &job, run->error);
}

unsigned starts(void)
{
    return lines_of("starts");
}

enum topk_runner_status run_all_but(struct run *run, uint64_t number, const char *text,
                                    const char *script)
{
    for (uint64_t i = 0; i < run->count; i++) {
        run->texts[i] = i == number ? text : "ok";
    }
    return run_with(run, script);
}
