/* The line at the bottom of a terminal that says how far a run is. */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "session.h"

static uint64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000 + (uint64_t)time.tv_nsec / 1000000;
}

bool cli_colour(FILE *stream)
{
    const char *no = getenv("NO_COLOR");
    return (no == NULL || *no == 0) && isatty(fileno(stream)) == 1;
}

void cli_progress_start(struct cli_progress *progress, uint64_t total, uint64_t skipped)
{
    *progress = (struct cli_progress){
        .on = isatty(STDERR_FILENO) == 1,
        .total = total,
        .skipped = skipped,
        .started = now(),
    };
}

static void print_time(double seconds)
{
    unsigned long whole = (unsigned long)(seconds + 0.5);
    if (whole < 60) {
        fprintf(stderr, "%lu s", whole);
    } else if (whole < 3600) {
        fprintf(stderr, "%lu min %02lu s", whole / 60, whole % 60);
    } else {
        fprintf(stderr, "%lu h %02lu min", whole / 3600, whole / 60 % 60);
    }
}

void cli_progress_draw(struct cli_progress *progress, const struct cli_tally *tally)
{
    uint64_t time = now();
    if (!progress->on || time - progress->drawn < 100 || progress->total == 0) {
        return;
    }
    progress->drawn = time;
    progress->shown = true;
    double seconds = (double)(time - progress->started) / 1000;
    uint64_t fresh = tally->done - progress->skipped;
    double rate = seconds > 0 ? (double)fresh / seconds : 0;
    fprintf(stderr, "\r\033[K%" PRIu64 "/%" PRIu64 " %" PRIu64 "%%  %.0f/s  %" PRIu64 " failed",
            tally->done, progress->total, 100 * tally->done / progress->total, rate,
            cli_tally_failures(tally));
    if (tally->totals[TOPK_VERDICT_UNSUPPORTED] > 0) {
        fprintf(stderr, "  %" PRIu64 " unsupported", tally->totals[TOPK_VERDICT_UNSUPPORTED]);
    }
    if (rate > 0 && seconds > 1) {
        fputs("  ", stderr);
        print_time((double)(progress->total - tally->done) / rate);
        fputs(" left", stderr);
    }
    fflush(stderr);
}

void cli_progress_erase(struct cli_progress *progress)
{
    if (progress->shown) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
        progress->shown = false;
    }
}
