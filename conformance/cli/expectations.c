/* Prints how the expectations of a run turned out. */
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
    run->expectations_text = cli_file_need(path, TOPK_EXPECTATIONS_MOST, &size);
    if (!topk_expectations_parse(&run->expectations, path, run->expectations_text, size, error,
                                 sizeof error)) {
        cli_fail(CLI_USAGE, "%s", error);
    }
}

/* "expectations.txt:3: REASON: fail where rank>=5, clause S08 (owner J. Doe)" */
static void print_rule(const struct cli_run *run, const struct topk_expectation *rule,
                       const char *reason)
{
    printf("  %s:%" PRIu32 ": %s: ", run->options.expectations, rule->line, reason);
    topk_expectation_print(stdout, rule);
    printf(" (owner %s)\n", rule->owner);
}

void cli_run_print_nearly(const struct cli_run *run, const char *id,
                          const struct topk_result *result)
{
    struct topk_ended ended;
    char differs[TOPK_DIFFERS_TEXT];
    topk_ended_of(id, result, &ended);
    const struct topk_expectation *nearly = topk_expectations_nearest(&run->expectations, &ended);
    if (nearly != NULL && topk_expectation_differs(nearly, &ended, differs)) {
        printf("  not waived by %s:%" PRIu32 ": %s\n", run->options.expectations, nearly->line,
               differs);
    }
}

/* Prints the outcome of a rule that applies; returns whether the rule holds. */
static bool print_outcome(const struct cli_run *run, const struct topk_expectation *rule,
                          bool whole)
{
    const bool allowed = run->options.gate.gate.allow_expired;
    const bool conditional = rule->condition.count > 0;
    const bool idle = whole && rule->cases == 0;
    const bool stale = whole && topk_expectation_stale(rule);
    const bool passed = !conditional && rule->passed > 0;
    char reason[160];
    if (rule->expired) {
        snprintf(reason, sizeof reason, "expired on %s%s", rule->expires,
                 allowed ? ", which --allow-expired allows" : "");
        print_rule(run, rule, reason);
    }
    if (idle) {
        print_rule(run, rule, "it matches no case");
    } else if (stale) {
        snprintf(reason, sizeof reason,
                 "none of its %" PRIu64 " cases fails as it says, %" PRIu64 " passed", rule->cases,
                 rule->passed);
        print_rule(run, rule, reason);
    } else if (conditional && rule->cases > 0) {
        const int used =
            snprintf(reason, sizeof reason,
                     "%" PRIu64 " of %" PRIu64 " cases failed as it says, %" PRIu64 " passed",
                     rule->failed, rule->cases, rule->passed);
        if (rule->unserved > 0) {
            snprintf(reason + used, sizeof reason - (size_t)used, ", %" PRIu64 " unsupported",
                     rule->unserved);
        }
        print_rule(run, rule, reason);
    } else if (passed) {
        snprintf(reason, sizeof reason, "%" PRIu64 " of %" PRIu64 " cases passed unexpectedly",
                 rule->passed, rule->cases);
        print_rule(run, rule, reason);
    }
    if (rule->others > 0) {
        snprintf(reason, sizeof reason, "%" PRIu64 " cases fail in another way, and are not waived",
                 rule->others);
        print_rule(run, rule, reason);
        if (rule->other != NULL && rule->differs != NULL) {
            printf("    the first: %s: %.200s\n", rule->differs, rule->other);
        }
    }
    return (!rule->expired || allowed) && !idle && !stale && !passed;
}

size_t cli_run_print_expectations(const struct cli_run *run)
{
    const struct topk_expectations *expectations = &run->expectations;
    /* a rule may be for cases that were left out */
    const bool whole = run->options.selection_count == 0 && run->tally.done == run->cases.count &&
                       run->level >= run->workers.greeting.level;
    size_t others = 0;
    size_t unheld = 0;
    if (run->options.expectations == NULL) {
        return 0;
    }
    const uint64_t expected = run->tally.totals[TOPK_VERDICT_EXPECTED_FAIL];
    printf("expectations: %s, %zu rule%s; %" PRIu64 " case%s failed as expected\n",
           run->options.expectations, expectations->count, expectations->count == 1 ? "" : "s",
           expected, expected == 1 ? "" : "s");
    for (size_t i = 0; i < expectations->count; i++) {
        const struct topk_expectation *rule = &expectations->rules[i];
        others += !rule->applies;
        unheld += rule->applies && !print_outcome(run, rule, whole);
    }
    if (others > 0) {
        printf("  %zu rule%s for other backends, versions or drivers\n", others,
               others == 1 ? " is" : "s are");
    }
    return unheld;
}
