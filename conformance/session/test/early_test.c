/* When a run ends before every case has its result. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "session/early.h"

/* takes `count` results of a verdict; returns how many it took before the run ended */
static unsigned take(struct cli_early *early, enum topk_verdict verdict, unsigned count)
{
    unsigned taken = 0;
    while (taken < count && cli_early_take(early, verdict)) {
        taken++;
    }
    return taken;
}

static void hangs_in_a_row_end_it(void **state)
{
    struct cli_early early = {.budget = 0};
    (void)state;
    cli_early_start(&early, 30);
    assert_int_equal(take(&early, TOPK_VERDICT_TIMEOUT, 9), 9);
    assert_int_equal(take(&early, TOPK_VERDICT_CRASH, 1), 1); /* a result in between */
    assert_int_equal(take(&early, TOPK_VERDICT_TIMEOUT, 20), 9);
    assert_int_equal(early.end.by, TOPK_EARLY_MAX_TIMEOUTS);
    assert_true(early.unasked);
    assert_true(early.end.limit == 19);
}

static void many_hangs_end_it(void **state)
{
    struct cli_early early = {.budget = 0};
    unsigned timeouts = 0;
    (void)state;
    cli_early_start(&early, 30);
    while (take(&early, TOPK_VERDICT_TIMEOUT, 1) == 1) {
        timeouts++;
        assert_int_equal(take(&early, TOPK_VERDICT_PASS, 1), 1);
    }
    assert_int_equal(timeouts, CLI_EARLY_TIMEOUTS - 1);
    assert_int_equal(early.end.by, TOPK_EARLY_MAX_TIMEOUTS);
}

static void option_replaces_both(void **state)
{
    struct cli_early any = {.timeouts_given = true};
    struct cli_early three = {.timeouts_given = true, .max_timeouts = 3};
    (void)state;
    cli_early_start(&any, 30);
    assert_int_equal(take(&any, TOPK_VERDICT_TIMEOUT, 1000), 1000);
    cli_early_start(&three, 30);
    assert_int_equal(take(&three, TOPK_VERDICT_TIMEOUT, 1000), 2);
    assert_false(three.unasked);
}

/* crashes without other results end a run only after 600 s */
static void crashes_for_long_end_it(void **state)
{
    struct cli_early early = {.budget = 0};
    struct cli_early asked = {.crashes_given = true};
    (void)state;
    cli_early_start(&early, 30);
    assert_int_equal(take(&early, TOPK_VERDICT_CRASH, 1000), 1000);
    assert_true(early.stalled == 600);
    early.useful -= (uint64_t)601 * 1000000000;
    assert_int_equal(take(&early, TOPK_VERDICT_PASS, 1), 1);
    assert_int_equal(take(&early, TOPK_VERDICT_CRASH, 1000), 1000);
    early.useful -= (uint64_t)601 * 1000000000;
    assert_int_equal(take(&early, TOPK_VERDICT_CRASH, 1), 0);
    assert_int_equal(early.end.by, TOPK_EARLY_MAX_CRASHES);
    assert_true(early.end.limit == 2001);

    cli_early_start(&asked, 60);
    assert_true(asked.stalled == 1200);
    asked.useful -= (uint64_t)1201 * 1000000000;
    assert_int_equal(take(&asked, TOPK_VERDICT_CRASH, 1000), 1000);
}

/* options that end a run at the first failure, and at the third crash */
static void options_end_it(void **state)
{
    struct cli_early crashes = {.crashes_given = true, .max_crashes = 3};
    struct cli_early fast = {.fail_fast = true};
    (void)state;
    cli_early_start(&crashes, 30);
    assert_int_equal(take(&crashes, TOPK_VERDICT_TIMEOUT, 5), 5);
    assert_int_equal(take(&crashes, TOPK_VERDICT_CRASH, 10), 2);
    assert_int_equal(crashes.end.by, TOPK_EARLY_MAX_CRASHES);
    assert_true(crashes.end.limit == 3);
    assert_false(crashes.unasked);
    cli_early_start(&fast, 30);
    assert_int_equal(take(&fast, TOPK_VERDICT_PASS, 10), 10);
    assert_int_equal(take(&fast, TOPK_VERDICT_EXPECTED_FAIL, 10), 10);
    assert_int_equal(take(&fast, TOPK_VERDICT_FAIL, 10), 0);
    assert_int_equal(fast.end.by, TOPK_EARLY_FAIL_FAST);
}

/* a run that already has all its results when an option ends it is complete */
static void the_last_result_ends_nothing_early(void **state)
{
    (void)state;
    for (uint64_t left = 0; left < 2; left++) {
        struct cli_early early = {.fail_fast = true};
        cli_early_start(&early, 30);
        assert_false(cli_early_take(&early, TOPK_VERDICT_FAIL));
        assert_int_equal(cli_early_ended(&early, left), left > 0);
        assert_int_equal(early.end.by, left > 0 ? TOPK_EARLY_FAIL_FAST : TOPK_EARLY_NOT);
        assert_int_equal(early.end.left, left);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hangs_in_a_row_end_it),
        cmocka_unit_test(many_hangs_end_it),
        cmocka_unit_test(option_replaces_both),
        cmocka_unit_test(crashes_for_long_end_it),
        cmocka_unit_test(options_end_it),
        cmocka_unit_test(the_last_result_ends_nothing_early),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
