/* The shrinker with synthetic failures: functions that decide which cases fail. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "reference/element.h"
#include "shrink/shrink.h"

/* a failure, and a record of the shrinker's questions */
struct failure {
    bool (*fails)(const struct topk_case *tc);
    uint64_t max_runs;
    uint64_t stop_after; /* calls of fails(); 0: never */
    uint64_t calls;
    uint64_t asked;  /* candidates */
    uint64_t digest; /* of all candidates, in order */
    uint64_t told;   /* number of successes */
};

static bool ask(void *context, const struct topk_case *const candidates[], uint32_t count,
                uint32_t *first)
{
    struct failure *failure = context;
    failure->calls++;
    failure->asked += count;
    *first = count;
    for (uint32_t i = count; i-- > 0;) {
        static char text[TOPK_CASE_TEXT];
        size_t length = topk_case_print(candidates[i], text, sizeof text);
        struct topk_case parsed;
        struct topk_case_error error;
        if (!topk_case_parse(text, length, &parsed, &error)) {
            fail_msg("'%s' is not a case: column %zu: %s", text, error.column, error.message);
        }
        for (size_t j = 0; j < length; j++) {
            failure->digest = (failure->digest ^ (unsigned char)text[j]) * 0x100000001b3;
        }
        if (failure->fails(&parsed)) {
            *first = i;
        }
        topk_case_clear(&parsed);
    }
    return failure->stop_after == 0 || failure->calls < failure->stop_after;
}

static void tell(void *context, const struct topk_case *tc, const char *step, uint64_t runs)
{
    struct failure *failure = context;
    (void)tc;
    (void)step;
    (void)runs;
    failure->told++;
}

/* Shrinks the case of a text. Returns the text of the result, which is valid until the next
 * call. */
static const char *shrink(struct failure *failure, const char *text,
                          struct topk_shrink_report *report)
{
    static char result[TOPK_CASE_TEXT];
    struct topk_case tc;
    struct topk_case_error error;
    if (!topk_case_parse(text, strlen(text), &tc, &error)) {
        fail_msg("'%s' is not a case: column %zu: %s", text, error.column, error.message);
    }
    assert_true(failure->fails(&tc));
    struct topk_shrink_options options = {
        .max_runs = failure->max_runs, .fails = ask, .shrunk = tell, .context = failure};
    topk_shrink(&tc, &options, report);
    assert_true(failure->fails(&tc));
    topk_case_print(&tc, result, sizeof result);
    topk_case_clear(&tc);
    return result;
}

/* Asserts that a failure shrinks to a given text, in a limited number of runs, always in the same
 * way, and no further. */
static void expect(bool (*fails)(const struct topk_case *tc), const char *from, const char *to,
                   uint64_t most_runs)
{
    struct failure first = {.fails = fails};
    struct failure second = {.fails = fails};
    struct failure third = {.fails = fails};
    struct topk_shrink_report report;
    assert_string_equal(shrink(&first, from, &report), to);
    assert_int_equal(report.end, TOPK_SHRINK_MINIMAL);
    assert_int_equal(report.runs, first.asked);
    assert_true(first.told > 0 && first.told <= report.accepted);
    if (report.runs > most_runs) {
        fail_msg("%lu runs, more than %lu", (unsigned long)report.runs, (unsigned long)most_runs);
    }
    shrink(&second, from, &report);
    assert_int_equal(first.digest, second.digest);
    assert_string_equal(shrink(&third, to, &report), to);
    assert_int_equal(report.end, TOPK_SHRINK_MINIMAL);
    assert_int_equal(report.accepted, 0);
}

/* ---- failures -------------------------------------------------------------------------------- */

static const struct topk_tensor *input_of(const struct topk_case *tc)
{
    return &tc->op.tensors[TOPK_INPUT];
}

static uint32_t length_of(const struct topk_case *tc)
{
    return tc->op.axis < input_of(tc)->rank ? input_of(tc)->sizes[tc->op.axis] : 0;
}

