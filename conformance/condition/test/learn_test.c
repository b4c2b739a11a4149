/* Makes cases of profile core fail by a known condition and tests that exactly this condition is
 * learned. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "condition/learn.h"
#include "condition/learner.h"
#include "coverage/coverage.h"
#include "reference/pcg.h"
#include "suite/profile.h"

/* Only one case in this many is used, to save time. */
#define ONE_IN 4u

static struct topk_sample *samples;
static size_t sample_count;
static size_t seen;

static bool take(void *context, struct topk_case *tc)
{
    (void)context;
    if (seen++ % ONE_IN == 0) {
        struct topk_sample *sample = &samples[sample_count++];
        *sample = (struct topk_sample){.looked = true, .refusal = !topk_aspects_ask(tc)};
        topk_features_describe(tc, &sample->features);
        topk_features_look(tc, TOPK_FEATURES_ELEMENTS, &sample->features);
    }
    return true;
}

static int make_samples(void **state)
{
    const struct topk_profile *core = topk_profile_find("core");
    size_t cases = 0;
    (void)state;
    for (size_t i = 0; i < core->test_count; i++) {
        cases += core->tests[i].cases;
    }
    samples = calloc(cases / ONE_IN + core->test_count + 1, sizeof *samples);
    for (size_t i = 0; samples != NULL && i < core->test_count; i++) {
        struct topk_sink sink = {.take = take};
        topk_test_enumerate(topk_profile_test(&core->tests[i]), &sink);
    }
    return samples == NULL;
}

static int free_samples(void **state)
{
    (void)state;
    free(samples);
    return 0;
}

static void look(void *context, size_t number, struct topk_features *features)
{
    (void)context;
    (void)number;
    (void)features;
    fail(); /* every sample has been examined already */
}

static const struct topk_look no_look = {look, NULL};

static struct topk_condition parse(const char *text)
{
    struct topk_condition condition;
    char error[TOPK_CONDITION_ERROR];
    size_t column;
    assert_true(topk_condition_parse(text, strlen(text), &condition, &column, error));
    return condition;
}

/* Lets `percent` of the samples for which a condition holds fail. */
static void plant(const char *text, uint32_t kind, uint32_t percent)
{
    const struct topk_condition condition = parse(text);
    struct topk_pcg pcg;
    topk_pcg_seed(&pcg, 1, kind);
    for (size_t i = 0; i < sample_count; i++) {
        const bool holds = topk_condition_holds(&condition, &samples[i].features) == TOPK_HOLDS;
        if (holds && topk_pcg_below(&pcg, 100) < percent) {
            samples[i].label = TOPK_LABEL_FAIL;
            samples[i].verdict = kind;
            samples[i].kind = kind;
        }
    }
}

static void clear(void)
{
    for (size_t i = 0; i < sample_count; i++) {
        samples[i].label = TOPK_LABEL_PASS;
        samples[i].site = 0;
        samples[i].nature = 0;
        samples[i].readings = 0;
        samples[i].guess = false;
    }
}

static void check_learned(const struct topk_bugs *bugs, size_t number, const char *text)
{
    char learned[TOPK_CONDITION_TEXT];
    topk_condition_print(&bugs->list[number].condition, learned);
    assert_string_equal(learned, text);
}

