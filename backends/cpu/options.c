/* The options of the backend. */
#include "options.h"
#include "team.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A part of the text. */
struct word {
    const char *text;
    int length;
};

static bool is(struct word word, const char *text)
{
    return strlen(text) == (size_t)word.length && strncmp(word.text, text, strlen(text)) == 0;
}

static bool read_threads(struct word value, unsigned *threads, char *error, size_t error_bytes)
{
    unsigned number = 0;
    bool valid = value.length >= 1 && value.length <= 3;
    for (int i = 0; valid && i < value.length; i++) {
        valid = value.text[i] >= '0' && value.text[i] <= '9';
        number = number * 10 + (unsigned)(value.text[i] - '0');
    }
    if (!valid || number < 1 || number > TOPK_CPU_TEAM_MOST) {
        snprintf(error, error_bytes, "cpu: option threads is '%.*s'; allowed are 1 to %u",
                 value.length, value.text, TOPK_CPU_TEAM_MOST);
        return false;
    }
    *threads = number;
    return true;
}

static bool read_level(struct word value, struct topk_cpu_level *level, char *error,
                       size_t error_bytes)
{
    struct topk_cpu_level levels[TOPK_CPU_LEVELS];
    const size_t count = topk_cpu_levels(levels);
    char allowed[64] = "auto";
    if (is(value, "auto")) {
        *level = levels[count - 1];
        return true;
    }
    for (size_t i = 0; i < count; i++) {
        if (is(value, levels[i].word)) {
            *level = levels[i];
            return true;
        }
        const size_t used = strlen(allowed);
        snprintf(allowed + used, sizeof allowed - used, ", %s", levels[i].word);
    }
    snprintf(error, error_bytes,
             "cpu: option simd is '%.*s'; on this processor, by this program, allowed are %s",
             value.length, value.text, allowed);
    return false;
}

bool topk_cpu_options_read(const char *text, struct topk_cpu_options *options, char *error,
                           size_t error_bytes)
{
    struct topk_cpu_level levels[TOPK_CPU_LEVELS];
    *options = (struct topk_cpu_options){1, levels[topk_cpu_levels(levels) - 1]};
    bool has_threads = false;
    bool has_level = false;
    for (bool more = text != NULL && *text != '\0'; more;) {
        const size_t length = strcspn(text, ",");
        const size_t key_length = strcspn(text, "=,");
        const struct word key = {text, (int)key_length};
        const struct word value = {text + key_length + 1,
                                   key_length < length ? (int)(length - key_length - 1) : 0};
        bool *has = is(key, "threads") ? &has_threads : is(key, "simd") ? &has_level : NULL;
        if (has == NULL) {
            snprintf(error, error_bytes,
                     "cpu: option '%.*s' is not known; the options are threads=1 to %u, "
                     "simd=auto|portable|avx2|avx512",
                     (int)length, text, TOPK_CPU_TEAM_MOST);
            return false;
        }
        if (*has) {
            snprintf(error, error_bytes, "cpu: option %.*s is given twice", key.length, key.text);
            return false;
        }
        *has = true;
        if (!(has == &has_threads ? read_threads(value, &options->threads, error, error_bytes)
                                  : read_level(value, &options->level, error, error_bytes))) {
            return false;
        }
        more = text[length] == ',';
        text += length + 1;
    }
    return true;
}
