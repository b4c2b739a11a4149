/* The tables of tests: every case is well-formed, and every clause has a case that can break it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "case/case.h"
#include "case/check.h"
#include "reference/element.h"
#include "suite/digest.h"

#define LEAST_CASES 5000u

/* fractions of the cases of many(), and of those whose data is read: with sanitizers, fewer are
 * enough */
#ifdef TOPK_SANITIZED
#define ONE_IN 16u
#else
#define ONE_IN 1u
#endif

/* ---- a walk over all cases ------------------------------------------------------------------- */

struct walk {
    const struct topk_test *test; /* the current test */
    void (*visit)(struct walk *walk, struct topk_case *tc, const char *text, size_t length);
    char *text; /* TOPK_CASE_TEXT */
    uint32_t cases;
    void *context;
};

/* whether the cases of a test are random, exhaustive or large */
static bool many(const struct topk_test *test)
{
    return strcmp(test->group, "random") == 0 || strcmp(test->group, "stress") == 0 ||
           strcmp(test->group, "exhaustive") == 0;
}

static bool take(void *context, struct topk_case *tc)
{
    struct walk *walk = context;
    if (many(walk->test) && walk->cases % ONE_IN != 0) {
        walk->cases++;
        return true;
    }
    size_t length = topk_case_print(tc, walk->text, TOPK_CASE_TEXT);
    if (length >= TOPK_CASE_TEXT) {
        fail_msg("%s.%s: a text of %zu characters", walk->test->group, walk->test->name, length);
    }
    walk->visit(walk, tc, walk->text, length);
    walk->cases++;
    return true;
}

static uint32_t walk_test(struct walk *walk, const struct topk_test *test)
{
    uint32_t before = walk->cases;
    struct topk_sink sink = {.take = take, .context = walk};
    walk->test = test;
    topk_test_enumerate(test, &sink);
    if (sink.broken[0] != 0) {
        fail_msg("%s", sink.broken);
    }
    return walk->cases - before;
}

static uint32_t walk_all(void (*visit)(struct walk *, struct topk_case *, const char *, size_t),
                         void *context)
{
    struct walk walk = {.visit = visit, .context = context, .text = malloc(TOPK_CASE_TEXT)};
    assert_non_null(walk.text);
    for (size_t i = 0; i < topk_test_count(); i++) {
        const struct topk_test *test = topk_test_at(i);
        if (walk_test(&walk, test) == 0) {
            fail_msg("%s.%s has no cases", test->group, test->name);
        }
    }
    free(walk.text);
    return walk.cases;
}

/* ---- names, ids, texts ----------------------------------------------------------------------- */