static void test_one(void **state)
{
    static const struct {
        const char *planted;
        uint32_t percent;
        const char *learned; /* NULL: equals the planted one */
    } rows[] = {
        {"rank>=5 and breaks=nothing", 100, "rank>=5"},
        {"rank>=5 and breaks=nothing", 60, "rank>=5"},
        {"type=f16|u64", 100, NULL},
        {"type=f16 and n>=257", 100, NULL},
        {"direction=smallest and ties=boundary", 100, NULL},
        {"input=broadcast", 80, NULL},
        {"zeros=yes", 70, NULL},
        {"nan=yes", 50, NULL},
        {"k>=65", 90, NULL},
        {"breaks=V02", 100, "k=0"},
        {"check=padding", 100, NULL},
        {"index=u64 and kind=signed", 100, NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct topk_bugs bugs;
        clear();
        plant(rows[i].planted, 1, rows[i].percent);
        assert_true(topk_bugs_learn(&bugs, samples, sample_count, &no_look));
        if (bugs.count != 1) {
            fail_msg("%s: %zu bugs", rows[i].planted, bugs.count);
        }
        check_learned(&bugs, 0, rows[i].learned == NULL ? rows[i].planted : rows[i].learned);
        topk_bugs_free(&bugs);
    }
}

/* A term is not used if the feature is unknown for most failures. */
static void test_unknown(void **state)
{
    struct topk_sample some[4] = {
        {.looked = true}, {.looked = true}, {.looked = true}, {.looked = true}};
    const struct topk_sample *list[4] = {&some[0], &some[1], &some[2], &some[3]};
    struct topk_term term;
    (void)state;
    for (size_t known = 0; known <= 4; known++) {
        for (size_t i = 0; i < 4; i++) {
            some[i].features.words[TOPK_CATEGORY_KIND] = i < known ? 0 : TOPK_WORD_UNKNOWN;
            some[i].features.numbers[TOPK_NUMBER_N] = i < known ? 7 : TOPK_NUMBER_UNKNOWN;
        }
        assert_int_equal(topk_tight_words(list, 4, TOPK_CATEGORY_KIND, &term), known >= 2);
        assert_int_equal(topk_tight_bounds(list, 4, TOPK_NUMBER_N, &term), known >= 2);
    }
}

static void test_two(void **state)
{
    struct topk_bugs bugs;
    (void)state;
    clear();
    plant("type=f16", 1, 100);
    plant("rank>=5 and breaks=nothing", 2, 100);
    assert_true(topk_bugs_learn(&bugs, samples, sample_count, &no_look));
    assert_int_equal(bugs.count, 2);
    check_learned(&bugs, 0, "type=f16");
    check_learned(&bugs, 1, "rank>=5");
    for (size_t i = 0; i < sample_count; i++) {
        assert_true((bugs.of[i] != 0) == (samples[i].label == TOPK_LABEL_FAIL));
    }
    topk_bugs_free(&bugs);
}

/* There is no condition for failures by chance, or if all cases fail. */
static void test_none(void **state)
{
    static const uint32_t percents[] = {1, 50, 100};
    char text[TOPK_BUG_TEXT];
    (void)state;
    for (size_t i = 0; i < sizeof percents / sizeof percents[0]; i++) {
        struct topk_bugs bugs;
        clear();
        plant("breaks=nothing", 1, percents[i]);
        assert_true(topk_bugs_learn(&bugs, samples, sample_count, &no_look));
        assert_int_equal(bugs.count, 1);
        if (bugs.list[0].condition.count != 0) {
            topk_bug_print(&bugs.list[0], text);
            fail_msg("%u percent: %s", percents[i], text);
        }
        topk_bug_print(&bugs.list[0], text);
        assert_non_null(
            strstr(text, percents[i] < 100 ? "fails in cases of all kinds: " : "fails in "));
        topk_bugs_free(&bugs);
    }
}

/* With too few cases, failures without a condition are not claimed to be of all kinds. */
static void test_few(void **state)
{
    static const struct {
        uint64_t failed, inside;
        const char *text;
    } rows[] = {
        {30, 30,
         "fails in 30 of 30 cases: too few pass to say what the failing ones share; run the whole "
         "profile"},
        {10, 15,
         "fails in 10 of 15 cases: too few pass to say what the failing ones share; run the whole "
         "profile"},
        {5, 15,
         "fails in 5 of 15 cases: too few fail to say what the failing ones share; run the whole "
         "profile"},
        {1, 34111, "fails in 1 of 34111 cases: too few fail to say what the failing ones share"},
        {34111, 34111,
         "fails in 34111 of 34111 cases: too few pass to say what the failing ones share"},
        {200, 400, "fails in cases of all kinds: 200 of 400"},
    };
    char text[TOPK_BUG_TEXT];
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct topk_bug bug = {.failed = rows[i].failed, .inside = rows[i].inside};
        topk_bug_print(&bug, text);
        assert_string_equal(text, rows[i].text);
    }
}

