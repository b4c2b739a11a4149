/* topk-cts run: identifies what is tested, and logs its parts when it finds them. */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <uv.h>

#include "revision.h"
#include "run.h"

/* nanoseconds between two looks while cases run: what a process has loaded is no longer visible
 * after it crashes */
#define LOOK_EVERY UINT64_C(10000000000)
/* tolerances in seconds: between the clocks of machines, and for setting the clock back during a
 * run */
#define CLOCK_BEFORE 86400
#define CLOCK_STEP   60

/* ---- the clock ------------------------------------------------------------------------------- */

static void print_time(time_t time, char text[32])
{
    struct tm utc;
    text[0] = 0;
    if (gmtime_r(&time, &utc) != NULL) {
        strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", &utc);
    }
}

/* Whether the clock is good enough to date a run; if not, prints a message. started: of a resumed
 * run, when it began; else "". */
static bool clock_usable(const char *started)
{
    const time_t now = time(NULL);
    char text[32];
    char built[32];
    print_time(now, text);
    print_time((time_t)TOPK_REVISION_TIME, built);
    if ((int64_t)now + CLOCK_BEFORE < (int64_t)TOPK_REVISION_TIME) {
        cli_error("the clock is wrong: it says %s, and this topk-cts is made from sources of %s",
                  text, built);
        return false;
    }
    print_time(now + CLOCK_BEFORE, text);
    if (strcmp(text, started) < 0) { /* both have the same format */
        print_time(now, text);
        cli_error("the clock is wrong, or was: it says %s, and the run began at %s", text, started);
        return false;
    }
    return true;
}

/* Prints and keeps a note if the clock was set back during the run. False if memory is short. */
static bool note_clock(struct cli_run *run)
{
    const int64_t passed = (int64_t)((uv_hrtime() - run->look.began) / 1000000000);
    const int64_t back = passed - ((int64_t)time(NULL) - run->look.began_at);
    char problem[128];
    if (back < CLOCK_STEP) {
        return true;
    }
    snprintf(problem, sizeof problem, "it was set back by %" PRId64 " s while the run went on",
             back);
    const struct topk_log_part part = {
        .role = TOPK_LOG_PART_CLOCK,
        .texts = {[TOPK_LOG_PART_NAME] = "UTC", [TOPK_LOG_PART_PROBLEM] = problem}};
    cli_error("note: the clock: %s", problem);
    return topk_log_parts_keep(&run->look.identity.parts, &part);
}

/* ---- looking --------------------------------------------------------------------------------- */

void cli_run_look_start(struct cli_run *run)
{
    struct cli_run_look *look = &run->look;
    look->began = uv_hrtime();
    look->began_at = (int64_t)time(NULL);
    cli_subject_make(&look->subject, &run->options.backend, &run->workers);
    topk_identity_start(&look->identity, &look->subject.of);
    if (!run->options.no_identity) {
        topk_identity_prepare(&look->identity, uv_os_getpid());
    }
}

/* Takes the libraries that the first backend process reported. False, with the reason in error, if
 * they differ from those in the log. */
static bool take_told(struct cli_run *run, char error[TOPK_IDENTITY_ERROR])
{
    struct topk_told_part part;
    const char *parts = run->workers.greeting.parts;
    bool same = true;
    while (same && topk_told_next(&parts, &part)) {
        same = topk_identity_tell(&run->look.identity, part.name, part.version, error);
    }
    return same;
}

static bool look_now(struct cli_run *run)
{
    int64_t workers[CLI_RUN_JOBS_MAX];
    char error[TOPK_IDENTITY_ERROR];
    const size_t count =
        topk_runner_workers(run->workers.runner, workers, sizeof workers / sizeof workers[0]);
    if (!topk_identity_look(&run->look.identity, workers, count, error) || !take_told(run, error)) {
        cli_progress_erase(&run->progress);
        cli_error("what is tested: %s", error);
        return false;
    }
    run->look.last = uv_hrtime();
    return true;
}

/* A log names what was tested for all of its results, or for none. A resumed run may not change
 * that. */
static int keep_to_log(struct cli_run *run)
{
    const bool recorded = run->look.identity.parts.count > 0;
    if (run->options.no_identity && recorded) {
        cli_error("%s records what was tested, so --resume needs to record it too: leave out "
                  "--no-identity",
                  run->log_path);
        return CLI_USAGE;
    }
    if (!run->options.no_identity && !recorded && run->before > 0) {
        cli_error("note: %s does not record what was tested, and will not", run->log_path);
        run->options.no_identity = true;
    }
    return CLI_CONFORMANT;
}

int cli_run_look_first(struct cli_run *run, const char *started)
{
    const bool resumed = *started != 0;
    if (!clock_usable(started)) {
        return CLI_HARNESS;
    }
    const int code = resumed ? keep_to_log(run) : CLI_CONFORMANT;
    if (code != CLI_CONFORMANT || run->options.no_identity || look_now(run)) {
        return code;
    }
    if (!resumed) {
        cli_error("--no-identity runs the cases all the same, and does not record what is tested");
    }
    return CLI_HARNESS;
}

bool cli_run_look_log(struct cli_run *run)
{
    struct cli_run_look *look = &run->look;
    for (; look->logged < look->identity.parts.count; look->logged++) {
        if (!topk_log_part(run->log, &look->identity.parts.list[look->logged])) {
            return false;
        }
    }
    return true;
}

bool cli_run_look_again(struct cli_run *run, bool last)
{
    struct cli_run_look *look = &run->look;
    if (look->failed || run->options.no_identity ||
        (!last && uv_hrtime() - look->last < LOOK_EVERY)) {
        return !look->failed;
    }
    look->failed = !look_now(run) || (last && !note_clock(run));
    /* errors of the log are reported when its end is written */
    (void)cli_run_look_log(run);
    return !look->failed;
}

void cli_run_look_free(struct cli_run *run)
{
    topk_identity_free(&run->look.identity);
    cli_subject_free(&run->look.subject);
}
