/* Compares lists of cases to what is known about the profile, test by test. */
#include "mustpass.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log/log.h"
#include "sha256/sha256.h"

struct reading {
    struct topk_mustpass_list *list;
    const char *path;
    const char *at;
    const char *end;
    char *error;
    size_t error_bytes;
};

static bool wrong(const struct reading *reading, const char *reason, const char *name)
{
    snprintf(reading->error, reading->error_bytes, "%s:%zu: %s%s", reading->path,
             reading->list->count + 1, reason, name);
    return false;
}

/* Takes a number of at most two digits from the start of *at. */
static bool take_number(const char **at, const char *end, uint32_t *number)
{
    const char *from = *at;
    *number = 0;
    while (*at < end && **at >= '0' && **at <= '9' && *at - from < 2) {
        *number = 10 * *number + (uint32_t)(**at - '0');
        ++*at;
    }
    return *at > from;
}

/* Returns the feature level in the text of a call, "top_k1 fl=5.0 ..."; 0 if there is none. */
static uint32_t level_of_call(const char *text, const char *end)
{
    static const char *const starts[] = {"top_k fl=", "top_k1 fl="};
    for (unsigned i = 0; i < 2; i++) {
        size_t length = strlen(starts[i]);
        uint32_t major;
        uint32_t minor;
        if ((size_t)(end - text) > length && memcmp(text, starts[i], length) == 0) {
            const char *at = text + length;
            bool has = take_number(&at, end, &major) && at < end && *at == '.';
            at += has;
            return has && take_number(&at, end, &minor) && minor < 16 ? major << 12 | minor << 8
                                                                      : 0;
        }
    }
    return 0;
}

/* Returns the highest feature level that the calls of a case ask for; 0 if one of them asks for
 * none. */
static uint32_t level_of(const char *text, const char *end)
{
    static const char then[] = " then ";
    const size_t length = sizeof then - 1;
    uint32_t highest = level_of_call(text, end);
    uint32_t level = highest;
    for (const char *at = text; level != 0 && (size_t)(end - at) > length; at++) {
        if (memcmp(at, then, length) == 0) {
            level = level_of_call(at + length, end);
            highest = level > highest ? level : highest;
        }
    }
    return level == 0 ? 0 : highest;
}

static bool keep(const struct reading *reading, const struct topk_mustpass_line *line)
{
    struct topk_mustpass_list *list = reading->list;
    struct topk_mustpass_line *kept = topk_list_add(&list->lines, &list->count, sizeof *kept);
    if (kept == NULL) {
        topk_memory_fail();
        snprintf(reading->error, reading->error_bytes, "out of memory");
        return false;
    }
    *kept = *line;
    return true;
}

/* Reads a case of the test with this name. */
static bool read_line(struct reading *reading, const char *name)
{
    size_t left = (size_t)(reading->end - reading->at);
    const char *feed = left == 0 ? NULL : memchr(reading->at, '\n', left);
    size_t name_length = strlen(name);
    if (feed == NULL) {
        return wrong(reading, "the list ends before the last case of ", name);
    }
    size_t length = (size_t)(feed - reading->at);
    if (length <= name_length || memcmp(reading->at, name, name_length) != 0 ||
        reading->at[name_length] != ':' || length > UINT32_MAX) {
        return wrong(reading, "this is not a case of ", name);
    }
    struct topk_mustpass_line line = {reading->at, (uint32_t)length,
                                      level_of(reading->at + name_length + 1, feed)};
    if (line.level == 0) {
        return wrong(reading, "this case asks for no feature level", "");
    }
    reading->at = feed + 1;
    return keep(reading, &line);
}

static bool read_test(struct reading *reading, const struct topk_mustpass_test *test)
{
    const char *from = reading->at;
    size_t first = reading->list->count;
    char digest[TOPK_SHA256_TEXT];
    for (uint32_t i = 0; i < test->cases; i++) {
        if (!read_line(reading, test->name)) {
            return false;
        }
    }
    topk_sha256_print(from, (size_t)(reading->at - from), digest);
    if (strncmp(digest, test->digest, strlen(test->digest)) != 0) {
        reading->list->count = first;
        return wrong(reading, "from here on these are not the cases of ", test->name);
    }
    return true;
}

bool topk_mustpass_read(struct topk_mustpass_list *list, const struct topk_mustpass *profile,
                        const char *path, const char *text, size_t size, char *error,
                        size_t error_bytes)
{
    struct reading reading = {.list = list, .path = path, .at = text, .end = text + size};
    reading.error = error;
    reading.error_bytes = error_bytes;
    memset(list, 0, sizeof *list);
    for (size_t i = 0; i < profile->test_count; i++) {
        if (!read_test(&reading, &profile->tests[i])) {
            return false;
        }
    }
    return reading.at == reading.end ||
           wrong(&reading, "there are more cases than in profile ", profile->name);
}

void topk_mustpass_free(struct topk_mustpass_list *list)
{
    free(list->lines);
    memset(list, 0, sizeof *list);
}
