/* The progress of a run: a line at the bottom of a terminal, or one line per minute in a pipe. */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "session.h"

/* milliseconds between two lines */
#define DRAWN_EVERY     100u
#define HEARTBEAT_EVERY 60000u

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

/* milliseconds between two lines in a pipe, by TOPK_HEARTBEAT; 0: there are none */
static uint64_t heartbeat(void)
{
    const char *text = getenv("TOPK_HEARTBEAT");
    char *end = NULL;
    if (text == NULL || *text == 0) {
        return HEARTBEAT_EVERY;
    }
    const double seconds = strtod(text, &end);
    if (*end != 0 || !(seconds >= 0 && seconds <= 1e6)) {
        cli_fail(CLI_USAGE, "TOPK_HEARTBEAT takes seconds, 0 for no lines, not '%s'", text);
    }
    return (uint64_t)(1000 * seconds);
}

void cli_progress_start(struct cli_progress *progress, uint64_t total, uint64_t skipped)
{
    const bool terminal = isatty(STDERR_FILENO) == 1;
    const uint64_t time = now();
    *progress = (struct cli_progress){
        .on = terminal,
        .every = terminal ? DRAWN_EVERY : heartbeat(),
        .total = total,
        .skipped = skipped,
        .started = time,
        .drawn = terminal ? 0 : time,
    };
}

/* Whether another line is due; if so, it counts as drawn now. */
static bool due(struct cli_progress *progress)
{
    const uint64_t time = now();
    const bool yes = progress->every > 0 && time - progress->drawn >= progress->every;
    progress->drawn = yes ? time : progress->drawn;
    return yes;
}

static void print_line(struct cli_progress *progress, const char *text)
{
    if (progress->on) {
        fprintf(stderr, "\r\033[K%s", text);
        fflush(stderr);
        progress->shown = true;
    } else {
        char time[CLI_DURATION_TEXT];
        fflush(stdout); /* keeps the order if both go to the same place */
        cli_duration_print((now() - progress->started) / 1000, time);
        cli_error("%s: %s", time, text);
    }
}

void cli_progress_show(struct cli_progress *progress, const char *format, ...)
{
    char text[512];
    va_list arguments;
    if (progress->on || due(progress)) {
        va_start(arguments, format);
        vsnprintf(text, sizeof text, format, arguments);
        va_end(arguments);
        print_line(progress, text);
    }
}

void cli_duration_print(uint64_t seconds, char text[CLI_DURATION_TEXT])
{
    if (seconds < 60) {
        snprintf(text, CLI_DURATION_TEXT, "%" PRIu64 " s", seconds);
    } else if (seconds < 3600) {
        snprintf(text, CLI_DURATION_TEXT, "%" PRIu64 " min %02" PRIu64 " s", seconds / 60,
                 seconds % 60);
    } else {
        snprintf(text, CLI_DURATION_TEXT, "%" PRIu64 " h %02" PRIu64 " min", seconds / 3600,
                 seconds / 60 % 60);
    }
}

void cli_pace_print(const struct cli_pace *pace, char text[CLI_PACE_TEXT])
{
    const double seconds = (double)pace->milliseconds / 1000;
    const double rate = seconds > 0 ? (double)(pace->done - pace->skipped) / seconds : 0;
    size_t used = (size_t)snprintf(
        text, CLI_PACE_TEXT,
        "%" PRIu64 " of %" PRIu64 " cases, %" PRIu64 " %%, %.*f per second, %" PRIu64 " failed",
        pace->done, pace->total, pace->total == 0 ? 100 : 100 * pace->done / pace->total,
        rate < 10 ? 1 : 0, rate, pace->failed);
    if (pace->unsupported > 0) {
        used += (size_t)snprintf(text + used, CLI_PACE_TEXT - used, ", %" PRIu64 " unsupported",
                                 pace->unsupported);
    }
    if (rate > 0 && seconds > 1) {
        char left[CLI_DURATION_TEXT];
        cli_duration_print((uint64_t)((double)(pace->total - pace->done) / rate + 0.5), left);
        snprintf(text + used, CLI_PACE_TEXT - used, ", %s left", left);
    }
}

void cli_progress_draw(struct cli_progress *progress, const struct cli_tally *tally)
{
    if (progress->total == 0 || !due(progress)) {
        return;
    }
    char text[CLI_PACE_TEXT];
    const struct cli_pace pace = {.total = progress->total,
                                  .skipped = progress->skipped,
                                  .done = tally->done,
                                  .failed = cli_tally_failures(tally),
                                  .unsupported = tally->totals[TOPK_VERDICT_UNSUPPORTED],
                                  .milliseconds = now() - progress->started};
    cli_pace_print(&pace, text);
    print_line(progress, text);
}

void cli_progress_erase(struct cli_progress *progress)
{
    if (progress->shown) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
        progress->shown = false;
    }
}
