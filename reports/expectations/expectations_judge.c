/* What the rules of expectations mean for a run. */
#include <string.h>

#include "case/case.h"
#include "expectations.h"

/* ---- versions -------------------------------------------------------------------------------- */

/* takes a number and the dot behind it off the start of *at; SIZE_MAX-like numbers stay the most */
static uint64_t take_component(const char **at)
{
    uint64_t number = 0;
    while (**at >= '0' && **at <= '9') {
        number = number > UINT32_MAX ? number : 10 * number + (uint64_t)(**at - '0');
        ++*at;
    }
    if (**at == '.' && (*at)[1] >= '0' && (*at)[1] <= '9') {
        ++*at;
    }
    return number;
}

static bool has_digit(const char *at)
{
    return *at >= '0' && *at <= '9';
}

/* how a version stands to a bound, as far as the bound goes: below 0, 0 or above */
static int order(const char *version, const char *bound, size_t bound_length)
{
    const char *end = bound + bound_length;
    while (bound < end && has_digit(bound)) {
        uint64_t b = take_component(&bound);
        uint64_t v = take_component(&version);
        if (v != b) {
            return v < b ? -1 : 1;
        }
    }
    return 0;
}

bool topk_expectation_version_meant(const char *rule, const char *version)
{
    const char *range = strstr(rule, "..");
    size_t length = range == NULL ? strlen(rule) : (size_t)(range - rule);
    version += strcspn(version, "0123456789");
    if (!has_digit(version)) {
        return false;
    }
    if (range == NULL) {
        return order(version, rule, length) == 0;
    }
    return order(version, rule, length) >= 0 && order(version, range + 2, strlen(range + 2)) <= 0;
}

bool topk_expectation_driver_meant(const char *rule, const char *driver)
{
    const char *last = strrchr(rule, ' ');
    const char *range = last == NULL ? rule : last + 1;
    if (strstr(range, "..") == NULL) {
        return strstr(driver, rule) != NULL;
    }
    /* the text comes before the range, and before the version */
    size_t length = (size_t)(range - rule);
    for (const char *at = driver; *at != 0; at++) {
        if (strncmp(at, rule, length) == 0 && has_digit(at + length) &&
            (at == driver || length > 0 || !has_digit(at - 1))) {
            return topk_expectation_version_meant(range, at + length);
        }
    }
    return false;
}

/* ---- a run ----------------------------------------------------------------------------------- */

void topk_expectations_start(struct topk_expectations *expectations, const char *backend,
                             const char *version, const char *driver, const char *started)
{
    for (size_t i = 0; i < expectations->count; i++) {
        struct topk_expectation *rule = &expectations->rules[i];
        rule->applies =
            strcmp(rule->backend, backend) == 0 &&
            (rule->version[0] == 0 || topk_expectation_version_meant(rule->version, version)) &&
            (rule->driver[0] == 0 || topk_expectation_driver_meant(rule->driver, driver));
        rule->expired = strncmp(started, rule->expires, strlen(rule->expires)) > 0;
    }
}

/* A whole id means that case alone, and none of which it is the start. */
static bool selects(const struct topk_expectation *rule, const char *id)
{
    bool whole = strchr(rule->select, ' ') != NULL && strpbrk(rule->select, "*?") == NULL;
    return whole ? strcmp(rule->select, id) == 0 : topk_id_selected(id, rule->select);
}

enum topk_verdict topk_expectations_judge(struct topk_expectations *expectations, const char *id,
                                          enum topk_verdict verdict, uint32_t *line)
{
    enum topk_verdict judged = verdict;
    *line = 0;
    for (size_t i = 0; i < expectations->count; i++) {
        struct topk_expectation *rule = &expectations->rules[i];
        if (!rule->applies || !selects(rule, id)) {
            continue;
        }
        bool passed = verdict == TOPK_VERDICT_PASS;
        rule->cases++;
        rule->passed += passed;
        rule->failed += verdict == rule->expect;
        if (*line == 0 && (passed || verdict == rule->expect)) {
            *line = rule->line;
            judged = passed ? TOPK_VERDICT_UNEXPECTED_PASS : TOPK_VERDICT_EXPECTED_FAIL;
        }
    }
    return judged;
}
