/* The valid values of a rule. */
#include "expectations_values.h"

#include <string.h>

static bool wrong(struct topk_value_error *error, size_t at, const char *message, const char *more)
{
    error->at = at;
    snprintf(error->message, sizeof error->message, "%s%s", message, more);
    return false;
}

/* ---- days, versions, drivers ----------------------------------------------------------------- */

bool topk_expectation_date_valid(const char *text)
{
    static const char form[] = "dddd-dd-dd";
    for (size_t i = 0; i < sizeof form; i++) {
        bool digit = text[i] >= '0' && text[i] <= '9';
        if (form[i] == 'd' ? !digit : text[i] != form[i]) {
            return false;
        }
    }
    int month = 10 * (text[5] - '0') + text[6] - '0';
    int day = 10 * (text[8] - '0') + text[9] - '0';
    int days = month == 2 ? 29 : month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
    return month >= 1 && month <= 12 && day >= 1 && day <= days;
}

static bool take_expires(const char *value, struct topk_expectation *rule,
                         struct topk_value_error *error)
{
    (void)rule;
    return topk_expectation_date_valid(value) ||
           wrong(error, 0, "expires takes the last day, as 2026-12-31", "");
}

/* accepts "1.4", "1.0..1.4", "..1.4" and "1.4.." */
static bool versions_valid(const char *text)
{
    const char *range = strstr(text, "..");
    size_t digits = strcspn(text, "0123456789");
    return text[strspn(text, "0123456789.")] == 0 && text[digits] != 0 &&
           strstr(text, "...") == NULL && (range == NULL || strstr(range + 2, "..") == NULL);
}

static bool take_version(const char *value, struct topk_expectation *rule,
                         struct topk_value_error *error)
{
    (void)rule;
    return versions_valid(value) ||
           wrong(error, 0, "version takes a version or range, as 1.4 or 1.0..1.4", "");
}

static bool take_driver(const char *value, struct topk_expectation *rule,
                        struct topk_value_error *error)
{
    (void)rule;
    const char *last = strrchr(value, ' ');
    last = last == NULL ? value : last + 1;
    return strstr(last, "..") == NULL || versions_valid(last) ||
           wrong(error, 0, "the range of driver's versions is malformed; one is 22.3..25.0", "");
}

/* ---- how cases fail -------------------------------------------------------------------------- */

/* A failure of the suite itself cannot be expected. */
static bool can_be_expected(enum topk_verdict verdict)
{
    return verdict < TOPK_VERDICT_COUNT && topk_verdict_failure(verdict) &&
           verdict != TOPK_VERDICT_HARNESS_ERROR;
}

static bool take_verdict(const char *value, struct topk_expectation *rule,
                         struct topk_value_error *error)
{
    rule->expect = topk_verdict_parse(value, strlen(value));
    if (can_be_expected(rule->expect)) {
        return true;
    }
    char words[200];
    size_t used = 0;
    for (int i = 0; i < TOPK_VERDICT_COUNT; i++) {
        if (can_be_expected((enum topk_verdict)i)) {
            used +=
                (size_t)snprintf(words + used, sizeof words - used, "%s%s", used == 0 ? "" : ", ",
                                 topk_verdict_word((enum topk_verdict)i));
        }
    }
    return wrong(error, 0, "not a verdict of failures; these are ", words);
}

/* Calls take() with each of the words that '|' separates. Returns false, with the position of the
 * word, if it refuses one. */
static bool each_word(const char *value, struct topk_expectation *rule,
                      bool (*take)(const char *word, size_t length, struct topk_expectation *rule),
                      const char *message, struct topk_value_error *error)
{
    const char *word = value;
    for (;;) {
        const size_t length = strcspn(word, "|");
        if (!take(word, length, rule)) {
            char text[TOPK_WORD_SHOWN + 8];
            snprintf(text, sizeof text,
                     "'%.*s': ", (int)(length < TOPK_WORD_SHOWN ? length : TOPK_WORD_SHOWN), word);
            return wrong(error, (size_t)(word - value), text, message);
        }
        if (word[length] == 0) {
            return true;
        }
        word += length + 1;
    }
}

static bool take_one_clause(const char *word, size_t length, struct topk_expectation *rule)
{
    const enum topk_clause clause = topk_clause_parse(word, length);
    if (clause != TOPK_CLAUSE_NONE) {
        topk_clause_set_add(&rule->clauses, clause);
    }
    return clause != TOPK_CLAUSE_NONE;
}

static bool take_clause(const char *value, struct topk_expectation *rule,
                        struct topk_value_error *error)
{
    return each_word(value, rule, take_one_clause,
                     "clause takes clauses, as S08 or S08|S09; `topk-cts spec' lists them", error);
}

static bool take_one_cause(const char *word, size_t length, struct topk_expectation *rule)
{
    const enum topk_reading reading = topk_reading_parse(word, length);
    const bool none = length == strlen("none") && memcmp(word, "none", length) == 0;
    if (reading != TOPK_READING_NONE || none) {
        rule->causes |= (uint64_t)1 << reading;
        return true;
    }
    return false;
}

static bool take_cause(const char *value, struct topk_expectation *rule,
                       struct topk_value_error *error)
{
    return each_word(value, rule, take_one_cause,
                     "cause takes `none' and the words of causes, as ties-descending; "
                     "`topk-cts list --causes' lists them",
                     error);
}

static bool take_one_mismatch(const char *word, size_t length, struct topk_expectation *rule)
{
    unsigned i = 0;
    while (i < TOPK_MISMATCH_COUNT &&
           (strlen(topk_mismatch_row((enum topk_mismatch)i)->word) != length ||
            memcmp(topk_mismatch_row((enum topk_mismatch)i)->word, word, length) != 0)) {
        i++;
    }
    rule->mismatches |= i < TOPK_MISMATCH_COUNT ? (uint64_t)1 << i : 0;
    return i < TOPK_MISMATCH_COUNT;
}

static bool take_mismatch(const char *value, struct topk_expectation *rule,
                          struct topk_value_error *error)
{
    return each_word(value, rule, take_one_mismatch,
                     "mismatch takes kinds of findings, as tie-order|left-out; "
                     "docs/expectations.md lists them",
                     error);
}

/* ---- all ------------------------------------------------------------------------------------- */

static const struct {
    const char *key;
    bool (*take)(const char *value, struct topk_expectation *rule, struct topk_value_error *error);
} takers[] = {
    {"verdict", take_verdict},   {"clause", take_clause},   {"cause", take_cause},
    {"mismatch", take_mismatch}, {"version", take_version}, {"driver", take_driver},
    {"expires", take_expires},
};

bool topk_expectation_value(const char *key, const char *value, struct topk_expectation *rule,
                            struct topk_condition *condition, struct topk_value_error *error)
{
    if (strcmp(key, "when") == 0) {
        size_t column;
        char message[TOPK_CONDITION_ERROR];
        return topk_condition_parse(value, strlen(value), condition, &column, message) ||
               wrong(error, column - 1, message, "");
    }
    for (size_t i = 0; i < sizeof takers / sizeof takers[0]; i++) {
        if (strcmp(takers[i].key, key) == 0) {
            return takers[i].take(value, rule, error);
        }
    }
    return true;
}
