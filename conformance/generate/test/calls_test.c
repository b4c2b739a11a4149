/* Alterations and sequences of calls: they are valid where they must be, their text parses, and the
 * same choices make the same calls. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "generate/generate.h"

static const struct topk_limits limits = {.elements = 512, .bytes = (uint64_t)1 << 16};

static bool valid(const struct topk_case *tc)
{
    struct topk_validity validity;
    topk_operator_validate(&tc->op, tc->op.level, &validity);
    return topk_clause_set_empty(&validity.broken);
}

static size_t print(const struct topk_case *tc, char text[TOPK_CASE_TEXT])
{
    struct topk_case parsed;
    struct topk_case_error error;
    const size_t length = topk_case_print(tc, text, TOPK_CASE_TEXT);
    if (!topk_case_parse(text, length, &parsed, &error)) {
        fail_msg("%s: column %zu: %s", text, error.column, error.message);
    }
    topk_case_clear(&parsed);
    return length;
}

/* The result is a valid, different call. An alteration that has nothing to change leaves the call
 * as it was. */
static void alterations_make_other_valid_calls(void **state)
{
    static char before[TOPK_CASE_TEXT];
    static char after[TOPK_CASE_TEXT];
    (void)state;
    for (uint32_t i = 0; i < topk_alteration_count; i++) {
        uint32_t altered = 0;
        for (uint64_t position = 0; position < 400; position++) {
            struct topk_choice choice;
            struct topk_case tc;
            topk_choice_seed(&choice, 5, position);
            assert_true(topk_generate_valid(&choice, &limits, &tc));
            print(&tc, before);
            const bool any = topk_alter(&topk_alterations[i], &choice, &tc) == 1;
            print(&tc, after);
            if ((strcmp(before, after) != 0) != any) {
                fail_msg("%s: %s\n%s", topk_alterations[i].name, before, after);
            }
            if (!valid(&tc)) {
                fail_msg("%s of %s: %s", topk_alterations[i].name, before, after);
            }
            altered += any;
            topk_case_clear(&tc);
        }
        if (altered < 60) {
            fail_msg("%s: only %u of 400", topk_alterations[i].name, (unsigned)altered);
        }
    }
}

/* for a plain call, the property that gives each row its name */
static void alterations_change_what_they_name(void **state)
{
    static const char *const texts[][2] = {
        {"k", "top_k fl=5.0 in=f32[1,4,4,8] axis=3 k=4"},
        {"direction", "top_k1 fl=5.0 in=f32[1,4,4,8] axis=3 k=3 dir=inc"},
        {"index-type", "top_k fl=5.0 in=f32[1,4,4,8] axis=3 k=3 idx=u64"},
        {"owned", "top_k fl=5.0 in=f32[1,4,4,8]!1 axis=3 k=3"},
        {"rank", "top_k fl=5.0 in=f32[4,4,8] axis=2 k=3"},
    };
    static char text[TOPK_CASE_TEXT];
    (void)state;
    for (size_t t = 0; t < sizeof texts / sizeof texts[0]; t++) {
        uint32_t row = 0;
        while (strcmp(topk_alterations[row].name, texts[t][0]) != 0) {
            row++;
        }
        static const uint32_t sizes[] = {1, 4, 4, 8};
        struct topk_choice choice;
        struct topk_case tc;
        topk_choice_bytes(&choice, (const unsigned char *)"", 0);
        topk_build(&tc, t == 1 ? TOPK_MODE_LARGEST : TOPK_MODE_TOP_K, TOPK_TYPE_F32, 4, sizes, 3,
                   3);
        tc.op.level = TOPK_LEVEL_5_0;
        assert_true(topk_alter(&topk_alterations[row], &choice, &tc));
        print(&tc, text);
        assert_string_equal(text, texts[t][1]);
        topk_case_clear(&tc);
    }
}

