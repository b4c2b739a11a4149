/* The clock of stages, and its text form. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "platform/platform.h"
#include "platform/stage.h"

static void spin(void)
{
    const uint64_t until = topk_clock_now() + 1000000;
    while (topk_clock_now() < until) {
    }
}

/* must be first, because the clock cannot be turned off */
static void costs_nothing_until_it_is_on(void **state)
{
    (void)state;
    assert_int_equal(topk_stage_enter(TOPK_STAGE_DATA), 0);
    spin();
    topk_stage_enter(TOPK_STAGE_JUDGE);
    const struct topk_stages stages = topk_stages_get();
    for (int i = 0; i < TOPK_STAGE_COUNT; i++) {
        assert_int_equal(stages.nanoseconds[i], 0);
    }
}

static void gives_time_to_the_stage_that_is_entered(void **state)
{
    (void)state;
    const uint64_t start = topk_clock_now();
    topk_stage_on(TOPK_STAGE_OTHER);
    const enum topk_stage before = topk_stage_enter(TOPK_STAGE_DATA);
    assert_int_equal(before, TOPK_STAGE_OTHER);
    spin();
    assert_int_equal(topk_stage_enter(before), TOPK_STAGE_DATA);
    const struct topk_stages once = topk_stages_get();
    assert_true(once.nanoseconds[TOPK_STAGE_DATA] >= 1000000);
    topk_stage_enter(TOPK_STAGE_DATA);
    spin();
    const struct topk_stages twice = topk_stages_get();
    assert_true(twice.nanoseconds[TOPK_STAGE_DATA] >= once.nanoseconds[TOPK_STAGE_DATA] + 1000000);
    uint64_t all = 0;
    for (int i = 0; i < TOPK_STAGE_COUNT; i++) {
        all += twice.nanoseconds[i];
    }
    assert_true(all <= topk_clock_now() - start);
    assert_int_equal(twice.nanoseconds[TOPK_STAGE_JUDGE], 0);
}

static FILE *file_of(const char *text)
{
    FILE *file = tmpfile();
    assert_non_null(file);
    fputs(text, file);
    rewind(file);
    return file;
}

static void reads_what_it_prints(void **state)
{
    struct topk_stages stages = {{0}};
    struct topk_stages sum = {{0}};
    char line[80] = "";
    FILE *file = tmpfile();
    (void)state;
    assert_non_null(file);
    for (int i = 0; i < TOPK_STAGE_COUNT; i++) {
        stages.nanoseconds[i] = i % 3 == 0 ? 0 : UINT64_C(1) << (2 * i);
    }
    topk_stages_print(file, &stages);
    topk_stages_print(file, &stages);
    rewind(file);
    assert_true(topk_stages_read(file, &sum, line, sizeof line));
    for (int i = 0; i < TOPK_STAGE_COUNT; i++) {
        assert_int_equal(sum.nanoseconds[i], 2 * stages.nanoseconds[i]);
    }
    fclose(file);
}

static void refuses_what_it_does_not_print(void **state)
{
    static const char *const texts[] = {
        "data\n", "data x\n", "dat 5\n", "data 5\nnonsense 7\n", "datadatadatadatadata 5\n", "\n"};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct topk_stages stages = {{0}};
        char line[80] = "";
        FILE *file = file_of(texts[i]);
        if (topk_stages_read(file, &stages, line, sizeof line)) {
            fail_msg("it takes \"%s\"", texts[i]);
        }
        assert_true(strstr(texts[i], line) != NULL && line[0] != 0);
        fclose(file);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(costs_nothing_until_it_is_on),
        cmocka_unit_test(gives_time_to_the_stage_that_is_entered),
        cmocka_unit_test(reads_what_it_prints),
        cmocka_unit_test(refuses_what_it_does_not_print),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
