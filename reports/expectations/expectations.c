/* Reads a file of expectations, which consists of rules. expectations_values.c defines the valid
 * values, expectations_judge.c what the rules mean for a run. */
#define _POSIX_C_SOURCE 200809L /* strndup */
#include "expectations.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "expectations_values.h"

struct key {
    const char *name;
    size_t place; /* where a rule keeps its text */
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
    uint32_t number; /* the line's number */
    size_t at;       /* position in the line */
    /* start of each key's value in this line, plus 1; 0 if the key was not given yet */
    size_t from[KEYS];
    size_t room; /* allocated rules */
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
    topk_memory_fail();
    snprintf(parsing->error, parsing->error_bytes, "out of memory");
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

/* Returns the length of the name before '=' or another operator. */
static size_t name_length(const struct parsing *parsing)
{
    size_t length = 0;
    while (parsing->at + length < parsing->line_length &&
           strchr(" \t=!<>", parsing->line[parsing->at + length]) == NULL) {
        length++;
    }
    return length;
}

static bool is_name(const char *name, const char *word, size_t length)
{
    return strlen(name) == length && memcmp(name, word, length) == 0;
}

static bool is_feature(const char *word, size_t length)
{
    bool found = false;
    for (unsigned i = 0; i < TOPK_CATEGORY_COUNT; i++) {
        found |= is_name(topk_category_name((enum topk_category)i), word, length);
    }
    for (unsigned i = 0; i < TOPK_NUMBER_COUNT; i++) {
        found |= is_name(topk_number_name((enum topk_number)i), word, length);
    }
    return found;
}

/* Says that a word has no key. It may be the rest of a value that has a space. */
static void no_key(const struct parsing *parsing)
{
    const char *word = parsing->line + parsing->at;
    size_t length = 0;
    while (parsing->at + length < parsing->line_length && !is_blank(word[length])) {
        length++;
    }
    const bool is_rest = parsing->at > 0 && name_length(parsing) == length; /* no operator */
    char text[TOPK_WORD_SHOWN + 8];
    snprintf(text, sizeof text, "'%.*s' is",
             (int)(length < TOPK_WORD_SHOWN ? length : TOPK_WORD_SHOWN), word);
    wrong_at(parsing, parsing->at, text,
             is_rest ? " not KEY=VALUE; a value with spaces is put in double quotes"
                     : " not KEY=VALUE");
}

#define KEY(name, needed) " " #name
#define KEY_NAMES         TOPK_EXPECTATION_LIST(KEY)

/* Takes KEY= and returns the key. */
static const struct key *take_key(struct parsing *parsing)
{
    const char *word = parsing->line + parsing->at;
    const size_t length = name_length(parsing);
    if (parsing->at + length == parsing->line_length || word[length] != '=') {
        no_key(parsing);
        return NULL;
    }
    for (size_t i = 0; i < KEYS; i++) {
        if (is_name(keys[i].name, word, length)) {
            if (parsing->from[i] != 0) {
                wrong_at(parsing, parsing->at, "there is a second ", keys[i].name);
                return NULL;
            }
            parsing->at += length + 1;
            parsing->from[i] = parsing->at + 1;
            return &keys[i];
        }
    }
    wrong_at(parsing, parsing->at, "unknown key or feature of cases; the keys are", KEY_NAMES);
    return NULL;
}

#undef KEY

/* Takes the rest of a value in double quotes, whose opening quote was already taken, into text. */
static bool take_quoted(struct parsing *parsing, char *text)
{
    size_t from = parsing->at - 1;
    while (!at_end(parsing) && parsing->line[parsing->at] != '"') {
        if (parsing->line[parsing->at] == '\\') {
            parsing->at++;
            if (at_end(parsing) ||
                (parsing->line[parsing->at] != '"' && parsing->line[parsing->at] != '\\')) {
                return wrong_at(parsing, parsing->at - 1, "expected '\"' or '\\' after '\\'", "");
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
           wrong_at(parsing, parsing->at, "expected a space after the quote", "");
}

static bool take_value(struct parsing *parsing, const struct key *key, char **value)
{
    /* A backend may call itself anything or nothing, and may have any driver. */
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
           wrong_at(parsing, from, "the '?' must be replaced", "");
}

/* ---- rules ----------------------------------------------------------------------------------- */

/* Returns the column in the line of a character of a value. */
static size_t column_of(const struct parsing *parsing, const struct key *key, size_t at)
{
    size_t column = parsing->from[key - keys] - 1;
    const bool quoted = column < parsing->line_length && parsing->line[column] == '"';
    column += at > 0 && quoted;
    for (size_t i = 0; i < at; i++) {
        column += quoted && parsing->line[column] == '\\' ? 2 : 1;
    }
    return column;
}

/* Adds the terms of a condition that starts at position `at` of the line. */
static bool add_terms(const struct parsing *parsing, const struct topk_condition *more, size_t at,
                      struct topk_expectation *rule)
{
    for (size_t i = 0; i < more->count; i++) {
        if (rule->condition.count == TOPK_CONDITION_TERMS) {
            return wrong_at(parsing, at, "the condition of the rule has too many terms", "");
        }
        rule->condition.terms[rule->condition.count++] = more->terms[i];
    }
    return true;
}

/* Takes a term of the condition that stands as its own word, such as rank>=5. */
static bool take_term(struct parsing *parsing, struct topk_expectation *rule)
{
    const size_t from = parsing->at;
    struct topk_condition term;
    size_t column;
    char error[TOPK_CONDITION_ERROR];
    while (!at_end(parsing) && !is_blank(parsing->line[parsing->at])) {
        parsing->at++;
    }
    return topk_condition_parse(parsing->line + from, parsing->at - from, &term, &column, error)
               ? add_terms(parsing, &term, from, rule)
               : wrong_at(parsing, from + column - 1, error, "");
}

/* takes KEY=VALUE */
static bool take_pair(struct parsing *parsing, struct topk_expectation *rule)
{
    const struct key *key = take_key(parsing);
    struct topk_condition condition = {0};
    struct topk_value_error error = {0};
    if (key == NULL || !take_value(parsing, key, text_of(rule, key))) {
        return false;
    }
    if (!topk_expectation_value(key->name, *text_of(rule, key), rule, &condition, &error)) {
        return wrong_at(parsing, column_of(parsing, key, error.at), error.message, "");
    }
    return add_terms(parsing, &condition, column_of(parsing, key, 0), rule);
}

/* Writes all terms to `when`, no matter which words of the line they came from. */
static bool tell_condition(const struct parsing *parsing, struct topk_expectation *rule)
{
    char text[TOPK_CONDITION_TEXT];
    topk_condition_print(&rule->condition, text);
    free(rule->when);
    rule->when = strdup(text);
    return rule->when != NULL || no_memory(parsing);
}

static bool fill_rule(struct parsing *parsing, struct topk_expectation *rule)
{
    memset(parsing->from, 0, sizeof parsing->from);
    for (skip_blanks(parsing); !at_end(parsing); skip_blanks(parsing)) {
        const bool term = is_feature(parsing->line + parsing->at, name_length(parsing));
        if (term ? !take_term(parsing, rule) : !take_pair(parsing, rule)) {
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
    if (rule->select[0] == 0 && rule->condition.count == 0) {
        return wrong_at(parsing, parsing->line_length,
                        "the rule needs select or when, to say which cases it is for", "");
    }
    return tell_condition(parsing, rule);
}

/* Appends an empty rule. */
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

/* A log stores the text of rules as JSON, so it must be text that JSON keeps unchanged. */
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
        free(expectations->rules[i].other);
        free(expectations->rules[i].differs);
    }
    free(expectations->rules);
    memset(expectations, 0, sizeof *expectations);
}
