/* Combinations: the builder makes the requested case, impossible combinations are impossible, and
 * profiles and the group `cover` cover what the documentation claims. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "coverage/coverage.h"
#include "reference/pcg.h"
#include "suite/group.h"
#include "suite/profile.h"

#ifdef TOPK_SANITIZED
#define ROUNDS 1000u
/* One in so many cases is read, of the tests of core and of others. full_test.sh checks that no
 * case at all breaks a rule, with `topk-cts coverage --profile full`. */
#define ONE_IN_CORE 64u
#define ONE_IN      256u
#define STRENGTH    2u
#define COVERS      1u
#else
#define ROUNDS      5000u
#define ONE_IN_CORE 1u
#define ONE_IN      16u
#define STRENGTH    3u
#define COVERS      2u
#endif

/* ---- the builder ----------------------------------------------------------------------------- */

/* A random assignment that satisfies some rules: aspects in random order, each with a random class
 * that is still possible. */
static void draw_assignment(struct topk_pcg *pcg, uint64_t rules,
                            unsigned char classes[TOPK_ASPECT_COUNT])
{
    memset(classes, TOPK_CLASS_OPEN, TOPK_ASPECT_COUNT);
    for (unsigned i = 0; i < 6; i++) {
        unsigned char tried[TOPK_ASPECT_COUNT];
        enum topk_aspect aspect = (enum topk_aspect)topk_pcg_below(pcg, TOPK_ASPECT_COUNT);
        memcpy(tried, classes, sizeof tried);
        tried[aspect] = (unsigned char)(topk_aspect_first(aspect) +
                                        topk_pcg_below(pcg, topk_aspect_classes(aspect)));
        unsigned char wanted = tried[aspect];
        if (topk_cover_extend(tried, rules)) {
            classes[aspect] = wanted;
        }
    }
    /* each remaining aspect: the first class that is possible, from a random one on */
    for (unsigned i = 0; i < TOPK_ASPECT_COUNT; i++) {
        enum topk_aspect aspect = (enum topk_aspect)i;
        unsigned count = topk_aspect_classes(aspect);
        unsigned start = topk_pcg_below(pcg, count);
        for (unsigned j = 0; classes[i] == TOPK_CLASS_OPEN; j++) {
            unsigned char tried[TOPK_ASPECT_COUNT];
            assert_true(j < count);
            memcpy(tried, classes, sizeof tried);
            tried[i] = (unsigned char)(topk_aspect_first(aspect) + (start + j) % count);
            unsigned char wanted = tried[i];
            if (topk_cover_extend(tried, rules)) {
                classes[i] = wanted;
            }
        }
    }
}

/* builds a case and compares its classes with the requested ones; `show` prints the differences */
static bool round_trip(const unsigned char classes[TOPK_ASPECT_COUNT], uint32_t seed, bool show)
{
    struct topk_case tc;
    unsigned char back[TOPK_ASPECT_COUNT] = {0};
    if (!topk_cover_build(classes, seed, &tc)) {
        return false;
    }
    bool same = topk_aspects_of(&tc, back) && memcmp(back, classes, sizeof back) == 0;
    if (!same && show) {
        char text[2048];
        topk_case_print(&tc, text, sizeof text);
        print_error("%s\n", text);
        for (unsigned i = 0; i < TOPK_ASPECT_COUNT; i++) {
            if (back[i] != classes[i]) {
                print_error("  %s: %s instead of %s\n", topk_aspect_name((enum topk_aspect)i),
                            topk_aspect_class_name(back[i]), topk_aspect_class_name(classes[i]));
            }
        }
    }
    topk_case_clear(&tc);
    return same;
}

static void cases_are_what_was_asked_for(void **state)
{
    (void)state;
    struct topk_pcg pcg;
    unsigned wrong = 0;
    topk_pcg_seed(&pcg, 7, 7);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        unsigned char classes[TOPK_ASPECT_COUNT];
        draw_assignment(&pcg, topk_rules_all(), classes);
        assert_int_equal(topk_rules_broken(classes, topk_rules_all()), 0);
        wrong += !round_trip(classes, i, wrong < 5);
    }
    assert_int_equal(wrong, 0);
}

/* Every rule is needed and true: for an assignment that breaks only this rule, the builder makes a
 * case of other classes, or none. */
