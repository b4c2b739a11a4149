/* Shrinks a case with a runner. Candidates run in its workers, which may crash or hang.
 *
 * A candidate fails like the case if it has the same verdict and the same first clause. If a known
 * cause explains the case's outputs (readings.def), the first cause of the candidate must be the
 * same; of the other possible causes, only those stay that explain both. A cause that is certain
 * stays certain. If no cause explains the case, one may explain the candidate, as long as the judge
 * found the clause in it: small results are easier to explain.
 *
 * A candidate crashes like the case if it crashes at the same place, as far as both places are
 * known.
 */
#ifndef TOPK_RUNNER_SHRINK_H
#define TOPK_RUNNER_SHRINK_H

#include "run/runner.h"
#include "shrink.h"

/* Default limit for candidates that time out. */
#define TOPK_SHRINK_TIMEOUTS 40u
/* Runs of each candidate if the failure is flaky. */
#define TOPK_SHRINK_TRIES 16u
/* Greatest time limit for a candidate of a case that hangs, in seconds. */
#define TOPK_SHRINK_TIMEOUT 2.0

struct topk_runner_shrink_options {
    uint64_t max_runs;     /* greatest number of candidates; 0: TOPK_SHRINK_RUNS */
    uint32_t max_timeouts; /* how many of them may time out; 0: TOPK_SHRINK_TIMEOUTS */
    double timeout;        /* the runner's time limit for a call, in seconds */
    /* Receives the original result before shrinking; may be NULL. */
    void (*original)(void *context, const struct topk_result *result);
    /* Called now and then; may be NULL. elements: of the current case's input. */
    void (*progress)(void *context, uint64_t runs, uint64_t elements);
    void *context;
};

enum topk_shrunk_status {
    TOPK_SHRUNK_MINIMAL,     /* no step finds a lighter case that fails */
    TOPK_SHRUNK_BOUND,       /* max_runs or max_timeouts was reached; a smaller case may exist */
    TOPK_SHRUNK_INTERRUPTED, /* by a signal; a smaller case may exist */
    TOPK_SHRUNK_PASSES,      /* the case did not fail, so there is nothing to shrink */
    TOPK_SHRUNK_FLAKY, /* the case failed, but the shrunk case did not fail again in any run */
    TOPK_SHRUNK_FAILED /* workers could not be kept running, or memory is short: see runner */
};

struct topk_shrunk {
    enum topk_shrunk_status status;
    enum topk_runner_status runner; /* for FAILED and INTERRUPTED */
    uint64_t runs;
    uint32_t tries;              /* runs of each candidate; above 1 if the failure is flaky */
    uint32_t timeouts;           /* runs that timed out, including those of the case itself */
    struct topk_result original; /* of the original case */
    struct topk_result result;   /* of the shrunk case; the original's if nothing was shrunk */
    char error[TOPK_RUNNER_ERROR];
};

/* Runs *tc and, if it fails, shrinks it: *tc becomes the shrunk case, or the smallest so far if
 * shrinking ends early. The runner must not be running a job. */
void topk_runner_shrink(struct topk_runner *runner, struct topk_case *tc,
                        const struct topk_runner_shrink_options *options,
                        struct topk_shrunk *shrunk);

#endif
