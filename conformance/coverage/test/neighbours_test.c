/* Changes between neighbouring calls are counted, and group sequences contains all of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "coverage/coverage.h"
#include "suite/suite.h"

static void add(struct topk_neighbours *neighbours, const char *text)
{
    struct topk_case tc;
    struct topk_case_error error;
    if (!topk_case_parse(text, strlen(text), &tc, &error)) {
        fail_msg("%s: column %zu: %s", text, error.column, error.message);
    }
    assert_true(topk_neighbours_add(neighbours, &tc));
    topk_case_clear(&tc);
}

#define LARGEST  "top_k1 fl=5.0 in=f32[1,1,1,9] axis=3 k=2 dir=dec data=sorted.1:0"
#define SMALLEST "top_k1 fl=5.0 in=f32[1,1,1,9] axis=3 k=2 dir=inc data=sorted.1:0"
#define WIDE     "top_k1 fl=5.0 in=f32[1,1,1,9] axis=3 k=2 dir=inc idx=u64 data=sorted.1:0"
#define INVALID  "top_k1 fl=5.0 in=f32[1,1,1,9] axis=3 k=20 dir=inc"

static void changes_are_counted(void **state)
{
    (void)state;
    struct topk_neighbours counted = {.pairs = 0};
    add(&counted, LARGEST);
    assert_int_equal(counted.pairs, 0);
    add(&counted, LARGEST " then " SMALLEST " then " SMALLEST " then " LARGEST);
    assert_int_equal(counted.pairs, 3);
    assert_int_equal(counted.same, 1);
    assert_int_equal(counted.changed[TOPK_ASPECT_DIRECTION], 2);
    assert_int_equal(counted.alone[TOPK_ASPECT_DIRECTION], 2);
    assert_int_equal(topk_neighbours_turns(&counted, TOPK_ASPECT_DIRECTION), 2);
    add(&counted, LARGEST " then " WIDE);
    assert_int_equal(counted.changed[TOPK_ASPECT_DIRECTION], 3);
    assert_int_equal(counted.alone[TOPK_ASPECT_DIRECTION], 2);
    assert_int_equal(counted.changed[TOPK_ASPECT_INDEX], 1);
    assert_int_equal(counted.alone[TOPK_ASPECT_INDEX], 0);
    /* an invalid call has no aspects and separates its neighbours */
    add(&counted, LARGEST " then " INVALID " then " INVALID " then " WIDE);
    assert_int_equal(counted.pairs, 4);
    assert_int_equal(counted.refused, 1);
}

static bool take(void *context, struct topk_case *tc)
{
    return topk_neighbours_add(context, tc);
}

static void group_sequences_changes_each_aspect_alone(void **state)
{
    (void)state;
    struct topk_neighbours counted = {.pairs = 0};
    for (size_t i = 0; i < topk_test_count(); i++) {
        const struct topk_test *test = topk_test_at(i);
        if (strcmp(test->group, "sequences") == 0 && strcmp(test->name, "random") != 0) {
            struct topk_sink sink = {.take = take, .context = &counted};
            topk_test_enumerate(test, &sink);
            assert_false(sink.stopped || sink.no_memory);
        }
    }
    assert_true(counted.refused > 100 && counted.same > 100);
    for (int i = 0; i < TOPK_ASPECT_COUNT; i++) {
        if (counted.alone[i] == 0) {
            fail_msg("%s never changes alone", topk_aspect_name((enum topk_aspect)i));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changes_are_counted),
        cmocka_unit_test(group_sequences_changes_each_aspect_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
