/* The times of the cases of a run, for `topk-cts run --costs'. */
#include "report.h"

#include <stdio.h>
#include <stdlib.h>

int topk_costs_print(const struct topk_log_source *log, enum topk_junit_mode junit,
                     const struct topk_case_lookup *lookup, FILE *out, char *error,
                     size_t error_bytes)
{
    struct topk_shard_costs *costs = malloc(sizeof *costs); /* too large for a small stack */
    int status = -1;
    (void)junit;
    (void)lookup;
    if (costs == NULL) {
        snprintf(error, error_bytes, "cannot make a report of %s: out of memory", log->path);
    } else {
        status = topk_shard_costs_of(costs, log, error, error_bytes);
    }
    if (status >= 0) {
        topk_shard_costs_write(out, costs);
    }
    free(costs);
    return status;
}
