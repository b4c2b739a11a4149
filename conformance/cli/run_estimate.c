/* --estimate: how long a run would take and what it would need, from a sample of its cases.
 *
 * Cases are grouped by the bytes of their calls, because their cost follows from these. Some cases
 * of each group run as usual, with a log and a JUnit file in a temporary folder. The others are
 * assumed to cost the same. */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <uv.h>

#include "case/case.h"
#include "cli.h"
#include "run.h"

/* Number of divisions: number N has the cases of 2^(N-1) to 2^N - 1 bytes. */
#define DIVISIONS 48
/* Size of the sample of a division: up to SAMPLE_BYTES together, but at least SAMPLE_LEAST and at
 * most SAMPLE_MOST cases. */
#define SAMPLE_BYTES ((uint64_t)64 << 20)
#define SAMPLE_MOST  1024u
#define SAMPLE_LEAST 3u
/* cases from this size on are called large in the output */
#define LARGE_BYTES ((uint64_t)1 << 20)

struct division {
    uint64_t count;  /* cases */
    uint64_t bytes;  /* bytes of the buffers of their calls */
    uint32_t wanted; /* duration of the sample */
    uint32_t taken;
    uint64_t seen;        /* cases, while the sample is taken */
    uint64_t nanoseconds; /* duration of the sample */
};

struct estimate {
    struct division divisions[DIVISIONS];
    uint8_t *of;      /* the division of each case; 0: not of this shard */
    uint64_t largest; /* bytes of the buffers of a call */
    uint64_t memory;  /* most bytes that a case takes */
};

/* returns the bytes of the buffers of all calls of a case; *call: of one call; *memory: what the
 * case takes. All are 0 if the case is too large to be run. limit: bytes that a case may take; 0:
 * the default */
static uint64_t weigh(const struct cli_case *c, uint64_t limit, uint64_t *call, uint64_t *memory)
{
    struct topk_case tc;
    *call = 0;
    *memory = cli_case_parse(c->id, c->length, &tc) ? topk_case_memory(&tc) : 0;
    if (limit == 0 ? topk_case_too_large(&tc) : *memory > limit) {
        *memory = 0;
    }
    if (*memory > 0) {
        for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
            *call += topk_case_place(&tc, (enum topk_role)role).bytes;
        }
    }
    topk_case_clear(&tc);
    return *call * topk_check_text_calls(c->id, c->length);
}

static void divide(const struct cli_run *run, struct estimate *estimate)
{
    estimate->of = cli_need(calloc(run->cases.count, 1));
    for (uint64_t i = 0; i < run->cases.count; i++) {
        uint64_t call;
        uint64_t memory;
        if (!cli_case_of_shard(&run->cases, &run->options.shard, i)) {
            continue;
        }
        const uint64_t bytes =
            weigh(cli_case_at(&run->cases, i), run->options.backend.case_memory, &call, &memory);
        int number = 1;
        while (number < DIVISIONS - 1 && bytes >> number != 0) {
            number++;
        }
        estimate->of[i] = (uint8_t)number;
        estimate->divisions[number].count++;
        estimate->divisions[number].bytes += bytes;
        estimate->largest = call > estimate->largest ? call : estimate->largest;
        estimate->memory = memory > estimate->memory ? memory : estimate->memory;
    }
    for (int i = 0; i < DIVISIONS; i++) {
        struct division *division = &estimate->divisions[i];
        if (division->count > 0) {
            const uint64_t average = division->bytes / division->count + 1;
            uint64_t wanted = SAMPLE_BYTES / average;
            wanted = wanted < SAMPLE_LEAST ? SAMPLE_LEAST : wanted;
            wanted = wanted > SAMPLE_MOST ? SAMPLE_MOST : wanted;
            division->wanted = (uint32_t)(wanted < division->count ? wanted : division->count);
        }
    }
}

/* Whether the next case of a division is in the sample: cases are taken at equal distances. */
static bool sampled(struct division *division)
{
    const bool taken = division->seen * division->wanted / division->count !=
                       (division->seen + 1) * division->wanted / division->count;
    division->seen++;
    return taken;
}

static void take_sample(struct cli_run *run, struct estimate *estimate, int number)
{
    struct division *division = &estimate->divisions[number];
    free(run->order.list);
    run->order = (struct cli_order){.list = cli_need(calloc(division->wanted, sizeof(uint32_t)))};
    for (uint64_t i = 0; i < run->cases.count; i++) {
        if (estimate->of[i] == number && sampled(division)) {
            run->order.list[run->order.count++] = (uint32_t)i;
        }
    }
}

/* before, closing: nanoseconds that do not depend on the number of cases; after: those that grow
 * with it */
