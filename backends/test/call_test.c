/* Calls: what lies around and in outputs is the same bytes in every call, whatever was there
 * before. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "call.h"

static struct topk_case case_of(const char *text)
{
    struct topk_case test;
    struct topk_case_error error;
    assert_true(topk_case_parse(text, strlen(text), &test, &error));
    return test;
}

/* whether a call that was used is prepared as one that was not */
static void assert_as_fresh(struct topk_call *used, const struct topk_case *test,
                            enum topk_poison poison)
{
    struct topk_call fresh = {.answer.status = 0};
    assert_true(topk_call_prepare(used, test, poison));
    assert_true(topk_call_prepare(&fresh, test, poison));
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        assert_int_equal(used->bytes[role], fresh.bytes[role]);
        assert_memory_equal(used->live[role].data, fresh.live[role].data, fresh.bytes[role]);
        assert_memory_equal(used->before[role].data, fresh.before[role].data, fresh.bytes[role]);
    }
    topk_call_free(&fresh);
}

static void a_call_is_prepared_as_a_fresh_one(void **state)
{
    static const char *const texts[] = {
        "top_k fl=3.1 in=f32[4] axis=0 k=2",
        "top_k fl=3.1 in=f32[3000] axis=0 k=2000",
        "top_k fl=3.1 in=f32[64] axis=0 k=64",
    };
    static const enum topk_poison poisons[] = {TOPK_POISON_RANDOM, TOPK_POISON_ONES,
                                               TOPK_POISON_RANDOM, TOPK_POISON_ZEROS,
                                               TOPK_POISON_RANDOM};
    struct topk_call used = {.answer.status = 0};
    (void)state;
    for (unsigned round = 0; round < 2; round++) {
        for (unsigned i = 0; i < sizeof texts / sizeof texts[0]; i++) {
            struct topk_case test = case_of(texts[i]);
            for (unsigned p = 0; p < sizeof poisons / sizeof poisons[0]; p++) {
                assert_as_fresh(&used, &test, poisons[p]);
            }
            topk_case_clear(&test);
        }
        topk_call_trim(&used, 5000);
    }
    topk_call_free(&used);
}

/* ones and zeros are not what lies around the outputs */
static void what_lies_around_is_random(void **state)
{
    struct topk_case test = case_of("top_k fl=3.1 in=f32[4] axis=0 k=2");
    struct topk_call call = {.answer.status = 0};
    (void)state;
    assert_true(topk_call_prepare(&call, &test, TOPK_POISON_ZEROS));
    for (int role = TOPK_VALUE; role <= TOPK_INDEX; role++) {
        unsigned zeros = 0;
        for (uint64_t i = 0; i < call.offset[role]; i++) {
            zeros += call.live[role].data[i] == 0;
        }
        assert_true(zeros < call.offset[role] / 16);
        for (unsigned i = 0; i < 8; i++) {
            assert_int_equal(call.live[role].data[call.offset[role] + i], 0);
        }
    }
    topk_call_free(&call);
    topk_case_clear(&test);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_is_prepared_as_a_fresh_one),
        cmocka_unit_test(what_lies_around_is_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
