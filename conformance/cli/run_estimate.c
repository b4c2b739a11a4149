/* --estimate: how long a run would take and what it would need, from a sample of its cases.
 *
 * Cases are grouped by the bytes of their calls, because their cost follows from these. A sample of
 * each group runs. Samples of all but the largest cases run once before that: processes start,
 * memory grows, and a device compiles, which takes its time only once. Then all samples run in one
 * job, with a log and a JUnit file in a temporary folder. A group takes the time from the last
 * result of the group before it to its own last result, and its other cases are assumed to cost the
 * same. */
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
#define SAMPLE_BYTES ((uint64_t)256 << 20)
#define SAMPLE_MOST  1024u
#define SAMPLE_LEAST 3u
/* A sample has at most so many groups of neighbours. */
#define SAMPLE_GROUPS 64u
/* The sample of a division up to this one, of cases below 64 MiB, runs twice. */
#define TWICE 26
/* cases from this size on are called large in the output */
#define LARGE_BYTES ((uint64_t)1 << 20)

struct division {
    uint64_t count;       /* cases */
    uint64_t bytes;       /* bytes of the buffers of their calls */
    uint32_t wanted;      /* size of the sample */
    uint64_t seen;        /* cases, while the sample is taken */
    uint32_t taken;       /* results of the sample */
    uint64_t nanoseconds; /* duration of the sample */
};

