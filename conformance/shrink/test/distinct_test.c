/* Distinct failures: which are merged, which example is kept, and the order of the list. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "shrink/distinct.h"
#include "suite/group.h"

static struct topk_result failure_of(enum topk_clause clause, enum topk_mismatch mismatch)
{
    struct topk_result result = {.verdict = TOPK_VERDICT_FAIL, .clause = clause};
    result.judgement.count = 1;
    result.judgement.findings[0].clause = clause;
    result.judgement.findings[0].mismatch = mismatch;
    return result;
}

static void add(struct topk_distinct *distinct, uint64_t number, const char *id,
                const struct topk_result *result)
{
    struct topk_case tc;
    struct topk_case_error error;
    size_t name;
    const char *text;
    topk_case_id_split(id, strlen(id), &name, &text);
    assert_true(topk_case_parse(text, strlen(text), &tc, &error));
    assert_true(topk_distinct_add(distinct, number, id, strlen(id), &tc, result));
    topk_case_clear(&tc);
}

static bool set_shrunk(struct topk_distinct *distinct, size_t entry, const char *text)
{
    struct topk_case tc;
    struct topk_case_error error;
    struct topk_result result = distinct->list[entry].result;
    assert_true(topk_case_parse(text, strlen(text), &tc, &error));
    bool merged = topk_distinct_shrunk(distinct, entry, &tc, &result, true);
    topk_case_clear(&tc);
    return merged;
}

#define TIES_F32  "g.t:top_k fl=3.1 in=f32[4] axis=0 k=2"
#define TIES_F32S "g.t:top_k fl=3.1 in=f32[3] axis=0 k=2"
#define TIES_I32  "g.t:top_k fl=3.1 in=i32[4] axis=0 k=2"
#define NO_TIES   "g.t:top_k fl=3.1 in=f32[4] axis=0 k=2 data=shuffle.1:1"

static void alike_are_counted(void **state)
{
    (void)state;
    struct topk_distinct distinct = {0};
    struct topk_result s08 = failure_of(TOPK_CLAUSE_S08, TOPK_MISMATCH_TIE_ORDER);
    struct topk_result s08_other = failure_of(TOPK_CLAUSE_S08, TOPK_MISMATCH_VALUE_BITS);
    struct topk_result s09 = failure_of(TOPK_CLAUSE_S09, TOPK_MISMATCH_TIE_ORDER);
    for (uint64_t i = 0; i < 1000; i++) {
        add(&distinct, 100 + i, TIES_F32, &s08);
    }
    assert_int_equal(distinct.count, 1);
    add(&distinct, 1, TIES_I32, &s08);
    add(&distinct, 2, NO_TIES, &s08);
    add(&distinct, 3, TIES_F32, &s08_other);
    add(&distinct, 4, TIES_F32, &s09);
    assert_int_equal(distinct.count, 5);
    assert_int_equal(distinct.failures, 1004);
    assert_int_equal(distinct.list[0].count, 1000);
    s08.verdict = TOPK_VERDICT_CRASH;
    add(&distinct, 5, TIES_F32, &s08);
    assert_int_equal(distinct.count, 6);
    topk_distinct_free(&distinct);
}

static void one_cause_is_one_failure(void **state)
{
    (void)state;
    struct topk_distinct distinct = {0};
    struct topk_result one = failure_of(TOPK_CLAUSE_S08, TOPK_MISMATCH_TIE_ORDER);
    struct topk_result other = failure_of(TOPK_CLAUSE_S08, TOPK_MISMATCH_LEFT_OUT);
    one.reading = TOPK_READING_TIES_DESCENDING;
    other.reading = TOPK_READING_TIES_DESCENDING;
    add(&distinct, 1, TIES_F32, &one);
    add(&distinct, 2, TIES_I32, &other);
    assert_int_equal(distinct.count, 1);
    other.reading = TOPK_READING_FLAT_INDEX;
    add(&distinct, 3, TIES_I32, &other);
    assert_int_equal(distinct.count, 2);
    topk_distinct_free(&distinct);
}

static struct topk_result crash_in(const char *module)
{
    struct topk_result result = {.verdict = TOPK_VERDICT_CRASH, .clause = TOPK_CLAUSE_NONE};
    result.crash = (struct topk_crash){.signal = "SIGSEGV", .frame_count = 1};
    snprintf(result.crash.frames[0].module, sizeof result.crash.frames[0].module, "%s", module);
    return result;
}

static void one_place_is_one_crash(void **state)
{
    (void)state;
    struct topk_distinct distinct = {0};
    struct topk_result one = crash_in("one.so");
    struct topk_result other = crash_in("other.so");
    struct topk_result unknown = {.verdict = TOPK_VERDICT_CRASH, .clause = TOPK_CLAUSE_NONE};
    /* whatever the cases have in common */
    add(&distinct, 1, TIES_F32, &one);
    add(&distinct, 2, TIES_I32, &one);
    add(&distinct, 3, NO_TIES, &one);
    assert_int_equal(distinct.count, 1);
    add(&distinct, 4, TIES_F32, &other);
    assert_int_equal(distinct.count, 2);
    /* a crash at an unknown place may be any of them */
    add(&distinct, 5, TIES_F32, &unknown);
    assert_int_equal(distinct.count, 2);
    assert_int_equal(distinct.list[0].count, 4);
    add(&distinct, 6, TIES_I32, &unknown);
    assert_int_equal(distinct.count, 3);
    /* two entries that shrink to the same case with different verdicts stay separate */
    assert_false(set_shrunk(&distinct, 0, "top_k fl=3.1 in=f32[2] axis=0 k=1"));
    assert_false(set_shrunk(&distinct, 1, "top_k fl=3.1 in=f32[2] axis=0 k=1"));
    assert_true(set_shrunk(&distinct, 2, "top_k fl=3.1 in=f32[2] axis=0 k=1"));
    topk_distinct_free(&distinct);
}

