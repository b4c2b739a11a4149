/* Measures the cost of hosting a backend in its own process: the same small cases in process, and
 * through one worker with two unanswered messages of 64 cases, like the runner. Target: at least
 * 30000 cases per second through one worker. Run by hand: hosting_bench [FOLDER of topk-worker
 * [COMMAND of another worker]] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "worker/host.h"

#define CASES 65536u
#define BATCH 64u

/* from the texts, like the worker, but without a pipe */
static double run_in_process(struct topk_host *host, const struct bench_messages *messages)
{
    double start = bench_now();
    const char *line = messages->text;
    unsigned passed = 0;
    for (unsigned i = 0; i < CASES; i++) {
        if (i % BATCH == 0) {
            line = strchr(line, '\n') + 1;
        }
        const char *end = strchr(line, '\n');
        struct topk_case tc;
        struct topk_case_error error;
        struct topk_result result;
        const struct topk_case *cases[] = {&tc};
        if (!topk_case_parse(line, (size_t)(end - line), &tc, &error)) {
            bench_die(error.message);
        }
        topk_host_run(host, cases, 1, &result);
        topk_case_clear(&tc);
        passed += result.verdict == TOPK_VERDICT_PASS;
        line = end + 1;
    }
    if (passed != CASES) {
        bench_die("a case failed");
    }
    return CASES / (bench_now() - start);
}

int main(int argc, char **argv)
{
    char command[4200];
    const char *slash = strrchr(argv[0], '/');
    if (argc > 1) {
        snprintf(command, sizeof command, "exec '%s/topk-worker' --backend cpu", argv[1]);
    } else {
        snprintf(command, sizeof command, "exec '%.*s/topk-worker' --backend cpu",
                 slash == NULL ? 1 : (int)(slash - argv[0]), slash == NULL ? "." : argv[0]);
    }
    if (argc > 2) {
        snprintf(command, sizeof command, "exec %s", argv[2]);
    }
    struct bench_messages messages;
    bench_make_messages(&messages, CASES, BATCH, 16);
    struct topk_host host;
    char error[512];
    if (!topk_host_open(&host, "cpu", error, sizeof error)) {
        bench_die(error);
    }
    double inside[BENCH_RUNS];
    double outside[BENCH_RUNS];
    for (int i = 0; i < BENCH_RUNS; i++) {
        inside[i] = run_in_process(&host, &messages);
        outside[i] = bench_through_worker(command, &messages, 0);
    }
    topk_host_close(&host, NULL, 0);
    bench_free_messages(&messages);
    bench_sort(inside);
    bench_sort(outside);
    printf("%u cases, f32[1,1,1,16] k=8, median of %d runs (least, greatest)\n", CASES, BENCH_RUNS);
    printf("in process      %8.0f cases/s (%.0f, %.0f)\n", inside[BENCH_RUNS / 2], inside[0],
           inside[BENCH_RUNS - 1]);
    printf("through worker  %8.0f cases/s (%.0f, %.0f)\n", outside[BENCH_RUNS / 2], outside[0],
           outside[BENCH_RUNS - 1]);
    printf("worker / in process: %.2f\n", outside[BENCH_RUNS / 2] / inside[BENCH_RUNS / 2]);
    return 0;
}
