/* The options of a backend. */
#include "option.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool topk_options_read(const char *text,
                       bool (*take)(void *context, const char *key, const char *value),
                       void *context, const char *known, char *error, size_t error_bytes)
{
    while (*text != 0) {
        char word[256];
        const size_t length = strcspn(text, ",");
        const int shown = (int)(length < sizeof word - 1 ? length : sizeof word - 1);
        (void)snprintf(word, sizeof word, "%.*s", shown, text);
        char *equals = strchr(word, '=');
        if (equals != NULL) {
            *equals = 0;
        }
        if (!take(context, word, equals == NULL ? "" : equals + 1)) {
            (void)snprintf(error, error_bytes,
                           "option '%.*s' is not understood; the options are %s", shown, text,
                           known);
            return false;
        }
        text += length + (text[length] == ',');
    }
    return true;
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
