/* What a run comes to: who judged decides what its passes are worth, and only one judge can make a
 * run CONFORMANT. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "summary/conformance.h"

static const struct topk_tested served = {.asked = 1, .served = 1};
static const struct topk_tested refusals = {.asked = 1};

static const struct topk_tested crashed = {
    .asked = 1, .served = 1, .ended = {[TOPK_PROCESS_BETWEEN] = 1}};
static const struct topk_tested quit_badly = {
    .asked = 1, .served = 1, .ended = {[TOPK_PROCESS_QUIT] = 1}};
static const struct topk_tested killed = {
    .asked = 1, .served = 1, .ended = {[TOPK_PROCESS_OUTSIDE] = TOPK_GATE_RESTARTS}};
static const struct topk_tested killed_often = {
    .asked = 1, .served = 1, .ended = {[TOPK_PROCESS_OUTSIDE] = TOPK_GATE_RESTARTS + 1}};

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
        /* ends that no case accounts for */
        {2, 0, 0, 0, 0, &crashed, false, false, TOPK_JUDGE_APART, TOPK_CONFORMANCE_UNCLEAN},
        {2, 0, 0, 0, 1, &quit_badly, false, true, TOPK_JUDGE_APART, TOPK_CONFORMANCE_UNCLEAN},
        {2, 1, 0, 0, 0, &crashed, false, false, TOPK_JUDGE_APART, TOPK_CONFORMANCE_FAILED},
        {2, 0, 0, 0, 0, &killed, false, false, TOPK_JUDGE_APART, TOPK_CONFORMANCE_WHOLE},
        {2, 0, 0, 0, 0, &killed_often, false, false, TOPK_JUDGE_APART, TOPK_CONFORMANCE_UNSTEADY},
        {2, 0, 0, 0, 0, &crashed, false, false, TOPK_JUDGE_WORKER, TOPK_CONFORMANCE_UNCLEAN},
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

/* a share that is served: what it is, in words, and what a gate makes of it */
static void the_share_is_rounded_down(void **state)
{
    static const struct {
        uint64_t served, asked, pass, unsupported;
        const char *lead;
    } rows[] = {
        {9, 9, 9, 0, "CONFORMANT"},
        {9999, 10000, 9999, 1, "CONFORMANT in what it supports, 99 % of the valid calls served"},
        {21718, 27623, 3, 1, "CONFORMANT in what it supports, 78 % of the valid calls served"},
        {1, 1000, 3, 1, "SERVES TOO LITTLE, less than 1 % of the valid calls served"},
        {99, 1000, 3, 1, "SERVES TOO LITTLE, 9 % of the valid calls served"},
        {100, 1000, 3, 1, "CONFORMANT in what it supports, 10 % of the valid calls served"},
        {0, 1000, 3, 1, "NOT TESTED"},
        {UINT64_MAX - 1, UINT64_MAX, 3, 1,
         "CONFORMANT in what it supports, 99 % of the valid calls served"},
        /* no case asks for a result */
        {0, 0, 3, 1, "CONFORMANT in what it supports, 75 % of the cases served"},
        {0, 0, 1, 19, "SERVES TOO LITTLE, 5 % of the cases served"},
    };
    const struct topk_gate gate = {.least = 10};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const uint64_t totals[TOPK_VERDICT_COUNT] = {
            [TOPK_VERDICT_PASS] = rows[i].pass, [TOPK_VERDICT_UNSUPPORTED] = rows[i].unsupported};
        const struct topk_tested tested = {.asked = rows[i].asked, .served = rows[i].served};
        const struct topk_standing standing = {.totals = totals,
                                               .tested = &tested,
                                               .judge = TOPK_JUDGE_APART,
                                               .complete = true,
                                               .whole = true,
                                               .gate = &gate};
        char lead[TOPK_LEAD_TEXT];
        topk_conformance_lead(topk_conformance_of(&standing), &standing, lead, sizeof lead);
        assert_string_equal(lead, rows[i].lead);
    }
}

