/* Runs cases one after the other in a new worker, to see the result of the last one. */
#ifndef TOPK_CLI_SEQUENCE_H
#define TOPK_CLI_SEQUENCE_H

#include "session.h"

struct cli_sequence {
    const struct topk_runner_options *options; /* those of the run; notes are not passed on */
    /* returns the id of a case, valid until the next call; NULL if memory is short */
    const char *(*id)(void *context, uint64_t number);
    void *context;
    const uint64_t *list; /* numbers of the cases before the last one */
    size_t count;
    const char *last; /* the id of the last case, or only its text */
    uint64_t until;   /* uv_hrtime() at which to stop */
    /* the results */
    bool interrupted; /* by a signal */
    bool told;        /* the note that a worker cannot be kept running was printed */
    struct topk_runner *runner;
    bool done;
    bool failed; /* the last case failed */
};

enum cli_outcome {
    CLI_OUTCOME_PASSES,
    CLI_OUTCOME_FAILS,
    CLI_OUTCOME_UNKNOWN /* out of time, interrupted, or the worker cannot be kept running */
};

/* Runs the cases, and returns the outcome of the last one. */
enum cli_outcome cli_sequence_run(struct cli_sequence *sequence);

#endif
