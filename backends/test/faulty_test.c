/* Every fault of the backend `faulty` is noticed by profile core, under the clauses that its row
 * names, and those of the field by their cases in corpus/; what breaks no clause passes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "faulty/faulty.h"
#include "host.h"
#include "profile.h"

/* cases run at once */
#define BATCH 64
/* cases are taken in a mixed order, each once, so that a fault is met soon */
#define STEP 7919u
/* what has to pass is held to one case in so many */
#define PASSING 8

/* ---- the cases of profile core ------------------------------------------------------------------
 */

struct question {
    const struct topk_test *test;
    struct topk_case text;
};

static struct questions {
    struct question *list;
    size_t count;
    size_t room;
    const struct topk_test *test;
} questions;

static bool take(void *context, struct topk_case *test)
{
    struct questions *all = context;
    if (all->count == all->room) {
        all->room = all->room * 2 + 4096;
        struct question *grown = realloc(all->list, all->room * sizeof *grown);
        assert_non_null(grown);
        all->list = grown;
    }
    struct question *question = &all->list[all->count++];
    question->test = all->test;
    assert_true(topk_case_copy(&question->text, test));
    return true;
}

static int read_core(void **state)
{
    const struct topk_profile *core = topk_profile_find("core");
    (void)state;
    for (size_t i = 0; i < core->test_count; i++) {
        struct topk_sink sink = {.take = take, .context = &questions};
        questions.test = topk_profile_test(&core->tests[i]);
        /* a fault has to be noticed by what was not written for it */
        if (strcmp(questions.test->group, "faults") != 0) {
            topk_test_enumerate(questions.test, &sink);
        }
    }
    return questions.count % STEP == 0; /* then the order would not be one */
}

static int forget_core(void **state)
{
    (void)state;
    for (size_t i = 0; i < questions.count; i++) {
        topk_case_clear(&questions.list[i].text);
    }
    free(questions.list);
    return 0;
}

/* ---- what is said of a fault --------------------------------------------------------------------
 */

/* how a clause was named */
struct naming {
    const struct question *first; /* as the clause of a verdict */
    const struct question *later; /* by any finding */
};

struct tally {
    struct naming clauses[TOPK_CLAUSE_COUNT + 1];
    const struct question *failing; /* the last one */
    size_t run;
};

static void count(struct tally *tally, const struct question *question,
                  const struct topk_result *result)
{
    tally->run++;
    if (!topk_verdict_failure(result->verdict)) {
        return;
    }
    tally->failing = question;
    tally->clauses[result->clause].first = question;
    for (uint32_t f = 0; f < result->judgement.count; f++) {
        tally->clauses[result->judgement.findings[f].clause].later = question;
    }
}

static void run_batch(struct topk_host *host, size_t *from, size_t to, struct tally *tally)
{
    const struct question *asked[BATCH];
    const struct topk_case *cases[BATCH];
    static struct topk_result results[BATCH];
    uint32_t n = 0;
    for (; n < BATCH && *from < to; n++, ++*from) {
        asked[n] = &questions.list[*from * STEP % questions.count];
        cases[n] = &asked[n]->text;
    }
    topk_host_run(host, cases, n, results);
    for (uint32_t i = 0; i < n; i++) {
        count(tally, asked[i], &results[i]);
    }
}

/* the next word of a row's clauses, NULL at the end */
static const char *next_clause(const char *at, enum topk_clause *clause, bool *later)
{
    at += strspn(at, " ");
    size_t length = strcspn(at, " ");
    if (length == 0) {
        return NULL;
    }
    *later = at[length - 1] == '+';
    *clause = *at == '-' ? TOPK_CLAUSE_NONE : topk_clause_parse(at, length - *later);
    assert_true(*at == '-' || *clause != TOPK_CLAUSE_NONE);
    return at + length;
}

/* how many of the clauses no case has named yet */
static unsigned missing(const struct fault *fault, const struct tally *tally, bool print)
{
    unsigned none = 0;
    enum topk_clause clause;
    bool later;
    for (const char *at = fault->clauses; (at = next_clause(at, &clause, &later)) != NULL;) {
        const struct naming *naming = &tally->clauses[clause];
        const struct question *question = later ? naming->later : naming->first;
        none += question == NULL;
        if (print && question == NULL) {
            print_error("%s: no case names %s\n", fault->name, topk_clause_id(clause));
        }
    }
    return none;
}

static void print_tally(const struct fault *fault, const struct tally *tally)
{
    print_message("%-28s %5zu cases", fault->name, tally->run);
    for (int c = 0; c <= TOPK_CLAUSE_COUNT; c++) {
        const struct question *question = tally->clauses[c].first;
        if (question != NULL) {
            print_message(" %s:%s.%s", topk_clause_id((enum topk_clause)c), question->test->group,
                          question->test->name);
        }
    }
    print_message("\n");
}

