/* The progress of a run: a line at the bottom of a terminal, or one line per minute in a pipe. */
#ifndef TOPK_CLI_PROGRESS_H
#define TOPK_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdio.h>

#include "summary.h"

struct cli_progress {
    bool on;          /* standard error is a terminal: the line is drawn over the one before */
    bool shown;       /* it stands there now */
    uint64_t every;   /* ms from line to line; 0: there are none */
    uint64_t total;   /* cases to run */
    uint64_t skipped; /* of them had a result before */
    uint64_t started; /* ms */
    uint64_t drawn;   /* ms */
};

/* The variable TOPK_HEARTBEAT says after how many seconds a line follows in a pipe; 60 without it,
 * none with 0. Ends the program after a message if it is no number. */
void cli_progress_start(struct cli_progress *progress, uint64_t total, uint64_t skipped);
/* Says how far the run is, if it is time: ten times a second on a terminal. */
void cli_progress_draw(struct cli_progress *progress, const struct cli_tally *tally);
/* Says another text in its place: at once on a terminal, in a pipe if it is time. */
void cli_progress_show(struct cli_progress *progress, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Takes it away, before anything else is printed. */
void cli_progress_erase(struct cli_progress *progress);

/* What a line of a run is made from, and the line: "120 of 900 cases, 13 %, 40 a second, 3 failed,
 * 20 s left". */
struct cli_pace {
    uint64_t total, skipped, done; /* cases; skipped: done before the run */
    uint64_t failed, unsupported;  /* of those done */
    uint64_t milliseconds;         /* since the start */
};
#define CLI_PACE_TEXT 200
void cli_pace_print(const struct cli_pace *pace, char text[CLI_PACE_TEXT]);

/* A time in the two units that say most: "45 s", "2 min 05 s", "1 h 02 min". */
#define CLI_DURATION_TEXT 40
void cli_duration_print(uint64_t seconds, char text[CLI_DURATION_TEXT]);

/* Whether output to a stream may be coloured. */
bool cli_colour(FILE *stream);

#endif
