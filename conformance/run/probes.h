/* Runs the probes of a backend in a worker: `probes` and `probe N` of docs/protocol.md. */
#ifndef TOPK_PROBES_H
#define TOPK_PROBES_H

#include "reference/probe.h"
#include "runner.h"

struct topk_probes {
    uint32_t count;
    struct topk_probe
        list[TOPK_PROBES_MAX]; /* verdict is TOPK_PROBE_VERDICT_COUNT until the probe has run */
};

/* Gets the names of the probes, in the order of their numbers, into *probes. A backend may have
 * none. If the worker ends before it answers, the list has one probe named "probes" that says how
 * it ended. Returns the status of topk_runner_run(). */
enum topk_runner_status topk_probes_list(struct topk_runner *runner,
                                         const struct topk_greeting *greeting,
                                         struct topk_probes *probes, char error[TOPK_RUNNER_ERROR]);

/* Receives each probe after it has run. False ends the run with TOPK_RUNNER_STOPPED. */
typedef bool topk_probes_take(void *context, const struct topk_probe *probe);

/* Runs the probes without a verdict. A probe that ends its worker becomes `crashed` or `hung`. */
enum topk_runner_status topk_probes_run(struct topk_runner *runner, struct topk_probes *probes,
                                        topk_probes_take *take, void *context,
                                        char error[TOPK_RUNNER_ERROR]);

#endif
