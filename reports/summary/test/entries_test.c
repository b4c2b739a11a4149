/* Entries: what explains the failures of a bug, and what passes say against it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "reference/diagnosis.h"
#include "summary/summary.h"

/* A case of 8 INT8 elements along an axis. A large one is too large to be held against a reading if
 * it passes. */
static void add(struct topk_gathering *gathering, unsigned axis, bool large, unsigned number,
                bool failed, bool explained)
{
    char id[120];
    const topk_reading_set readings = topk_reading_only(TOPK_READING_SIGNEDNESS);
    const struct topk_log_finding finding = {.mismatch = "left-out"};
    snprintf(id, sizeof id, "t:top_k fl=2.1 in=i8[8,%u,8,8] axis=%u k=4 data=uniform.1:%u",
             large ? 9u : 8u, axis, number);
    const struct topk_log_record record = {.number = number,
                                           .id = id,
                                           .verdict =
                                               failed ? TOPK_VERDICT_FAIL : TOPK_VERDICT_PASS,
                                           .clause = failed ? TOPK_CLAUSE_S02 : TOPK_CLAUSE_NONE,
                                           .readings = failed && explained ? readings : 0,
                                           .finding_count = failed,
                                           .findings = &finding,
                                           .has_sequence = failed};
    assert_true(topk_gathering_add(gathering, &record, false));
}

/* What is said of 60 failures along axis 3, every second a large one, as if elements were unsigned;
 * and of passes: large ones and small ones along axis 3, and small ones along axis 0. */
static void learn(bool explained, unsigned large, unsigned small, unsigned other,
                  char condition[TOPK_CONDITION_TEXT], char cause[TOPK_ENTRY_CAUSE])
{
    struct topk_gathering *gathering = topk_gathering_new(NULL);
    struct topk_entries entries;
    unsigned number = 0;
    assert_non_null(gathering);
    for (; number < 60; number++) {
        add(gathering, 3, number % 2 != 0, number, true, explained || number != 30);
    }
    for (unsigned i = 0; i < large + small; i++) {
        add(gathering, 3, i < large, number++, false, false);
    }
    for (unsigned i = 0; i < other; i++) {
        add(gathering, 0, false, number++, false, false);
    }
    assert_true(topk_gathering_learn(gathering, &entries));
    assert_int_equal(entries.count, 1);
    assert_int_equal(entries.list[0].count, 60);
    topk_condition_print(&entries.list[0].bug.condition, condition);
    topk_entry_cause(&entries.list[0], cause);
    topk_entries_free(&entries);
    topk_gathering_free(gathering);
}

#define CAUSE "signed elements are compared as unsigned, or unsigned as signed"

static void a_cause_explains_every_failure(void **state)
{
    char condition[TOPK_CONDITION_TEXT];
    char cause[TOPK_ENTRY_CAUSE];
    (void)state;
    learn(true, 0, 0, 0, condition, cause);
    assert_string_equal(cause, CAUSE);
    learn(false, 0, 0, 0, condition, cause);
    assert_string_equal(cause,
                        "in 59 of 60 cases " CAUSE "; the cause of the other 1 is not known");
}

/* a pass like all failures, which the reading would have made fail */
static void a_pass_contradicts_a_cause(void **state)
{
    char condition[TOPK_CONDITION_TEXT];
    char cause[TOPK_ENTRY_CAUSE];
    (void)state;
    learn(true, 40, 0, 0, condition, cause);
    assert_string_equal(cause, CAUSE);
    learn(true, 40, 1, 0, condition, cause);
    assert_string_equal(cause, "");
}

/* eight passes of 48 save too few bits for a term, and yet the cause is held against them */
static void a_condition_is_narrowed_where_its_cause_is_contradicted(void **state)
{
    char condition[TOPK_CONDITION_TEXT];
    char cause[TOPK_ENTRY_CAUSE];
    (void)state;
    learn(true, 40, 0, 8, condition, cause);
    assert_string_equal(cause, CAUSE);
    assert_string_equal(condition, "axis=last");
    /* of few passes a term may be a chance */
    learn(true, 40, 0, 4, condition, cause);
    assert_string_equal(cause, "");
    assert_string_equal(condition, "");
    /* nor if one more stands against it that is like the failures */
    learn(true, 40, 1, 8, condition, cause);
    assert_string_equal(cause, "");
}

/* More cases than are learned from: evenly taken ones stand for all, and that is said. */
static void many_cases_are_thinned_out(void **state)
{
    struct topk_gathering *gathering = topk_gathering_new(NULL);
    struct topk_entries entries;
    char condition[TOPK_CONDITION_TEXT];
    char sample[TOPK_ENTRIES_SAMPLE];
    unsigned number = 0;
    (void)state;
    assert_non_null(gathering);
    topk_gathering_limit(gathering, 1000);
    for (; number < 1000; number++) {
        add(gathering, number % 4 == 0 ? 3 : 0, false, number, number % 4 == 0, true);
    }
    assert_true(topk_gathering_learn(gathering, &entries)); /* all of them */
    topk_entries_sample(&entries, sample);
    assert_string_equal(sample, "");
    assert_int_equal(entries.list[0].count, 250);
    topk_entries_free(&entries);
    for (; number < 10000; number++) {
        add(gathering, number % 4 == 0 ? 3 : 0, false, number, number % 4 == 0, true);
    }
    assert_true(topk_gathering_learn(gathering, &entries));
    assert_int_equal(entries.failures, 2500);
    assert_int_equal(entries.count, 1);
    assert_true(entries.number_count <= 1000);
    assert_int_equal(entries.list[0].count * entries.every_failure, 2504);
    assert_int_equal(entries.list[0].number, 0);
    topk_condition_print(&entries.list[0].bug.condition, condition);
    assert_string_equal(condition, "axis=last");
    topk_entries_sample(&entries, sample);
    assert_string_equal(sample, "these numbers are of every 8th failure and every 16th other case");
    topk_entries_free(&entries);
    topk_gathering_free(gathering);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cause_explains_every_failure),
        cmocka_unit_test(a_pass_contradicts_a_cause),
        cmocka_unit_test(a_condition_is_narrowed_where_its_cause_is_contradicted),
        cmocka_unit_test(many_cases_are_thinned_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
