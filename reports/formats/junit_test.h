/* A test of a profile as one testcase: combines the results of its cases. Private to junit*.c. */
#ifndef TOPK_JUNIT_TEST_H
#define TOPK_JUNIT_TEST_H

#include "junit_text.h"
#include "summary/summary.h"

/* Greatest number of causes of failures that are listed for a test. */
#define TOPK_JUNIT_CAUSES 20

/* The cases of a test. All zero is an empty one. */
struct topk_junit_test {
    uint64_t totals[TOPK_VERDICT_COUNT];
    uint64_t nanoseconds; /* UINT64_MAX if it saturates */
    /* failing cases with testcases of their own, which are not counted above */
    uint64_t own;
    size_t cause_count;
    struct topk_junit_cause {
        struct topk_group group; /* without examples */
        uint64_t elements;       /* input elements of the smallest case */
        char *message, *body;    /* owned; of that case */
    } causes[TOPK_JUNIT_CAUSES];
    uint64_t others; /* failing cases with further causes */
    char *skipped;   /* owned: the text for the first skipped case */
};

/* Adds a case. Returns false if memory is short. */
bool topk_junit_test_add(struct topk_junit_test *test, const struct topk_log_record *record,
                         const struct topk_case_lookup *lookup, const char *replay);

/* The outcome of the test. */
enum topk_junit_outcome topk_junit_test_outcome(const struct topk_junit_test *test);

/* A word, a line and a text for a test that did not pass; NULL if memory is short. The caller frees
 * the latter two. */
const char *topk_junit_test_type(const struct topk_junit_test *test);
char *topk_junit_test_message(const struct topk_junit_test *test);
char *topk_junit_test_body(const struct topk_junit_test *test);

void topk_junit_test_free(struct topk_junit_test *test);

#endif