static bool valid(const struct topk_case *tc)
{
    struct topk_validity validity;
    topk_operator_validate(&tc->op, tc->op.level, &validity);
    return topk_clause_set_empty(&validity.broken);
}

/* the number of logical elements of a valid case for which a function holds */
static unsigned count_elements(const struct topk_case *tc,
                               bool (*holds)(uint32_t type, uint64_t bits))
{
    const struct topk_tensor *input = input_of(tc);
    unsigned char *tensor = calloc(topk_tensor_least_bytes(input), 1);
    unsigned count = 0;
    uint32_t at[TOPK_RANK_MAX] = {0};
    assert_non_null(tensor);
    assert_true(topk_case_fill(tc, tensor));
    for (uint64_t i = 0; i < topk_tensor_elements(input); i++) {
        uint32_t bytes = topk_type_bytes(input->type);
        count += holds(input->type,
                       topk_element_load(tensor + topk_tensor_offset(input, at) * bytes, bytes));
        for (uint32_t d = input->rank; d-- > 0 && ++at[d] == input->sizes[d];) {
            at[d] = 0;
        }
    }
    free(tensor);
    return count;
}

static bool always(const struct topk_case *tc)
{
    return valid(tc);
}

/* a tie crosses the K boundary of the first sequence, and K is at least 2 */
static bool boundary_tie(const struct topk_case *tc)
{
    struct topk_clause_set clauses;
    return valid(tc) && tc->op.k >= 2 && topk_case_clauses(tc, &clauses) &&
           topk_clause_set_has(&clauses, TOPK_CLAUSE_S09);
}

static bool axis_not_last(const struct topk_case *tc)
{
    return valid(tc) && tc->op.axis + 1 != input_of(tc)->rank;
}

static bool long_axis(const struct topk_case *tc)
{
    return valid(tc) && length_of(tc) >= 1025;
}

static bool value_stride(const struct topk_case *tc)
{
    const struct topk_tensor *value = &tc->op.tensors[TOPK_VALUE];
    for (uint32_t d = 0; valid(tc) && value->strided && d < value->rank; d++) {
        if (value->strides[d] == 2) {
            return true;
        }
    }
    return false;
}

static bool two_nans(const struct topk_case *tc)
{
    return valid(tc) && count_elements(tc, topk_element_nan) >= 2;
}

static bool is_large(uint32_t type, uint64_t bits)
{
    return type == TOPK_TYPE_I64 && bits >> 40 != 0 && bits >> 63 == 0;
}

static bool large_i64(const struct topk_case *tc)
{
    return valid(tc) && count_elements(tc, is_large) >= 1;
}

static bool has_check(const struct topk_case *tc)
{
    return valid(tc) && tc->check == TOPK_CHECK_ROW && topk_operator_sequences(&tc->op) >= 2;
}

static bool breaks(const struct topk_case *tc, enum topk_clause clause)
{
    struct topk_validity validity;
    topk_operator_validate(&tc->op, tc->op.level, &validity);
    return topk_clause_set_first(&validity.broken) == clause;
}

static bool breaks_v01(const struct topk_case *tc)
{
    return breaks(tc, TOPK_CLAUSE_V01);
}

static bool breaks_t02(const struct topk_case *tc)
{
    struct topk_validity validity;
    topk_operator_validate(&tc->op, tc->op.level, &validity);
    return topk_clause_set_has(&validity.broken, TOPK_CLAUSE_T02);
}

static bool breaks_t10(const struct topk_case *tc)
{
    return breaks(tc, TOPK_CLAUSE_T10);
}

static bool breaks_v03b(const struct topk_case *tc)
{
    return breaks(tc, TOPK_CLAUSE_V03b);
}

static bool everything(const struct topk_case *tc)
{
    (void)tc;
    return true;
}

static const char *original;

/* fails only once */
static bool only_the_original(const struct topk_case *tc)
{
    char text[256];
    topk_case_print(tc, text, sizeof text);
    return strcmp(text, original) == 0;
}

/* ---- tests ----------------------------------------------------------------------------------- */

