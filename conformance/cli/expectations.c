/* What a run says of the expectations that it was given. */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>

#include "run.h"

void cli_run_read_expectations(struct cli_run *run)
{
    const char *path = run->options.expectations;
    char error[1024];
    size_t size = 0;
    if (path == NULL) {
        return;
    }
    run->expectations_text = cli_file_need(path, TOPK_EXPECTATIONS_MOST, &size, CLI_USAGE);
    if (!topk_expectations_parse(&run->expectations, path, run->expectations_text, size, error,
                                 sizeof error)) {
        cli_fail(CLI_USAGE, "%s", error);
    }
}

/* "expectations.txt:3: REASON: fail of ties (owner J. Doe)" */
static void print_rule(const struct cli_run *run, const struct topk_expectation *rule,
                       const char *reason)
{
    printf("  %s:%" PRIu32 ": %s: %s of %s (owner %s)\n", run->options.expectations, rule->line,
           reason, rule->verdict, rule->select, rule->owner);
}

size_t cli_run_print_expectations(const struct cli_run *run)
{
    const struct topk_expectations *expectations = &run->expectations;
    /* what was left out may be what a rule is for */
    bool whole = run->options.selection_count == 0 && run->tally.done == run->cases.count &&
                 run->level >= run->workers.greeting.level;
    size_t others = 0;
    size_t unheld = 0;
    if (run->options.expectations == NULL) {
        return 0;
    }
    printf("expectations: %s, %zu rules; %" PRIu64 " cases failed as expected\n",
           run->options.expectations, expectations->count,
           run->tally.totals[TOPK_VERDICT_EXPECTED_FAIL]);
    for (size_t i = 0; i < expectations->count; i++) {
        const struct topk_expectation *rule = &expectations->rules[i];
        char reason[128];
        others += !rule->applies;
        if (!rule->applies) {
            continue;
        }
        if (rule->expired) {
            snprintf(reason, sizeof reason, "expired on %s", rule->expires);
            print_rule(run, rule, reason);
        }
        if (rule->passed > 0) {
            snprintf(reason, sizeof reason, "%" PRIu64 " of %" PRIu64 " cases passed unexpectedly",
                     rule->passed, rule->cases);
            print_rule(run, rule, reason);
        }
        bool idle = whole && rule->cases == 0;
        if (idle) {
            print_rule(run, rule, "it matches no case");
        }
        unheld += rule->expired || rule->passed > 0 || idle;
    }
    if (others > 0) {
        printf("  %zu rules are for other backends, versions or drivers\n", others);
    }
    return unheld;
}
