/* --profile-stages: measures how long each stage of a run takes. Each judge appends its times to a
 * file when it ends. This program adds its own times, and sums up all. */
#define _GNU_SOURCE /* realpath */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "run.h"

void cli_run_stages_start(struct cli_run *run)
{
    const char *path = run->options.stages;
    if (path == NULL) {
        return;
    }
    if (run->options.backend.worker != NULL) {
        cli_fail(CLI_USAGE,
                 "--profile-stages measures topk-worker, and --worker is a different one");
    }
    FILE *file = fopen(path, "w"); /* created empty, because judges only append */
    char *whole = file == NULL ? NULL : realpath(path, NULL);
    if (file == NULL || fclose(file) != 0 || whole == NULL) {
        cli_fail(CLI_USAGE, "--profile-stages: %s cannot be written: %s", path, strerror(errno));
    }
    run->stages = whole;
    run->options.backend.stages = whole;
    topk_stage_on(TOPK_STAGE_START);
}

/* prints a line for each stage: their sum is the time of the judges, or of this program */
static void print_rows(const struct topk_stages *stages, int from, int to, uint64_t cases)
{
    uint64_t all = 0;
    for (int i = from; i < to; i++) {
        all += stages->nanoseconds[i];
    }
    for (int i = from; i < to; i++) {
        const uint64_t spent = stages->nanoseconds[i];
        if (spent > 0) {
            cli_print("  %-8s %8.1f ms %9.0f ns per case %4.0f %%  %s\n",
                      topk_stage_word((enum topk_stage)i), (double)spent / 1e6,
                      (double)spent / (double)cases, 100 * (double)spent / (double)all,
                      topk_stage_about((enum topk_stage)i));
        }
    }
}

bool cli_run_stages_end(struct cli_run *run)
{
    struct topk_stages stages = {{0}};
    const struct topk_stages own = topk_stages_get();
    char line[80] = "";
    FILE *file = run->stages == NULL ? NULL : fopen(run->stages, "r+");
    if (run->stages == NULL) {
        return true;
    }
    bool good = file != NULL && topk_stages_read(file, &stages, line, sizeof line) &&
                fseek(file, 0, SEEK_END) == 0;
    if (good) {
        topk_stages_print(file, &own);
    }
    good = good && ferror(file) == 0;
    good = file != NULL && fclose(file) == 0 && good;
    if (!good) {
        cli_error("--profile-stages: %s is not what the judges wrote", run->stages);
        return false;
    }
    for (int i = 0; i < TOPK_STAGE_COUNT; i++) {
        stages.nanoseconds[i] += own.nanoseconds[i];
    }
    const uint64_t cases = run->tally.done > 0 ? run->tally.done : 1;
    cli_print("stages of topk-cts, of %" PRIu64 " cases:\n", run->tally.done);
    print_rows(&stages, 0, TOPK_STAGE_READ, cases);
    cli_print("stages of %" PRIu32 " judge%s:\n", run->workers.options.jobs,
              run->workers.options.jobs == 1 ? "" : "s");
    print_rows(&stages, TOPK_STAGE_READ, TOPK_STAGE_COUNT, cases);
    cli_print("stages: %s\n", run->stages);
    return true;
}
