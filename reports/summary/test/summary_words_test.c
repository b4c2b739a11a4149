/* The sentence on a run has room for the largest numbers: a buffer of TOPK_SUMMARY_SENTENCE never
 * cuts it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "summary/summary.h"

/* no number that a log may have as a limit is longer as text */
#define LONGEST_LIMIT 1.23456789012345e-308

static const struct topk_early endings[] = {
    {TOPK_EARLY_NOT, 0, 0},
    {TOPK_EARLY_FAIL_FAST, 1, UINT64_MAX},
    {TOPK_EARLY_MAX_CRASHES, LONGEST_LIMIT, UINT64_MAX},
    {TOPK_EARLY_MAX_TIMEOUTS, LONGEST_LIMIT, UINT64_MAX},
    {TOPK_EARLY_TIME_BUDGET, LONGEST_LIMIT, UINT64_MAX},
};

/* a run that ends like this, with the largest numbers */
static struct topk_summary summary_of(enum topk_conformance conformance,
                                      const struct topk_early *early)
{
    struct topk_summary summary = {
        .recorded = UINT64_MAX,
        .selected = UINT64_MAX,
        .failures = UINT64_MAX,
        .tested = {.asked = true, .served = true, .by_status = UINT64_MAX},
        .judge = TOPK_JUDGE_APART,
        .complete = conformance != TOPK_CONFORMANCE_INCOMPLETE,
        .early = *early,
    };
    switch (conformance) {
    case TOPK_CONFORMANCE_FAILED:
        summary.totals[TOPK_VERDICT_FAIL] = UINT64_MAX;
        break;
    case TOPK_CONFORMANCE_UNJUDGED:
        summary.totals[TOPK_VERDICT_HARNESS_ERROR] = UINT64_MAX;
        break;
    case TOPK_CONFORMANCE_UNTESTED:
        summary.tested.served = false;
        summary.totals[TOPK_VERDICT_PASS] = UINT64_MAX / 2;
        summary.totals[TOPK_VERDICT_UNSUPPORTED] = UINT64_MAX / 2;
        break;
    case TOPK_CONFORMANCE_WAIVED:
        /* the sum, modulo 2^64, has as many digits */
        summary.totals[TOPK_VERDICT_PASS] = UINT64_MAX;
        summary.totals[TOPK_VERDICT_UNSUPPORTED] = UINT64_MAX;
        summary.totals[TOPK_VERDICT_EXPECTED_FAIL] = UINT64_MAX;
        break;
    default:
        summary.totals[TOPK_VERDICT_PASS] = UINT64_MAX;
        break;
    }
    return summary;
}

static void no_sentence_is_cut(void **state)
{
    static const enum topk_conformance conformances[] = {
        TOPK_CONFORMANCE_INCOMPLETE, TOPK_CONFORMANCE_FAILED, TOPK_CONFORMANCE_UNJUDGED,
        TOPK_CONFORMANCE_UNTESTED,   TOPK_CONFORMANCE_WAIVED,
    };
    (void)state;
    for (size_t c = 0; c < sizeof conformances / sizeof *conformances; c++) {
        for (size_t e = 0; e < sizeof endings / sizeof *endings; e++) {
            const struct topk_summary summary = summary_of(conformances[c], &endings[e]);
            char roomy[4 * TOPK_SUMMARY_SENTENCE];
            char text[TOPK_SUMMARY_SENTENCE];
            assert_int_equal(topk_summary_conformance(&summary), conformances[c]);
            topk_summary_sentence(&summary, roomy, sizeof roomy);
            topk_summary_sentence(&summary, text, sizeof text);
            assert_string_equal(text, roomy);
        }
    }
}

static void no_reason_to_end_early_is_cut(void **state)
{
    (void)state;
    for (size_t e = 0; e < sizeof endings / sizeof *endings; e++) {
        char roomy[4 * TOPK_EARLY_TEXT];
        char text[TOPK_EARLY_TEXT];
        topk_early_print(&endings[e], roomy, sizeof roomy);
        topk_early_print(&endings[e], text, sizeof text);
        assert_string_equal(text, roomy);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_sentence_is_cut),
        cmocka_unit_test(no_reason_to_end_early_is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
