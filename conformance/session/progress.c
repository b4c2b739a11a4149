/* The line at the bottom of a terminal that says how far a run is. */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdarg.h>
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

void cli_progress_show(struct cli_progress *progress, const char *format, ...)
{
    va_list arguments;
    if (progress->on) {
        fputs("\r\033[K", stderr);
        va_start(arguments, format);
        vfprintf(stderr, format, arguments);
        va_end(arguments);
        fflush(stderr);
        progress->shown = true;
    }
}

static void print_time(char text[64], double seconds)
{
    unsigned long whole = (unsigned long)(seconds + 0.5);
    if (whole < 60) {
        snprintf(text, 64, "  %lu s left", whole);
    } else if (whole < 3600) {
        snprintf(text, 64, "  %lu min %02lu s left", whole / 60, whole % 60);
    } else {
        snprintf(text, 64, "  %lu h %02lu min left", whole / 3600, whole / 60 % 60);
    }
}

void cli_progress_draw(struct cli_progress *progress, const struct cli_tally *tally)
{
    char unsupported[64] = "";
    char left[64] = "";
    uint64_t time = now();
    if (!progress->on || time - progress->drawn < 100 || progress->total == 0) {
        return;
    }
    progress->drawn = time;
    double seconds = (double)(time - progress->started) / 1000;
    uint64_t fresh = tally->done - progress->skipped;
    double rate = seconds > 0 ? (double)fresh / seconds : 0;
    if (tally->totals[TOPK_VERDICT_UNSUPPORTED] > 0) {
        snprintf(unsupported, sizeof unsupported, "  %" PRIu64 " unsupported",
                 tally->totals[TOPK_VERDICT_UNSUPPORTED]);
    }
    if (rate > 0 && seconds > 1) {
        print_time(left, (double)(progress->total - tally->done) / rate);
    }
    cli_progress_show(progress,
                      "%" PRIu64 "/%" PRIu64 " %" PRIu64 "%%  %.0f/s  %" PRIu64 " failed%s%s",
                      tally->done, progress->total, 100 * tally->done / progress->total, rate,
                      cli_tally_failures(tally), unsupported, left);
}

void cli_progress_erase(struct cli_progress *progress)
{
    if (progress->shown) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
        progress->shown = false;
    }
}