static bool word(const char *text)
{
    return text[0] != 0 && text[strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-")] == 0;
}

static void tests_are_named(void **state)
{
    (void)state;
    for (size_t i = 0; i < topk_test_count(); i++) {
        const struct topk_test *test = topk_test_at(i);
        char name[TOPK_CASE_ID - TOPK_CASE_TEXT];
        size_t length = (size_t)snprintf(name, sizeof name, "%s.%s", test->group, test->name);
        /* faults have numbers as names, such as B26 */
        assert_true(word(test->group) && word(test->name + (test->name[0] == 'B')));
        assert_true(length + 2 < sizeof name);
        assert_ptr_equal(topk_test_find(name, length), test);
        assert_true(strlen(test->about) > 0);
        assert_int_equal(
            (test->product != NULL) + (test->enumerate != NULL) + (test->texts != NULL), 1);
        assert_null(topk_test_find(name, length - 1));
        assert_true(test->clause == NULL ||
                    topk_clause_parse(test->clause, strlen(test->clause)) != TOPK_CLAUSE_NONE);
    }
    assert_null(topk_test_at(topk_test_count()));
    assert_null(topk_test_find("", 0));
    assert_null(topk_test_find("ties", 4));
    assert_null(topk_test_find("ties.", 5));
    assert_null(topk_test_find("ties-boundary", 13));
}

static void check_text(struct walk *walk, struct topk_case *tc, const char *text, size_t length)
{
    struct topk_case parsed;
    struct topk_case_error error;
    (void)tc;
    if (!topk_case_parse(text, length, &parsed, &error)) {
        fail_msg("%s.%s:%s: column %zu: %s", walk->test->group, walk->test->name, text,
                 error.column, error.message);
    }
    char *again = malloc(length + 1);
    assert_non_null(again);
    assert_int_equal(topk_case_print(&parsed, again, length + 1), length);
    assert_string_equal(again, text);
    free(again);
    topk_case_clear(&parsed);
}

static void texts_are_cases(void **state)
{
    (void)state;
    uint32_t cases = walk_all(check_text, NULL);
    print_message("%u cases in %zu tests\n", (unsigned)cases, topk_test_count());
    assert_true(cases >= LEAST_CASES);
}

struct ids {
    char **ids;
    size_t count;
    size_t room;
};

static void keep_id(struct walk *walk, struct topk_case *tc, const char *text, size_t length)
{
    struct ids *ids = walk->context;
    (void)tc;
    if (ids->count == ids->room) {
        ids->room = ids->room * 2 + 1024;
        char **grown = realloc(ids->ids, ids->room * sizeof *grown);
        assert_non_null(grown);
        ids->ids = grown;
    }
    size_t size = length + 64;
    char *id = malloc(size);
    assert_non_null(id);
    snprintf(id, size, "%s.%s:%s", walk->test->group, walk->test->name, text);
    size_t name_length;
    const char *behind;
    topk_case_id_split(id, strlen(id), &name_length, &behind);
    assert_ptr_equal(topk_test_find(id, name_length), walk->test);
    assert_string_equal(behind, text);
    ids->ids[ids->count++] = id;
}

static int by_text(const void *a, const void *b)
{
    const char *const *x = a;
    const char *const *y = b;
    return strcmp(*x, *y);
}

static void ids_are_unique(void **state)
{
    (void)state;
    struct ids ids = {0};
    walk_all(keep_id, &ids);
    qsort(ids.ids, ids.count, sizeof *ids.ids, by_text);
    unsigned twice = 0;
    for (size_t i = 1; i < ids.count; i++) {
        if (strcmp(ids.ids[i - 1], ids.ids[i]) == 0) {
            print_error("twice: %s\n", ids.ids[i]);
            twice++;
        }
    }
    for (size_t i = 0; i < ids.count; i++) {
        free(ids.ids[i]);
    }
    free(ids.ids);
    assert_int_equal(twice, 0);
}

/* an enumeration that was stopped must not yield another case */
struct stop {
    int wanted;
    int taken;
};

static bool take_wanted(void *context, struct topk_case *tc)
{
    (void)tc;
    struct stop *stop = context;
    return ++stop->taken < stop->wanted;
}

static void sinks_can_stop(void **state)
{
    (void)state;
    for (size_t i = 0; i < topk_test_count(); i++) {
        const struct topk_test *test = topk_test_at(i);
        struct stop stop = {.wanted = test->texts != NULL ? 1 : 3};
        struct topk_sink sink = {.take = take_wanted, .context = &stop};
        topk_test_enumerate(test, &sink);
        assert_true(sink.stopped);
        assert_int_equal(stop.taken, stop.wanted);
    }
}

static void ids_are_split(void **state)
{
    (void)state;
    static const struct {
        const char *id;
        size_t name;
        size_t text;
    } rows[] = {{"ties.boundary:top_k fl=5.0 in=f32[4]", 13, 14},
                {"top_k fl=2.0 in=f32[4] axis=0 k=1 data=few.1:2:3", 0, 0},
                {":top_k", 0, 1},
                {"", 0, 0},
                {"ties", 0, 0},
                {"ties.few:", 8, 9}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        size_t name;
        const char *text;
        topk_case_id_split(rows[i].id, strlen(rows[i].id), &name, &text);
        assert_int_equal(name, rows[i].name);
        assert_ptr_equal(text, rows[i].id + rows[i].text);
    }
}

/* ---- validity -------------------------------------------------------------------------------- */

static void check_validity(struct walk *walk, struct topk_case *tc, const char *text, size_t length)
{
    (void)length;
    struct topk_validity validity;
    topk_operator_validate(&tc->op, tc->op.level, &validity);
    bool broken = !topk_clause_set_empty(&validity.broken);
    /* faults of validation are invalid cases */
    bool fault = strcmp(walk->test->group, "faults") == 0;
    if (strcmp(walk->test->group, "invalid") == 0 || (fault && broken)) {
        /* it must be invalid at every level, so that every run expects a refusal */
        if (!broken || topk_operator_least_level(&tc->op) != 0) {
            fail_msg("%s.%s:%s breaks nothing at some level", walk->test->group, walk->test->name,
                     text);
        }
    } else if (strcmp(walk->test->group, "latitude") == 0) {
        /* invalid only by PRACTICE or OBSERVE clauses, or valid at a higher level */
        assert_true(broken ? topk_operator_least_level(&tc->op) > tc->op.level
                           : !topk_clause_set_empty(&validity.latitude));
    } else if (strncmp(walk->test->name, "border", 6) == 0 ||
               strcmp(walk->test->name, "invalid") == 0) {
        if (!broken) {
            fail_msg("%s.%s:%s breaks nothing", walk->test->group, walk->test->name, text);
        }
    } else if (broken && tc->before_count == 0) { /* in a sequence, the last call may be valid */
        fail_msg("%s.%s:%s breaks %s", walk->test->group, walk->test->name, text,
                 topk_clause_id(topk_clause_set_first(&validity.broken)));
    }
    for (int clause = 0; clause < TOPK_CLAUSE_COUNT; clause++) {
        enum topk_grade grade = topk_clause_row((enum topk_clause)clause)->grade;
        assert_false(topk_clause_set_has(&validity.broken, (enum topk_clause)clause) &&
                     grade != TOPK_GRADE_MUST);
    }
}

static void cases_are_valid_or_not_as_their_group_says(void **state)
{
    (void)state;
    walk_all(check_validity, NULL);
}

/* edges.most-...: a tensor without stride 0 has no room for four more bytes */
static void check_greatest(struct walk *walk, struct topk_case *tc, const char *text, size_t length)
{
    (void)length;
    if (strcmp(walk->test->group, "edges") != 0 || strncmp(walk->test->name, "most-", 5) != 0) {
        return;
    }
    bool greatest = false;
    bool flat = false;
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        const struct topk_tensor *tensor = &tc->op.tensors[role];
        greatest |= tensor->total_bytes + 4 > UINT32_MAX * (uint64_t)topk_type_bytes(tensor->type);
        for (uint32_t d = 0; tensor->strided && d < tensor->rank; d++) {
            flat |= tensor->strides[d] == 0;
        }
    }
    if (!greatest || flat) {
        fail_msg("%s: not the greatest", text);
    }
    ++*(uint32_t *)walk->context;
}

