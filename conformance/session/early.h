/* Ends runs before every case has a result: the options --fail-fast, --max-crashes, --max-timeouts
 * and --time-budget. A hopeless run ends even without them: each timeout takes twice the limit, so
 * a backend that hangs in every case would take days. */
#ifndef TOPK_CLI_EARLY_H
#define TOPK_CLI_EARLY_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

#include "log/log.h"

/* Without --max-timeouts, a run ends after so many timeouts, or so many in a row. */
#define CLI_EARLY_TIMEOUTS 100u
#define CLI_EARLY_IN_A_ROW 10u
/* Without --max-timeouts and --max-crashes, a run ends after at least CLI_EARLY_IN_A_ROW results
 * that are all timeouts or crashes, once these have taken CLI_EARLY_STALLED seconds, or
 * CLI_EARLY_LIMITS time limits of a call if that is longer. */
#define CLI_EARLY_STALLED 600.0
#define CLI_EARLY_LIMITS  20.0

struct cli_early {
    /* the options; 0: not given, or given as "no limit" */
    bool fail_fast;
    bool crashes_given;
    bool timeouts_given;
    uint64_t max_crashes;
    uint64_t max_timeouts;
    double budget; /* seconds */
    /* the results so far */
    uint64_t crashes;
    uint64_t timeouts;
    uint64_t timeouts_in_a_row;
    uint64_t ends_in_a_row; /* crashes and timeouts, without another result in between */
    double stalled;         /* seconds, see CLI_EARLY_STALLED */
    uint64_t useful;  /* uv_hrtime() of the last result that is neither of them, or of the start */
    bool unasked;     /* a default limit ended it */
    uint64_t started; /* uv_hrtime() */
    struct topk_early end; /* by is TOPK_EARLY_NOT while the run goes on */
};

/* The options; child of a command's argp. Its input is a struct cli_early. */
extern const struct argp cli_early_argp;

/* Starts the clock. timeout: time limit of a call, in seconds. */
void cli_early_start(struct cli_early *early, double timeout);
/* Counts the verdict of a case. Returns whether the run is to go on. */
bool cli_early_take(struct cli_early *early, enum topk_verdict verdict);
/* Checks the time budget. Returns whether the run is to go on. */
bool cli_early_tick(struct cli_early *early);
/* Whether the run ended early. left: cases without a result; with 0, the run did not end early. */
bool cli_early_ended(struct cli_early *early, uint64_t left);
/* Prints on standard error why a default limit ended a run; nothing if an option did. options: the
 * command has these options, so the message names the one that sets another limit. */
void cli_early_explain(const struct cli_early *early, bool options);

#endif
