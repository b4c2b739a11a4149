/* Expectations: reading a file of rules. What the rules mean for a run is in expectations_judge.c.
 */
#define _POSIX_C_SOURCE 200809L /* strndup */
#include "expectations.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

struct key {
    const char *name;
    size_t place; /* of its text in a rule */
    bool needed;
};

static const struct key keys[] = {
#define KEY(name, needed) {#name, offsetof(struct topk_expectation, name), needed},
    TOPK_EXPECTATION_LIST(KEY)
#undef KEY
};
#define KEYS (sizeof keys / sizeof keys[0])

static char **text_of(struct topk_expectation *rule, const struct key *key)
{
    return (char **)(void *)((char *)rule + key->place);
}

struct parsing {
    struct topk_expectations *expectations;
    const char *path;
    const char *line; /* line_length characters */
    size_t line_length;
    uint32_t number;   /* of the line */
    size_t at;         /* in the line */
    size_t from[KEYS]; /* where each key's value begins in this line, + 1; 0: it has none yet */
    size_t room;       /* rules */
    char *error;
    size_t error_bytes;
};

static bool wrong_at(const struct parsing *parsing, size_t at, const char *reason, const char *more)
{
    snprintf(parsing->error, parsing->error_bytes, "%s:%" PRIu32 ":%zu: %s%s", parsing->path,
             parsing->number, at + 1, reason, more);
    return false;
}

static bool no_memory(const struct parsing *parsing)
{
    snprintf(parsing->error, parsing->error_bytes, "memory ran out");
    return false;
}

/* ---- words ----------------------------------------------------------------------------------- */

