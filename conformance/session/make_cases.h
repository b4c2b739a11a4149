/* Makes the cases of many tests, several tests at the same time. */
#ifndef TOPK_CLI_MAKE_CASES_H
#define TOPK_CLI_MAKE_CASES_H

#include "select.h"

/* Some consecutive cases of a test. */
struct cli_made {
    const struct topk_profile_test *row; /* the test's row in the profile; NULL without a profile */
    struct cli_case *cases;              /* with their ids */
    size_t count;
    bool drifted; /* the cases of the test are not those that `row` means; set with its last ones */
};

/* Makes the cases of the tests of a profile (NULL: all tests) for which wanted() is true (NULL:
 * all), and calls take() for them, in order and in the calling thread. *made is valid during the
 * call. Ends the program after a message if the profile names a test that does not exist, a test is
 * broken, or memory is short. */
void cli_cases_make(const struct topk_profile *profile,
                    bool (*wanted)(const void *context, const struct topk_test *test),
                    void (*take)(void *context, const struct cli_made *made), void *context);

/* Makes the cases of all tests of a profile, and calls look() for each, in several threads, but for
 * those of one test in order and in one thread. number: of the test among all tests. look() returns
 * false if memory is short. Ends the program like cli_cases_make(). */
void cli_cases_look(const struct topk_profile *profile,
                    bool (*look)(void *context, const struct topk_test *test, uint32_t number,
                                 const struct topk_case *tc),
                    void *context);

#endif