static void greatest_descriptions_are_valid(void **state)
{
    (void)state;
    uint32_t cases = 0;
    walk_all(check_greatest, &cases);
    assert_true(cases > 200);
}

/* The clauses that a description can break, and which others break with them. Of the other V and T
 * clauses, V10 and V13 say what is accepted, T03 to T06 what a description means, and T07 is the
 * arithmetic of T08. K = 0 makes the outputs empty or wrong. */
static const struct {
    const char *clause;
    const char *with; /* or NULL: it can break alone */
} breakable[] = {{"V01", NULL}, {"V02", "V04"}, {"V02", "T01"}, {"V03b", NULL}, {"V04", NULL},
                 {"V05", NULL}, {"V06", NULL},  {"V07", NULL},  {"V08", NULL},  {"V09", NULL},
                 {"V11", NULL}, {"V14", NULL},  {"T01", NULL},  {"T02", "V08"}, {"T08", NULL},
                 {"T09", NULL}, {"T10", NULL},  {"T11", NULL},  {"T12", "T08"}};
#define BREAKABLE (sizeof breakable / sizeof breakable[0])

static enum topk_clause clause_of(const char *id)
{
    return topk_clause_parse(id, strlen(id));
}

static void count_alone(struct walk *walk, struct topk_case *tc, const char *text, size_t length)
{
    (void)text;
    (void)length;
    uint32_t *alone = walk->context;
    struct topk_validity validity;
    topk_operator_validate(&tc->op, tc->op.level, &validity);
    for (size_t i = 0; i < BREAKABLE; i++) {
        struct topk_clause_set set = {0};
        topk_clause_set_add(&set, clause_of(breakable[i].clause));
        if (breakable[i].with != NULL) {
            topk_clause_set_add(&set, clause_of(breakable[i].with));
        }
        alone[i] += memcmp(&set, &validity.broken, sizeof set) == 0;
    }
}