#define LARGE                                                                                      \
    "top_k1 fl=5.0 in=i16[2,3,17,5]{4096,900,50,7}#14000@2^64 axis=2 k=9 dir=inc "                 \
    "val=i16{270,90,10,2} idx=u64 exec=6 pad=zero check=prefix data=few.1:3:77"

static void nothing_is_needed(void **state)
{
    (void)state;
    expect(always, LARGE, "top_k fl=3.1 in=f32[1] axis=0 k=1", 60);
}

static void ties(void **state)
{
    (void)state;
    expect(boundary_tie, "top_k fl=5.0 in=u32[3,40] axis=1 k=7 data=boundary.1:9",
           "top_k fl=3.1 in=f32[3] axis=0 k=2", 100);
}

static void axis(void **state)
{
    (void)state;
    expect(axis_not_last, "top_k fl=5.0 in=u32[3,40,2] axis=1 k=7 data=boundary.1:9",
           "top_k fl=3.1 in=f32[1,1] axis=0 k=1", 100);
}

static void size(void **state)
{
    (void)state;
    expect(long_axis, "top_k fl=5.0 in=i8[2,5000] axis=1 k=70 data=uniform.1:12",
           "top_k fl=3.1 in=f32[1025] axis=0 k=1", 200);
}

static void size_beyond_literal_data(void **state)
{
    (void)state;
    expect(long_axis, "top_k fl=5.0 in=f16[7,99000] axis=1 k=98000 data=hidden.1:2:12",
           "top_k fl=3.1 in=f32[1025] axis=0 k=1", 300);
}

static void stride(void **state)
{
    (void)state;
    expect(value_stride, LARGE, "top_k fl=3.1 in=f32[1] axis=0 k=1 val=f32{2}", 200);
}

static void nans(void **state)
{
    (void)state;
    expect(two_nans, "top_k fl=5.0 in=f16[3,40] axis=1 k=7 data=nan.1:1:9",
           "top_k fl=3.1 in=f32[2] axis=0 k=1 data=hex:7fc00000,7fc00000", 300);
}

static void bits_of_a_value(void **state)
{
    (void)state;
    expect(large_i64, "top_k fl=5.0 in=i64[3,9] axis=1 k=7 data=uniform.1:9",
           "top_k fl=5.0 in=i64[1] axis=0 k=1 data=hex:0000010000000000", 400);
}

static void relation(void **state)
{
    (void)state;
    expect(has_check, "top_k fl=5.0 in=i64[3,9] axis=1 k=7 check=row data=uniform.1:9",
           "top_k fl=3.1 in=f32[2,1] axis=1 k=1 check=row", 100);
}

static void invalid_descriptions(void **state)
{
    (void)state;
    expect(breaks_v01,
           "top_k1 fl=5.0 in=i8[2,0,5]{9,8,1}#77 axis=9 k=0 dir=inc val=i16[3] idx=u64!1",
           "top_k fl=5.0 in=f32[1] axis=1 k=1", 200);
    expect(breaks_t02, "top_k fl=5.0 in=f32[2,1,3,1,5,1,1,1,1,1,1,7] axis=11 k=7",
           "top_k fl=5.0 in=f32[1,1,1,1,1,1,1,1,1] axis=8 k=1", 200);
    expect(breaks_t10, "top_k1 fl=5.0 in=i64[2,3,7] axis=1 k=2 dir=dec idx=u32^48 exec=7",
           "top_k fl=5.0 in=f32[1] axis=0 k=1 idx=u32^1", 200);
    expect(breaks_v03b, "top_k fl=2.0 in=f32[1,1,40,70000] axis=3 k=100000",
           "top_k fl=5.0 in=f32[1] axis=0 k=2", 200);
}

static void what_is_valid_stays_valid(void **state)
{
    (void)state;
    struct failure failure = {.fails = everything};
    struct topk_shrink_report report;
    assert_string_equal(shrink(&failure, LARGE, &report), "top_k fl=3.1 in=f32[1] axis=0 k=1");
    /* an invalid case stays invalid */
    assert_string_equal(shrink(&failure, "top_k fl=5.0 in=f32[2,3] axis=2 k=0", &report),
                        "top_k fl=5.0 in=f32[1] axis=1 k=1");
}

