/* Shrinking with a runner: candidates run in its workers, which may crash and hang over them.
 *
 * A candidate fails like the case if it has the same verdict, and the same clause is named first.
 * If one cause explains the case's outputs (readings.def), it has to be the first that explains the
 * candidate's too; of the others those stay that explain both. What is no guess stays none.
 * If none does, the candidate may have one, as long as the clause is among what the judge found:
 * small results are easier to explain.
 *
 * A candidate crashes like the case if it does so at the same place, as far as both have told it.
 */
#ifndef TOPK_RUNNER_SHRINK_H
#define TOPK_RUNNER_SHRINK_H

#include "run/runner.h"
#include "shrink.h"

/* Candidates that may run into the time limit, if nothing else is asked for. */
#define TOPK_SHRINK_TIMEOUTS 40u
/* Runs of each candidate of a failure that does not come every time. */
#define TOPK_SHRINK_TRIES 16u
/* Seconds that a candidate of a case that hangs gets at most. */
#define TOPK_SHRINK_TIMEOUT 2.0

struct topk_runner_shrink_options {
    uint64_t max_runs;     /* candidates; 0: TOPK_SHRINK_RUNS */
    uint32_t max_timeouts; /* of them; 0: TOPK_SHRINK_TIMEOUTS */
    double timeout;        /* the runner's own, seconds that a call may take */
    /* Told of the original result before shrinking; may be NULL. */
    void (*original)(void *context, const struct topk_result *result);
    /* Told how far it is, now and then; may be NULL. elements: of the input as it is now. */
    void (*progress)(void *context, uint64_t runs, uint64_t elements);
    void *context;
};

enum topk_shrunk_status {
    TOPK_SHRUNK_MINIMAL,     /* no step of the shrinker has a lighter case that fails */
    TOPK_SHRUNK_BOUND,       /* max_runs or max_timeouts is reached: it might become smaller */
    TOPK_SHRUNK_INTERRUPTED, /* by a signal: likewise */
    TOPK_SHRUNK_PASSES,      /* the case did not fail: there is nothing to shrink */
    TOPK_SHRUNK_FLAKY, /* it failed, but what it was shrunk to did not fail again in any try */
    TOPK_SHRUNK_FAILED /* the workers cannot be kept running, or memory is short: see runner */
};

struct topk_shrunk {
    enum topk_shrunk_status status;
    enum topk_runner_status runner; /* of FAILED and INTERRUPTED */
    uint64_t runs;
    uint32_t tries;              /* of each candidate: more than 1 if it does not always fail */
    uint32_t timeouts;           /* of them, and of the case itself */
    struct topk_result original; /* of the case as it was given */
    struct topk_result result;   /* of the shrunk case; the original's if nothing was shrunk */
    char error[TOPK_RUNNER_ERROR];
};

/* Runs *tc and, if it fails, shrinks it: *tc becomes the shrunk case, what it is so far if that
 * ends early. The runner must have no job. */
void topk_runner_shrink(struct topk_runner *runner, struct topk_case *tc,
                        const struct topk_runner_shrink_options *options,
                        struct topk_shrunk *shrunk);

#endif