static void rules_are_needed(void **state)
{
    (void)state;
    struct topk_pcg pcg;
    topk_pcg_seed(&pcg, 3, 3);
    for (unsigned r = 0; r < topk_rule_count; r++) {
        uint64_t rule = (uint64_t)1 << r;
        unsigned found = 0;
        for (uint32_t i = 0; i < 20000 && found < 20; i++) {
            unsigned char classes[TOPK_ASPECT_COUNT];
            draw_assignment(&pcg, topk_rules_all() & ~rule, classes);
            if (topk_rules_broken(classes, rule) == 0) {
                continue;
            }
            found++;
            if (round_trip(classes, i, false)) {
                fail_msg("there is a case, but a rule says: %s", topk_rules[r].reason);
            }
        }
        if (found < 20) {
            fail_msg("the others imply the rule: %s", topk_rules[r].reason);
        }
    }
}

/* ---- combinations ---------------------------------------------------------------------------- */

static void combinations_are_counted(void **state)
{
    (void)state;
    uint64_t expected[TOPK_STRENGTH_MAX + 1] = {1};
    for (unsigned i = 0; i < TOPK_ASPECT_COUNT; i++) {
        unsigned count = topk_aspect_classes((enum topk_aspect)i);
        assert_in_range(count, 2, 16); /* cover_array.c reads 16 at once */
        for (unsigned s = TOPK_STRENGTH_MAX; s > 0; s--) {
            expected[s] += expected[s - 1] * count;
        }
    }
    /* cover_array.c adds up the pairs of all other aspects in one byte */
    assert_in_range((TOPK_ASPECT_COUNT - 1) * (TOPK_ASPECT_COUNT - 2) / 2, 1, UINT8_MAX);
    for (unsigned s = 1; s <= TOPK_STRENGTH_MAX; s++) {
        struct topk_combinations set;
        unsigned char combination[TOPK_STRENGTH_MAX] = {TOPK_CLASS_OPEN};
        uint64_t count = 0;
        assert_true(topk_combinations_start(&set, s));
        while (topk_combination_next(s, combination)) {
            assert_false(topk_combinations_has(&set, combination));
            topk_combinations_add(&set, combination);
            assert_true(topk_combinations_has(&set, combination));
            count++;
        }
        assert_int_equal(count, expected[s]);
        topk_combinations_free(&set);
    }
}

static void count_one(void *context, const unsigned char combination[])
{
    (void)combination;
    ++*(unsigned *)context;
}

static void assignments_have_their_combinations(void **state)
{
    (void)state;
    static const unsigned expected[] = {
        0, TOPK_ASPECT_COUNT, TOPK_ASPECT_COUNT * (TOPK_ASPECT_COUNT - 1) / 2,
        TOPK_ASPECT_COUNT * (TOPK_ASPECT_COUNT - 1) * (TOPK_ASPECT_COUNT - 2) / 6};
    unsigned char classes[TOPK_ASPECT_COUNT];
    memset(classes, TOPK_CLASS_OPEN, sizeof classes);
    assert_true(topk_cover_extend(classes, topk_rules_all()));
    for (unsigned s = 1; s <= TOPK_STRENGTH_MAX; s++) {
        struct topk_combinations set;
        unsigned count = 0;
        topk_combinations_visit(s, classes, count_one, &count);
        assert_int_equal(count, expected[s]);
        assert_true(topk_combinations_start(&set, s));
        topk_combinations_add_all(&set, classes);
        unsigned char combination[TOPK_STRENGTH_MAX] = {TOPK_CLASS_OPEN};
        while (topk_combination_next(s, combination)) {
            bool own = true;
            for (unsigned i = 0; i < s; i++) {
                own = own && classes[topk_aspect_of_class(combination[i])] == combination[i];
            }
            assert_int_equal(topk_combinations_has(&set, combination), own);
        }
        topk_combinations_free(&set);
    }
}

/* the rules of a reason suffice, and without any one of them they do not */
static void reasons_are_least(void **state)
{
    (void)state;
    unsigned impossible = 0;
    unsigned char combination[TOPK_STRENGTH_MAX] = {TOPK_CLASS_OPEN};
    while (topk_combination_next(2, combination)) {
        unsigned char classes[TOPK_ASPECT_COUNT];
        topk_combination_assign(2, combination, classes);
        if (topk_cover_extend(classes, topk_rules_all())) {
            assert_int_equal(topk_rules_broken(classes, topk_rules_all()), 0);
            continue;
        }
        impossible++;
        uint64_t reason = topk_cover_reason(classes);
        assert_false(topk_cover_extend(classes, reason));
        for (unsigned r = 0; r < topk_rule_count; r++) {
            if ((reason >> r & 1) != 0) {
                topk_combination_assign(2, combination, classes);
                assert_true(topk_cover_extend(classes, reason & ~((uint64_t)1 << r)));
            }
        }
    }
    assert_in_range(impossible, 100, 400);
}