static void literal_data_keeps_its_elements(void **state)
{
    (void)state;
    /* the NaNs are in the second and third of three columns */
    expect(two_nans,
           "top_k fl=3.1 in=f32[2,3] axis=0 k=2 "
           "data=hex:00000001,ffc00001,00000002,3f800000,00000000,7f800123",
           "top_k fl=3.1 in=f32[2,2] axis=1 k=1 data=hex:7fc00000,00000000,00000000,7fc00000", 200);
}

static void failure_that_is_not_seen_again(void **state)
{
    (void)state;
    struct failure failure = {.fails = only_the_original};
    struct topk_shrink_report report;
    original = "top_k fl=5.0 in=u32[3,40] axis=1 k=7 data=boundary.1:9";
    assert_string_equal(shrink(&failure, original, &report), original);
    assert_int_equal(report.end, TOPK_SHRINK_MINIMAL);
    assert_int_equal(report.accepted, 0);
}

static void bound_is_kept(void **state)
{
    (void)state;
    for (uint64_t bound = 1; bound < 40; bound++) {
        struct failure failure = {.fails = two_nans, .max_runs = bound};
        struct topk_shrink_report report;
        shrink(&failure, "top_k fl=5.0 in=f16[3,40] axis=1 k=7 data=nan.1:1:9", &report);
        assert_int_equal(report.end, TOPK_SHRINK_BOUND);
        assert_int_equal(report.runs, bound);
        assert_int_equal(failure.asked, bound);
    }
}

static void stop_is_heeded(void **state)
{
    (void)state;
    struct failure failure = {.fails = two_nans, .stop_after = 5};
    struct topk_shrink_report report;
    shrink(&failure, "top_k fl=5.0 in=f16[3,40] axis=1 k=7 data=nan.1:1:9", &report);
    assert_int_equal(report.end, TOPK_SHRINK_STOPPED);
    assert_int_equal(failure.calls, 5);
}

/* ---- sequences ------------------------------------------------------------------------------- */

/* a call with K = 2, later one that is invalid, later one of UINT8 */
static bool three_calls(const struct topk_case *tc)
{
    unsigned met = 0;
    for (uint32_t i = 1; i <= tc->before_count + 1; i++) {
        const struct topk_case *call = topk_case_call(tc, i);
        met += (met == 0 && valid(call) && call->op.k == 2) || (met == 1 && !valid(call)) ||
               (met == 2 && valid(call) && input_of(call)->type == TOPK_TYPE_U8);
    }
    return met == 3;
}

static void calls(void **state)
{
    (void)state;
    expect(three_calls,
           "top_k fl=5.0 in=f32[9] axis=0 k=3 then top_k1 fl=5.0 in=i64[2,7] axis=1 k=2 dir=inc "
           "data=few.1:3:7 then top_k fl=5.0 in=f32[9] axis=0 k=4 data=shuffle.1:2 then "
           "top_k fl=5.0 in=f32[9,3] axis=0 k=10 then top_k fl=5.0 in=u8[40]{2} axis=0 k=7 "
           "pad=nan data=shuffle.1:1 then top_k fl=5.0 in=f32[9] axis=0 k=3",
           "top_k fl=3.1 in=f32[2] axis=0 k=2 then top_k fl=5.0 in=f32[1] axis=0 k=2 then "
           "top_k fl=3.1 in=u8[1] axis=0 k=1",
           400);
}

/* two calls of the same length; the second has a smaller K */
static bool same_length(const struct topk_case *tc)
{
    return tc->before_count > 0 && length_of(&tc->before[0]) == length_of(tc) &&
           length_of(tc) >= 3 && tc->op.k < tc->before[0].op.k;
}

