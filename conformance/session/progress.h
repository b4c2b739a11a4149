/* The progress of a run: a line at the bottom of a terminal, or one line per minute in a pipe. */
#ifndef TOPK_CLI_PROGRESS_H
#define TOPK_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdio.h>

#include "summary.h"

struct cli_progress {
    bool on;          /* standard error is a terminal: each line replaces the one before */
    bool shown;       /* a line is on the terminal now */
    uint64_t every;   /* ms between lines; 0: no lines */
    uint64_t total;   /* cases to run */
    uint64_t skipped; /* cases that had a result before the run */
    uint64_t started; /* ms */
    uint64_t drawn;   /* ms */
};

/* Starts the clock. The variable TOPK_HEARTBEAT sets the seconds between two lines in a pipe:
 * default 60, 0 for no lines. Ends the program after a message if it is not a number. */
void cli_progress_start(struct cli_progress *progress, uint64_t total, uint64_t skipped);
/* Prints how far the run is, if a line is due: ten times a second on a terminal. */
void cli_progress_draw(struct cli_progress *progress, const struct cli_tally *tally);
/* Prints another text in its place: at once on a terminal, if a line is due in a pipe. */
void cli_progress_show(struct cli_progress *progress, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Erases the line, before anything else is printed. */
void cli_progress_erase(struct cli_progress *progress);

/* The numbers of a line, and the line itself: "120 of 900 cases, 13 %, 40 per second, 3 failed, 20
 * s left". */
struct cli_pace {
    uint64_t total, skipped, done; /* cases; skipped: done before the run */
    uint64_t failed, unsupported;  /* of those done */
    uint64_t milliseconds;         /* since the start */
};
#define CLI_PACE_TEXT 200
void cli_pace_print(const struct cli_pace *pace, char text[CLI_PACE_TEXT]);

/* Prints a time in its two largest units: "45 s", "2 min 05 s", "1 h 02 min". */
#define CLI_DURATION_TEXT 40
void cli_duration_print(uint64_t seconds, char text[CLI_DURATION_TEXT]);

/* Whether output to a stream may be coloured. */
bool cli_colour(FILE *stream);

#endif
