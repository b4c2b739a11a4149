/* Tests conditions: that texts survive parsing and printing, which texts are refused, and for which
 * cases conditions hold. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "condition/condition.h"

static bool parse(const char *text, struct topk_condition *condition, size_t *column,
                  char error[TOPK_CONDITION_ERROR])
{
    return topk_condition_parse(text, strlen(text), condition, column, error);
}

/* memcmp() would also compare padding bytes */
static void assert_same(const struct topk_condition *one, const struct topk_condition *other)
{
    assert_int_equal(one->count, other->count);
    for (size_t i = 0; i < one->count; i++) {
        const struct topk_term *a = &one->terms[i];
        const struct topk_term *b = &other->terms[i];
        assert_int_equal(a->is_number, b->is_number);
        assert_int_equal(a->feature, b->feature);
        assert_memory_equal(a->words, b->words, sizeof a->words);
        assert_int_equal(a->least, b->least);
        assert_int_equal(a->most, b->most);
    }
}

static void test_text(void **state)
{
    (void)state;
    static const struct {
        const char *text, *printed; /* printed: NULL if it equals the text */
    } rows[] = {
        {"rank>=5", NULL},
        {"rank>4", "rank>=5"},
        {"n<17 and n>=2", "n<=16 and n>=2"},
        {"k=3", NULL},
        {"k=n|n-1", NULL},
        {"k=2^p+1", NULL},
        {"type=f16|u64 and ties!=none|all", NULL},
        {"kind!=float|signed", "kind=unsigned"},
        {"kind=float|signed|unsigned", NULL},
        {"breaks=T05", NULL},
        {"length!=1|>65536 and n>3", "length!=1|>65536 and n>=4"},
        {"breaks=nothing and check=repeat and data=few", NULL},
        {"bits>32 and least=yes and offset>=1", "bits>=33 and least=yes and offset>=1"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct topk_condition condition;
        struct topk_condition again;
        size_t column;
        char error[TOPK_CONDITION_ERROR] = "";
        char text[TOPK_CONDITION_TEXT];
        assert_true(parse(rows[i].text, &condition, &column, error));
        assert_string_equal(error, "");
        topk_condition_print(&condition, text);
        assert_string_equal(text, rows[i].printed == NULL ? rows[i].text : rows[i].printed);
        assert_true(parse(text, &again, &column, error));
        assert_same(&condition, &again);
    }
}

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t column;
        const char *error;
    } rows[] = {
        {"", 1, "a feature is missing"},
        {"rang>=5", 1, "there is no feature 'rang'; `topk-cts list --features' lists them"},
        {"rank", 5, "=, !=, <, <=, > or >= has to stand behind 'rank'"},
        {"rank!=5", 7, "a number takes =, <, <=, > or >=, not !="},
        {"rank=five", 6, "not a number: 'five'"},
        {"rank=5five", 6, "not a number: '5five'"},
        {"n<0", 4, "no number is below 0"},
        {"n>18446744073709551614", 23, "no number is above the greatest"},
        {"nan!=no|yes", 12, "!= leaves no word of 'nan'"},
        {"n=18446744073709551615", 3, "not a number: '18446744073709551615'"},
        {"kind>float", 1, "only = and != ask for words of 'kind'"},
        {"kind=int", 6, "'int' is not a word of kind; it has float signed unsigned"},
        {"kind=float|", 12, "'' is not a word of kind; it has float signed unsigned"},
        {"n=3 or n=4", 4, "' and ' and another term, or the end, has to stand before ' or n=4'"},
        {"n=3 and ", 9, "a feature is missing"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct topk_condition condition;
        size_t column = 0;
        char error[TOPK_CONDITION_ERROR] = "";
        assert_true(!parse(rows[i].text, &condition, &column, error));
        assert_string_equal(error, rows[i].error);
        assert_true(column == rows[i].column);
    }
}

static enum topk_holds holds(const char *text, const char *of, uint64_t elements)
{
    struct topk_case tc;
    struct topk_case_error case_error;
    struct topk_condition condition;
    struct topk_features features;
    char error[TOPK_CONDITION_ERROR];
    size_t column;
    assert_true(topk_case_parse(of, strlen(of), &tc, &case_error));
    assert_true(parse(text, &condition, &column, error));
    topk_features_describe(&tc, &features);
    topk_features_look(&tc, elements, &features);
    topk_case_clear(&tc);
    return topk_condition_holds(&condition, &features);
}