static void calls_that_have_to_be_alike(void **state)
{
    (void)state;
    expect(same_length,
           "top_k1 fl=5.0 in=f16[2,40]{80,2} axis=1 k=7 dir=inc idx=u64 data=few.1:3:7 then "
           "top_k1 fl=5.0 in=f16[2,40]{80,2} axis=1 k=5 dir=inc idx=u64 data=few.1:3:7",
           "top_k fl=3.1 in=f32[3] axis=0 k=2 then top_k fl=3.1 in=f32[3] axis=0 k=1", 300);
}

/* the data of the third call is the output of the first, which is not all zero */
static bool carries(const struct topk_case *tc)
{
    bool any = false;
    for (uint32_t i = 2; i <= tc->before_count + 1; i++) {
        any |= topk_case_call(tc, i)->out != 0 && input_of(topk_case_call(tc, i))->sizes[0] > 3;
    }
    return any;
}

static void outputs_of_calls(void **state)
{
    (void)state;
    expect(
        carries,
        "top_k fl=5.0 in=f32[9] axis=0 k=3 data=shuffle.1:1 then top_k fl=5.0 in=i32[9] axis=0 k=3 "
        "then top_k1 fl=5.0 in=f32[7] axis=0 k=2 dir=inc data=out:2",
        "top_k fl=3.1 in=f32[1] axis=0 k=1 then top_k fl=3.1 in=f32[4] axis=0 k=1 data=out:1", 300);
}

/* Whether a call is of one of two forms, neither of which is smaller than the other in all. */
static bool of_two_forms(const struct topk_case *call)
{
    return (length_of(call) == 2 && call->op.k == 2) || (length_of(call) == 3 && call->op.k == 1);
}

static bool takes_of_two_forms(const struct topk_case *tc)
{
    bool any = false;
    for (uint32_t i = 2; i <= tc->before_count + 1; i++) {
        const uint32_t out = topk_case_call(tc, i)->out;
        any |= out != 0 && of_two_forms(topk_case_call(tc, i - out));
    }
    return any;
}

static bool takes_behind_top_k1(const struct topk_case *tc)
{
    return topk_case_call(tc, 1)->op.kind == TOPK_TOP_K1 && takes_of_two_forms(tc);
}

static void an_output_stays_that_of_its_call(void **state)
{
    (void)state;
    /* the second call goes, not the first, though its output would do as well */
    expect(takes_of_two_forms,
           "top_k fl=5.0 in=f32[2] axis=0 k=2 then top_k fl=5.0 in=f32[3] axis=0 k=1 then "
           "top_k fl=5.0 in=f32[4] axis=0 k=1 data=out:2",
           "top_k fl=3.1 in=f32[2] axis=0 k=2 then top_k fl=3.1 in=f32[1] axis=0 k=1 data=out:1",
           300);
    /* and the second stays, whose output is taken */
    expect(takes_behind_top_k1,
           "top_k1 fl=5.0 in=f32[2] axis=0 k=2 dir=inc then top_k fl=5.0 in=f32[3] axis=0 k=1 then "
           "top_k fl=5.0 in=f32[4] axis=0 k=1 data=out:1",
           "top_k1 fl=3.1 in=f32[1] axis=0 k=1 dir=dec then top_k fl=3.1 in=f32[3] axis=0 k=1 then "
           "top_k fl=3.1 in=f32[1] axis=0 k=1 data=out:1",
           300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_needed),
        cmocka_unit_test(ties),
        cmocka_unit_test(axis),
        cmocka_unit_test(size),
        cmocka_unit_test(size_beyond_literal_data),
        cmocka_unit_test(stride),
        cmocka_unit_test(nans),
        cmocka_unit_test(bits_of_a_value),
        cmocka_unit_test(relation),
        cmocka_unit_test(calls),
        cmocka_unit_test(outputs_of_calls),
        cmocka_unit_test(an_output_stays_that_of_its_call),
        cmocka_unit_test(calls_that_have_to_be_alike),
        cmocka_unit_test(invalid_descriptions),
        cmocka_unit_test(what_is_valid_stays_valid),
        cmocka_unit_test(literal_data_keeps_its_elements),
        cmocka_unit_test(failure_that_is_not_seen_again),
        cmocka_unit_test(bound_is_kept),
        cmocka_unit_test(stop_is_heeded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
