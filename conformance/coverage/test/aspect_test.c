/* Cases with their classes, determined by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "coverage/aspect.h"

static void lengths_and_k(void **state)
{
    (void)state;
    static const struct {
        uint32_t length;
        enum topk_class class;
    } lengths[] = {
        {1, TOPK_CLASS_LENGTH_1},
        {2, TOPK_CLASS_LENGTH_2},
        {3, TOPK_CLASS_LENGTH_3},
        {4, TOPK_CLASS_LENGTH_SHORT},
        {7, TOPK_CLASS_LENGTH_SHORT},
        {16, TOPK_CLASS_LENGTH_SHORT},
        {17, TOPK_CLASS_LENGTH_ABOVE_POWER},
        {18, TOPK_CLASS_LENGTH_OTHER},
        {19, TOPK_CLASS_LENGTH_PRIME},
        {25, TOPK_CLASS_LENGTH_OTHER},
        {31, TOPK_CLASS_LENGTH_BELOW_POWER},
        {32, TOPK_CLASS_LENGTH_POWER},
        {1021, TOPK_CLASS_LENGTH_PRIME},
        {1023, TOPK_CLASS_LENGTH_BELOW_POWER},
        {1024, TOPK_CLASS_LENGTH_POWER},
        {1025, TOPK_CLASS_LENGTH_LONG},
        {65536, TOPK_CLASS_LENGTH_LONG},
        {65537, TOPK_CLASS_LENGTH_HUGE},
        {UINT32_MAX, TOPK_CLASS_LENGTH_HUGE},
    };
    static const struct {
        uint32_t k;
        uint32_t length;
        enum topk_class class;
    } ks[] = {
        {1, 1, TOPK_CLASS_K_1},           {1, 2, TOPK_CLASS_K_1},
        {2, 2, TOPK_CLASS_K_ALL},         {2, 3, TOPK_CLASS_K_2},
        {2, 4, TOPK_CLASS_K_2},           {3, 4, TOPK_CLASS_K_ALL_BUT_ONE},
        {3, 7, TOPK_CLASS_K_HALF},        {3, 8, TOPK_CLASS_K_BELOW_POWER},
        {4, 8, TOPK_CLASS_K_HALF},        {4, 7, TOPK_CLASS_K_POWER},
        {5, 8, TOPK_CLASS_K_ABOVE_POWER}, {6, 8, TOPK_CLASS_K_OTHER},
        {7, 8, TOPK_CLASS_K_ALL_BUT_ONE}, {8, 8, TOPK_CLASS_K_ALL},
        {1000, 3000, TOPK_CLASS_K_OTHER}, {2049, 3000, TOPK_CLASS_K_ABOVE_POWER},
    };
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        assert_int_equal(topk_aspect_length_class(lengths[i].length), lengths[i].class);
    }
    for (size_t i = 0; i < sizeof ks / sizeof ks[0]; i++) {
        assert_int_equal(topk_aspect_k_class(ks[i].k, ks[i].length), ks[i].class);
    }
}

static void names_and_numbers(void **state)
{
    (void)state;
    unsigned next = 0;
    for (unsigned i = 0; i < TOPK_ASPECT_COUNT; i++) {
        enum topk_aspect aspect = (enum topk_aspect)i;
        assert_int_equal(topk_aspect_first(aspect), next);
        for (unsigned j = 0; j < topk_aspect_classes(aspect); j++, next++) {
            assert_int_equal(topk_aspect_of_class(next), aspect);
            for (unsigned other = topk_aspect_first(aspect); other < next; other++) {
                assert_string_not_equal(topk_aspect_class_name(other),
                                        topk_aspect_class_name(next));
            }
        }
        assert_true(strlen(topk_aspect_about(aspect)) > 0);
        for (unsigned j = 0; j < i; j++) {
            assert_string_not_equal(topk_aspect_name(aspect),
                                    topk_aspect_name((enum topk_aspect)j));
        }
    }
    assert_int_equal(next, TOPK_CLASS_COUNT);
    assert_string_equal(topk_aspect_name(TOPK_ASPECT_TIES), "ties");
    assert_string_equal(topk_aspect_class_name(TOPK_CLASS_TIES_BOUNDARY), "boundary");
    assert_string_equal(topk_aspect_class_name(TOPK_CLASS_TYPE_F16), "f16");
}

/* Compares only the listed classes. 0 ends a list, so class 0 (top_k) has a separate row. */
static const struct {
    const char *text;
    unsigned classes[6];
} cases[] = {
    /* description */
    {"top_k fl=2.0 in=f32[1,1,3,2] axis=2 k=2 data=hex:00000000,00000000,00000000,00000000,"
     "00000000,00000000",
     {TOPK_CLASS_LEVEL_2_0, TOPK_CLASS_TYPE_F32, TOPK_CLASS_INDEX_U32, TOPK_CLASS_RANK_4,
      TOPK_CLASS_AXIS_MIDDLE, TOPK_CLASS_DIRECTION_LARGEST}},
    {"top_k1 fl=5.0 in=u64[7] axis=0 k=1 dir=inc idx=u64",
     {TOPK_CLASS_OPERATOR_TOP_K1, TOPK_CLASS_LEVEL_5_0, TOPK_CLASS_TYPE_U64, TOPK_CLASS_INDEX_U64,
      TOPK_CLASS_AXIS_ONLY, TOPK_CLASS_DIRECTION_SMALLEST}},
    {"top_k1 fl=3.1 in=i8[7,2,1] axis=0 k=7 dir=dec",
     {TOPK_CLASS_LEVEL_3_1, TOPK_CLASS_RANK_3, TOPK_CLASS_AXIS_FIRST, TOPK_CLASS_K_ALL,
      TOPK_CLASS_LENGTH_SHORT, TOPK_CLASS_BATCH_ONE}},
    {"top_k1 fl=2.1 in=u16[2,3,1,7] axis=3 k=1 dir=dec",
     {TOPK_CLASS_LEVEL_2_1, TOPK_CLASS_TYPE_U16, TOPK_CLASS_AXIS_LAST, TOPK_CLASS_K_1,
      TOPK_CLASS_BATCH_SEVERAL, TOPK_CLASS_DIRECTION_LARGEST}},
    {"top_k1 fl=2.1 in=i32[1,1,1,7] axis=3 k=1 dir=dec", {TOPK_CLASS_BATCH_NONE}},
    {"top_k1 fl=6.4 in=i32[8] axis=0 k=1 dir=dec", {TOPK_CLASS_LEVEL_5_0}},
    {"top_k1 fl=4.0 in=i32[8] axis=0 k=1 dir=dec", {TOPK_CLASS_LEVEL_3_1}},
    /* layouts */
    {"top_k1 fl=5.0 in=u8[2,3]{3,1} axis=1 k=1 dir=dec val=u8#9",
     {TOPK_CLASS_INPUT_EXPLICIT, TOPK_CLASS_VALUE_OUT_SLACK, TOPK_CLASS_INDEX_OUT_PACKED}},
    {"top_k1 fl=5.0 in=u8[2,3]{4,1} axis=1 k=1 dir=dec val=u8{1,9} idx=u32{2,1}",
     {TOPK_CLASS_INPUT_PADDED, TOPK_CLASS_VALUE_OUT_SIZE_ONE, TOPK_CLASS_INDEX_OUT_INTERLEAVED}},
    {"top_k1 fl=5.0 in=u8[2,3]{1,2}#32 axis=1 k=2 dir=dec val=u8{1,5} idx=u32{6,2}",
     {TOPK_CLASS_INPUT_PERMUTED, TOPK_CLASS_VALUE_OUT_PERMUTED, TOPK_CLASS_INDEX_OUT_INTERLEAVED}},
    {"top_k1 fl=5.0 in=u8[2,3]{0,1} axis=1 k=2 dir=dec val=u8{2,1} idx=u32#24",
     {TOPK_CLASS_INPUT_BROADCAST, TOPK_CLASS_VALUE_OUT_EXPLICIT, TOPK_CLASS_INDEX_OUT_SLACK}},
    {"top_k1 fl=5.0 in=u8[2,3]{1,1} axis=1 k=2 dir=dec val=u8{3,1}",
     {TOPK_CLASS_INPUT_WINDOWS, TOPK_CLASS_VALUE_OUT_PADDED}},
    {"top_k1 fl=5.0 in=u8[2,2,3]{0,1,1} axis=2 k=2 dir=dec idx=u32{4,2,1}",
     {TOPK_CLASS_INPUT_WINDOWS, TOPK_CLASS_INDEX_OUT_EXPLICIT}},
    {"top_k1 fl=5.0 in=u8[2,1]{1,1} axis=1 k=1 dir=dec idx=u32{1,0}",
     {TOPK_CLASS_INPUT_EXPLICIT, TOPK_CLASS_INDEX_OUT_SIZE_ONE}},
    {"top_k1 fl=5.0 in=u8[1,1]{0,1} axis=1 k=1 dir=dec", {TOPK_CLASS_INPUT_SIZE_ONE}},
    {"top_k1 fl=5.0 in=u8[3]{0} axis=0 k=1 dir=dec",
     {TOPK_CLASS_INPUT_BROADCAST, TOPK_CLASS_TIES_ALL}},
    {"top_k1 fl=5.0 in=u8[3]{2} axis=0 k=1 dir=dec", {TOPK_CLASS_INPUT_INTERLEAVED}},
    /* ties: the direction decides which of them are inside */
    {"top_k1 fl=5.0 in=u8[5] axis=0 k=2 dir=dec data=hex:05,04,03,02,01",
     {TOPK_CLASS_TIES_NONE, TOPK_CLASS_SPECIALS_NONE}},
    {"top_k1 fl=5.0 in=u8[5] axis=0 k=2 dir=dec data=hex:01,04,03,02,01",
     {TOPK_CLASS_TIES_UNSELECTED}},
    {"top_k1 fl=5.0 in=u8[5] axis=0 k=2 dir=inc data=hex:01,04,03,02,01", {TOPK_CLASS_TIES_INSIDE}},
    {"top_k1 fl=5.0 in=u8[5] axis=0 k=1 dir=inc data=hex:01,04,03,02,01",
     {TOPK_CLASS_TIES_BOUNDARY}},
    {"top_k1 fl=5.0 in=u8[5] axis=0 k=5 dir=inc data=hex:01,04,03,02,01", {TOPK_CLASS_TIES_INSIDE}},
    {"top_k1 fl=5.0 in=u8[5] axis=0 k=3 dir=inc data=hex:07,07,07,07,07", {TOPK_CLASS_TIES_ALL}},
    {"top_k1 fl=5.0 in=u8[2,3] axis=1 k=1 dir=dec data=hex:03,02,01,03,01,01",
     {TOPK_CLASS_TIES_UNSELECTED}},
    {"top_k1 fl=5.0 in=u8[2,3] axis=1 k=1 dir=dec data=hex:03,03,01,03,01,01",
     {TOPK_CLASS_TIES_BOUNDARY}},
    {"top_k1 fl=5.0 in=u8[2,3] axis=1 k=1 dir=dec data=hex:03,03,01,01,01,01",
     {TOPK_CLASS_TIES_ALL}},
    {"top_k1 fl=5.0 in=u8[1] axis=0 k=1 dir=dec data=hex:07", {TOPK_CLASS_TIES_NONE}},
    {"top_k1 fl=5.0 in=f16[3] axis=0 k=1 dir=dec data=hex:0000,8000,3c00",
     {TOPK_CLASS_TIES_UNSELECTED, TOPK_CLASS_SPECIALS_ZEROS}},
    /* long sequences use another sort */
    {"top_k1 fl=5.0 in=u32[5000] axis=0 k=100 dir=dec data=shuffle.1:1", {TOPK_CLASS_TIES_NONE}},
    {"top_k1 fl=5.0 in=i64[5000] axis=0 k=100 dir=inc data=inside.1:1", {TOPK_CLASS_TIES_INSIDE}},
    {"top_k1 fl=5.0 in=f16[5000] axis=0 k=100 dir=dec data=boundary.1:1",
     {TOPK_CLASS_TIES_BOUNDARY}},
    /* specials */
    {"top_k1 fl=5.0 in=u8[2] axis=0 k=1 dir=dec data=hex:00,07", {TOPK_CLASS_SPECIALS_EXTREMES}},
    {"top_k1 fl=5.0 in=i8[2] axis=0 k=1 dir=dec data=hex:00,07", {TOPK_CLASS_SPECIALS_NONE}},
    {"top_k1 fl=5.0 in=i8[2] axis=0 k=1 dir=dec data=hex:80,07", {TOPK_CLASS_SPECIALS_EXTREMES}},
    {"top_k1 fl=5.0 in=f16[2] axis=0 k=1 dir=dec data=hex:fbff,8000",
     {TOPK_CLASS_SPECIALS_EXTREMES}},
    {"top_k1 fl=5.0 in=f16[2] axis=0 k=1 dir=dec data=hex:7bff,fc00",
     {TOPK_CLASS_SPECIALS_INFINITIES}},
    {"top_k1 fl=5.0 in=f32[2] axis=0 k=1 dir=dec data=hex:7f800000,80000001",
     {TOPK_CLASS_SPECIALS_DENORMALS}},
    {"top_k1 fl=5.0 in=f32[2] axis=0 k=1 dir=dec data=hex:00000000,80000000",
     {TOPK_CLASS_SPECIALS_ZEROS, TOPK_CLASS_TIES_ALL}},
    {"top_k1 fl=5.0 in=f32[2,1] axis=1 k=1 dir=dec data=hex:00000000,80000000",
     {TOPK_CLASS_SPECIALS_NONE, TOPK_CLASS_TIES_NONE}},
    {"top_k1 fl=5.0 in=f16[2] axis=0 k=1 dir=dec data=hex:7e00,0001",
     {TOPK_CLASS_SPECIALS_NAN, TOPK_CLASS_TIES_UNORDERED}},
    {"top_k1 fl=5.0 in=f16[2,2] axis=1 k=1 dir=dec data=hex:7e00,7e00,3c00,3c00",
     {TOPK_CLASS_SPECIALS_NAN, TOPK_CLASS_TIES_ALL}},
};

