/* Reads the file of trusted signers. */
#include "signers.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expectations/expectations.h"
#include "log/log.h"

/* A word KEY=VALUE of a line. The value is stored as a text of the signer, or in `key' below. */
static const struct word {
    const char *name;
    size_t place, room;
    bool date;
} words[] = {
    {"key", 0, 0, false},
    {"name", offsetof(struct topk_signer, name), TOPK_SIGNER_NAME, false},
    {"from", offsetof(struct topk_signer, from), TOPK_SIGNER_DATE, true},
    {"until", offsetof(struct topk_signer, until), TOPK_SIGNER_DATE, true},
    {"revoked", offsetof(struct topk_signer, revoked), TOPK_SIGNER_DATE, true},
};
#define WORDS      (sizeof words / sizeof words[0])
#define VALUE_ROOM 256

struct parsing {
    struct topk_signers *signers;
    const char *path;
    unsigned line;
    const char *at, *end; /* what is left of the line */
    bool given[WORDS];    /* words already found in this line */
    char *error;
    size_t error_bytes;
};

__attribute__((format(printf, 2, 3))) static bool wrong(const struct parsing *parsing,
                                                        const char *format, ...)
{
    va_list arguments;
    const int used =
        snprintf(parsing->error, parsing->error_bytes, "%s:%u: ", parsing->path, parsing->line);
    va_start(arguments, format);
    if (used >= 0 && (size_t)used < parsing->error_bytes) {
        vsnprintf(parsing->error + used, parsing->error_bytes - (size_t)used, format, arguments);
    }
    va_end(arguments);
    topk_text_tame(parsing->error); /* the message quotes the file */
    return false;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* ---- words ----------------------------------------------------------------------------------- */

static const struct word *take_name(struct parsing *parsing)
{
    const char *from = parsing->at;
    while (parsing->at < parsing->end && *parsing->at != '=' && !is_blank(*parsing->at)) {
        parsing->at++;
    }
    const size_t length = (size_t)(parsing->at - from);
    if (parsing->at == parsing->end || *parsing->at != '=') {
        wrong(parsing, "'%.*s' is not KEY=VALUE", (int)(length < 60 ? length : 60), from);
        return NULL;
    }
    parsing->at++;
    for (size_t i = 0; i < WORDS; i++) {
        if (strlen(words[i].name) == length && memcmp(words[i].name, from, length) == 0) {
            if (parsing->given[i]) {
                wrong(parsing, "there is a second %s", words[i].name);
                return NULL;
            }
            parsing->given[i] = true;
            return &words[i];
        }
    }
    wrong(parsing, "unknown word '%.*s'; the words are key, name, from, until, revoked",
          (int)(length < 60 ? length : 60), from);
    return NULL;
}

static bool take_value(struct parsing *parsing, const struct word *word, char value[VALUE_ROOM])
{
    const bool quoted = parsing->at < parsing->end && *parsing->at == '"';
    parsing->at += quoted;
    const char *from = parsing->at;
    while (parsing->at < parsing->end && (quoted ? *parsing->at != '"' : !is_blank(*parsing->at))) {
        parsing->at++;
    }
    const size_t length = (size_t)(parsing->at - from);
    if (quoted && parsing->at == parsing->end) {
        return wrong(parsing, "the quote of %s has no end", word->name);
    }
    parsing->at += quoted;
    if (length == 0 || length >= VALUE_ROOM || memchr(from, 0, length) != NULL) {
        return wrong(parsing, length == 0 ? "%s is empty" : "%s is too long", word->name);
    }
    memcpy(value, from, length);
    value[length] = 0;
    return true;
}

static bool take_word(struct parsing *parsing, struct topk_signer *signer)
{
    char value[VALUE_ROOM];
    char reason[128];
    const struct word *word = take_name(parsing);
    if (word == NULL || !take_value(parsing, word, value)) {
        return false;
    }
    if (word->room == 0) {
        return topk_public_key_parse(value, strlen(value), &signer->key, reason, sizeof reason) ||
               wrong(parsing, "key: %s", reason);
    }
    if (word->date && !topk_expectation_date_valid(value)) {
        return wrong(parsing, "%s takes a date such as 2026-12-31, not '%.60s'", word->name, value);
    }
    if (strlen(value) >= word->room) {
        return wrong(parsing, "%s is too long", word->name);
    }
    memcpy((char *)signer + word->place, value, strlen(value) + 1);
    return true;
}

/* ---- lines ----------------------------------------------------------------------------------- */

static bool take_line(struct parsing *parsing)
{
    struct topk_signer signer = {.line = parsing->line};
    memset(parsing->given, 0, sizeof parsing->given);
    for (;;) {
        while (parsing->at < parsing->end && is_blank(*parsing->at)) {
            parsing->at++;
        }
        if (parsing->at == parsing->end) {
            break;
        }
        if (!take_word(parsing, &signer)) {
            return false;
        }
    }
    if (!parsing->given[0] || !parsing->given[1]) {
        return wrong(parsing, "there is no %s", words[parsing->given[0] ? 1 : 0].name);
    }
    if (signer.from[0] != 0 && signer.until[0] != 0 && strcmp(signer.from, signer.until) > 0) {
        return wrong(parsing, "until comes before from");
    }
    const struct topk_signer *other = topk_signers_find(parsing->signers, &signer.key);
    if (other != NULL) {
        return wrong(parsing, "this key is already in line %u", other->line);
    }
    struct topk_signer *kept =
        topk_list_add(&parsing->signers->list, &parsing->signers->count, sizeof signer);
    if (kept == NULL) {
        topk_memory_fail();
        snprintf(parsing->error, parsing->error_bytes, "out of memory");
        return false;
    }
    *kept = signer;
    return true;
}

bool topk_signers_parse(struct topk_signers *signers, const char *path, const char *text,
                        size_t size, char *error, size_t error_bytes)
{
    struct parsing parsing = {
        .signers = signers, .path = path, .error = error, .error_bytes = error_bytes};
    const char *at = text;
    memset(signers, 0, sizeof *signers);
    error[0] = 0;
    while (at < text + size) {
        const char *feed = memchr(at, '\n', (size_t)(text + size - at));
        parsing.at = at;
        parsing.end = feed == NULL ? text + size : feed;
        parsing.line++;
        at = feed == NULL ? parsing.end : feed + 1;
        while (parsing.at < parsing.end && is_blank(*parsing.at)) {
            parsing.at++;
        }
        if (parsing.at < parsing.end && *parsing.at != '#' && !take_line(&parsing)) {
            return false;
        }
    }
    parsing.line++;
    return signers->count > 0 || wrong(&parsing, "the file has no key");
}

const struct topk_signer *topk_signers_find(const struct topk_signers *signers,
                                            const struct topk_public_key *key)
{
    for (size_t i = 0; i < signers->count; i++) {
        if (memcmp(&signers->list[i].key, key, sizeof *key) == 0) {
            return &signers->list[i];
        }
    }
    return NULL;
}

bool topk_signer_counts(const struct topk_signer *signer, const char *started, char *error,
                        size_t error_bytes)
{
    char day[TOPK_SIGNER_DATE] = "";
    if (signer->revoked[0] != 0) {
        snprintf(error, error_bytes,
                 "the key of '%s' was revoked on %s: its signatures are no longer valid",
                 signer->name, signer->revoked);
        return false;
    }
    snprintf(day, sizeof day, "%.10s", started);
    if (!topk_expectation_date_valid(day)) {
        snprintf(error, error_bytes, "the run does not say on which day it began: '%.32s'",
                 started);
        return false;
    }
    if (signer->from[0] != 0 && strcmp(day, signer->from) < 0) {
        snprintf(error, error_bytes,
                 "the run began on %s, and the key of '%s' is valid only from %s", day,
                 signer->name, signer->from);
        return false;
    }
    if (signer->until[0] != 0 && strcmp(day, signer->until) > 0) {
        snprintf(error, error_bytes,
                 "the run began on %s, and the key of '%s' is valid only until %s", day,
                 signer->name, signer->until);
        return false;
    }
    return true;
}

void topk_signers_free(struct topk_signers *signers)
{
    free(signers->list);
    memset(signers, 0, sizeof *signers);
}