static bool at_end(const struct parsing *parsing)
{
    return parsing->at == parsing->line_length;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static void skip_blanks(struct parsing *parsing)
{
    while (!at_end(parsing) && is_blank(parsing->line[parsing->at])) {
        parsing->at++;
    }
}

/* takes KEY= */
static const struct key *take_key(struct parsing *parsing)
{
    const char *word = parsing->line + parsing->at;
    size_t length = 0;
    while (parsing->at + length < parsing->line_length && word[length] != '=' &&
           !is_blank(word[length])) {
        length++;
    }
    if (parsing->at + length == parsing->line_length || word[length] != '=') {
        wrong_at(parsing, parsing->at, "this is no KEY=VALUE", "");
        return NULL;
    }
    for (size_t i = 0; i < KEYS; i++) {
        if (strlen(keys[i].name) == length && memcmp(keys[i].name, word, length) == 0) {
            if (parsing->from[i] != 0) {
                wrong_at(parsing, parsing->at, "there is a second ", keys[i].name);
                return NULL;
            }
            parsing->at += length + 1;
            parsing->from[i] = parsing->at + 1;
            return &keys[i];
        }
    }
    wrong_at(parsing, parsing->at,
             "there is no such key; there are verdict, select, backend, version, driver, owner, "
             "reason, link, expires",
             "");
    return NULL;
}

/* takes a value in double quotes, of which the first was taken, into text */
static bool take_quoted(struct parsing *parsing, char *text)
{
    size_t from = parsing->at - 1;
    while (!at_end(parsing) && parsing->line[parsing->at] != '"') {
        if (parsing->line[parsing->at] == '\\') {
            parsing->at++;
            if (at_end(parsing) ||
                (parsing->line[parsing->at] != '"' && parsing->line[parsing->at] != '\\')) {
                return wrong_at(parsing, parsing->at - 1,
                                "behind a '\\' there has to be a '\"' or a second '\\'", "");
            }
        }
        *text++ = parsing->line[parsing->at++];
    }
    *text = 0;
    if (at_end(parsing)) {
        return wrong_at(parsing, from, "this quote has no end", "");
    }
    parsing->at++;
    return at_end(parsing) || is_blank(parsing->line[parsing->at]) ||
           wrong_at(parsing, parsing->at, "a space has to come behind the quote", "");
}

static bool take_value(struct parsing *parsing, const struct key *key, char **value)
{
    /* a backend may give itself any name or none, and have any driver */
    bool is_backend = strcmp(key->name, "backend") == 0;
    bool is_theirs = is_backend || strcmp(key->name, "driver") == 0;
    size_t from = parsing->at;
    bool quoted = !at_end(parsing) && parsing->line[from] == '"';
    char *text = malloc(parsing->line_length - from + 1);
    *value = text;
    if (text == NULL) {
        return no_memory(parsing);
    }
    if (quoted) {
        parsing->at++;
        if (!take_quoted(parsing, text)) {
            return false;
        }
    } else {
        while (!at_end(parsing) && !is_blank(parsing->line[parsing->at])) {
            if (parsing->line[parsing->at] == '"') {
                return wrong_at(parsing, parsing->at, "a quote inside of a word", "");
            }
            *text++ = parsing->line[parsing->at++];
        }
        *text = 0;
    }
    if ((*value)[0] == 0 && !(is_backend && quoted)) {
        return wrong_at(parsing, from, "the value is empty", "");
    }
    return strcmp(*value, "?") != 0 || (is_theirs && quoted) ||
           wrong_at(parsing, from, "the '?' is still to be replaced, by a person", "");
}

/* ---- rules ----------------------------------------------------------------------------------- */

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

/* "1.4", "1.0..1.4", "..1.4", "1.0.." */
static bool versions_valid(const char *text)
{
    const char *range = strstr(text, "..");
    size_t digits = strcspn(text, "0123456789");
    return text[strspn(text, "0123456789.")] == 0 && text[digits] != 0 &&
           strstr(text, "...") == NULL && (range == NULL || strstr(range + 2, "..") == NULL);
}

static size_t column_of(const struct parsing *parsing, const char *name)
{
    for (size_t i = 0; i < KEYS; i++) {
        if (strcmp(keys[i].name, name) == 0) {
            return parsing->from[i] - 1;
        }
    }
    return 0;
}

/* a failure of the suite itself cannot be expected */
static bool can_be_expected(enum topk_verdict verdict)
{
    return verdict < TOPK_VERDICT_COUNT && topk_verdict_failure(verdict) &&
           verdict != TOPK_VERDICT_HARNESS_ERROR;
}

static bool check_rule(const struct parsing *parsing, struct topk_expectation *rule)
{
    rule->expect = topk_verdict_parse(rule->verdict, strlen(rule->verdict));
    if (!can_be_expected(rule->expect)) {
        char words[200];
        size_t used = 0;
        for (int i = 0; i < TOPK_VERDICT_COUNT; i++) {
            if (can_be_expected((enum topk_verdict)i)) {
                used += (size_t)snprintf(words + used, sizeof words - used, "%s%s",
                                         used == 0 ? "" : ", ",
                                         topk_verdict_word((enum topk_verdict)i));
            }
        }
        return wrong_at(parsing, column_of(parsing, "verdict"),
                        "no failure that can be expected; there are ", words);
    }
    if (!topk_expectation_date_valid(rule->expires)) {
        return wrong_at(parsing, column_of(parsing, "expires"),
                        "expires takes the last day, as 2026-12-31", "");
    }
    if (rule->version[0] != 0 && !versions_valid(rule->version)) {
        return wrong_at(parsing, column_of(parsing, "version"),
                        "version takes a version or range, as 1.4 or 1.0..1.4", "");
    }
    const char *last = strrchr(rule->driver, ' ');
    last = last == NULL ? rule->driver : last + 1;
    if (strstr(last, "..") != NULL && !versions_valid(last)) {
        return wrong_at(parsing, column_of(parsing, "driver"),
                        "the range of driver's versions is malformed; one is 22.3..25.0", "");
    }
    return true;
}

static bool fill_rule(struct parsing *parsing, struct topk_expectation *rule)
{
    memset(parsing->from, 0, sizeof parsing->from);
    for (skip_blanks(parsing); !at_end(parsing); skip_blanks(parsing)) {
        const struct key *key = take_key(parsing);
        if (key == NULL || !take_value(parsing, key, text_of(rule, key))) {
            return false;
        }
    }
    for (size_t i = 0; i < KEYS; i++) {
        char **text = text_of(rule, &keys[i]);
        if (*text == NULL && keys[i].needed) {
            return wrong_at(parsing, parsing->line_length, "the rule has no ", keys[i].name);
        }
        *text = *text == NULL ? strdup("") : *text;
        if (*text == NULL) {
            return no_memory(parsing);
        }
    }
    return check_rule(parsing, rule);
}

/* a zero rule behind the others */
static struct topk_expectation *add_rule(struct parsing *parsing)
{
    struct topk_expectations *expectations = parsing->expectations;
    if (expectations->count == parsing->room) {
        size_t room = parsing->room == 0 ? 16 : 2 * parsing->room;
        struct topk_expectation *rules = realloc(expectations->rules, room * sizeof *rules);
        if (rules == NULL) {
            return NULL;
        }
        expectations->rules = rules;
        parsing->room = room;
    }
    struct topk_expectation *rule = &expectations->rules[expectations->count++];
    memset(rule, 0, sizeof *rule);
    rule->line = parsing->number;
    return rule;
}

/* ---- lines ----------------------------------------------------------------------------------- */

/* A log keeps the text, so it has to be one that JSON keeps as it is. */
static bool check_text(const struct parsing *parsing)
{
    for (size_t i = 0; i < parsing->line_length; i++) {
        unsigned char c = (unsigned char)parsing->line[i];
        if ((c < ' ' && c != '\t') || c == 0x7f) {
            return wrong_at(parsing, i, "a control character",
                            c == '\r' ? ": a carriage return" : "");
        }
    }
    json_t *text = json_stringn(parsing->line, parsing->line_length);
    bool utf8 = text != NULL;
    json_decref(text);
    return utf8 || wrong_at(parsing, 0, "the line is not UTF-8", "");
}

static bool parse_line(struct parsing *parsing)
{
    if (!check_text(parsing)) {
        return false;
    }
    parsing->at = 0;
    skip_blanks(parsing);
    if (at_end(parsing) || parsing->line[parsing->at] == '#') {
        return true;
    }
    struct topk_expectation *rule = add_rule(parsing);
    return rule == NULL ? no_memory(parsing) : fill_rule(parsing, rule);
}

bool topk_expectations_parse(struct topk_expectations *expectations, const char *path,
                             const char *text, size_t size, char *error, size_t error_bytes)
{
    struct parsing parsing = {.expectations = expectations, .path = path};
    const char *end = text + size;
    parsing.error = error;
    parsing.error_bytes = error_bytes;
    memset(expectations, 0, sizeof *expectations);
    while (text < end) {
        const char *feed = memchr(text, '\n', (size_t)(end - text));
        parsing.line = text;
        parsing.line_length = (size_t)((feed == NULL ? end : feed) - text);
        parsing.number++;
        if (!parse_line(&parsing)) {
            return false;
        }
        text = feed == NULL ? end : feed + 1;
    }
    return true;
}

void topk_expectations_free(struct topk_expectations *expectations)
{
    for (size_t i = 0; i < expectations->count; i++) {
        for (size_t j = 0; j < KEYS; j++) {
            free(*text_of(&expectations->rules[i], &keys[j]));
        }
    }
    free(expectations->rules);
    memset(expectations, 0, sizeof *expectations);
}