/* whether two calls have the same operator and tensors, apart from binding and data */
static bool same_operator(const struct topk_case *a, const struct topk_case *b)
{
    const struct topk_case calls[2] = {{.op = a->op}, {.op = b->op}};
    char texts[2][2048];
    for (int i = 0; i < 2; i++) {
        assert_true(topk_case_print(&calls[i], texts[i], sizeof texts[i]) < sizeof texts[i]);
    }
    return strcmp(texts[0], texts[1]) == 0;
}

static void sequences_have_texts_and_variety(void **state)
{
    static char text[TOPK_CASE_TEXT];
    static char again[TOPK_CASE_TEXT];
    uint32_t calls = 0;
    uint32_t invalid = 0;
    uint32_t outputs = 0;
    uint32_t repeated = 0;
    (void)state;
    for (uint64_t position = 0; position < 2000; position++) {
        for (int time = 0; time < 2; time++) {
            struct topk_choice choice;
            struct topk_case tc;
            topk_choice_seed(&choice, 6, position);
            assert_true(topk_generate_valid(&choice, &limits, &tc));
            assert_true(topk_generate_more(&choice, &limits, &tc));
            assert_in_range(tc.before_count, 1, 7);
            print(&tc, time == 0 ? text : again);
            for (uint32_t i = 1; time == 0 && i <= tc.before_count + 1; i++) {
                const struct topk_case *call = topk_case_call(&tc, i);
                calls++;
                invalid += !valid(call);
                outputs += call->out != 0;
                repeated += i > 1 && same_operator(call, &tc.before[i - 2]);
            }
            topk_case_clear(&tc);
        }
        assert_string_equal(text, again);
    }
    assert_true(calls > 6000);
    assert_true(invalid > calls / 20 && invalid < calls / 4);
    assert_true(outputs > calls / 30);
    assert_true(repeated > calls / 20 && repeated < calls / 2);
}

/* The first call is that of topk_generate(), whatever follows. One case in eight is a sequence. */
static void sequences_go_on_from_single_calls(void **state)
{
    static char text[TOPK_CASE_TEXT];
    static char first[TOPK_CASE_TEXT];
    uint32_t sequences = 0;
    (void)state;
    for (uint64_t position = 0; position < 2000; position++) {
        struct topk_choice choice;
        struct topk_case tc;
        topk_choice_seed(&choice, 7, position);
        assert_true(topk_generate(&choice, &topk_limits_usual, &tc));
        print(&tc, first);
        topk_case_clear(&tc);
        topk_choice_seed(&choice, 7, position);
        assert_true(topk_generate_calls(&choice, &topk_limits_usual, &tc));
        print(topk_case_call(&tc, tc.before_count > 0 ? 1 : 0), text);
        assert_string_equal(text, first);
        sequences += tc.before_count > 0;
        topk_case_clear(&tc);
    }
    assert_in_range(sequences, 150, 300);
}

/* after the end of the bytes all choices are plain: one call */
static void short_bytes_are_single_calls(void **state)
{
    static const unsigned char bytes[] = {1, 2, 3};
    struct topk_case tc;
    (void)state;
    assert_true(topk_case_decode(bytes, sizeof bytes, &tc));
    assert_int_equal(tc.before_count, 0);
    topk_case_clear(&tc);
    static const char text[] =
        "top_k fl=5.0 in=f32[4] axis=0 k=2 then top_k fl=5.0 in=f32[4] axis=0 k=1";
    assert_true(topk_case_decode((const unsigned char *)text, sizeof text - 1, &tc));
    assert_int_equal(tc.before_count, 1);
    topk_case_clear(&tc);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(alterations_make_other_valid_calls),
        cmocka_unit_test(alterations_change_what_they_name),
        cmocka_unit_test(sequences_have_texts_and_variety),
        cmocka_unit_test(sequences_go_on_from_single_calls),
        cmocka_unit_test(short_bytes_are_single_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