struct cli_estimate {
    struct division divisions[DIVISIONS];
    uint8_t *of;      /* the division of each case; 0: not of this shard */
    uint64_t largest; /* bytes of the buffers of a call */
    uint64_t memory;  /* most bytes that a case takes */
    uint64_t last;    /* when the last result came */
    uint64_t spent;   /* nanoseconds in the sample */
    /* receives the results, too */
    bool (*result)(void *context, uint64_t position, const struct topk_result *result);
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

static void divide(const struct cli_run *run, struct cli_estimate *estimate)
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

/* Whether the next case of a division is in the sample. Groups of neighbours are taken at equal
 * distances: neighbours are often alike, which a backend may make use of. */
static bool sampled(struct division *division)
{
    const uint64_t together = division->wanted / SAMPLE_GROUPS + 1;
    const uint64_t groups = (division->count + together - 1) / together;
    const uint64_t wanted =
        division->wanted < division->count ? (division->wanted + together - 1) / together : groups;
    const uint64_t group = division->seen++ / together;
    return group * wanted / groups != (group + 1) * wanted / groups;
}

/* orders the samples of all divisions one after another */
static void take_samples(struct cli_run *run, struct cli_estimate *estimate)
{
    uint64_t wanted = 0;
    /* a sample may be larger by a part of a group */
    for (int i = 0; i < DIVISIONS; i++) {
        wanted += estimate->divisions[i].wanted + SAMPLE_GROUPS;
    }
    free(run->order.list);
    run->order = (struct cli_order){.list = cli_need(calloc(wanted + 1, sizeof(uint32_t)))};
    for (int number = 1; number < DIVISIONS; number++) {
        for (uint64_t i = 0; estimate->divisions[number].count > 0 && i < run->cases.count; i++) {
            if (estimate->of[i] == number && sampled(&estimate->divisions[number])) {
                run->order.list[run->order.count++] = (uint32_t)i;
            }
        }
    }
}

static bool take_result(void *context, uint64_t position, const struct topk_result *result)
{
    struct cli_run *run = context;
    struct cli_estimate *estimate = run->estimate;
    struct division *division =
        &estimate->divisions[estimate->of[cli_order_at(&run->order, position)]];
    const uint64_t now = uv_hrtime();
    division->nanoseconds += now - estimate->last;
    division->taken++;
    estimate->last = now;
    return estimate->result(context, position, result);
}

/* before, once, closing: nanoseconds that do not depend on the number of cases; after: those that
 * grow with it */
static void print(const struct cli_run *run, const struct cli_estimate *estimate, uint64_t before,
                  uint64_t once, uint64_t closing, uint64_t after, uint64_t log_bytes)
{
    uint64_t taken = 0;
    double cases = 0;
    double large = 0;
    uint64_t large_count = 0;
    for (int i = 0; i < DIVISIONS; i++) {
        const struct division *division = &estimate->divisions[i];
        if (division->taken > 0) {
            const double all =
                (double)division->nanoseconds / division->taken * (double)division->count;
            const bool is_large = (uint64_t)1 << i > LARGE_BYTES;
            taken += division->taken;
            cases += all;
            large += is_large ? all : 0;
            large_count += is_large ? division->count : 0;
        }
    }
    const double times = (double)run->selected / (double)taken;
    const double ending = (double)closing + (double)after * times;
    const double starting = (double)before + (double)once;
    const double all = starting + cases + ending;
    cli_print("estimate, from %" PRIu64 " of %" PRIu64 " cases, which took %.1f s:\n", taken,
              run->selected, (double)estimate->spent / 1e9);
    cli_print("  time    %.1f s: %.1f s to start and warm up, %.1f s for cases, %.1f s to end\n",
              all / 1e9, starting / 1e9, cases / 1e9, ending / 1e9);
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

static bool ignore(void *context, uint64_t position, const struct topk_result *result)
{
    (void)context;
    (void)position;
    (void)result;
    return true;
}

/* Runs the first `count` cases of the order; false, with the exit code in *code, if that did not
 * run to its end. */
static bool run_part(struct topk_runner *runner, const struct topk_runner_job *job, uint64_t count,
                     bool (*take)(void *context, uint64_t position,
                                  const struct topk_result *result),
                     int *code)
{
    char error[TOPK_RUNNER_ERROR] = "";
    struct topk_runner_job part = *job;
    part.count = count;
    part.result = take;
    const enum topk_runner_status status = topk_runner_run(runner, &part, error);
    if (status == TOPK_RUNNER_STOPPED) {
        cli_error("interrupted: there is no estimate");
        *code = CLI_INCOMPLETE;
    } else if (status != TOPK_RUNNER_DONE) {
        *code = cli_runner_failed(status, error);
    }
    return status == TOPK_RUNNER_DONE;
}

/* Runs the samples. *before: the time from the start of the program to the first one; *once: how
 * much longer those that run twice took the first time. */
static bool run_sample(struct cli_run *run, struct topk_runner *runner,
                       const struct topk_runner_job *job, uint64_t *before, uint64_t *once,
                       int *code)
{
    struct cli_estimate *estimate = run->estimate;
    uint64_t twice = 0;
    take_samples(run, estimate);
    while (twice < run->order.count && estimate->of[run->order.list[twice]] <= TWICE) {
        twice++;
    }
    const uint64_t start = uv_hrtime();
    *before = start - run->started_at;
    if (twice > 0 && !run_part(runner, job, twice, ignore, code)) {
        return false;
    }
    estimate->last = uv_hrtime();
    const uint64_t first = estimate->last - start;
    const bool ran = run_part(runner, job, run->order.count, take_result, code);
    uint64_t second = 0;
    for (int i = 0; i <= TWICE; i++) {
        second += estimate->divisions[i].nanoseconds;
    }
    *once = first > second ? first - second : 0;
    estimate->spent = estimate->last - start;
    return ran;
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
    struct cli_estimate estimate = {.result = job->result};
    struct stat log = {.st_size = 0};
    int code = CLI_CONFORMANT;
    uint64_t before = 0;
    uint64_t once = 0;
    run->estimate = &estimate;
    divide(run, &estimate);
    const bool ran = run_sample(run, runner, job, &before, &once, &code);
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
        print(run, &estimate, before, once, closing, after, (uint64_t)log.st_size);
    }
    free(estimate.of);
    run->estimate = NULL;
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