static void every_clause_is_broken_alone(void **state)
{
    (void)state;
    uint32_t alone[BREAKABLE] = {0};
    unsigned missing = 0;
    walk_all(count_alone, alone);
    for (size_t i = 0; i < BREAKABLE; i++) {
        print_message("%s%s%s alone: %u cases\n", breakable[i].clause,
                      breakable[i].with != NULL ? "+" : "",
                      breakable[i].with != NULL ? breakable[i].with : "", (unsigned)alone[i]);
        missing += alone[i] == 0;
    }
    assert_int_equal(missing, 0);
}

/* ---- relations ------------------------------------------------------------------------------- */

static void count_check(struct walk *walk, struct topk_case *tc, const char *text, size_t length)
{
    uint32_t *cases = walk->context;
    if (tc->check != TOPK_CHECK_NONE && !topk_check_applies(tc)) {
        fail_msg("%s.%s: nothing is asked by %.*s", walk->test->group, walk->test->name,
                 (int)length, text);
    }
    cases[tc->check]++;
}

/* every check has cases, and each of these makes a second call */
static void every_check_asks_something(void **state)
{
    (void)state;
    uint32_t cases[TOPK_CHECK_COUNT] = {0};
    walk_all(count_check, cases);
    for (int check = 0; check < TOPK_CHECK_COUNT; check++) {
        print_message("check=%s: %u cases\n", topk_check_row((enum topk_check)check)->word,
                      (unsigned)cases[check]);
        assert_true(cases[check] > 0);
    }
}

/* ---- coverage -------------------------------------------------------------------------------- */

/* A limited look at the data yields a subset of the clauses, and names the rest as possible. */
static void look_shortly(const struct topk_case *tc, const struct topk_clause_set *all)
{
    struct topk_clause_set some;
    struct topk_clause_set maybe;
    assert_true(topk_case_clauses_within(tc, 64, &some, &maybe));
    for (int i = 0; i < TOPK_CLAUSE_COUNT; i++) {
        enum topk_clause clause = (enum topk_clause)i;
        bool said = topk_clause_set_has(&some, clause);
        bool shown = topk_clause_set_has(all, clause);
        assert_true(said ? shown : !shown || topk_clause_set_has(&maybe, clause));
    }
}

static void collect_clauses(struct walk *walk, struct topk_case *tc, const char *text,
                            size_t length)
{
    (void)text;
    (void)length;
    if (many(walk->test) || walk->cases % ONE_IN != 0) {
        return; /* the other tests must show these clauses, too */
    }
    struct topk_clause_set set;
    assert_true(topk_case_clauses(tc, &set));
    look_shortly(tc, &set);
    topk_clause_set_merge(walk->context, &set);
    if (walk->test->clause != NULL) {
        topk_clause_set_add(walk->context, clause_of(walk->test->clause));
    }
}

static bool shown_by_cases(enum topk_clause clause)
{
    enum topk_grade grade = topk_clause_row(clause)->grade;
    return grade == TOPK_GRADE_MUST || grade == TOPK_GRADE_EXAMPLE;
}

static void assert_covered(const struct topk_clause_set *set, const char *what)
{
    unsigned missing = 0;
    for (int clause = 0; clause < TOPK_CLAUSE_COUNT; clause++) {
        if (shown_by_cases((enum topk_clause)clause) &&
            !topk_clause_set_has(set, (enum topk_clause)clause)) {
            print_error("no case of %s shows %s\n", what, topk_clause_id((enum topk_clause)clause));
            missing++;
        }
    }
    assert_int_equal(missing, 0);
}

static void every_clause_is_shown(void **state)
{
    (void)state;
    struct topk_clause_set set = {0};
    walk_all(collect_clauses, &set);
    if (ONE_IN > 1) {
        skip(); /* the sample is too small; the builds without sanitizers test it */
    }
    assert_covered(&set, "all tests");
    /* cases also exercise the clauses that leave a choice, except M08 */
    for (int clause = 0; clause < TOPK_CLAUSE_COUNT; clause++) {
        enum topk_grade grade = topk_clause_row((enum topk_clause)clause)->grade;
        if (grade == TOPK_GRADE_PRACTICE ||
            (grade == TOPK_GRADE_OBSERVE && clause != TOPK_CLAUSE_M08)) {
            assert_true(topk_clause_set_has(&set, (enum topk_clause)clause));
        }
    }
}