static void test_holds(void **state)
{
    (void)state;
    static const struct {
        const char *text, *of;
        enum topk_holds holds;
    } rows[] = {
        {"rank=2 and n=9 and rows=3 and k=4 and inner=1 and stride=1 and elements=27",
         "top_k fl=3.1 in=f32[3,9] axis=1 k=4 data=few.1:7:3", TOPK_HOLDS},
        {"inner=9 and stride=9 and n=3 and rows=9 and rest=2 and outputs=9",
         "top_k fl=3.1 in=f32[3,9] axis=0 k=1", TOPK_HOLDS},
        {"ties=all and zeros=no and data=zero", "top_k fl=3.1 in=f32[3,9] axis=1 k=4", TOPK_HOLDS},
        {"k=n", "top_k fl=3.1 in=f32[3,9] axis=1 k=9", TOPK_HOLDS},
        {"k=n", "top_k fl=3.1 in=f32[3,9] axis=1 k=8", TOPK_HOLDS_NOT},
        {"rank=2 and k>=5", "top_k fl=3.1 in=f32[3,9] axis=1 k=4", TOPK_HOLDS_NOT},
        {"k>=5 and rank=2", "top_k fl=3.1 in=f32[3,9] axis=1 k=4", TOPK_HOLDS_NOT},
        {"nan=yes and negative=no and infinity=yes and greatest=yes and data=hex",
         "top_k fl=3.1 in=f32[3] axis=0 k=1 data=hex:7fc00000,7f800000,00000000", TOPK_HOLDS},
        {"zeros=yes and negative=yes and denormal=yes and least=no and kind=float and width=4",
         "top_k fl=3.1 in=f32[3] axis=0 k=1 data=hex:80000000,00000000,00000001", TOPK_HOLDS},
        {"bits=8 and negative=no", "top_k1 fl=5.0 in=u16[2] axis=0 k=1 dir=inc data=hex:00ff,0001",
         TOPK_HOLDS},
        {"bits=15 and negative=yes and least=yes",
         "top_k1 fl=5.0 in=i16[2] axis=0 k=1 dir=inc data=hex:8000,0001", TOPK_HOLDS},
        {"breaks=nothing", "top_k fl=3.1 in=f32[3] axis=0 k=1", TOPK_HOLDS},
        {"breaks=V02", "top_k fl=3.1 in=f32[3] axis=0 k=0", TOPK_HOLDS},
        {"ties=none", "top_k fl=3.1 in=f32[3] axis=0 k=0", TOPK_HOLDS_UNKNOWN},
        {"ties=none and k=1", "top_k fl=3.1 in=f32[3] axis=0 k=0", TOPK_HOLDS_NOT},
        {"direction=largest", "top_k1 fl=3.1 in=f32[3] axis=0 k=1 dir=inc", TOPK_HOLDS_NOT},
        {"direction=largest", "top_k1 fl=3.1 in=f32[3] axis=0 k=1 dir=inc check=dual",
         TOPK_HOLDS_UNKNOWN},
        {"nan=no", "top_k fl=3.1 in=f32[65] axis=0 k=1", TOPK_HOLDS_UNKNOWN},
        {"size-divisor=4 and out-strides=same", "top_k fl=3.1 in=i16[3] axis=0 k=2", TOPK_HOLDS},
        {"size-divisor=1", "top_k fl=3.1 in=i16[3] axis=0 k=2 val=i16#5", TOPK_HOLDS},
        {"size-divisor=2", "top_k fl=3.1 in=i16[3]#10 axis=0 k=2", TOPK_HOLDS},
        {"out-strides=different", "top_k fl=3.1 in=i16[3] axis=0 k=2 val=i16{3} idx=u32{1}",
         TOPK_HOLDS},
        {"out-strides=different",
         "top_k fl=3.1 in=i16[3] axis=0 k=2 val=i16{3} idx=u32{1} check=layout",
         TOPK_HOLDS_UNKNOWN},
        {"index-type=u32 and breaks=nothing", "top_k fl=3.1 in=f16[3] axis=0 k=1", TOPK_HOLDS},
        {"index-type=i32 and type=f16 and breaks=V07", "top_k fl=5.0 in=f16[3] axis=0 k=1 idx=i32",
         TOPK_HOLDS},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (holds(rows[i].text, rows[i].of, 64) != rows[i].holds) {
            printf("# %s\n# of %s\n", rows[i].text, rows[i].of);
            fail();
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_holds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