static void print(const struct cli_run *run, const struct estimate *estimate, uint64_t before,
                  uint64_t closing, uint64_t after, uint64_t log_bytes)
{
    uint64_t taken = 0;
    double cases = 0;
    double large = 0;
    uint64_t large_count = 0;
    uint64_t spent = 0;
    for (int i = 0; i < DIVISIONS; i++) {
        const struct division *division = &estimate->divisions[i];
        if (division->taken > 0) {
            const double all =
                (double)division->nanoseconds / division->taken * (double)division->count;
            const bool is_large = (uint64_t)1 << i > LARGE_BYTES;
            taken += division->taken;
            spent += division->nanoseconds;
            cases += all;
            large += is_large ? all : 0;
            large_count += is_large ? division->count : 0;
        }
    }
    const double times = (double)run->selected / (double)taken;
    const double ending = (double)closing + (double)after * times;
    const double all = (double)before + cases + ending;
    cli_print("estimate, from %" PRIu64 " of %" PRIu64 " cases, which took %.1f s:\n", taken,
              run->selected, (double)spent / 1e9);
    cli_print("  time    %.1f s: %.1f s to start, %.1f s for cases, %.1f s to end\n", all / 1e9,
              (double)before / 1e9, cases / 1e9, ending / 1e9);
    if (large_count > 0) {
        cli_print("          %.1f s of it in %" PRIu64 " cases of 1 MiB and more\n", large / 1e9,
                  large_count);
    }
    cli_print("  log     %.1f MB\n", (double)log_bytes * times / 1e6);
    cli_print(
        "  memory  %.1f MiB for the tensors and guards of the largest call, of which the judge "
        "has copies\n",
        (double)estimate->largest / (double)(1 << 20));
    if (run->options.backend.case_memory != 0) {
        cli_print("          %.1f GiB with these copies, in a worker; what the backend takes comes "
                  "on top\n",
                  (double)estimate->memory / (double)(1 << 30));
    }
    if (run->printed > 0 || run->distinct.count > 0) {
        cli_print(
            "  Cases of the sample failed: what a run does with failures at its end is not in "
            "this.\n");
    }
}

/* runs the sample; false, with the exit code in *code, if it did not run to its end */
static bool run_sample(struct cli_run *run, struct topk_runner *runner,
                       const struct topk_runner_job *job, struct estimate *estimate, int *code)
{
    char error[TOPK_RUNNER_ERROR] = "";
    for (int i = 0; i < DIVISIONS; i++) {
        struct division *division = &estimate->divisions[i];
        if (division->count == 0) {
            continue;
        }
        take_sample(run, estimate, i);
        struct topk_runner_job part = *job;
        part.count = run->order.count;
        const uint64_t start = uv_hrtime();
        const enum topk_runner_status status = topk_runner_run(runner, &part, error);
        division->nanoseconds = uv_hrtime() - start;
        division->taken = (uint32_t)run->order.count;
        if (status != TOPK_RUNNER_DONE) {
            *code =
                status == TOPK_RUNNER_STOPPED ? CLI_INCOMPLETE : cli_runner_failed(status, error);
            if (status == TOPK_RUNNER_STOPPED) {
                cli_error("interrupted: there is no estimate");
            }
            return false;
        }
    }
    return true;
}

void cli_run_estimate_start(struct cli_run *run)
{
    char folder[4096 - 32];
    size_t size = sizeof folder;
    uv_fs_t made;
    if (!run->options.estimate) {
        return;
    }
    char *path = NULL;
    if (uv_os_tmpdir(folder, &size) == 0) {
        path = cli_path_join(folder, "topk-cts-estimate-XXXXXX");
    }
    if (path == NULL || uv_fs_mkdtemp(NULL, &made, path, NULL) < 0) {
        cli_fail(CLI_HARNESS, "--estimate: no temporary folder can be made");
    }
    run->estimate_folder = cli_need(strdup(made.path));
    run->options.out = run->estimate_folder;
    uv_fs_req_cleanup(&made);
    free(path);
}

int cli_run_estimate(struct cli_run *run, struct topk_runner *runner, struct topk_runner_job *job)
{
    struct estimate estimate = {.of = NULL};
    struct stat log = {.st_size = 0};
    int code = CLI_CONFORMANT;
    divide(run, &estimate);
    const uint64_t before = uv_hrtime() - run->started_at;
    const bool ran = run_sample(run, runner, job, &estimate, &code);
    uint64_t end = uv_hrtime();
    cli_progress_erase(&run->progress);
    if (!cli_workers_close(&run->workers)) {
        code = code == CLI_CONFORMANT ? CLI_HARNESS : code;
    }
    const uint64_t closing = uv_hrtime() - end;
    end += closing;
    if (!cli_run_keep(run, TOPK_RUNNER_STOPPED, true) && !run->has_junit && ran) {
        code = CLI_HARNESS;
    }
    const uint64_t after = uv_hrtime() - end;
    if (stat(run->log_path, &log) == 0 && ran && code == CLI_CONFORMANT) {
        print(run, &estimate, before, closing, after, (uint64_t)log.st_size);
    }
    free(estimate.of);
    return code;
}

void cli_run_estimate_end(const struct cli_run *run)
{
    if (run->estimate_folder == NULL) {
        return;
    }
    if (run->log_path != NULL) {
        unlink(run->log_path);
        unlink(run->junit_path);
    }
    rmdir(run->estimate_folder);
}
