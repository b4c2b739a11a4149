/* Runs faults and drills one after another in this process, because Windows has no fork. After a
 * signal trust_host() ends the process. */
#include "apart.h"

#include <stdlib.h>

static void show(const struct trust *trust)
{
    trust_draw(trust, false);
}

int trust_run_apart(struct trust *trust, const char *worker, uint32_t jobs)
{
    atomic_uint counter = 0;
    const size_t all = trust->fault_count + TRUST_DRILLS;
    (void)jobs;
    trust->outcomes = cli_need(calloc(all, sizeof *trust->outcomes));
    trust->sets = cli_need(calloc(all * trust->suite.words, sizeof *trust->sets));
    trust_work(trust, worker, 0, &counter, show);
    trust_draw(trust, true);
    return CLI_CONFORMANT;
}

void trust_free(struct trust *trust)
{
    free(trust->features);
    free(trust->outcomes);
    free(trust->sets);
    trust->features = NULL;
    trust->outcomes = NULL;
    trust->sets = NULL;
}