/* what a gate asks for comes before who judged, what is waived, and whether anything was tested */
static void a_gate_is_heard(void **state)
{
    static const struct topk_gate most = {.given = true, .least = 90};
    static const struct topk_gate words = {.given = true, .count = 2, .words = {"f16", "i8"}};
    static const struct topk_gate late = {.expired = 1};
    static const struct topk_gate all = {
        .given = true, .expired = 2, .count = 1, .words = {"f16"}, .least = 90};
    static const struct {
        const struct topk_gate *gate;
        struct topk_required f16, i8;
        uint64_t served;
        enum topk_conformance conformance;
        const char *sentence;
    } rows[] = {
        {NULL, {0, 0}, {0, 0}, 1, TOPK_CONFORMANCE_WAIVED, ""},
        {&late,
         {0, 0},
         {0, 0},
         1,
         TOPK_CONFORMANCE_EXPIRED,
         "1 rule of the expectations is expired"},
        {&late,
         {0, 0},
         {0, 0},
         0,
         TOPK_CONFORMANCE_EXPIRED,
         "1 rule of the expectations is expired"},
        {&all,
         {7, 1},
         {0, 0},
         1,
         TOPK_CONFORMANCE_EXPIRED,
         "2 rules of the expectations are expired; f16 is required, and 1 of its 7 cases are not "
         "served; --min-supported is 90 %"},
        {&most, {0, 0}, {0, 0}, 89, TOPK_CONFORMANCE_TOO_LITTLE, "--min-supported is 90 %"},
        {&most, {0, 0}, {0, 0}, 0, TOPK_CONFORMANCE_TOO_LITTLE, "--min-supported is 90 %"},
        {&most, {0, 0}, {0, 0}, 90, TOPK_CONFORMANCE_WAIVED, ""},
        {&words, {7, 0}, {1, 0}, 1, TOPK_CONFORMANCE_WAIVED, ""},
        {&words,
         {7, 1},
         {1, 0},
         1,
         TOPK_CONFORMANCE_LACKING,
         "f16 is required, and 1 of its 7 cases are not served"},
        {&words,
         {7, 0},
         {0, 0},
         1,
         TOPK_CONFORMANCE_LACKING,
         "i8 is required, and no case asks for it"},
        {&words,
         {7, 7},
         {0, 0},
         0,
         TOPK_CONFORMANCE_LACKING,
         "f16 is required, and 7 of its 7 cases are not served; i8 is required, and no case asks "
         "for it"},
    };
    uint64_t totals[TOPK_VERDICT_COUNT] = {
        [TOPK_VERDICT_PASS] = 3, [TOPK_VERDICT_UNSUPPORTED] = 1, [TOPK_VERDICT_EXPECTED_FAIL] = 1};
    char text[TOPK_SENTENCE_TEXT];
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct topk_tested tested = {
            .asked = 100, .served = rows[i].served, .required = {rows[i].f16, rows[i].i8}};
        struct topk_standing standing = {.totals = totals,
                                         .tested = &tested,
                                         .judge = TOPK_JUDGE_APART,
                                         .complete = true,
                                         .gate = rows[i].gate};
        assert_int_equal(topk_conformance_of(&standing), rows[i].conformance);
        topk_gate_sentence(rows[i].gate, &tested, totals, text, sizeof text);
        assert_string_equal(text, rows[i].sentence);
        topk_passed_sentence(&standing, text, sizeof text);
        assert_memory_equal(text, rows[i].sentence, strlen(rows[i].sentence));
        assert_non_null(strstr(text, "3 passed"));
        standing.judge = TOPK_JUDGE_WORKER;
        assert_int_equal(topk_conformance_of(&standing), rows[i].sentence[0] == 0
                                                             ? TOPK_CONFORMANCE_BY_WORKER
                                                             : rows[i].conformance);
    }
}