/* ---- profiles -------------------------------------------------------------------------------- */

static void profiles_are_what_they_were(void **state)
{
    (void)state;
    assert_non_null(topk_profile_find("core"));
    assert_null(topk_profile_find("cor"));
    for (size_t i = 0; i < topk_profile_count; i++) {
        const struct topk_profile *profile = &topk_profiles[i];
        if (ONE_IN > 1 && strcmp(profile->name, "core") != 0) {
            continue;
        }
        char digest[TOPK_SHA256_TEXT];
        uint32_t cases;
        assert_true(profile->test_count > 0);
        const char *drifted = topk_profile_digest(profile, digest, &cases);
        if (drifted != NULL) {
            fail_msg("the cases of %s are not those that profile %s lists", drifted, profile->name);
        }
        assert_string_equal(digest, profile->digest);
        assert_int_equal(cases, topk_profile_cases(profile));
        for (size_t a = 0; a < profile->test_count; a++) {
            for (size_t b = 0; b < a; b++) {
                assert_string_not_equal(profile->tests[a].name, profile->tests[b].name);
            }
        }
    }
}

static void core_shows_every_clause(void **state)
{
    (void)state;
    if (ONE_IN > 1) {
        skip(); /* as above */
    }
    struct topk_clause_set set = {0};
    const struct topk_profile *core = topk_profile_find("core");
    struct walk walk = {.visit = collect_clauses, .context = &set, .text = malloc(TOPK_CASE_TEXT)};
    assert_non_null(walk.text);
    for (size_t i = 0; i < core->test_count; i++) {
        const struct topk_test *test = topk_profile_test(&core->tests[i]);
        assert_non_null(test);
        walk_test(&walk, test);
    }
    free(walk.text);
    assert_covered(&set, "profile core");
}

/* the digest of one test's ids is known */
static void digests_notice_a_change(void **state)
{
    (void)state;
    const struct topk_test *test = topk_test_find("examples.documents", 18);
    assert_non_null(test);
    struct topk_text texts[32];
    size_t count = 0;
    while (test->texts[count].file != NULL) {
        texts[count] = test->texts[count];
        assert_true(++count < sizeof texts / sizeof texts[0]);
    }
    texts[count] = (struct topk_text){0};
    struct topk_test copy = *test;
    copy.texts = texts;
    char before[TOPK_SHA256_TEXT];
    char after[TOPK_SHA256_TEXT];
    uint32_t cases;
    topk_test_digest(test, before, &cases);
    assert_int_equal(cases, count);
    assert_int_equal(strlen(before), 16);
    topk_test_digest(&copy, after, &cases);
    assert_string_equal(before, after);
    texts[count - 1].file = NULL; /* one case fewer */
    topk_test_digest(&copy, after, &cases);
    assert_int_equal(cases, count - 1);
    assert_string_not_equal(before, after);
    texts[count - 1] = texts[0]; /* another case */
    topk_test_digest(&copy, after, &cases);
    assert_string_not_equal(before, after);
    copy = *test;
    copy.name = "document"; /* another name */
    topk_test_digest(&copy, after, &cases);
    assert_string_not_equal(before, after);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tests_are_named),
        cmocka_unit_test(texts_are_cases),
        cmocka_unit_test(ids_are_unique),
        cmocka_unit_test(ids_are_split),
        cmocka_unit_test(sinks_can_stop),
        cmocka_unit_test(cases_are_valid_or_not_as_their_group_says),
        cmocka_unit_test(greatest_descriptions_are_valid),
        cmocka_unit_test(every_clause_is_broken_alone),
        cmocka_unit_test(every_check_asks_something),
        cmocka_unit_test(every_clause_is_shown),
        cmocka_unit_test(profiles_are_what_they_were),
        cmocka_unit_test(core_shows_every_clause),
        cmocka_unit_test(digests_notice_a_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
