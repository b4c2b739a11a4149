/* A test of a profile as one testcase: the results of its cases together. Within junit*.c only. */
#ifndef TOPK_JUNIT_TEST_H
#define TOPK_JUNIT_TEST_H

#include "junit_text.h"
#include "summary/summary.h"

/* Causes of failures that are told apart in a test. */
#define TOPK_JUNIT_CAUSES 20

/* Cases of a test. Zero starts an empty one. */
struct topk_junit_test {
    uint64_t totals[TOPK_VERDICT_COUNT];
    uint64_t nanoseconds; /* UINT64_MAX: that many or more */
    uint64_t own;         /* more failing cases, which have testcases of their own */
    size_t cause_count;
    struct topk_junit_cause {
        struct topk_group group; /* without examples */
        uint64_t elements;       /* of the smallest case */
        char *message, *body;    /* of it; owned */
    } causes[TOPK_JUNIT_CAUSES];
    uint64_t others; /* failing cases of more causes */
    char *skipped;   /* owned: what is said of the first case that is skipped */
};

/* Adds a case. False if memory is short. */
bool topk_junit_test_add(struct topk_junit_test *test, const struct topk_log_record *record,
                         const struct topk_case_lookup *lookup, const char *replay);

/* What it comes to. */
enum topk_junit_outcome topk_junit_test_outcome(const struct topk_junit_test *test);

/* A word, a line and the text for a test that did not pass. NULL if memory is short. The caller
 * frees the latter two. */
const char *topk_junit_test_type(const struct topk_junit_test *test);
char *topk_junit_test_message(const struct topk_junit_test *test);
char *topk_junit_test_body(const struct topk_junit_test *test);

void topk_junit_test_free(struct topk_junit_test *test);

#endif
