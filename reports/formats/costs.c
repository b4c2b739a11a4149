/* What the cases of a run took, for `topk-cts run --costs'. */
#include "report.h"

int topk_costs_print(const struct topk_log_source *log, enum topk_junit_mode junit,
                     const struct topk_case_lookup *lookup, FILE *out, char *error,
                     size_t error_bytes)
{
    struct topk_shard_costs costs;
    (void)junit;
    (void)lookup;
    const int status = topk_shard_costs_of(&costs, log, error, error_bytes);
    if (status >= 0) {
        topk_shard_costs_write(out, &costs);
    }
    return status;
}