/* parses the text without defaults, so that a row shows everything */
static bool read_case(const char *text, struct topk_case *tc,
                      unsigned char classes[TOPK_ASPECT_COUNT])
{
    struct topk_case_error error;
    if (!topk_case_parse(text, strlen(text), tc, &error)) {
        fail_msg("%s: column %zu: %s", text, error.column, error.message);
    }
    bool counts = topk_aspects_of(tc, classes);
    assert_int_equal(counts, topk_aspects_count(tc));
    topk_case_clear(tc);
    return counts;
}

static void cases_that_ask_for_a_result(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool asks;
    } rows[] = {
        {"top_k fl=3.1 in=f32[4] axis=0 k=2", true},
        {"top_k fl=3.1 in=f32[4] axis=0 k=4", true},
        {"top_k fl=3.1 in=f32[4]@16 axis=0 k=2", true},
        {"top_k fl=3.1 in=f32[4] axis=0 k=0", false},
        {"top_k fl=2.0 in=f32[4] axis=0 k=2", false},         /* V08 */
        {"top_k1 fl=3.1 in=f32[4] axis=0 k=2 dir=2", false},  /* V12 */
        {"top_k fl=3.1 in=f32[4]^4 axis=0 k=2", false},       /* T10b */
        {"top_k fl=3.1 in=f32[4]@4 axis=0 k=2", false},       /* M08 */
        {"top_k fl=3.1 in=f32[134217729] axis=0 k=2", false}, /* only created */
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct topk_case tc;
        struct topk_case_error error;
        assert_true(topk_case_parse(rows[i].text, strlen(rows[i].text), &tc, &error));
        if (topk_aspects_ask(&tc) != rows[i].asks) {
            fail_msg("%s: %s", rows[i].text, rows[i].asks ? "does not ask" : "asks");
        }
        topk_case_clear(&tc);
    }
}

