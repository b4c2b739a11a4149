/* Classes of sizes; cases over n and K, and their times, beside those of an earlier run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "summary/sizes.h"

static void classes_are_powers_of_two_and_what_lies_between(void **state)
{
    static const struct {
        uint32_t from, to;
    } ranges[] = {{1, 1},
                  {2, 2},
                  {3, 3},
                  {4, 4},
                  {5, 7},
                  {8, 8},
                  {9, 15},
                  {1024, 1024},
                  {1025, 2047},
                  {1u << 31, 1u << 31},
                  {(1u << 31) + 1, UINT32_MAX}};
    (void)state;
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        uint32_t range[2];
        const unsigned class = topk_size_class(ranges[i].from);
        assert_in_range(class, 0, TOPK_SIZE_CLASSES - 1);
        assert_int_not_equal(class, TOPK_SIZE_NONE);
        assert_int_equal(topk_size_class(ranges[i].to), class);
        topk_size_range(class, range);
        assert_int_equal(range[0], ranges[i].from);
        assert_int_equal(range[1], ranges[i].to);
    }
    assert_int_equal(topk_size_class(0), TOPK_SIZE_NONE);
}

/* a case of n = 8 in a run, and what it took there */
static bool add(struct topk_sizes *sizes, const char *id, enum topk_verdict verdict, bool by_status,
                uint64_t took, struct topk_earlier *earlier)
{
    const struct topk_log_record record = {
        .id = id, .verdict = verdict, .by_status = by_status, .nanoseconds = took};
    return topk_sizes_add(sizes, 8, 3, &record, earlier);
}

static void cases_are_counted_by_both_sizes(void **state)
{
    static struct topk_sizes sizes;
    const struct topk_size_cell *cell = &sizes.cells[topk_size_class(8)][topk_size_class(3)];
    const struct topk_log_record record = {.id = "a", .verdict = TOPK_VERDICT_FAIL};
    (void)state;
    assert_true(add(&sizes, "a", TOPK_VERDICT_PASS, false, 1, NULL));
    assert_true(add(&sizes, "b", TOPK_VERDICT_FAIL, false, 1, NULL));
    assert_true(add(&sizes, "c", TOPK_VERDICT_CRASH, false, 1, NULL));
    assert_true(add(&sizes, "d", TOPK_VERDICT_UNSUPPORTED, false, 1, NULL));
    assert_true(topk_sizes_add(&sizes, 0, 0, &record, NULL)); /* a call without sizes */
    assert_int_equal(cell->cases, 4);
    assert_int_equal(cell->failures, 2);
    assert_int_equal(cell->unsupported, 1);
    json_t *json = topk_sizes_json(&sizes);
    assert_int_equal(json_array_size(json), 1);
    json_decref(json);
    topk_sizes_free(&sizes);
}

/* the earlier run: a took 10, b 20, c 30; d failed, e passed by a status alone */
static void make_earlier(struct topk_earlier *earlier)
{
    static const struct {
        const char *id;
        struct topk_outcome outcome;
    } cases[] = {
        {"a", {.verdict = TOPK_VERDICT_PASS, .nanoseconds = 10}},
        {"b", {.verdict = TOPK_VERDICT_PASS, .nanoseconds = 20}},
        {"c", {.verdict = TOPK_VERDICT_PASS, .nanoseconds = 30}},
        {"d", {.verdict = TOPK_VERDICT_FAIL, .nanoseconds = 99}},
        {"e", {.verdict = TOPK_VERDICT_PASS, .by_status = true, .nanoseconds = 1}},
    };
    const size_t count = sizeof cases / sizeof cases[0];
    memset(earlier, 0, sizeof *earlier);
    earlier->run.outcomes = calloc(count, sizeof *earlier->run.outcomes);
    assert_non_null(earlier->run.outcomes);
    earlier->run.outcome_count = count;
    for (size_t i = 0; i < count; i++) {
        uint32_t number;
        assert_true(topk_ids_number(&earlier->ids, cases[i].id, &number));
        earlier->run.outcomes[number] = cases[i].outcome;
    }
}

static void times_are_medians_of_what_passed_with_a_result(void **state)
{
    static struct topk_sizes sizes;
    struct topk_size_times times[TOPK_SIZE_CLASSES];
    struct topk_earlier earlier;
    (void)state;
    make_earlier(&earlier);
    assert_true(add(&sizes, "c", TOPK_VERDICT_PASS, false, 30, &earlier));
    assert_true(add(&sizes, "a", TOPK_VERDICT_PASS, false, 40, &earlier));
    assert_true(add(&sizes, "b", TOPK_VERDICT_PASS, false, 50, &earlier));
    assert_true(add(&sizes, "d", TOPK_VERDICT_PASS, false, 900, &earlier));
    assert_true(add(&sizes, "e", TOPK_VERDICT_PASS, false, 1000, &earlier));
    assert_true(add(&sizes, "f", TOPK_VERDICT_PASS, true, 1, &earlier));
    assert_true(add(&sizes, "g", TOPK_VERDICT_FAIL, false, 2, &earlier));
    assert_true(topk_sizes_times(&sizes, times));
    const struct topk_size_times *of = &times[topk_size_class(8)];
    assert_int_equal(of->cases, 5);
    assert_true(of->took == 50);
    assert_int_equal(of->both, 3); /* a, b, c */
    assert_true(of->before == 20);
    assert_true(of->after == 40);
    assert_true(of->ratio == 2.5); /* of 4, 2.5, 1 */
    assert_int_equal(times[0].cases, 0);
    topk_sizes_free(&sizes);
    topk_run_free(&earlier.run);
    topk_ids_free(&earlier.ids);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classes_are_powers_of_two_and_what_lies_between),
        cmocka_unit_test(cases_are_counted_by_both_sizes),
        cmocka_unit_test(times_are_medians_of_what_passed_with_a_result),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