/* Crashes at two places are two bugs, even if no condition separates them; a wrong result beside
 * them belongs to the first. */
static void test_sites(void **state)
{
    struct topk_bugs bugs;
    uint64_t failed[2] = {0, 0};
    uint32_t crashes = 0;
    (void)state;
    clear();
    plant("rank>=5 and breaks=nothing", 1, 100);
    for (size_t i = 0; i < sample_count; i++) {
        if (samples[i].label == TOPK_LABEL_FAIL) {
            crashes++;
            samples[i].site = crashes % 3;
            failed[crashes % 3 == 2]++;
        }
    }
    assert_true(topk_bugs_learn(&bugs, samples, sample_count, &no_look));
    assert_int_equal(bugs.count, 2);
    for (size_t i = 0; i < 2; i++) {
        check_learned(&bugs, i, "rank>=5");
        assert_int_equal(bugs.list[i].failed, failed[i]);
    }
    topk_bugs_free(&bugs);
}

/* Failures without any condition hide neither calls that are refused nor a smaller bug. */
static void test_beside_unexplained(void **state)
{
    struct topk_bugs bugs;
    (void)state;
    clear();
    plant("breaks=nothing", 1, 10);
    plant("input=broadcast and breaks=nothing", 2, 100);
    for (size_t i = 0; i < sample_count; i++) {
        samples[i].nature = samples[i].label == TOPK_LABEL_FAIL && samples[i].kind == 2;
        samples[i].verdict = samples[i].kind; /* ignored for passes */
    }
    assert_true(topk_bugs_learn(&bugs, samples, sample_count, &no_look));
    assert_int_equal(bugs.count, 2);
    check_learned(&bugs, 0, "");
    check_learned(&bugs, 1, "input=broadcast");
    for (size_t i = 0; i < sample_count; i++) {
        assert_true(bugs.of[i] == 0 || (samples[i].nature == 1) == (bugs.of[i] == 2));
    }
    topk_bugs_free(&bugs);
    clear();
    plant("breaks=nothing", 1, 4);
    plant("type=u32 and direction=smallest", 2, 100);
    for (size_t i = 0; i < sample_count; i++) {
        samples[i].verdict = 1;
    }
    assert_true(topk_bugs_learn(&bugs, samples, sample_count, &no_look));
    assert_int_equal(bugs.count, 2);
    check_learned(&bugs, 0, "");
    check_learned(&bugs, 1, "type=u32 and direction=smallest");
    topk_bugs_free(&bugs);
}

/* Failures of two natures belong to two bugs, even if one condition holds for all of them. */
static void test_natures(void **state)
{
    struct topk_bugs bugs;
    size_t failed = 0;
    (void)state;
    clear();
    plant("rank>=5 and breaks=nothing", 1, 100);
    for (size_t i = 0; i < sample_count; i++) {
        samples[i].nature = samples[i].label == TOPK_LABEL_FAIL && failed++ % 5 == 0 ? 4 : 1;
    }
    assert_true(topk_bugs_learn(&bugs, samples, sample_count, &no_look));
    assert_int_equal(bugs.count, 2);
    for (size_t i = 0; i < sample_count; i++) {
        assert_true(bugs.of[i] == 0 || bugs.of[i] == (samples[i].nature == 4 ? 2 : 1));
    }
    check_learned(&bugs, 0, "rank>=5");
    check_learned(&bugs, 1, "rank>=5");
    topk_bugs_free(&bugs);
}

