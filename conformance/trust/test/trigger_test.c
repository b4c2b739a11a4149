/* The rows of the backend faulty: every trigger and cause can be read and means what it should. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "faulty/faulty.h"
#include "trust/trust.h"

/* Returns the row of a fault as `topk-worker --faults' prints it. */
static struct cli_fault row_of(const struct fault *fault)
{
    struct cli_fault row = {.allowed = fault->clauses == NULL};
    snprintf(row.name, sizeof row.name, "%s", fault->name);
    snprintf(row.causes, sizeof row.causes, "%s", fault->cause == NULL ? "-" : fault->cause);
    snprintf(row.trigger, sizeof row.trigger, "%s", fault->trigger == NULL ? "-" : fault->trigger);
    return row;
}

static void every_row_can_be_read(void **state)
{
    (void)state;
    size_t triggers = 0;
    for (size_t i = 0; faulty_at(i) != NULL; i++) {
        const struct fault *fault = faulty_at(i);
        const struct cli_fault row = row_of(fault);
        struct trust_trigger trigger;
        char error[TRUST_ERROR] = "";
        if (!trust_trigger_read(&row, &trigger, error) || !trust_causes_exist(&row, error)) {
            fail_msg("%s: %s", fault->name, error);
        }
        /* correct kernels have no trigger and no cause */
        assert_true(!row.allowed || (!trigger.known && fault->cause == NULL));
        /* the texts fit into a row */
        assert_true(fault->trigger == NULL || strlen(fault->trigger) < sizeof row.trigger);
        assert_true(fault->cause == NULL || strlen(fault->cause) < sizeof row.causes);
        triggers += trigger.known;
    }
    assert_true(triggers > 200);
}

static struct cli_fault row_with(const char *trigger, const char *causes)
{
    struct cli_fault row = {.name = "row"};
    snprintf(row.trigger, sizeof row.trigger, "%s", trigger);
    snprintf(row.causes, sizeof row.causes, "%s", causes);
    return row;
}

static enum topk_holds holds(const char *trigger, const char *text)
{
    const struct cli_fault row = row_with(trigger, "-");
    struct trust_trigger read;
    struct topk_features features;
    struct topk_case tc;
    char error[TRUST_ERROR];
    struct topk_case_error parse_error;
    assert_true(trust_trigger_read(&row, &read, error));
    assert_true(topk_case_parse(text, strlen(text), &tc, &parse_error));
    topk_features_describe(&tc, &features);
    topk_case_clear(&tc);
    return trust_trigger_holds(&read, &features);
}

static void one_condition_has_to_hold(void **state)
{
    (void)state;
    static const char text[] = "top_k fl=2.0 in=f32[1,1,3,8] axis=3 k=2 data=few.1:3:1";
    assert_int_equal(holds("", text), TOPK_HOLDS);
    assert_int_equal(holds("n=8", text), TOPK_HOLDS);
    assert_int_equal(holds("n=9 or k=2", text), TOPK_HOLDS);
    assert_int_equal(holds("n=9 or k=2 and rank=3", text), TOPK_HOLDS_NOT);
    assert_int_equal(holds("n=9 or k=3 or rank=4", text), TOPK_HOLDS);
}

static void what_is_wrong_with_a_row_is_said(void **state)
{
    (void)state;
    struct trust_trigger trigger;
    char error[TRUST_ERROR];
    struct cli_fault row = row_with("n=8 or m=3", "ties-high as-fl");
    assert_false(trust_trigger_read(&row, &trigger, error));
    assert_non_null(strstr(error, "there is no feature 'm'"));
    assert_false(trust_causes_exist(&row, error));
    assert_string_equal(error, "there is no reading 'as-fl'");
    row = row_with("-", "ties-high minus-zero");
    assert_true(trust_trigger_read(&row, &trigger, error));
    assert_false(trigger.known);
    assert_true(trust_causes_exist(&row, error));
    assert_true(trust_cause_true(&row, TOPK_READING_MINUS_ZERO));
    assert_false(trust_cause_true(&row, TOPK_READING_TIES_REVERSED));
}

/* The condition must hold for all failures, and for almost no case outside the trigger. */
static void a_condition_contains_a_trigger(void **state)
{
    (void)state;
    assert_true(trust_contains(&(struct trust_said){.failed = 10, .inside = 100}));
    assert_true(trust_contains(&(struct trust_said){.failed = 10, .inside = 100, .beyond = 5}));
    assert_false(trust_contains(&(struct trust_said){.failed = 10, .inside = 100, .beyond = 6}));
    assert_false(trust_contains(&(struct trust_said){.failed = 10, .inside = 100, .missed = 1}));
}

static void figures_have_bounds(void **state)
{
    (void)state;
    const struct trust_figures good = {
        .faults = 100, .triggers = 100, .contained = 85, .single = 90, .failed = 1000, .wrong = 5};
    struct trust_figures bad = good;
    assert_true(trust_figures_hold(&good));
    bad.contained = 84;
    assert_false(trust_figures_hold(&bad));
    bad = good;
    bad.single = 89;
    assert_false(trust_figures_hold(&bad));
    bad = good;
    bad.wrong = 6;
    assert_false(trust_figures_hold(&bad));
    bad = good;
    bad.astray = 1;
    assert_false(trust_figures_hold(&bad));
}

/* Compares a ledger that has only figures with these figures. */
static int check(const char *contained, const char *single, const char *wrong)
{
    static const char path[] = TOPK_BINARY_DIR "/trigger_test.ledger";
    const struct trust_figures now = {
        .faults = 100, .triggers = 90, .contained = 80, .single = 95, .failed = 1000, .wrong = 3};
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file,
            "# topk-cts ledger 1\nconditions that contain the trigger: %s\n"
            "faults with one entry: %s\nfailing cases with a wrong cause: %s\n",
            contained, single, wrong);
    assert_int_equal(fclose(file), 0);
    const int code = trust_ledger_check_figures(path, &now);
    remove(path);
    return code;
}

static void no_figure_may_become_worse(void **state)
{
    (void)state;
    assert_int_equal(check("80 of 90", "95 of 100", "3 of 1000"), CLI_CONFORMANT);
    assert_int_equal(check("79 of 90", "94 of 100", "6 of 1999"), CLI_CONFORMANT);
    assert_int_equal(check("81 of 90", "95 of 100", "3 of 1000"), CLI_FAILURES);
    assert_int_equal(check("80 of 90", "96 of 100", "3 of 1000"), CLI_FAILURES);
    assert_int_equal(check("80 of 90", "95 of 100", "2 of 1000"), CLI_FAILURES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_can_be_read),
        cmocka_unit_test(one_condition_has_to_hold),
        cmocka_unit_test(what_is_wrong_with_a_row_is_said),
        cmocka_unit_test(a_condition_contains_a_trigger),
        cmocka_unit_test(figures_have_bounds),
        cmocka_unit_test(no_figure_may_become_worse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