/* runs the cases until all clauses of its row are named; returns how many are not */
static unsigned check_fault(const struct fault *fault)
{
    struct topk_host host;
    struct tally tally = {0};
    char spec[128];
    char error[1024];
    snprintf(spec, sizeof spec, "faulty:%s", fault->name);
    if (!topk_host_open(&host, spec, error, sizeof error)) {
        fail_msg("%s: %s", spec, error);
    }
    size_t to = fault->clauses == NULL ? questions.count / PASSING : questions.count;
    for (size_t from = 0; from < to;) {
        if (fault->clauses != NULL && missing(fault, &tally, false) == 0) {
            break;
        }
        run_batch(&host, &from, to, &tally);
    }
    topk_host_close(&host);
    print_tally(fault, &tally);
    if (fault->clauses == NULL) {
        return tally.failing != NULL;
    }
    return missing(fault, &tally, true);
}

/* ---- tests --------------------------------------------------------------------------------------
 */

static void every_fault_is_noticed(void **state)
{
    (void)state;
    unsigned wrong = 0;
    for (size_t i = 0; faulty_at(i) != NULL; i++) {
        if (!faulty_at(i)->ends && strcmp(faulty_at(i)->class, "process") != 0) {
            wrong += check_fault(faulty_at(i));
        }
    }
    assert_int_equal(wrong, 0);
}

static void rows_are_whole(void **state)
{
    (void)state;
    for (size_t i = 0; faulty_at(i) != NULL; i++) {
        const struct fault *fault = faulty_at(i);
        bool open = strcmp(fault->class, "allowed") == 0 || strcmp(fault->class, "process") == 0;
        assert_true(strlen(fault->about) > 0);
        assert_true((fault->clauses == NULL) == open);
        for (size_t j = 0; j < i; j++) {
            assert_string_not_equal(fault->name, faulty_at(j)->name);
        }
    }
}

/* ---- the cases of corpus/faults.txt -------------------------------------------------------------
 */

struct held {
    struct topk_host host;
    const struct fault *fault;
    unsigned cases;
    unsigned passed;
};

static bool hold(void *context, struct topk_case *test)
{
    struct held *held = context;
    const struct topk_case *cases[] = {test};
    struct topk_result result;
    char text[1024];
    topk_host_run(&held->host, cases, 1, &result);
    held->cases++;
    if (!topk_verdict_failure(result.verdict)) {
        topk_case_print(test, text, sizeof text);
        print_error("%s passes %s\n", held->fault->name, text);
        held->passed++;
    }
    return true;
}

/* whether every case of the test that has the name of a fault fails on it */
static bool fails_its_cases(const struct fault *fault)
{
    struct held held = {.fault = fault};
    struct topk_sink sink = {.take = hold, .context = &held};
    char text[256];
    size_t length = (size_t)snprintf(text, sizeof text, "faults.%s", fault->name);
    const struct topk_test *test = topk_test_find(text, length);
    if (test == NULL) {
        print_error("corpus/faults.txt has no case of %s\n", fault->name);
        return false;
    }
    if (fault->ends) {
        return true; /* conformance/test/cli_test.sh runs it */
    }
    snprintf(text, sizeof text, "faulty:%s", fault->name);
    assert_true(topk_host_open(&held.host, text, text, sizeof text));
    topk_test_enumerate(test, &sink);
    topk_host_close(&held.host);
    return held.cases > 0 && held.passed == 0;
}

static void faults_of_the_field_fail_their_cases(void **state)
{
    unsigned wrong = 0;
    (void)state;
    for (size_t i = 0; faulty_at(i) != NULL; i++) {
        wrong += faulty_at(i)->seen != NULL && !fails_its_cases(faulty_at(i));
    }
    assert_int_equal(wrong, 0);
}

static void cases_of_the_corpus_have_their_fault(void **state)
{
    (void)state;
    for (size_t i = 0; i < topk_test_count(); i++) {
        const struct topk_test *test = topk_test_at(i);
        bool found = strcmp(test->group, "faults") != 0;
        for (size_t f = 0; !found && faulty_at(f) != NULL; f++) {
            found = strcmp(faulty_at(f)->name, test->name) == 0;
        }
        if (!found) {
            fail_msg("%s:%u: there is no fault %s", test->texts[0].file,
                     (unsigned)test->texts[0].line, test->name);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_whole),
        cmocka_unit_test(every_fault_is_noticed),
        cmocka_unit_test(faults_of_the_field_fail_their_cases),
        cmocka_unit_test(cases_of_the_corpus_have_their_fault),
    };
    return cmocka_run_group_tests(tests, read_core, forget_core);
}
