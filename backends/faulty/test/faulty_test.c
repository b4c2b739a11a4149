/* The tables of the backend `faulty`, and that the faults of the field fail their cases in corpus/;
 * what profile core makes of all of them is conformance/cli/test/trust_test.sh. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "faulty/faulty.h"
#include "suite/group.h"
#include "worker/host.h"

/* ---- tests --------------------------------------------------------------------------------------
 */

/* whether each word is a clause, with a '+' behind it or not, or "-" */
static bool clauses_exist(const char *at)
{
    for (size_t length; (length = strcspn(at += strspn(at, " "), " ")) > 0; at += length) {
        size_t id = length - (at[length - 1] == '+');
        if (*at != '-' && topk_clause_parse(at, id) == TOPK_CLAUSE_NONE) {
            return false;
        }
    }
    return true;
}

static void rows_are_whole(void **state)
{
    (void)state;
    for (size_t i = 0; faulty_at(i) != NULL; i++) {
        const struct fault *fault = faulty_at(i);
        bool open = strcmp(fault->class, "allowed") == 0;
        assert_in_range(strlen(fault->about), 1, 199); /* struct cli_fault has no more room */
        assert_in_range(strlen(fault->name), 1, 63);
        assert_null(strpbrk(fault->name, " \t"));
        assert_null(strchr(fault->about, '\t'));
        assert_true((fault->clauses == NULL) == open);
        if (fault->clauses != NULL && !clauses_exist(fault->clauses)) {
            fail_msg("%s: there is no such clause: %s", fault->name, fault->clauses);
        }
        for (size_t j = 0; j < i; j++) {
            assert_string_not_equal(fault->name, faulty_at(j)->name);
        }
    }
}

/* what goes wrong in kernels, each in several ways */
static void every_class_has_several(void **state)
{
    static const char *const classes[] = {
        "pads",        "nan",    "zeros",     "ties",      "races",      "sizes",   "limits",
        "strides",     "axes",   "K",         "integers",  "candidates", "lanes",   "aliasing",
        "wiring",      "types",  "narrow",    "state",     "output",     "rare",    "past-end",
        "upper-dword", "blocks", "direction", "denormals", "refuses",    "accepts", "crash",
        "hang",        "exit",   "leak",      "relations", "memory",     "order",   "numbers"};
    (void)state;
    for (size_t c = 0; c < sizeof classes / sizeof classes[0]; c++) {
        unsigned found = 0;
        for (size_t i = 0; faulty_at(i) != NULL; i++) {
            found += strcmp(faulty_at(i)->class, classes[c]) == 0;
        }
        if (found < 2) {
            fail_msg("there are only %u faults of class %s", found, classes[c]);
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

static bool hold(void *context, struct topk_case *tc)
{
    struct held *held = context;
    const struct topk_case *cases[] = {tc};
    struct topk_result result;
    char text[1024];
    topk_host_run(&held->host, cases, 1, &result);
    held->cases++;
    if (!topk_verdict_failure(result.verdict)) {
        topk_case_print(tc, text, sizeof text);
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
        return true; /* conformance/cli/test/cli_test.sh runs it */
    }
    snprintf(text, sizeof text, "faulty:%s", fault->name);
    assert_true(topk_host_open(&held.host, text, text, sizeof text));
    topk_test_enumerate(test, &sink);
    topk_host_close(&held.host, NULL, 0);
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
        cmocka_unit_test(every_class_has_several),
        cmocka_unit_test(faults_of_the_field_fail_their_cases),
        cmocka_unit_test(cases_of_the_corpus_have_their_fault),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
