/* Cases of several calls: each call is had by its number and by itself, what one owns is copied and
 * freed, and data that is an output is the output. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "case/case.h"

static struct topk_case parse(const char *text)
{
    struct topk_case tc;
    struct topk_case_error error;
    if (!topk_case_parse(text, strlen(text), &tc, &error)) {
        fail_msg("%s: column %zu: %s", text, error.column, error.message);
    }
    return tc;
}

static void assert_text(const struct topk_case *tc, const char *text)
{
    char printed[2048];
    assert_true(topk_case_print(tc, printed, sizeof printed) < sizeof printed);
    assert_string_equal(printed, text);
}

#define FIRST                                                                                      \
    "top_k fl=2.0 in=f32[1,1,2,3] axis=2 k=1 data=hex:00000001,00000005,00000003,00000004,"
#define REST   "00000002,00000006"
#define SECOND "top_k1 fl=2.1 in=f32[1,1,1,5] axis=3 k=2 dir=inc data=out:1"
#define THIRD  "top_k fl=2.0 in=f32[1,1,1,2] axis=3 k=1 pad=nan data=out:2"

static void calls_have_numbers(void **state)
{
    (void)state;
    struct topk_case tc = parse(FIRST REST " then " SECOND " then " THIRD);
    assert_int_equal(tc.before_count, 2);
    assert_text(topk_case_call(&tc, 1), FIRST REST);
    assert_text(topk_case_call(&tc, 2), SECOND);
    assert_ptr_equal(topk_case_call(&tc, 3), &tc);
    assert_ptr_equal(topk_case_call(&tc, 0), &tc);
    assert_ptr_equal(topk_case_call(&tc, 4), &tc);
    topk_case_clear(&tc);
}

/* along Axis 2 the greatest of 1 5 3 and 4 2 6 are 4 5 6: these again and again, and their first */
static void an_output_is_data(void **state)
{
    (void)state;
    struct topk_case tc = parse(FIRST REST " then " SECOND " then " THIRD);
    struct topk_case alone;
    assert_true(topk_case_alone(&alone, &tc, 1));
    assert_text(&alone, FIRST REST);
    topk_case_clear(&alone);
    assert_true(topk_case_alone(&alone, &tc, 2));
    assert_text(&alone,
                "top_k1 fl=2.1 in=f32[1,1,1,5] axis=3 k=2 dir=inc data=hex:00000004,00000005,"
                "00000006,00000004,00000005");
    topk_case_clear(&alone);
    assert_true(topk_case_alone(&alone, &tc, 0));
    assert_text(&alone,
                "top_k fl=2.0 in=f32[1,1,1,2] axis=3 k=1 pad=nan data=hex:00000004,00000005");
    topk_case_clear(&alone);
    /* the same bytes as those that the case proper is filled with */
    unsigned char bytes[8] = {0};
    static const uint32_t expected[] = {4, 5};
    assert_true(topk_case_fill(&tc, bytes));
    assert_memory_equal(bytes, expected, sizeof expected);
    topk_case_clear(&tc);
}

static void what_is_not_computed_is_zero(void **state)
{
    (void)state;
    struct topk_case tc = parse("top_k fl=2.0 in=f32[1,1,1,3] axis=3 k=4 data=shuffle.1:1 then "
                                "top_k fl=2.0 in=f32[1,1,1,2] axis=3 k=1 data=out:1");
    struct topk_case alone;
    assert_true(topk_case_alone(&alone, &tc, 2));
    assert_text(&alone, "top_k fl=2.0 in=f32[1,1,1,2] axis=3 k=1 data=hex:00000000,00000000");
    topk_case_clear(&alone);
    topk_case_clear(&tc);
}

static void a_copy_owns_its_calls(void **state)
{
    (void)state;
    static const struct topk_case nothing;
    struct topk_case copy;
    struct topk_case tc = parse(FIRST REST " then " SECOND " then " THIRD);
    assert_true(topk_case_copy(&copy, &tc));
    topk_case_clear(&tc);
    assert_memory_equal(&tc, &nothing, sizeof tc);
    assert_text(&copy, FIRST REST " then " SECOND " then " THIRD);
    topk_case_clear(&copy);
}

static void calls_are_pushed_up_to_their_bound(void **state)
{
    (void)state;
    struct topk_case tc = parse(FIRST REST);
    for (uint32_t i = 1; i < TOPK_CALLS_MAX; i++) {
        assert_true(topk_case_push(&tc));
        assert_int_equal(tc.before_count, i);
        tc.op = tc.before[0].op;
    }
    assert_false(topk_case_push(&tc));
    assert_int_equal(tc.before_count, TOPK_CALLS_MAX - 1);
    size_t length = topk_case_print(&tc, NULL, 0);
    char *text = malloc(length + sizeof " then " THIRD);
    assert_non_null(text);
    topk_case_print(&tc, text, length + 1);
    struct topk_case parsed = parse(text);
    topk_case_clear(&parsed);
    memcpy(text + length, " then " THIRD, sizeof " then " THIRD);
    struct topk_case_error error;
    assert_false(topk_case_parse(text, strlen(text), &parsed, &error));
    assert_int_equal(error.column, length + 1);
    assert_string_equal(error.message, "more than 32 calls");
    free(text);
    topk_case_clear(&tc);
}

static void clauses_are_those_of_all_calls(void **state)
{
    (void)state;
    struct topk_clause_set clauses;
    struct topk_case tc = parse("top_k fl=2.0 in=f32[1,1,1,3] axis=3 k=4 then "
                                "top_k fl=2.0 in=f32[1,1,1,2] axis=3 k=1");
    assert_true(topk_case_clauses(&tc, &clauses));
    assert_true(topk_clause_set_has(&clauses, TOPK_CLAUSE_V03b)); /* of the first */
    assert_true(topk_clause_set_has(&clauses, TOPK_CLAUSE_S09));  /* of the second */
    assert_true(topk_clause_set_has(&clauses, TOPK_CLAUSE_S14));
    topk_case_clear(&tc);
}

static void all_calls_are_counted(void **state)
{
    (void)state;
    static const char text[] = FIRST REST " then " SECOND " then top_k fl=2.0 in=f32[4] axis=0 k=1 "
                                          "check=twin";
    assert_int_equal(topk_check_text_calls(text, strlen(text)), 4);
    assert_int_equal(topk_check_text_calls(THIRD, strlen(THIRD)), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_have_numbers),
        cmocka_unit_test(an_output_is_data),
        cmocka_unit_test(what_is_not_computed_is_zero),
        cmocka_unit_test(a_copy_owns_its_calls),
        cmocka_unit_test(calls_are_pushed_up_to_their_bound),
        cmocka_unit_test(clauses_are_those_of_all_calls),
        cmocka_unit_test(all_calls_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