static void smallest_example_and_stable_order(void **state)
{
    (void)state;
    static const struct {
        uint64_t number;
        const char *id;
    } cases[] = {{7, TIES_F32}, {3, TIES_I32}, {9, TIES_F32S}, {5, TIES_F32}, {11, TIES_F32S}};
    struct topk_result s08 = failure_of(TOPK_CLAUSE_S08, TOPK_MISMATCH_TIE_ORDER);
    for (size_t turn = 0; turn < 5; turn++) {
        struct topk_distinct distinct = {0};
        for (size_t i = 0; i < 5; i++) {
            add(&distinct, cases[(i + turn) % 5].number, cases[(i + turn) % 5].id, &s08);
        }
        topk_distinct_sort(&distinct);
        assert_int_equal(distinct.count, 2);
        assert_int_equal(distinct.list[0].first, 3);
        assert_int_equal(distinct.list[1].first, 5);
        assert_int_equal(distinct.list[1].count, 4);
        assert_int_equal(distinct.list[1].number, 9);
        assert_string_equal(distinct.list[1].id, TIES_F32S);
        topk_distinct_free(&distinct);
    }
}

static void same_when_shrunk(void **state)
{
    (void)state;
    struct topk_distinct distinct = {0};
    struct topk_result s08 = failure_of(TOPK_CLAUSE_S08, TOPK_MISMATCH_TIE_ORDER);
    struct topk_result s09 = failure_of(TOPK_CLAUSE_S09, TOPK_MISMATCH_TIE_ORDER);
    add(&distinct, 1, TIES_F32, &s08);
    add(&distinct, 2, TIES_F32, &s09);
    add(&distinct, 3, TIES_I32, &s08);
    add(&distinct, 4, NO_TIES, &s08);
    assert_false(set_shrunk(&distinct, 0, "top_k fl=3.1 in=f32[2] axis=0 k=1"));
    assert_false(set_shrunk(&distinct, 1, "top_k fl=3.1 in=f32[2] axis=0 k=1")); /* breaks S09 */
    assert_true(set_shrunk(&distinct, 2, "top_k fl=3.1 in=f32[2] axis=0 k=1"));
    assert_false(set_shrunk(&distinct, 2, "top_k fl=3.1 in=f32[2] axis=0 k=2"));
    assert_int_equal(distinct.count, 3);
    assert_int_equal(distinct.list[0].count, 2);
    assert_string_equal(distinct.list[0].shrunk, "top_k fl=3.1 in=f32[2] axis=0 k=1");
    assert_string_equal(distinct.list[2].shrunk, "top_k fl=3.1 in=f32[2] axis=0 k=2");
    topk_distinct_free(&distinct);
}

/* What is kept of two kinds that shrink to one case: all that was counted, the smaller example, and
 * the result of the shrunk case, which stays. */
static void kinds_that_shrink_to_one_are_merged(void **state)
{
    (void)state;
    struct topk_distinct distinct = {0};
    struct topk_result first = failure_of(TOPK_CLAUSE_S08, TOPK_MISMATCH_TIE_ORDER);
    struct topk_result second = first;
    first.call = 1;
    second.call = 2;
    add(&distinct, 9, TIES_F32, &first);
    for (uint64_t i = 0; i < 3; i++) {
        add(&distinct, 4 + i, "g.t:top_k fl=3.1 in=i32[3] axis=0 k=2", &second);
    }
    assert_int_equal(distinct.count, 2);
    assert_false(set_shrunk(&distinct, 0, "top_k fl=3.1 in=f32[2] axis=0 k=1"));
    assert_true(set_shrunk(&distinct, 1, "top_k fl=3.1 in=f32[2] axis=0 k=1"));
    assert_int_equal(distinct.count, 1);
    assert_int_equal(distinct.list[0].count, 4);
    assert_int_equal(distinct.list[0].first, 4);
    assert_int_equal(distinct.list[0].number, 4);
    assert_int_equal(distinct.list[0].of_count, 2);
    assert_int_equal(distinct.list[0].result.call, 1);
    topk_distinct_free(&distinct);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(alike_are_counted),
        cmocka_unit_test(one_cause_is_one_failure),
        cmocka_unit_test(one_place_is_one_crash),
        cmocka_unit_test(smallest_example_and_stable_order),
        cmocka_unit_test(same_when_shrunk),
        cmocka_unit_test(kinds_that_shrink_to_one_are_merged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
