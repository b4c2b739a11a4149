/* Sequences of calls: each call is made once, alone and in order, each is judged, and the output of
 * one becomes the data of the next. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "worker/host.h"

/* a backend that computes with `cpu`, except calls with certain K */
struct fake {
    struct topk_host cpu;
    uint32_t wrong_k;    /* their first value is wrong */
    uint32_t accepted_k; /* they are created although they are invalid */
    uint32_t refused_k;
    uint32_t declined_k;
    uint32_t calls;
    uint32_t k[256]; /* K of the calls that were made */
};

static void fake_describe(void *self, struct topk_backend_info *info)
{
    *info = ((struct fake *)self)->cpu.loaded.info;
}

static void fake_run(void *opened, const struct topk_backend_call *calls, uint32_t count,
                     struct topk_backend_answer *answers)
{
    struct fake *fake = opened;
    const struct topk_loaded *cpu = &fake->cpu.loaded;
    assert_int_equal(count, 1);
    fake->k[fake->calls++] = calls->k;
    cpu->backend->run(cpu->self, calls, 1, answers);
    if (calls->k == fake->wrong_k) {
        *((unsigned char *)calls->value_buffer.data + calls->value_buffer.offset) ^= 1;
    } else if (calls->k == fake->accepted_k) {
        answers->status = TOPK_BACKEND_DONE;
    } else if (calls->k == fake->refused_k) {
        answers->status = TOPK_BACKEND_REFUSED;
        snprintf(answers->reason, sizeof answers->reason, "not this one");
    } else if (calls->k == fake->declined_k) {
        answers->status = TOPK_BACKEND_UNSUPPORTED;
        snprintf(answers->reason, sizeof answers->reason, "not served");
    }
}

static const struct topk_backend fake_backend = {.abi = TOPK_BACKEND_ABI,
                                                 .struct_bytes = sizeof(struct topk_backend),
                                                 .name = "fake",
                                                 .describe = fake_describe,
                                                 .run = fake_run};

static struct topk_result run_text(struct fake *fake, const char *text)
{
    struct topk_host host = {.loaded = {.backend = &fake_backend, .self = fake}};
    char error[256];
    struct topk_case tc;
    struct topk_case_error wrong;
    struct topk_result result;
    const struct topk_case *cases[] = {&tc};
    assert_true(topk_host_open(&fake->cpu, "cpu", error, sizeof error));
    host.loaded.info = fake->cpu.loaded.info;
    fake->calls = 0;
    if (!topk_case_parse(text, strlen(text), &tc, &wrong)) {
        fail_msg("%s: column %zu: %s", text, wrong.column, wrong.message);
    }
    topk_host_run(&host, cases, 1, &result);
    topk_case_clear(&tc);
    topk_host_close(&fake->cpu, NULL, 0);
    host.loaded.backend = NULL;
    host.loaded.self = NULL;
    topk_host_close(&host, NULL, 0);
    return result;
}

#define ONE     "top_k fl=5.0 in=f32[6] axis=0 k=1 data=shuffle.1:1"
#define TWO     "top_k fl=5.0 in=u8[6] axis=0 k=2 data=shuffle.1:1"
#define THREE   "top_k fl=5.0 in=f32[6] axis=0 k=3 data=shuffle.1:1"
#define INVALID "top_k fl=5.0 in=f32[6] axis=0 k=9"

static void calls_come_in_order(void **state)
{
    (void)state;
    static const uint32_t expected[] = {1, 2, 9, 3, 1};
    struct fake fake = {.wrong_k = 0};
    struct topk_result result =
        run_text(&fake, ONE " then " TWO " then " INVALID " then " THREE " then " ONE);
    assert_int_equal(result.verdict, TOPK_VERDICT_PASS);
    assert_int_equal(result.call, 0);
    assert_false(result.by_status);
    assert_string_equal(result.reason, "");
    assert_int_equal(fake.calls, 5);
    assert_memory_equal(fake.k, expected, sizeof expected);
}

static void the_call_that_is_wrong_is_named(void **state)
{
    (void)state;
    struct fake fake = {.wrong_k = 2};
    struct topk_result result = run_text(&fake, ONE " then " TWO " then " THREE);
    assert_int_equal(result.verdict, TOPK_VERDICT_FAIL);
    assert_int_equal(result.call, 2);
    assert_string_equal(result.reason, "call 2 of 3");
    assert_int_equal(result.judgement.findings[0].role, TOPK_VALUE);
    assert_int_equal(result.window_count, 2);
    assert_int_equal(fake.calls, 2); /* the calls after it are not made */
    fake.wrong_k = 3;
    assert_int_equal(run_text(&fake, ONE " then " TWO " then " THREE).call, 3);
}

