/* Finds failures that need earlier cases. If a backend keeps state between calls, a case that fails
 * in a run can pass alone in a new worker, and its replay would print PASS. So failures are run
 * again alone, and if one passes, the earlier cases that it needs are searched for. */
#ifndef TOPK_CLI_ALONE_H
#define TOPK_CLI_ALONE_H

#include "session.h"

/* Time limit in seconds of the search for earlier cases, for all failures of a run together. */
#define CLI_ALONE_SECONDS 30u
/* Time limit of running failures again alone: this many seconds, plus this share of the run's
 * time. */
#define CLI_ALONE_LEAST 2.0
#define CLI_ALONE_SHARE 0.1
/* Maximum length of an order of cases that are generated without end. */
#define CLI_ALONE_EARLIER ((uint64_t)1 << 18)
/* Maximum number of earlier cases that are searched. */
#define CLI_ALONE_LOOKED ((uint64_t)1 << 19)
/* Maximum number of failures that are run again. */
#define CLI_ALONE_FAILURES 16u

/* A failure: a case, and where it was in the order. */
struct cli_alone_failure {
    char *id;        /* or only its text; cli_alone_print() frees it */
    uint64_t number; /* of the case that failed, as in the order */
};

struct cli_alone {
    const struct topk_runner_options *options; /* those of the run; notes are not passed on */
    /* returns the id of a case, valid until the next call; NULL if memory is short */
    const char *(*id)(void *context, uint64_t number);
    void *context;
    const struct cli_order *order; /* the cases of the run, in the order they were sent in */
    const char *replay;            /* start of a command that replays cases, without the cases */
    const char *list_prefix;       /* prefix of the names of files that list many cases */
    double seconds;                /* time limit of running failures again, without the search */
    struct cli_alone_failure failures[CLI_ALONE_FAILURES];
    size_t failure_count;
};

/* Adds a failure, if there is room. */
void cli_alone_add(struct cli_alone *alone, const char *id, uint64_t number);

/* Runs each failure in its own worker. If it passes there, prints a command that fails: it runs the
 * earlier cases that the failure needs and then the failure, as arguments or from a file. Prints
 * nothing if all fail alone, too. */
void cli_alone_print(FILE *out, struct cli_alone *alone);

#endif
