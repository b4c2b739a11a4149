/* Calls: the bytes around and in outputs are the same in every call, whatever the memory held
 * before. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "generate/choice.h"
#include "generate/generate.h"
#include "worker/call.h"

static struct topk_case case_of(const char *text)
{
    struct topk_case tc;
    struct topk_case_error error;
    assert_true(topk_case_parse(text, strlen(text), &tc, &error));
    return tc;
}

#define CASES 700u

static void draw_cases(struct topk_case cases[], uint32_t count, uint64_t seed)
{
    const struct topk_limits small = {.elements = 4096, .bytes = 1u << 20};
    for (uint32_t i = 0; i < count; i++) {
        struct topk_choice choice;
        topk_choice_seed(&choice, seed, i);
        assert_true(topk_generate(&choice, &small, &cases[i]));
    }
}

static void buffers_that_were_used_are_as_new(void **state)
{
    (void)state;
    static struct topk_case cases[CASES];
    struct topk_call used = {.bytes = {0}};
    draw_cases(cases, CASES, 6);
    for (uint32_t i = 0; i < CASES; i++) {
        struct topk_call fresh = {.bytes = {0}};
        const enum topk_poison poison = i % 5 < 3    ? TOPK_POISON_RANDOM
                                        : i % 5 == 3 ? TOPK_POISON_ONES
                                                     : TOPK_POISON_ZEROS;
        struct topk_validity validity;
        topk_operator_validate(&cases[i].op, cases[i].op.level, &validity);
        if (!topk_clause_set_empty(&validity.broken) || topk_case_too_large(&cases[i])) {
            continue;
        }
        assert_true(topk_call_prepare(&fresh, &cases[i], poison));
        assert_true(topk_call_prepare(&used, &cases[i], poison));
        for (uint32_t again = 0; again <= i % 2; again++) {
            if (again == 1) {
                topk_call_free(&fresh);
                assert_true(topk_call_prepare(&fresh, &cases[i], TOPK_POISON_ONES));
                assert_true(topk_call_reset(&used, TOPK_POISON_ONES));
            }
            topk_call_load(&fresh);
            topk_call_load(&used);
            for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
                assert_int_equal(used.bytes[role], fresh.bytes[role]);
                assert_memory_equal(used.given[role], fresh.given[role], fresh.bytes[role]);
                assert_memory_equal(used.live[role].data, fresh.live[role].data, fresh.bytes[role]);
                memset(used.live[role].data, 0x5a, used.bytes[role]); /* as a backend may */
            }
            struct topk_judgement judgement = {.count = 0};
            topk_call_judge_memory(&used, &judgement);
        }
        topk_call_free(&fresh);
        if (i % 50 == 0) {
            topk_call_trim(&used, 2000);
        }
    }
    topk_call_free(&used);
    for (uint32_t i = 0; i < CASES; i++) {
        topk_case_clear(&cases[i]);
    }
}

/* What outputs share is random poison, as it would be in a buffer of their own, and whatever is
 * judged does not change it. */
static void shared_poison_stays(void **state)
{
    static struct topk_case cases[CASES];
    struct topk_case tc = case_of("top_k fl=3.1 in=f32[20000] axis=0 k=15000");
    struct topk_call call = {.answer.status = 0};
    struct topk_call own = {.answer.status = 0};
    (void)state;
    assert_true(topk_call_prepare(&own, &tc, TOPK_POISON_ONES));
    unsigned char *was[TOPK_ROLE_COUNT] = {NULL};
    assert_true(topk_call_prepare(&call, &tc, TOPK_POISON_RANDOM));
    for (int role = TOPK_VALUE; role <= TOPK_INDEX; role++) {
        was[role] = malloc(call.bytes[role]);
        assert_non_null(was[role]);
        memcpy(was[role], call.given[role], call.bytes[role]);
    }
    draw_cases(cases, CASES, 7);
    for (uint32_t i = 0; i < CASES; i++) {
        struct topk_judgement judgement = {.count = 0};
        struct topk_validity validity;
        topk_operator_validate(&cases[i].op, cases[i].op.level, &validity);
        if (topk_clause_set_empty(&validity.broken) && !topk_case_too_large(&cases[i])) {
            assert_true(topk_call_prepare(&call, &cases[i], TOPK_POISON_RANDOM));
            topk_call_load(&call);
            topk_call_judge_memory(&call, &judgement);
        }
        topk_case_clear(&cases[i]);
    }
    assert_true(topk_call_prepare(&call, &tc, TOPK_POISON_RANDOM));
    for (int role = TOPK_VALUE; role <= TOPK_INDEX; role++) {
        const uint64_t end = call.offset[role] + tc.op.tensors[role].total_bytes;
        assert_ptr_not_equal(call.given[role], call.before[role].data);
        assert_memory_equal(call.given[role], was[role], call.bytes[role]);
        free(was[role]);
        assert_memory_equal(call.given[role], own.given[role], call.offset[role]);
        assert_memory_equal(call.given[role] + end, own.given[role] + end, call.bytes[role] - end);
    }
    topk_call_free(&call);
    topk_call_free(&own);
    topk_case_clear(&tc);
}

/* the bytes around outputs are not the poison of ones or zeros */
static void what_lies_around_is_random(void **state)
{
    struct topk_case tc = case_of("top_k fl=3.1 in=f32[4] axis=0 k=2");
    struct topk_call call = {.answer.status = 0};
    (void)state;
    assert_true(topk_call_prepare(&call, &tc, TOPK_POISON_ZEROS));
    topk_call_load(&call);
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
    topk_case_clear(&tc);
}

/* an input that came back as it was sent is not copied, nor what lies around an output */
static void what_is_shown_is_what_came(void **state)
{
    struct topk_case tc = case_of("top_k fl=3.1 in=f32[4] axis=0 k=2");
    struct topk_call call = {.answer.status = 0};
    struct topk_exhibit exhibits[TOPK_ROLE_COUNT];
    (void)state;
    assert_true(topk_call_prepare(&call, &tc, TOPK_POISON_RANDOM));
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        const bool input = role == TOPK_INPUT;
        const uint64_t offset = call.offset[role];
        const uint64_t bytes = tc.op.tensors[role].total_bytes;
        unsigned char *const before = call.given[role];
        unsigned char *const live = call.live[role].data;
        topk_call_exhibit(&call, exhibits);
        assert_ptr_equal(exhibits[role].before, before);
        assert_ptr_equal(exhibits[role].after, live);
        assert_int_equal(exhibits[role].bytes, call.bytes[role]);
        assert_int_equal(exhibits[role].offset, offset);

        memset(live, 0x5a, call.bytes[role]);
        call.kept[role] = true;
        topk_call_exhibit(&call, exhibits);
        assert_ptr_equal(exhibits[role].before, input ? before : before + offset);
        assert_ptr_equal(exhibits[role].after, input ? before : live + offset);
        assert_int_equal(exhibits[role].bytes, input ? call.bytes[role] : bytes);
        assert_int_equal(exhibits[role].offset, input ? offset : 0);

        topk_call_complete(&call);
        assert_false(call.kept[role]);
        for (uint64_t i = 0; i < call.bytes[role]; i++) {
            const bool written = !input && i >= offset && i < offset + bytes;
            assert_int_equal(live[i], written ? 0x5a : before[i]);
        }
    }
    topk_call_free(&call);
    topk_case_clear(&tc);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(buffers_that_were_used_are_as_new),
        cmocka_unit_test(shared_poison_stays),
        cmocka_unit_test(what_lies_around_is_random),
        cmocka_unit_test(what_is_shown_is_what_came),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