static void cases_are_told_apart(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct topk_case tc;
        unsigned char classes[TOPK_ASPECT_COUNT];
        if (!read_case(cases[i].text, &tc, classes)) {
            fail_msg("%s: does not count", cases[i].text);
        }
        for (unsigned j = 0; j < 6 && cases[i].classes[j] != 0; j++) {
            unsigned wanted = cases[i].classes[j];
            enum topk_aspect aspect = topk_aspect_of_class(wanted);
            if (classes[aspect] != wanted) {
                fail_msg("%s: %s %s, not %s", cases[i].text, topk_aspect_name(aspect),
                         topk_aspect_class_name(classes[aspect]), topk_aspect_class_name(wanted));
            }
        }
    }
    struct topk_case tc;
    unsigned char classes[TOPK_ASPECT_COUNT];
    assert_true(read_case("top_k fl=2.0 in=f32[1,1,1,2] axis=3 k=2", &tc, classes));
    assert_int_equal(classes[TOPK_ASPECT_OPERATOR], TOPK_CLASS_OPERATOR_TOP_K);
}

static void what_shows_nothing_does_not_count(void **state)
{
    (void)state;
    static const char *const invalid[] = {
        "top_k fl=2.0 in=f32[1,1,1,2] axis=3 k=3",
        "top_k fl=2.0 in=f32[2] axis=0 k=1", /* valid from 3.1 */
        "top_k fl=2.0 in=none axis=0 k=1 val=f32[1] idx=u32[1]",
    };
    static const char *const open[] = {
        "top_k1 fl=5.0 in=f32[4] axis=0 k=1 dir=7",             /* V12 */
        "top_k1 fl=5.0 in=f32[4]^8 axis=0 k=1 dir=dec",         /* T10b */
        "top_k1 fl=5.0 in=f32[4] axis=0 k=2 dir=dec val=f32{0}" /* T14 */
    };
    static const char *const latitude[] = {
        "top_k1 fl=5.0 in=f32[4] axis=0 k=4 dir=dec",        /* V03 */
        "top_k1 fl=5.0 in=f32[2,4]{1,1} axis=1 k=1 dir=dec", /* T13 */
    };
    struct topk_case tc;
    unsigned char classes[TOPK_ASPECT_COUNT];
    for (size_t i = 0; i < 3; i++) {
        assert_false(read_case(invalid[i], &tc, classes));
        assert_false(read_case(open[i], &tc, classes));
    }
    assert_true(read_case(latitude[0], &tc, classes));
    assert_true(read_case(latitude[1], &tc, classes));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lengths_and_k),
        cmocka_unit_test(names_and_numbers),
        cmocka_unit_test(cases_that_ask_for_a_result),
        cmocka_unit_test(cases_are_told_apart),
        cmocka_unit_test(what_shows_nothing_does_not_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
