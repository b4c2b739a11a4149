/* Parses the options of a backend. */
#include "option.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* size of the longest path that an option may be */
#define WORD_BYTES 4096

/* Whether an option in text before `end` has the key. */
static bool had_before(const char *text, const char *end, const char *key)
{
    const size_t bytes = strlen(key);
    while (text < end) {
        if (strcspn(text, "=,") == bytes && memcmp(text, key, bytes) == 0) {
            return true;
        }
        text += strcspn(text, ",") + 1;
    }
    return false;
}

bool topk_options_read(const char *text,
                       bool (*take)(void *context, const char *key, const char *value),
                       void *context, const char *known, char *error, size_t error_bytes)
{
    if (*text == 0) {
        return true;
    }
    const char *at = text;
    for (;;) {
        char word[WORD_BYTES];
        const size_t length = strcspn(at, ",");
        if (length == 0) {
            snprintf(error, error_bytes,
                     "an option is missing beside a comma of '%s'; the options are %s", text,
                     known);
            return false;
        }
        if (length >= sizeof word) {
            snprintf(error, error_bytes, "an option has %zu bytes, and %zu are allowed", length,
                     sizeof word - 1);
            return false;
        }
        memcpy(word, at, length);
        word[length] = 0;
        char *equals = strchr(word, '=');
        if (equals != NULL) {
            *equals = 0;
        }
        if (had_before(text, at, word)) {
            snprintf(error, error_bytes, "option '%s' is given twice in '%s'", word, text);
            return false;
        }
        if (!take(context, word, equals == NULL ? "" : equals + 1)) {
            snprintf(error, error_bytes, "option '%.*s' is not understood; the options are %s",
                     (int)length, at, known);
            return false;
        }
        if (at[length] == 0) {
            return true;
        }
        at += length + 1;
    }
}

bool topk_option_seconds(const char *text, uint32_t *milliseconds)
{
    const size_t digits = strspn(text, "0123456789");
    if (digits == 0 || digits > 5 || text[digits] != 0) {
        return false;
    }
    *milliseconds = (uint32_t)strtoul(text, NULL, 10) * 1000;
    return *milliseconds > 0;
}

bool topk_option_names(const char *value, const char *name)
{
    const size_t length = strlen(value);
    for (; *name != 0; name++) {
        size_t i = 0;
        while (i < length && tolower((unsigned char)name[i]) == tolower((unsigned char)value[i])) {
            i++;
        }
        if (i == length) {
            return true;
        }
    }
    return false;
}
