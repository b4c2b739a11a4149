/* Failures that need earlier cases: a case that fails in a run can pass alone, in a new worker, if
 * the backend keeps state between calls. A replay would then print PASS, so failures are run again,
 * and the earlier cases that one needs are searched for. */
#ifndef TOPK_CLI_ALONE_H
#define TOPK_CLI_ALONE_H

#include "session.h"

/* Seconds that looking for the earlier cases takes at most, for all failures of a run. */
#define CLI_ALONE_SECONDS 30u
/* Seconds for which failures are run again, alone, and the share of the run's time beyond them. */
#define CLI_ALONE_LEAST 2.0
#define CLI_ALONE_SHARE 0.1
/* Most earlier cases among which an order that knows no end looks. */
#define CLI_ALONE_EARLIER ((uint64_t)1 << 18)
/* Most earlier cases among which it is looked at all. */
#define CLI_ALONE_LOOKED ((uint64_t)1 << 19)
/* Most failures that are run again. */
#define CLI_ALONE_FAILURES 16u

/* A failure: a case, and where it was in the order. */
struct cli_alone_failure {
    char *id;        /* or only its text; owned by cli_alone_print() */
    uint64_t number; /* of the case that failed, as order has it */
};

struct cli_alone {
    const struct topk_runner_options *options; /* as the run's; notes are not handed on */
    /* the id of a case, until the next call; NULL if memory is short */
    const char *(*id)(void *context, uint64_t number);
    void *context;
    const struct cli_order *order; /* the cases of the run, in the order they were sent in */
    const char *replay;            /* command that replays cases, up to the first of them */
    const char *list_prefix;       /* how the names of files begin that list many cases */
    double seconds;                /* that running the failures again may take, the search apart */
    struct cli_alone_failure failures[CLI_ALONE_FAILURES];
    size_t failure_count;
};

/* Adds a failure, if there is room. */
void cli_alone_add(struct cli_alone *alone, const char *id, uint64_t number);

/* Runs each failure in a worker of its own. Of one that passes there, prints a command that fails:
 * it with the earlier cases that it needs, as arguments or in a file. Prints nothing if all fail
 * alone, too. */
void cli_alone_print(FILE *out, struct cli_alone *alone);

#endif
