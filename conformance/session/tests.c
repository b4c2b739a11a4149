/* The tests of a profile, or all tests, and what a list of cases stores of a case. */
#include "coverage/coverage.h"
#include "session.h"
#include "suite/suite.h"

/* the highest level that a call asks for */
static uint32_t level_of(const struct topk_case *c)
{
    uint32_t level = c->op.level;
    for (uint32_t i = 0; i < c->before_count; i++) {
        level = c->before[i].op.level > level ? c->before[i].op.level : level;
    }
    return level;
}

struct cli_case cli_case_of(const struct topk_case *c, size_t length, size_t text, uint32_t test)
{
    return (struct cli_case){
        .length = (uint32_t)length,
        .text = (uint32_t)text,
        .test = test,
        .level = level_of(c),
        .type = c->op.tensors[TOPK_VALUE].type,
        .index_type = c->op.tensors[TOPK_INDEX].type,
        .valid = topk_aspects_ask(c),
    };
}

uint32_t cli_test_number(const struct topk_test *test)
{
    size_t number = 0;
    while (topk_test_at(number) != NULL && topk_test_at(number) != test) {
        number++;
    }
    return (uint32_t)number;
}

size_t cli_test_count(const struct topk_profile *profile)
{
    return profile == NULL ? topk_test_count() : profile->test_count;
}

const struct topk_test *cli_test_at(const struct topk_profile *profile, size_t place)
{
    const struct topk_test *test =
        profile == NULL ? topk_test_at(place) : topk_profile_test(&profile->tests[place]);
    if (test == NULL) {
        cli_fail(CLI_HARNESS, "the profile names the test '%s', which does not exist",
                 profile == NULL ? "" : profile->tests[place].name);
    }
    return test;
}
