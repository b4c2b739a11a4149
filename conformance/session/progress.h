/* The line at the bottom of a terminal that says how far a run is. */
#ifndef TOPK_CLI_PROGRESS_H
#define TOPK_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdio.h>

#include "summary.h"

/* The line at the bottom of a terminal that says how far a run is. */
struct cli_progress {
    bool on;          /* standard error is a terminal */
    bool shown;       /* it stands there now */
    uint64_t total;   /* cases to run */
    uint64_t skipped; /* of them had a result before */
    uint64_t started; /* ms */
    uint64_t drawn;   /* ms */
};

void cli_progress_start(struct cli_progress *progress, uint64_t total, uint64_t skipped);
/* Draws it anew, at most ten times a second. */
void cli_progress_draw(struct cli_progress *progress, const struct cli_tally *tally);
/* Draws another text in its place. */
void cli_progress_show(struct cli_progress *progress, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Takes it away, before anything else is printed. */
void cli_progress_erase(struct cli_progress *progress);

/* Whether output to a stream may be coloured. */
bool cli_colour(FILE *stream);

#endif
