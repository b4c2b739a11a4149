/* Has the probes of a backend run by a worker: docs/protocol.md, `probes` and `probe N`. */
#ifndef TOPK_PROBES_H
#define TOPK_PROBES_H

#include "reference/probe.h"
#include "runner.h"

struct topk_probes {
    uint32_t count;
    struct topk_probe
        list[TOPK_PROBES_MAX]; /* verdict is TOPK_PROBE_VERDICT_COUNT until it is run */
};

/* Asks for the names, in the order of their numbers; *probes is overwritten. There are none if the
 * backend has none. If the worker ends before it answers, there is one named "probes" that tells
 * how. The status is that of topk_runner_run(). */
enum topk_runner_status topk_probes_list(struct topk_runner *runner,
                                         const struct topk_greeting *greeting,
                                         struct topk_probes *probes, char error[TOPK_RUNNER_ERROR]);

/* What is called with each probe once it was run. False ends the run: TOPK_RUNNER_STOPPED. */
typedef bool topk_probes_take(void *context, const struct topk_probe *probe);

/* Runs those that have no verdict yet. One that ends its worker is `crashed` or `hung`. */
enum topk_runner_status topk_probes_run(struct topk_runner *runner, struct topk_probes *probes,
                                        topk_probes_take *take, void *context,
                                        char error[TOPK_RUNNER_ERROR]);

#endif
