/* Products: the cases that a row yields, and the messages for malformed rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "suite/product.h"

#define TEXT 4096

/* collects the texts of the cases, one per line */
static bool add(void *context, struct topk_case *tc)
{
    char *text = context;
    char one[TEXT];
    topk_case_print(tc, one, sizeof one);
    snprintf(text + strlen(text), TEXT - strlen(text), "%s\n", one);
    return true;
}

static void assert_cases(const char *row, const char *cases)
{
    char text[TEXT] = "";
    struct topk_sink sink = {.take = add, .context = text};
    topk_product(row, &sink);
    assert_string_equal(sink.broken, "");
    assert_string_equal(text, cases);
}

static void axes_run_the_last_fastest(void **state)
{
    (void)state;
    assert_cases("mode = top_k; type: f32, u8; n: 3..4, 9; k = 1 + #n + #type",
                 "top_k fl=2.0 in=f32[1,1,1,3] axis=3 k=1\n"
                 "top_k fl=2.0 in=f32[1,1,1,4] axis=3 k=2\n"
                 "top_k fl=2.0 in=f32[1,1,1,9] axis=3 k=3\n"
                 "top_k fl=2.1 in=u8[1,1,1,3] axis=3 k=2\n"
                 "top_k fl=2.1 in=u8[1,1,1,4] axis=3 k=3\n"
                 "top_k fl=2.1 in=u8[1,1,1,9] axis=3 k=4\n");
}

static void names_stand_for_texts(void **state)
{
    (void)state;
    /* an expression is evaluated where it is used: s uses the k of that moment */
    assert_cases("s = k * 10; some = u8, f32; mode = both[3]; type = some[k]; n = 5; k: 1, 2;"
                 "data = k == 1 ? few(2, s) : nan.2(1, s)",
                 "top_k1 fl=2.1 in=f32[1,1,1,5] axis=3 k=1 dir=inc data=few.1:2:10\n"
                 "top_k1 fl=2.1 in=u8[1,1,1,5] axis=3 k=2 dir=inc data=nan.2:1:20\n");
    /* several names at once, and the data's first parameter */
    assert_cases(
        "mode = top_k; (type, n, k) = [(u8, 4, 1), (i8, 5, 2)][1]; data = few(7, first + k)",
        "top_k fl=2.1 in=i8[1,1,1,5] axis=3 k=2 data=few.1:7:9\n");
}

static void what_is_not_so_is_left_out(void **state)
{
    (void)state;
    assert_cases("mode = top_k; type = u8; n: 1..3; count; k: distinct 1, n-1, n; if k > 0;"
                 "data = few(5, number)",
                 "top_k fl=2.1 in=u8[1,1,1,1] axis=3 k=1 data=few.1:5:0\n"
                 "top_k fl=2.1 in=u8[1,1,1,2] axis=3 k=1 data=few.1:5:1\n"
                 "top_k fl=2.1 in=u8[1,1,1,2] axis=3 k=2 data=few.1:5:1\n"
                 "top_k fl=2.1 in=u8[1,1,1,3] axis=3 k=1 data=few.1:5:2\n"
                 "top_k fl=2.1 in=u8[1,1,1,3] axis=3 k=2 data=few.1:5:2\n"
                 "top_k fl=2.1 in=u8[1,1,1,3] axis=3 k=3 data=few.1:5:2\n");
    /* level 2.0 does not allow U8; a K that is too large is invalid */
    assert_cases(
        "mode = top_k; type: f32, u8; level = 0x2000; n = 4; k = 2; if least_level <= level",
        "top_k fl=2.0 in=f32[1,1,1,4] axis=3 k=2\n");
    assert_cases("mode = top_k; type: u8, u8; level = 0x5000; n = 4; k: 4, 5; if invalid; once",
                 "top_k fl=5.0 in=u8[1,1,1,4] axis=3 k=5\n");
    assert_cases("mode: modes; type = u8; n = 4; k = 2; check = twin; if applies",
                 "top_k fl=2.1 in=u8[1,1,1,4] axis=3 k=2 check=twin\n"
                 "top_k1 fl=2.1 in=u8[1,1,1,4] axis=3 k=2 dir=dec check=twin\n");
}

