/* Evaluates, parses and prints conditions. */
#include "condition.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- evaluation ------------------------------------------------------------------------------ */

enum topk_holds topk_term_holds(const struct topk_term *term, const struct topk_features *features)
{
    if (term->is_number) {
        const uint64_t number = features->numbers[term->feature];
        return number == TOPK_NUMBER_UNKNOWN                   ? TOPK_HOLDS_UNKNOWN
               : number >= term->least && number <= term->most ? TOPK_HOLDS
                                                               : TOPK_HOLDS_NOT;
    }
    const unsigned word = features->words[term->feature];
    return word == TOPK_WORD_UNKNOWN                   ? TOPK_HOLDS_UNKNOWN
           : (term->words[word / 64] >> word % 64) & 1 ? TOPK_HOLDS
                                                       : TOPK_HOLDS_NOT;
}

enum topk_holds topk_condition_holds(const struct topk_condition *condition,
                                     const struct topk_features *features)
{
    enum topk_holds least = TOPK_HOLDS;
    for (size_t i = 0; i < condition->count; i++) {
        const enum topk_holds holds = topk_term_holds(&condition->terms[i], features);
        least = holds < least ? holds : least;
    }
    return least;
}

size_t topk_condition_missed(const struct topk_condition *condition,
                             const struct topk_features *features)
{
    size_t missed = condition->count;
    for (size_t i = 0; i < condition->count; i++) {
        const enum topk_holds holds = topk_term_holds(&condition->terms[i], features);
        if (holds == TOPK_HOLDS_UNKNOWN || (holds == TOPK_HOLDS_NOT && missed < condition->count)) {
            return condition->count + 1;
        }
        missed = holds == TOPK_HOLDS_NOT ? i : missed;
    }
    return missed;
}

/* ---- parsing and printing -------------------------------------------------------------------- */

struct reader {
    const char *text;
    size_t length;
    size_t at;
    char *error;
};

static bool wrong(const struct reader *reader, const char *message, const char *what, size_t length)
{
    snprintf(reader->error, TOPK_CONDITION_ERROR, "%s%s%.*s%s", message, length > 0 ? " '" : "",
             (int)(length < 60 ? length : 60), what, length > 0 ? "'" : "");
    return false;
}

static size_t span_to(const struct reader *reader, const char *ends)
{
    size_t length = 0;
    while (reader->at + length < reader->length &&
           strchr(ends, reader->text[reader->at + length]) == NULL) {
        length++;
    }
    return length;
}

/* Returns the number of characters to the end of a name or number. */
static size_t span(const struct reader *reader)
{
    return span_to(reader, " =!<>|");
}

static bool is_text(const char *name, const char *text, size_t length)
{
    return strlen(name) == length && memcmp(name, text, length) == 0;
}

static unsigned find_category(const char *name, size_t length)
{
    unsigned i = 0;
    while (i < TOPK_CATEGORY_COUNT &&
           !is_text(topk_category_name((enum topk_category)i), name, length)) {
        i++;
    }
    return i;
}

static unsigned find_number(const char *name, size_t length)
{
    unsigned i = 0;
    while (i < TOPK_NUMBER_COUNT && !is_text(topk_number_name((enum topk_number)i), name, length)) {
        i++;
    }
    return i;
}

static bool take(struct reader *reader, const char *token)
{
    const size_t length = strlen(token);
    const bool there = reader->length - reader->at >= length &&
                       memcmp(reader->text + reader->at, token, length) == 0;
    reader->at += there ? length : 0;
    return there;
}

static bool wrong_word(const struct reader *reader, enum topk_category category, const char *word,
                       size_t length)
{
    char message[TOPK_CONDITION_ERROR];
    int at = snprintf(message, sizeof message, "'%.*s' is not a word of %s; it has",
                      (int)(length < 40 ? length : 40), word, topk_category_name(category));
    for (unsigned i = 0; topk_category_word(category, i) != NULL && at < 200; i++) {
        at += snprintf(message + at, sizeof message - (size_t)at, " %s",
                       topk_category_word(category, i));
    }
    return wrong(reader, message, "", 0);
}

