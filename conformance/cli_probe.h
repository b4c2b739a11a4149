/* What `topk-cts probe` and `topk-cts run` say of probes. */
#ifndef TOPK_CLI_PROBE_H
#define TOPK_CLI_PROBE_H

#include <stdio.h>

#include "probes.h"

struct cli_probe_tally {
    uint64_t totals[TOPK_PROBE_VERDICT_COUNT];
    uint64_t findings;
};

void cli_probe_count(struct cli_probe_tally *tally, const struct topk_probe *probe);

/* A line: "PROBE violation: denormals.float32.flush, kept: DETAIL". */
void cli_probe_print_finding(FILE *out, const struct topk_probe *probe);

/* A line with all that was observed: "probes: denormals.float32 kept, ...". */
void cli_probe_print_all(FILE *out, const struct topk_probes *probes);

#endif
