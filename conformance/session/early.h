/* Ends runs before every case has a result: the options --fail-fast, --max-crashes, --max-timeouts
 * and --time-budget. Without them a hopeless run ends, too: each timeout takes twice the limit, so
 * a backend that hangs in every case would take days. */
#ifndef TOPK_CLI_EARLY_H
#define TOPK_CLI_EARLY_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

#include "log/log.h"

/* Where --max-timeouts is not given: most timeouts of a run, and most of them without another
 * result in between. */
#define CLI_EARLY_TIMEOUTS 100u
#define CLI_EARLY_IN_A_ROW 10u
/* Where neither --max-timeouts nor --max-crashes is given: most seconds in which every result, of
 * CLI_EARLY_IN_A_ROW at least, is a timeout or a crash; and most limits of a call, if these are
 * longer. */
#define CLI_EARLY_STALLED 600.0
#define CLI_EARLY_LIMITS  20.0

struct cli_early {
    /* what is asked for; zero: nothing, or any number where it is given */
    bool fail_fast;
    bool crashes_given;
    bool timeouts_given;
    uint64_t max_crashes;
    uint64_t max_timeouts;
    double budget; /* seconds */
    /* what came */
    uint64_t crashes;
    uint64_t timeouts;
    uint64_t timeouts_in_a_row;
    uint64_t ends_in_a_row; /* crashes and timeouts */
    double stalled;         /* seconds, see CLI_EARLY_STALLED */
    uint64_t useful;        /* uv_hrtime() of the last result that is neither, or of the start */
    bool unasked;           /* no option ended it */
    uint64_t started;       /* uv_hrtime() */
    struct topk_early end;  /* by is NOT as long as the run goes on */
};

/* The options; child of a command's argp. */
extern const struct argp cli_early_argp;

/* The time begins. timeout: limit of a call, in seconds. */
void cli_early_start(struct cli_early *early, double timeout);
/* Takes the verdict of a case, as it counts. Whether the run is to go on. */
bool cli_early_take(struct cli_early *early, enum topk_verdict verdict);
/* Whether the run is to go on, by the time. */
bool cli_early_tick(struct cli_early *early);
/* Whether the run did end early. left: cases that have no result; of none it did not. */
bool cli_early_ended(struct cli_early *early, uint64_t left);
/* Says on standard error why a run ended early if no option did it. options: the command has these
 * options, so it says which of them sets another limit. */
void cli_early_explain(const struct cli_early *early, bool options);

#endif