static bool read_words(struct reader *reader, enum topk_category category, bool except,
                       struct topk_term *term)
{
    bool more = true;
    while (more) {
        const char *text = reader->text + reader->at;
        const size_t length = span_to(reader, " |"); /* ">65536" is a word, too */
        unsigned word = 0;
        while (topk_category_word(category, word) != NULL &&
               !is_text(topk_category_word(category, word), text, length)) {
            word++;
        }
        if (topk_category_word(category, word) == NULL) {
            return wrong_word(reader, category, text, length);
        }
        term->words[word / 64] |= (uint64_t)1 << word % 64;
        reader->at += length;
        more = take(reader, "|");
    }
    for (unsigned word = 0; except && word < TOPK_CATEGORY_WORDS; word++) {
        if (topk_category_word(category, word) == NULL) {
            break;
        }
        term->words[word / 64] ^= (uint64_t)1 << word % 64;
    }
    uint64_t left = 0;
    for (size_t i = 0; i < sizeof term->words / sizeof term->words[0]; i++) {
        left |= term->words[i];
    }
    if (left == 0) {
        return wrong(reader, "!= leaves no word of", topk_category_name(category),
                     strlen(topk_category_name(category)));
    }
    term->feature = (unsigned char)category;
    return true;
}

static bool read_digits(struct reader *reader, uint64_t *number)
{
    const size_t from = reader->at;
    *number = 0;
    while (reader->at < reader->length && reader->text[reader->at] >= '0' &&
           reader->text[reader->at] <= '9') {
        const uint64_t digit = (uint64_t)(reader->text[reader->at] - '0');
        if (*number > (UINT64_MAX - 1 - digit) / 10) {
            reader->at = from;
            return false;
        }
        *number = 10 * *number + digit;
        reader->at++;
    }
    return reader->at > from && span(reader) == 0;
}

enum relation {
    EQUAL,
    UNEQUAL,
    LEAST,
    MOST,
    ABOVE,
    BELOW,
    RELATIONS
};

static const char *const relations[RELATIONS] = {"=", "!=", ">=", "<=", ">", "<"};

static bool read_number(struct reader *reader, unsigned feature, enum relation relation,
                        struct topk_term *term)
{
    const size_t from = reader->at;
    uint64_t number;
    if (relation == UNEQUAL) {
        return wrong(reader, "a number takes =, <, <=, > or >=, not !=", "", 0);
    }
    if (!read_digits(reader, &number)) {
        reader->at = from;
        return wrong(reader, "not a number:", reader->text + from, span(reader));
    }
    if (relation == BELOW && number == 0) {
        return wrong(reader, "no number is below 0", "", 0);
    }
    if (relation == ABOVE && number == UINT64_MAX - 1) {
        return wrong(reader, "no number is above the greatest", "", 0);
    }
    term->is_number = true;
    term->feature = (unsigned char)feature;
    term->least = relation == EQUAL || relation == LEAST ? number
                  : relation == ABOVE                    ? number + 1
                                                         : 0;
    term->most = relation == EQUAL || relation == MOST ? number
                 : relation == BELOW                   ? number - 1
                                                       : UINT64_MAX;
    return true;
}

static bool no_feature(const struct reader *reader, const char *name, size_t length)
{
    if (length == 0) {
        return wrong(reader, "a feature is missing", "", 0);
    }
    char message[TOPK_CONDITION_ERROR];
    snprintf(message, sizeof message,
             "there is no feature '%.*s'; `topk-cts list --features' lists them",
             (int)(length < 60 ? length : 60), name);
    return wrong(reader, message, "", 0);
}

static bool read_term(struct reader *reader, struct topk_term *term)
{
    const char *name = reader->text + reader->at;
    const size_t length = span(reader);
    const size_t from = reader->at;
    const unsigned category = find_category(name, length);
    const unsigned number = find_number(name, length);
    unsigned relation = 0;
    if (category == TOPK_CATEGORY_COUNT && number == TOPK_NUMBER_COUNT) {
        return no_feature(reader, name, length);
    }
    reader->at += length;
    static const unsigned char order[RELATIONS] = {UNEQUAL, LEAST, MOST, EQUAL, ABOVE, BELOW};
    while (relation < RELATIONS && !take(reader, relations[order[relation]])) {
        relation++;
    }
    if (relation == RELATIONS) {
        return wrong(reader, "=, !=, <, <=, > or >= has to stand behind", name, length);
    }
    relation = order[relation];
    /* `k` is both a number and a category with words, some of which begin with a digit */
    uint64_t value;
    struct reader ahead = *reader;
    const bool as_number = number != TOPK_NUMBER_COUNT &&
                           (category == TOPK_CATEGORY_COUNT || read_digits(&ahead, &value));
    if (as_number) {
        return read_number(reader, number, (enum relation)relation, term);
    }
    if (relation != EQUAL && relation != UNEQUAL) {
        reader->at = from;
        return wrong(reader, "only = and != ask for words of", name, length);
    }
    return read_words(reader, (enum topk_category)category, relation == UNEQUAL, term);
}

