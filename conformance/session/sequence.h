/* Runs cases one after the other in a new worker, to see the result of the last one. */
#ifndef TOPK_CLI_SEQUENCE_H
#define TOPK_CLI_SEQUENCE_H

#include "session.h"

struct cli_sequence {
    const struct topk_runner_options *options; /* as the run's; notes are not handed on */
    /* the id of a case, until the next call; NULL if memory is short */
    const char *(*id)(void *context, uint64_t number);
    void *context;
    const uint64_t *list; /* numbers of the cases before the last one */
    size_t count;
    const char *last; /* its id, or only its text */
    uint64_t until;   /* uv_hrtime() at which it is too late */
    /* what came */
    bool interrupted; /* by a signal */
    bool told;        /* that a worker cannot be kept running */
    struct topk_runner *runner;
    bool done;
    bool failed; /* the last one did */
};

enum cli_outcome {
    CLI_OUTCOME_PASSES,
    CLI_OUTCOME_FAILS,
    CLI_OUTCOME_UNKNOWN /* too late, or the worker cannot be kept running */
};

/* What the last case comes to. */
enum cli_outcome cli_sequence_run(struct cli_sequence *sequence);

#endif