static void blocks_follow_each_other(void **state)
{
    (void)state;
    assert_cases("mode = top_k; type = u8; { n: 1, 2; k = 1 } { n = 3; { k = 1 } { k = 3 } }",
                 "top_k fl=2.1 in=u8[1,1,1,1] axis=3 k=1\n"
                 "top_k fl=2.1 in=u8[1,1,1,2] axis=3 k=1\n"
                 "top_k fl=2.1 in=u8[1,1,1,3] axis=3 k=1\n"
                 "top_k fl=2.1 in=u8[1,1,1,3] axis=3 k=3\n");
}

static void tensors_differ_by_role(void **state)
{
    (void)state;
    assert_cases("mode = top_k; type = f16; sizes = [2,5]; k = 2; wide = 1;"
                 "layout = [padded-row, windows, {9,3}][role]; offset = 16 * role;"
                 "alignment = role == index ? 64 : 0; flags = role == input;"
                 "total = least + (role == input) * 8",
                 "top_k fl=5.0 in=f16[2,5]{8,1}#36!1 axis=1 k=2 val=f16@16 idx=u64{9,3}@32^64\n");
    assert_cases("mode = top_k; type = u8; rank = 3; size = d + 1; axis = 1; k = 2;"
                 "dimension = role == value && d == 0 ? own[2] : own[d]; missing = role == index",
                 "top_k fl=5.0 in=u8[1,2,3] axis=1 k=2 val=u8[3,2,3] idx=none\n");
    assert_cases("mode = top_k; type = f16; n = 4; k = 1; bits = e % 2 ? 0x3c00 : e",
                 "top_k fl=2.0 in=f16[1,1,1,4] axis=3 k=1 data=hex:0000,3c00,0002,3c00\n");
}

static void a_row_that_cannot_be_read_says_where(void **state)
{
    (void)state;
#define CALL "mode = top_k; type = u8; n = 4; k = 1;"
    static const char *const rows[][2] = {
        {CALL "k = kay", "what is this: kay"},
        {CALL "k = #j", "no name: j"},
        {CALL "k = least(1)", "no function: least"},
        {CALL "k = 4 / (k - k)", "a name stands for itself"},
        {CALL "k = 4 / (2 - 2)", "a division by zero: /"},
        {CALL "k = 1 +", "an expression ends early"},
        {CALL "k = 1 2", "an expression goes on: 2"},
        {CALL "data = fewer(1)", "no recipe, or not its parameters: fewer(1)"},
        {CALL "data = few(1)", "no recipe, or not its parameters: few(1)"},
        {CALL "layout = padded", "no layout: padded"},
        {CALL "check = again", "no check: again"},
        {CALL "(a, b): (1)", "an item has too few parts: (1)"},
        {CALL "{ k = 1 } k = 2", "something behind the last {}: k = 2"},
        {CALL "k", "no statement: k"},
        {CALL "k = types[-1]", "a list has no such item"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[TEXT] = "";
        struct topk_sink sink = {.take = add, .context = text};
        topk_product(rows[i][0], &sink);
        if (strncmp(sink.broken, rows[i][1], strlen(rows[i][1])) != 0) {
            fail_msg("%s: %s", rows[i][0], sink.broken);
        }
    }
}

static bool refuse(void *context, struct topk_case *tc)
{
    (void)tc;
    ++*(int *)context;
    return false;
}

static void a_sink_that_has_enough_gets_no_more(void **state)
{
    (void)state;
    int cases = 0;
    struct topk_sink sink = {.take = refuse, .context = &cases};
    topk_product("mode: modes; type: types; n = 4; k: 1..4", &sink);
    assert_int_equal(cases, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(axes_run_the_last_fastest),
        cmocka_unit_test(names_stand_for_texts),
        cmocka_unit_test(what_is_not_so_is_left_out),
        cmocka_unit_test(blocks_follow_each_other),
        cmocka_unit_test(tensors_differ_by_role),
        cmocka_unit_test(a_row_that_cannot_be_read_says_where),
        cmocka_unit_test(a_sink_that_has_enough_gets_no_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