/* Sets the readings of the failures for which a condition holds. */
static void explain(const char *text, topk_reading_set readings)
{
    const struct topk_condition condition = parse(text);
    for (size_t i = 0; i < sample_count; i++) {
        struct topk_sample *sample = &samples[i];
        if (sample->label == TOPK_LABEL_FAIL &&
            topk_condition_holds(&condition, &sample->features) == TOPK_HOLDS) {
            sample->readings = readings;
            sample->wrong = true;
        }
    }
}

/* In a run that fails nearly everywhere, one short condition covers two bugs; the readings tell
 * them apart. Failures for which no reading was tried are assigned by the conditions. */
static void test_causes(void **state)
{
    const topk_reading_set ties = topk_reading_only(TOPK_READING_TIES_DESCENDING);
    const struct topk_condition none = parse("ties=none");
    unsigned char *nan = malloc(sample_count);
    struct topk_bugs bugs;
    (void)state;
    assert_non_null(nan);
    clear();
    plant("ties=boundary|inside|all and breaks=nothing", 1, 100);
    plant("k=n and breaks=nothing", 1, 100);
    explain("breaks=nothing", 0);
    explain("ties=boundary|inside|all and k!=n", ties);
    for (size_t i = 0; i < sample_count; i++) {
        struct topk_sample *sample = &samples[i];
        sample->verdict = 1;
        sample->kind = 1;
        nan[i] = sample->features.words[TOPK_CATEGORY_NAN];
        if (sample->label == TOPK_LABEL_FAIL && i % 16 == 0) {
            sample->readings = 0;
            sample->features.words[TOPK_CATEGORY_NAN] = TOPK_WORD_UNKNOWN;
        }
        if (topk_condition_holds(&none, &sample->features) == TOPK_HOLDS &&
            sample->label == TOPK_LABEL_PASS) {
            sample->label = TOPK_LABEL_NEITHER;
        }
    }
    assert_true(topk_bugs_learn(&bugs, samples, sample_count, &no_look));
    assert_int_equal(bugs.count, 2);
    check_learned(&bugs, 0, "ties=inside|boundary|all");
    check_learned(&bugs, 1, "k=n");
    for (size_t i = 0; i < sample_count; i++) {
        assert_true(samples[i].readings == 0 || bugs.of[i] == 1);
        samples[i].features.words[TOPK_CATEGORY_NAN] = nan[i];
    }
    topk_bugs_free(&bugs);
    free(nan);
}

static void test_counts(void **state)
{
    struct topk_bugs bugs;
    uint64_t inside = 0;
    uint64_t outside = 0;
    char text[TOPK_BUG_TEXT];
    char wanted[TOPK_BUG_TEXT];
    const struct topk_condition condition = parse("input=broadcast");
    (void)state;
    clear();
    plant("input=broadcast", 1, 80);
    uint64_t failed = 0;
    for (size_t i = 0; i < sample_count; i++) {
        const enum topk_holds holds = topk_condition_holds(&condition, &samples[i].features);
        const bool compared = !samples[i].refusal || samples[i].label == TOPK_LABEL_FAIL;
        inside += holds == TOPK_HOLDS && compared;
        outside += holds == TOPK_HOLDS_NOT && compared;
        failed += samples[i].label == TOPK_LABEL_FAIL;
    }
    assert_true(topk_bugs_learn(&bugs, samples, sample_count, &no_look));
    topk_bug_print(&bugs.list[0], text);
    snprintf(wanted, sizeof wanted,
             "fails only where input=broadcast: %llu of %llu such cases, 0 of %llu others",
             (unsigned long long)failed, (unsigned long long)inside, (unsigned long long)outside);
    assert_string_equal(text, wanted);
    topk_bugs_free(&bugs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one),
        cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_two),
        cmocka_unit_test(test_none),
        cmocka_unit_test(test_few),
        cmocka_unit_test(test_sites),
        cmocka_unit_test(test_beside_unexplained),
        cmocka_unit_test(test_natures),
        cmocka_unit_test(test_causes),
        cmocka_unit_test(test_counts),
    };
    return cmocka_run_group_tests(tests, make_samples, free_samples);
}