static void known_combinations(void **state)
{
    (void)state;
    static const struct {
        unsigned char classes[5];
        unsigned count;
        const char *reason; /* of the first rule; NULL: possible */
    } rows[] = {
        {{TOPK_CLASS_OPERATOR_TOP_K, TOPK_CLASS_DIRECTION_SMALLEST}, 2, "S02"},
        {{TOPK_CLASS_OPERATOR_TOP_K1, TOPK_CLASS_DIRECTION_SMALLEST}, 2, NULL},
        {{TOPK_CLASS_LEVEL_2_0, TOPK_CLASS_DIRECTION_SMALLEST}, 2, "S02"},
        {{TOPK_CLASS_LEVEL_3_1, TOPK_CLASS_TYPE_U64}, 2, "V09"},
        {{TOPK_CLASS_LEVEL_3_1, TOPK_CLASS_INDEX_U64}, 2, "V07"},
        {{TOPK_CLASS_LEVEL_2_1, TOPK_CLASS_RANK_8}, 2, "V08"},
        {{TOPK_CLASS_LEVEL_3_1, TOPK_CLASS_RANK_8}, 2, NULL},
        {{TOPK_CLASS_TYPE_U8, TOPK_CLASS_LENGTH_LONG, TOPK_CLASS_TIES_NONE}, 3, "values"},
        {{TOPK_CLASS_TYPE_U8, TOPK_CLASS_LENGTH_POWER, TOPK_CLASS_TIES_NONE}, 3, NULL},
        {{TOPK_CLASS_TYPE_U16, TOPK_CLASS_LENGTH_LONG, TOPK_CLASS_TIES_NONE}, 3, NULL},
        {{TOPK_CLASS_TYPE_U16, TOPK_CLASS_LENGTH_HUGE, TOPK_CLASS_TIES_NONE}, 3, "values"},
        /* K is at least 32768: FLOAT16 has as many values, but not above zero */
        {{TOPK_CLASS_TYPE_F16, TOPK_CLASS_LENGTH_HUGE, TOPK_CLASS_K_HALF,
          TOPK_CLASS_TIES_UNSELECTED},
         4,
         NULL},
        {{TOPK_CLASS_TYPE_F16, TOPK_CLASS_LENGTH_HUGE, TOPK_CLASS_K_HALF,
          TOPK_CLASS_TIES_UNSELECTED, TOPK_CLASS_SPECIALS_ZEROS},
         5,
         "values"},
        {{TOPK_CLASS_TYPE_I32, TOPK_CLASS_SPECIALS_DENORMALS}, 2, "F01-F05"},
        {{TOPK_CLASS_RANK_1, TOPK_CLASS_INPUT_BROADCAST, TOPK_CLASS_TIES_NONE}, 3, "S01"},
        {{TOPK_CLASS_RANK_2, TOPK_CLASS_INPUT_BROADCAST, TOPK_CLASS_TIES_NONE}, 3, NULL},
        {{TOPK_CLASS_LENGTH_2, TOPK_CLASS_TIES_BOUNDARY}, 2, "S08"},
        {{TOPK_CLASS_LENGTH_3, TOPK_CLASS_TIES_BOUNDARY}, 2, NULL},
        {{TOPK_CLASS_RANK_2, TOPK_CLASS_VALUE_OUT_SIZE_ONE, TOPK_CLASS_INDEX_OUT_PERMUTED}, 3, "V"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        unsigned char classes[TOPK_ASPECT_COUNT];
        topk_combination_assign(rows[i].count, rows[i].classes, classes);
        bool possible = topk_cover_extend(classes, topk_rules_all());
        if (possible != (rows[i].reason == NULL)) {
            fail_msg("row %zu is %s", i, possible ? "possible" : "impossible");
        }
        assert_true(!possible || round_trip(classes, 1, true));
        if (!possible && rows[i].reason != NULL && strlen(rows[i].reason) > 1) {
            uint64_t reason = topk_cover_reason(classes);
            unsigned r = 0;
            while ((reason >> r & 1) == 0) {
                r++;
            }
            if (strstr(topk_rules[r].reason, rows[i].reason) == NULL) {
                fail_msg("row %zu: %s", i, topk_rules[r].reason);
            }
        }
    }
}

/* ---- what is covered ------------------------------------------------------------------------- */

struct counting {
    struct topk_coverage *coverage;
    const struct topk_test *test;
    uint32_t one_in; /* counts one in so many cases */
    uint32_t seen;
    uint64_t largest; /* greatest number of elements */
};

static bool count_case(void *context, struct topk_case *tc)
{
    struct counting *counting = context;
    unsigned char classes[TOPK_ASPECT_COUNT] = {0};
    if (counting->seen++ % counting->one_in != 0) {
        return true;
    }
    uint64_t elements = topk_tensor_elements(&tc->op.tensors[TOPK_INPUT]);
    counting->largest = elements > counting->largest ? elements : counting->largest;
    if (topk_coverage_add(counting->coverage, tc, classes) != TOPK_COVERAGE_ADDED) {
        char text[2048];
        uint64_t broken = topk_rules_broken(classes, topk_rules_all());
        topk_case_print(tc, text, sizeof text);
        for (unsigned r = 0; r < topk_rule_count; r++) {
            if ((broken >> r & 1) != 0) {
                print_error("%s\n", topk_rules[r].reason);
            }
        }
        fail_msg("%s.%s:%s", counting->test->group, counting->test->name, text);
    }
    return true;
}

/* counts the cases of a test, or a fraction of them, and the elements of the largest */
static uint64_t count_test(struct topk_coverage *coverage, const struct topk_test *test,
                           uint32_t one_in)
{
    assert_non_null(test);
    struct counting counting = {.coverage = coverage, .test = test, .one_in = one_in};
    struct topk_sink sink = {.take = count_case, .context = &counting};
    topk_test_enumerate(test, &sink);
    assert_string_equal(sink.broken, "");
    return counting.largest;
}

static void count_state(void *context, const unsigned char combination[],
                        enum topk_combination_state state, uint64_t rules)
{
    uint64_t *states = context;
    (void)combination;
    assert_int_equal(state == TOPK_COMBINATION_IMPOSSIBLE, rules != 0);
    states[state]++;
}

static void expect_covered(const struct topk_coverage *coverage, const char *what)
{
    uint64_t states[TOPK_COMBINATION_IMPOSSIBLE + 1] = {0};
    assert_true(topk_coverage_each(coverage, count_state, states));
    print_message("%s: %u of strength %u exercised, %u impossible, %u cases\n", what,
                  (unsigned)states[TOPK_COMBINATION_EXERCISED], coverage->exercised.strength,
                  (unsigned)states[TOPK_COMBINATION_IMPOSSIBLE], (unsigned)coverage->counted);
    if (states[TOPK_COMBINATION_MISSING] > 0) {
        fail_msg("%s: %u of strength %u missing", what, (unsigned)states[TOPK_COMBINATION_MISSING],
                 coverage->exercised.strength);
    }
}

static void cover_covers(void **state)
{
    (void)state;
    static const char *const names[] = {"cover.pairs", "cover.triples"};
    static const unsigned most[] = {250, 3000}; /* cases */
    for (unsigned i = 0; i < COVERS; i++) {
        for (unsigned strength = 1; strength <= i + 2 && strength <= STRENGTH; strength++) {
            struct topk_coverage coverage;
            const struct topk_test *test = topk_test_find(names[i], strlen(names[i]));
            assert_true(topk_coverage_start(&coverage, strength));
            assert_in_range(count_test(&coverage, test, 1), 1, 300000);
            assert_in_range(coverage.counted, 100, most[i]);
            assert_int_equal(coverage.invalid + coverage.open + coverage.large, 0);
            expect_covered(&coverage, names[i]);
            topk_coverage_free(&coverage);
        }
    }
}

static void core_covers_pairs(void **state)
{
    (void)state;
    if (ONE_IN_CORE > 1) {
        skip(); /* reads all of core; the builds without sanitizers test it */
    }
    struct topk_coverage coverage;
    const struct topk_profile *core = topk_profile_find("core");
    assert_non_null(core);
    assert_true(topk_coverage_start(&coverage, 2));
    for (size_t i = 0; i < core->test_count; i++) {
        count_test(&coverage, topk_profile_test(&core->tests[i]), 1);
    }
    assert_true(coverage.invalid > 0 && coverage.open > 0);
    expect_covered(&coverage, "core");
    topk_coverage_free(&coverage);
}

static void expect_possible(void *context, const unsigned char combination[],
                            enum topk_combination_state state, uint64_t rules)
{
    (void)rules;
    const struct topk_coverage *coverage = context;
    unsigned strength = coverage->exercised.strength;
    unsigned char classes[TOPK_ASPECT_COUNT];
    topk_combination_assign(strength, combination, classes);
    if (state == TOPK_COMBINATION_EXERCISED && !topk_cover_extend(classes, topk_rules_all())) {
        for (unsigned i = 0; i < strength; i++) {
            print_error("%s %s\n", topk_aspect_name(topk_aspect_of_class(combination[i])),
                        topk_aspect_class_name(combination[i]));
        }
        fail_msg("there is a case of what is called impossible");
    }
}

static bool in_core(const struct topk_test *test)
{
    const struct topk_profile *core = topk_profile_find("core");
    bool found = false;
    for (size_t i = 0; i < core->test_count; i++) {
        found |= topk_profile_test(&core->tests[i]) == test;
    }
    return found;
}

/* every combination in a case is possible: no case breaks a rule (count_case), and the search
 * agrees */
static void what_is_exercised_is_possible(void **state)
{
    (void)state;
    struct topk_coverage coverage;
    assert_true(topk_coverage_start(&coverage, STRENGTH));
    for (size_t i = 0; i < topk_test_count(); i++) {
        count_test(&coverage, topk_test_at(i), in_core(topk_test_at(i)) ? ONE_IN_CORE : ONE_IN);
    }
    assert_true(topk_coverage_each(&coverage, expect_possible, &coverage));
    topk_coverage_free(&coverage);
}

static void one_case_covers_little(void **state)
{
    (void)state;
    static const char text[] = "top_k fl=2.0 in=f32[1,1,1,4] axis=3 k=2 data=shuffle.1:1";
    for (unsigned strength = 1; strength <= 2; strength++) {
        struct topk_coverage coverage;
        struct topk_case tc;
        struct topk_case_error error;
        unsigned char classes[TOPK_ASPECT_COUNT];
        uint64_t states[TOPK_COMBINATION_IMPOSSIBLE + 1] = {0};
        assert_true(topk_case_parse(text, strlen(text), &tc, &error));
        assert_true(topk_coverage_start(&coverage, strength));
        assert_int_equal(topk_coverage_add(&coverage, &tc, classes), TOPK_COVERAGE_ADDED);
        tc.op.k = 9;
        assert_int_equal(topk_coverage_add(&coverage, &tc, classes), TOPK_COVERAGE_ADDED);
        assert_true(topk_coverage_each(&coverage, count_state, states));
        assert_int_equal(coverage.counted, 1);
        assert_int_equal(coverage.invalid, 1);
        assert_int_equal(coverage.classes[TOPK_CLASS_LENGTH_SHORT], 1);
        assert_int_equal(states[TOPK_COMBINATION_EXERCISED],
                         strength == 1 ? TOPK_ASPECT_COUNT
                                       : TOPK_ASPECT_COUNT * (TOPK_ASPECT_COUNT - 1) / 2);
        if (strength == 1) {
            assert_int_equal(states[TOPK_COMBINATION_IMPOSSIBLE], 0);
            assert_int_equal(states[TOPK_COMBINATION_MISSING],
                             TOPK_CLASS_COUNT - TOPK_ASPECT_COUNT);
        }
        topk_coverage_free(&coverage);
        topk_case_clear(&tc);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cases_are_what_was_asked_for),
        cmocka_unit_test(rules_are_needed),
        cmocka_unit_test(combinations_are_counted),
        cmocka_unit_test(assignments_have_their_combinations),
        cmocka_unit_test(reasons_are_least),
        cmocka_unit_test(known_combinations),
        cmocka_unit_test(cover_covers),
        cmocka_unit_test(core_covers_pairs),
        cmocka_unit_test(what_is_exercised_is_possible),
        cmocka_unit_test(one_case_covers_little),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
