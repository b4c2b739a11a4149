/* Applies the rules of expectations to a run. */
#define _POSIX_C_SOURCE 200809L /* strdup */
#include <stdlib.h>
#include <string.h>

#include "case/case.h"
#include "coverage/coverage.h"
#include "expectations.h"

/* ---- versions -------------------------------------------------------------------------------- */

/* Takes a number and the dot after it from the start of *at. A number that is too large becomes the
 * largest possible. */
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

/* Compares a version to a bound, looking only at as many components as the bound has. Returns a
 * value below 0, 0 or above 0. */
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
    /* The rule's text before the range must stand right before a version in the driver's text. */
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

size_t topk_expectations_expired(const struct topk_expectations *expectations)
{
    size_t count = 0;
    for (size_t i = 0; i < expectations->count; i++) {
        count += expectations->rules[i].applies && expectations->rules[i].expired;
    }
    return count;
}

/* ---- which cases a rule is for --------------------------------------------------------------- */

/* A complete id, with a call and no wildcards, selects only that case and not the cases whose ids
 * start with it. */
static bool selects(const struct topk_expectation *rule, const char *id)
{
    bool whole = strchr(rule->select, ' ') != NULL && strpbrk(rule->select, "*?") == NULL;
    return whole ? strcmp(rule->select, id) == 0 : topk_id_selected(id, rule->select);
}

/* A case and its features. The case is only parsed if a rule asks for features, and its data is
 * only looked at if the rest does not already decide. */
struct look {
    const char *id;
    uint32_t call; /* for a sequence of calls: see topk_features_call() */
    bool described, parsed, looked;
    struct topk_case tc; /* for a case that was parsed */
    struct topk_features features;
};

static void describe(struct look *look)
{
    struct topk_case_error ignored;
    const char *text;
    size_t name;
    const size_t length = strlen(look->id);
    topk_case_id_split(look->id, length, &name, &text);
    look->described = true;
    look->parsed = topk_case_parse(text, length - (size_t)(text - look->id), &look->tc, &ignored);
    if (look->parsed) {
        topk_features_describe_call(&look->tc, look->call, &look->features);
    }
}

/* Returns whether a case belongs to the condition of a rule. As when failures are counted by
 * condition, it does unless something about it is known not to hold. Not known are the features of
 * further calls, and data that is too much to look at. A call that does not ask for a result has no
 * data that could match. */
static bool belongs(const struct topk_expectation *rule, struct look *look)
{
    if (rule->condition.count == 0) {
        return true;
    }
    if (!look->described) {
        describe(look);
    }
    if (!look->parsed) {
        return false;
    }
    enum topk_holds holds = topk_condition_holds(&rule->condition, &look->features);
    if (holds == TOPK_HOLDS_UNKNOWN && !look->looked) {
        look->looked = true;
        topk_features_look_call(&look->tc, look->call, TOPK_FEATURES_ELEMENTS, &look->features);
        holds = topk_condition_holds(&rule->condition, &look->features);
    }
    return holds == TOPK_HOLDS || (holds == TOPK_HOLDS_UNKNOWN && topk_aspects_ask(&look->tc));
}

/* ---- a run ----------------------------------------------------------------------------------- */

/* Counts a failure that no rule waives, and notes the rule that comes nearest to it. */
static void count_other(struct topk_expectation *rule, const struct topk_ended *ended)
{
    char differs[TOPK_DIFFERS_TEXT];
    if (rule->others++ == 0 && topk_expectation_differs(rule, ended, differs)) {
        rule->other = strdup(ended->id);
        rule->differs = strdup(differs);
    }
}

static struct topk_expectation *nearest_of(const struct topk_expectations *expectations,
                                           const struct topk_ended *ended, struct look *look)
{
    struct topk_expectation *nearest = NULL;
    for (size_t i = 0; i < expectations->count; i++) {
        struct topk_expectation *rule = &expectations->rules[i];
        if (rule->applies && selects(rule, ended->id) && belongs(rule, look) &&
            (nearest == NULL ||
             (nearest->expect != ended->verdict && rule->expect == ended->verdict))) {
            nearest = rule;
        }
    }
    return nearest;
}

static void start_look(struct look *look, const struct topk_ended *ended)
{
    look->id = ended->id;
    look->call = topk_features_call(topk_verdict_failure(ended->verdict), ended->call);
    look->described = look->parsed = look->looked = false;
}

static void end_look(struct look *look)
{
    if (look->parsed) {
        topk_case_clear(&look->tc);
    }
}

const struct topk_expectation *
topk_expectations_nearest(const struct topk_expectations *expectations,
                          const struct topk_ended *ended)
{
    struct look look;
    start_look(&look, ended);
    const struct topk_expectation *nearest = nearest_of(expectations, ended, &look);
    end_look(&look);
    return nearest;
}

enum topk_verdict topk_expectations_judge(struct topk_expectations *expectations,
                                          const struct topk_ended *ended, uint32_t *line,
                                          const struct topk_expectation **nearly)
{
    const bool passed = ended->verdict == TOPK_VERDICT_PASS;
    struct look look;
    enum topk_verdict judged = ended->verdict;
    char differs[TOPK_DIFFERS_TEXT];
    start_look(&look, ended);
    *line = 0;
    for (size_t i = 0; i < expectations->count; i++) {
        struct topk_expectation *rule = &expectations->rules[i];
        if (!rule->applies || !selects(rule, ended->id) || !belongs(rule, &look)) {
            continue;
        }
        const bool as_said = !passed && !topk_expectation_differs(rule, ended, differs);
        rule->cases++;
        rule->passed += passed;
        rule->unserved += ended->verdict == TOPK_VERDICT_UNSUPPORTED;
        rule->failed += as_said;
        if (*line == 0 && (as_said || (passed && rule->condition.count == 0))) {
            *line = rule->line;
            judged = passed ? TOPK_VERDICT_UNEXPECTED_PASS : TOPK_VERDICT_EXPECTED_FAIL;
        }
    }
    struct topk_expectation *nearest = NULL;
    if (*line == 0 && topk_verdict_failure(ended->verdict) &&
        ended->verdict != TOPK_VERDICT_HARNESS_ERROR) {
        nearest = nearest_of(expectations, ended, &look);
    }
    if (nearest != NULL) {
        count_other(nearest, ended);
    }
    if (nearly != NULL) {
        *nearly = nearest;
    }
    end_look(&look);
    return judged;
}

bool topk_expectation_stale(const struct topk_expectation *rule)
{
    return rule->condition.count > 0 && rule->cases > 0 && rule->failed == 0;
}