/* A rule that applies and is expired counts, unless options allow it. */
static void expired_rules_are_found_in_the_header(void **state)
{
    static const struct {
        const char *backend, *started;
        bool allow;
        uint32_t format, shards;
        size_t expired;
    } rows[] = {
        {"reference", "2026-06-30T23:59:59Z", false, TOPK_LOG_FORMAT, 0, 0},
        {"reference", "2026-07-01T00:00:00Z", false, TOPK_LOG_FORMAT, 0, 1},
        {"reference", "2027-07-01T00:00:00Z", false, TOPK_LOG_FORMAT, 0, 2},
        {"reference", "2027-07-01T00:00:00Z", false, TOPK_LOG_FORMAT, 3, 2},
        {"reference", "2027-07-01T00:00:00Z", true, TOPK_LOG_FORMAT, 0, 0},
        {"another", "2027-07-01T00:00:00Z", false, TOPK_LOG_FORMAT, 0, 0},
        /* expired rules let pass when such logs were written */
        {"reference", "2027-07-01T00:00:00Z", false, 1, 0, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct topk_log_header header = {.selection_count = 1};
        struct topk_gate gate;
        header.expectations =
            "verdict=fail select=a backend=reference owner=o reason=r expires=2026-06-30\n"
            "verdict=fail select=b backend=reference owner=o reason=r expires=2026-12-31\n";
        header.backend.name = rows[i].backend;
        header.started = rows[i].started;
        header.format = rows[i].format;
        header.shards = rows[i].shards;
        header.gate.allow_expired = rows[i].allow;
        topk_gate_take(&gate, &header, NULL);
        assert_int_equal(gate.expired, rows[i].expired);
        assert_true(topk_gate_lasts(&gate) == (rows[i].expired == 0));
    }
    char text[TOPK_GATE_TEXT];
    const struct topk_log_gate gate = {.has_least = true, .least = 5, .allow_expired = true};
    topk_gate_print(&gate, text, sizeof text);
    assert_string_equal(text, "--min-supported 5 --allow-expired");
}

/* words are named as far as there is room */
static void many_words_are_counted(void **state)
{
    const uint64_t totals[TOPK_VERDICT_COUNT] = {[TOPK_VERDICT_PASS] = 1};
    const struct topk_tested tested = {0};
    struct topk_gate gate = {.given = true, .count = TOPK_REQUIRE_MAX};
    char text[TOPK_SENTENCE_TEXT];
    (void)state;
    for (size_t i = 0; i < gate.count; i++) {
        memset(gate.words[i], 'w', TOPK_REQUIRE_TEXT - 1);
    }
    topk_gate_sentence(&gate, &tested, totals, text, sizeof text);
    assert_non_null(strstr(text, "; 28 more are not served either"));
    for (size_t size = 1; size < 80; size++) {
        memset(text, 'x', sizeof text);
        topk_gate_sentence(&gate, &tested, totals, text, size);
        assert_int_equal(strlen(text), size - 1);
    }
}

/* what may be refused is not served, and lacks nothing */
static void what_may_be_refused_lacks_nothing(void **state)
{
    const struct topk_gate gate = {.given = true, .count = 1};
    struct topk_tested tested = {0};
    (void)state;
    topk_tested_add(&tested, &gate, 3, TOPK_VERDICT_UNSUPPORTED, TOPK_CLAUSE_V03, false, false);
    topk_tested_add(&tested, &gate, 3, TOPK_VERDICT_UNSUPPORTED, TOPK_CLAUSE_T13, false, false);
    topk_tested_add(&tested, &gate, 3, TOPK_VERDICT_EXPECTED_FAIL, TOPK_CLAUSE_S08, false, false);
    topk_tested_add(&tested, &gate, 1, TOPK_VERDICT_UNSUPPORTED, TOPK_CLAUSE_NONE, false, false);
    topk_tested_add(&tested, &gate, 0, TOPK_VERDICT_UNSUPPORTED, TOPK_CLAUSE_V01, false, false);
    assert_int_equal(tested.asked, 4);
    assert_int_equal(tested.served, 1);
    assert_int_equal(tested.required[0].cases, 3);
    assert_int_equal(tested.required[0].lacking, 0);
    topk_tested_add(&tested, &gate, 3, TOPK_VERDICT_UNSUPPORTED, TOPK_CLAUSE_NONE, false, false);
    assert_int_equal(tested.required[0].lacking, 1);
}

static void numbers_are_put_into_words(void **state)
{
    uint64_t totals[TOPK_VERDICT_COUNT] = {[TOPK_VERDICT_PASS] = 9};
    struct topk_tested tested = served;
    const struct topk_standing standing = {.totals = totals, .tested = &tested};
    char text[TOPK_SENTENCE_TEXT];
    (void)state;
    topk_passed_sentence(&standing, text, sizeof text);
    assert_string_equal(text, "9 passed, 0 failed, 0 unsupported");
    tested.by_status = 3;
    totals[TOPK_VERDICT_UNSUPPORTED] = 2;
    totals[TOPK_VERDICT_EXPECTED_FAIL] = 1;
    topk_passed_sentence(&standing, text, sizeof text);
    assert_string_equal(
        text, "9 passed (3 by status alone), 0 failed, 1 failed as expected, 2 unsupported");
    /* the longest has room */
    for (int i = 0; i < TOPK_VERDICT_COUNT; i++) {
        totals[i] = UINT64_MAX;
    }
    tested.by_status = UINT64_MAX;
    topk_passed_sentence(&standing, text, sizeof text);
    assert_non_null(strstr(text, " unsupported"));
    /* and a shorter room is not left */
    char little[30];
    for (size_t size = 1; size < sizeof little; size++) {
        memset(little, 'x', sizeof little);
        topk_passed_sentence(&standing, little, size);
        assert_int_equal(strlen(little), size - 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_that_holds),
        cmocka_unit_test(only_one_judge_is_believed),
        cmocka_unit_test(the_share_is_rounded_down),
        cmocka_unit_test(a_gate_is_heard),
        cmocka_unit_test(expired_rules_are_found_in_the_header),
        cmocka_unit_test(many_words_are_counted),
        cmocka_unit_test(what_may_be_refused_lacks_nothing),
        cmocka_unit_test(numbers_are_put_into_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