static void invalid_calls_are_to_be_refused(void **state)
{
    (void)state;
    struct fake fake = {.accepted_k = 9};
    struct topk_result result = run_text(&fake, ONE " then " INVALID " then " THREE);
    assert_int_equal(result.verdict, TOPK_VERDICT_ACCEPTED);
    assert_int_equal(result.call, 2);
    assert_int_equal(result.clause, TOPK_CLAUSE_V03b);
    assert_string_equal(result.reason, "call 2 of 3: the operator was created");
}

static void valid_calls_are_not(void **state)
{
    (void)state;
    struct fake fake = {.refused_k = 2};
    struct topk_result result = run_text(&fake, ONE " then " TWO " then " THREE);
    assert_int_equal(result.verdict, TOPK_VERDICT_REFUSED);
    assert_int_equal(result.call, 2);
    assert_string_equal(result.reason, "call 2 of 3: not this one");
}

/* an unsupported call makes the case unsupported, unless another call is wrong */
static void a_call_may_be_unsupported(void **state)
{
    (void)state;
    struct fake fake = {.declined_k = 1};
    struct topk_result result = run_text(&fake, ONE " then " TWO " then " THREE);
    assert_int_equal(result.verdict, TOPK_VERDICT_UNSUPPORTED);
    assert_int_equal(result.call, 1);
    assert_string_equal(result.reason, "call 1 of 3: not served");
    assert_int_equal(fake.calls, 3);
    fake.wrong_k = 3;
    result = run_text(&fake, ONE " then " TWO " then " THREE);
    assert_int_equal(result.verdict, TOPK_VERDICT_FAIL);
    assert_int_equal(result.call, 3);
}

/* the data of a call is the output that the backend returned, also if it is wrong */
static void outputs_are_carried(void **state)
{
    (void)state;
    struct fake fake = {.wrong_k = 0};
    static const char right[] =
        THREE " then top_k1 fl=5.0 in=f32[2,4] axis=1 k=2 dir=inc data=out:1"
              " then top_k fl=5.0 in=f32[1] axis=0 k=1 data=out:1 then "
              "top_k fl=5.0 in=f32[4] axis=0 k=4 data=out:3";
    assert_int_equal(run_text(&fake, right).verdict, TOPK_VERDICT_PASS);
    assert_int_equal(fake.calls, 4);
    fake.wrong_k = 2;
    struct topk_result result = run_text(&fake, right);
    assert_int_equal(result.call, 2);
    /* the least of 2 1 0 2 | 1 0 2 1: the window shows what the oracle expects for this input */
    assert_int_equal(result.window_count, 2);
    assert_true(result.window_indices[0] == 2 && result.window_indices[1] == 1);
    /* whatever the calls behind it take */
    result = run_text(&fake, THREE " then top_k1 fl=5.0 in=f32[2,4] axis=1 k=2 dir=inc data=out:1"
                                   " then " ONE);
    assert_int_equal(result.call, 2);
    assert_true(result.window_indices[0] == 2 && result.window_indices[1] == 1);
}

static void relations_of_calls_are_checked(void **state)
{
    (void)state;
    struct fake fake = {.wrong_k = 2};
    struct topk_result result =
        run_text(&fake, "top_k fl=5.0 in=f32[6] axis=0 k=3 check=prefix data=shuffle.1:1 then "
                        "top_k fl=5.0 in=f32[6] axis=0 k=1 data=shuffle.1:1");
    assert_int_equal(result.verdict, TOPK_VERDICT_FAIL);
    assert_int_equal(result.clause, TOPK_CLAUSE_S13);
    assert_int_equal(result.call, 1);
    fake.wrong_k = 0;
    result = run_text(&fake, "top_k fl=5.0 in=f32[6] axis=0 k=1 data=shuffle.1:1 then "
                             "top_k fl=5.0 in=f32[6] axis=0 k=3 check=soak data=shuffle.1:1");
    assert_int_equal(result.verdict, TOPK_VERDICT_PASS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_come_in_order),
        cmocka_unit_test(the_call_that_is_wrong_is_named),
        cmocka_unit_test(invalid_calls_are_to_be_refused),
        cmocka_unit_test(valid_calls_are_not),
        cmocka_unit_test(a_call_may_be_unsupported),
        cmocka_unit_test(outputs_are_carried),
        cmocka_unit_test(relations_of_calls_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
