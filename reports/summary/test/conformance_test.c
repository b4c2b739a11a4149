/* What a run comes to: who judged decides what its passes are worth, and only one judge can make a
 * run CONFORMANT. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "summary/conformance.h"

static const struct topk_tested served = {.asked = true, .served = true};
static const struct topk_tested refusals = {.asked = true};

static void the_first_that_holds(void **state)
{
    static const struct {
        uint64_t pass, fail, unsupported, harness, waived;
        const struct topk_tested *tested;
        bool incomplete, part;
        enum topk_judge judge;
        enum topk_conformance conformance;
    } rows[] = {
        {2, 0, 0, 0, 0, &served, false, false, TOPK_JUDGE_APART, TOPK_CONFORMANCE_WHOLE},
        {2, 0, 1, 0, 0, &served, false, false, TOPK_JUDGE_APART, TOPK_CONFORMANCE_PARTLY},
        {2, 0, 1, 0, 0, &served, false, true, TOPK_JUDGE_APART, TOPK_CONFORMANCE_PASSED},
        {2, 0, 0, 0, 1, &served, false, false, TOPK_JUDGE_APART, TOPK_CONFORMANCE_WAIVED},
        /* refusals alone show nothing */
        {2, 0, 1, 0, 0, &refusals, false, false, TOPK_JUDGE_APART, TOPK_CONFORMANCE_UNTESTED},
        {0, 0, 1, 0, 0, &served, false, false, TOPK_JUDGE_APART, TOPK_CONFORMANCE_UNTESTED},
        {2, 0, 0, 1, 0, &served, false, false, TOPK_JUDGE_APART, TOPK_CONFORMANCE_UNJUDGED},
        {2, 1, 0, 1, 1, &refusals, false, false, TOPK_JUDGE_APART, TOPK_CONFORMANCE_FAILED},
        {2, 1, 0, 0, 0, &served, true, false, TOPK_JUDGE_APART, TOPK_CONFORMANCE_INCOMPLETE},
        {0, 0, 0, 0, 0, &served, false, false, TOPK_JUDGE_APART, TOPK_CONFORMANCE_INCOMPLETE},
        /* the word of others */
        {2, 0, 0, 0, 0, &served, false, false, TOPK_JUDGE_WORKER, TOPK_CONFORMANCE_BY_WORKER},
        {2, 0, 1, 0, 1, &served, false, true, TOPK_JUDGE_WORKER, TOPK_CONFORMANCE_BY_WORKER},
        {2, 0, 0, 0, 0, &served, false, false, TOPK_JUDGE_IN_PROCESS, TOPK_CONFORMANCE_IN_PROCESS},
        {2, 0, 0, 0, 0, &served, false, false, TOPK_JUDGE_UNKNOWN, TOPK_CONFORMANCE_UNKNOWN_JUDGE},
        /* which is as good as any where it is no praise */
        {2, 1, 0, 0, 0, &served, false, false, TOPK_JUDGE_WORKER, TOPK_CONFORMANCE_FAILED},
        {2, 0, 1, 0, 0, &refusals, false, false, TOPK_JUDGE_WORKER, TOPK_CONFORMANCE_UNTESTED},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const uint64_t totals[TOPK_VERDICT_COUNT] = {
            [TOPK_VERDICT_PASS] = rows[i].pass,
            [TOPK_VERDICT_FAIL] = rows[i].fail,
            [TOPK_VERDICT_UNSUPPORTED] = rows[i].unsupported,
            [TOPK_VERDICT_HARNESS_ERROR] = rows[i].harness,
            [TOPK_VERDICT_EXPECTED_FAIL] = rows[i].waived,
        };
        const struct topk_standing standing = {.totals = totals,
                                               .tested = rows[i].tested,
                                               .judge = rows[i].judge,
                                               .complete = !rows[i].incomplete,
                                               .whole = !rows[i].part};
        if (topk_conformance_of(&standing) != rows[i].conformance) {
            fail_msg("row %zu: %s", i, topk_conformance_words(topk_conformance_of(&standing)));
        }
    }
}

/* whatever the counts are */
static void only_one_judge_is_believed(void **state)
{
    (void)state;
    for (int judge = 0; judge < TOPK_JUDGE_COUNT; judge++) {
        for (unsigned bits = 0; bits < 1u << TOPK_VERDICT_COUNT; bits++) {
            uint64_t totals[TOPK_VERDICT_COUNT];
            for (int i = 0; i < TOPK_VERDICT_COUNT; i++) {
                totals[i] = bits >> i & 1;
            }
            for (int parts = 0; parts < 8; parts++) {
                const struct topk_standing standing = {
                    .totals = totals,
                    .tested = (parts & 1) != 0 ? &served : &refusals,
                    .judge = (enum topk_judge)judge,
                    .complete = (parts & 2) != 0,
                    .whole = (parts & 4) != 0,
                };
                const enum topk_conformance conformance = topk_conformance_of(&standing);
                if (judge != TOPK_JUDGE_APART) {
                    assert_false(topk_conformance_good(conformance));
                    assert_int_not_equal(
                        strncmp(topk_conformance_words(conformance), "CONFORMANT", 10), 0);
                    assert_null(strstr(topk_conformance_sentence(conformance), "conforms"));
                }
            }
        }
    }
}

static void numbers_are_put_into_words(void **state)
{
    uint64_t totals[TOPK_VERDICT_COUNT] = {[TOPK_VERDICT_PASS] = 9};
    struct topk_tested tested = served;
    char text[TOPK_SENTENCE_TEXT];
    (void)state;
    topk_passed_sentence(totals, &tested, text, sizeof text);
    assert_string_equal(text, "9 passed, 0 failed, 0 unsupported");
    tested.by_status = 3;
    totals[TOPK_VERDICT_UNSUPPORTED] = 2;
    totals[TOPK_VERDICT_EXPECTED_FAIL] = 1;
    topk_passed_sentence(totals, &tested, text, sizeof text);
    assert_string_equal(
        text, "9 passed (3 by status alone), 0 failed, 1 failed as expected, 2 unsupported");
    /* the longest has room */
    for (int i = 0; i < TOPK_VERDICT_COUNT; i++) {
        totals[i] = UINT64_MAX;
    }
    tested.by_status = UINT64_MAX;
    topk_passed_sentence(totals, &tested, text, sizeof text);
    assert_non_null(strstr(text, " unsupported"));
    /* and a shorter room is not left */
    char little[30];
    for (size_t size = 1; size < sizeof little; size++) {
        memset(little, 'x', sizeof little);
        topk_passed_sentence(totals, &tested, little, size);
        assert_int_equal(strlen(little), size - 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_that_holds),
        cmocka_unit_test(only_one_judge_is_believed),
        cmocka_unit_test(numbers_are_put_into_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
