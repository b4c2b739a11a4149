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

struct visit {
    const struct cli_visitor *visitor;
    const struct topk_test *test;
    uint32_t number; /* of test */
};

static bool take_case(void *context, struct topk_case *c)
{
    const struct visit *visit = context;
    visit->visitor->visit(visit->visitor->context, visit->test, visit->number, c);
    return true;
}

void cli_tests_visit(const struct topk_profile *profile, const struct cli_visitor *visitor)
{
    const size_t count = cli_test_count(profile);
    struct visit visit = {.visitor = visitor};
    for (size_t i = 0; i < count; i++) {
        visit.test = cli_test_at(profile, i);
        if (visitor->wanted != NULL && !visitor->wanted(visitor->context, visit.test)) {
            continue;
        }
        visit.number = cli_test_number(visit.test);
        struct topk_sink sink = {.take = take_case, .context = &visit};
        topk_test_enumerate(visit.test, &sink);
        cli_need_memory(!sink.no_memory);
        if (sink.broken[0] != 0) {
            cli_fail(CLI_HARNESS, "%s", sink.broken);
        }
    }
}