bool topk_condition_parse(const char *text, size_t length, struct topk_condition *condition,
                          size_t *column, char error[TOPK_CONDITION_ERROR])
{
    struct reader reader = {.text = text, .length = length};
    reader.error = error;
    memset(condition, 0, sizeof *condition);
    bool ok = true;
    do {
        if (condition->count == TOPK_CONDITION_TERMS) {
            ok = wrong(&reader, "there are too many terms", "", 0);
        } else {
            ok = read_term(&reader, &condition->terms[condition->count]);
        }
        condition->count += ok;
    } while (ok && take(&reader, " and "));
    if (ok && reader.at < length) {
        ok = wrong(&reader, "' and ' and another term, or the end, has to stand before",
                   text + reader.at, length - reader.at);
    }
    *column = reader.at + 1;
    return ok;
}

static void add(char text[TOPK_CONDITION_TEXT], const char *more)
{
    const size_t length = strlen(text);
    snprintf(text + length, TOPK_CONDITION_TEXT - length, "%s", more);
}

static void print_words(const struct topk_term *term, char text[TOPK_CONDITION_TEXT])
{
    const enum topk_category category = (enum topk_category)term->feature;
    unsigned all = 0;
    unsigned held = 0;
    while (topk_category_word(category, all) != NULL) {
        held += (term->words[all / 64] >> all % 64) & 1;
        all++;
    }
    const bool except = 2 * held > all && held < all;
    add(text, topk_category_name(category));
    add(text, except ? "!=" : "=");
    const char *between = "";
    for (unsigned word = 0; word < all; word++) {
        if (((term->words[word / 64] >> word % 64) & 1) != (except ? 1 : 0)) {
            add(text, between);
            add(text, topk_category_word(category, word));
            between = "|";
        }
    }
}

static void print_bound(const struct topk_term *term, enum relation relation, uint64_t number,
                        char text[TOPK_CONDITION_TEXT])
{
    char term_text[64];
    snprintf(term_text, sizeof term_text, "%s%s%" PRIu64,
             topk_number_name((enum topk_number)term->feature), relations[relation], number);
    add(text, term_text);
}

static void print_number(const struct topk_term *term, char text[TOPK_CONDITION_TEXT])
{
    if (term->least == term->most) {
        print_bound(term, EQUAL, term->least, text);
        return;
    }
    if (term->least > 0 || term->most == UINT64_MAX) {
        print_bound(term, LEAST, term->least, text);
    }
    if (term->most != UINT64_MAX) {
        add(text, term->least > 0 ? " and " : "");
        print_bound(term, MOST, term->most, text);
    }
}

void topk_condition_print(const struct topk_condition *condition, char text[TOPK_CONDITION_TEXT])
{
    text[0] = 0;
    for (size_t i = 0; i < condition->count; i++) {
        add(text, i > 0 ? " and " : "");
        if (condition->terms[i].is_number) {
            print_number(&condition->terms[i], text);
        } else {
            print_words(&condition->terms[i], text);
        }
    }
}

/* Returns whether the name of a term occurs in the documentation of the operator. */
static bool speaks(const struct topk_term *term)
{
    if (term->is_number) {
        return term->feature == TOPK_NUMBER_RANK || term->feature == TOPK_NUMBER_N ||
               term->feature == TOPK_NUMBER_K_NUMBER;
    }
    return term->feature == TOPK_CATEGORY_KIND ||
           topk_category_of_aspect((enum topk_category)term->feature);
}

void topk_condition_about(const struct topk_condition *condition, char text[TOPK_CONDITION_ABOUT])
{
    size_t used = 0;
    text[0] = 0;
    for (size_t i = 0; i < condition->count; i++) {
        const struct topk_term *term = &condition->terms[i];
        if (!speaks(term) && used < TOPK_CONDITION_ABOUT) {
            const char *name = term->is_number
                                   ? topk_number_name((enum topk_number)term->feature)
                                   : topk_category_name((enum topk_category)term->feature);
            const char *about = term->is_number
                                    ? topk_number_about((enum topk_number)term->feature)
                                    : topk_category_about((enum topk_category)term->feature);
            used += (size_t)snprintf(text + used, TOPK_CONDITION_ABOUT - used, "%s%s: %s",
                                     used > 0 ? "; " : "", name, about);
        }
    }
}
