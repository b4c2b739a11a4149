/* Runs that end before every case has a result: what the options --fail-fast, --max-crashes,
 * --max-timeouts and --time-budget say, and whether it has come to that. */
#ifndef TOPK_CLI_EARLY_H
#define TOPK_CLI_EARLY_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

#include "log/log.h"

struct cli_early {
    /* what is asked for; zero: nothing */
    bool fail_fast;
    uint64_t max_crashes;
    uint64_t max_timeouts;
    double budget; /* seconds */
    /* what came */
    uint64_t crashes;
    uint64_t timeouts;
    uint64_t started;      /* uv_hrtime() */
    struct topk_early end; /* by is NOT as long as the run goes on */
};

/* The options; child of a command's argp. */
extern const struct argp cli_early_argp;

/* The time begins. */
void cli_early_start(struct cli_early *early);
/* Takes the verdict of a case, as it counts. Whether the run is to go on. */
bool cli_early_take(struct cli_early *early, enum topk_verdict verdict);
/* Whether the run is to go on, by the time. */
bool cli_early_tick(struct cli_early *early);
/* Whether the run did end early. left: cases that have no result; of none it did not. */
bool cli_early_ended(struct cli_early *early, uint64_t left);

#endif
