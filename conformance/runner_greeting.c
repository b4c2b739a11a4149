/* The first line of a worker: who it is, or why it is not. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "runner.h"
#include "text.h"

static bool take(const char **at, const char *end, const char *expected)
{
    size_t length = strlen(expected);
    if ((size_t)(end - *at) < length || memcmp(*at, expected, length) != 0) {
        return false;
    }
    *at += length;
    return true;
}

/* the characters up to a space or the end */
static size_t take_field(const char **at, const char *end, const char **field)
{
    *field = *at;
    while (*at < end && **at != ' ') {
        (*at)++;
    }
    return (size_t)(*at - *field);
}

static bool take_word(const char **at, const char *end, const char *label, char *text)
{
    const char *field;
    char said[TOPK_RUNNER_TEXT];
    if (!take(at, end, label)) {
        return false;
    }
    size_t length = take_field(at, end, &field);
    if (!topk_word_parse(field, length, said, sizeof said)) {
        return false;
    }
    /* what a log, a rule of expectations and a terminal have of it is the same */
    topk_text_line(said, text, TOPK_RUNNER_TEXT);
    return true;
}

static bool take_number(const char **at, const char *end, const char *label, unsigned base,
                        uint32_t *number)
{
    const char *digits = "0123456789abcdef";
    const char *field;
    if (!take(at, end, label)) {
        return false;
    }
    size_t length = take_field(at, end, &field);
    uint64_t value = 0;
    for (size_t i = 0; i < length; i++) {
        const char *digit = field[i] == 0 ? NULL : strchr(digits, field[i]);
        if (digit == NULL || digit >= digits + base || value > UINT32_MAX / base) {
            return false;
        }
        value = value * base + (uint64_t)(digit - digits);
    }
    *number = (uint32_t)value;
    return length > 0 && value <= UINT32_MAX;
}

bool topk_level_parse(const char *text, size_t length, uint32_t *level)
{
    /* one decimal digit each: 1.0 to 6.4 are the levels that exist */
    if (length != 3 || text[1] != '.' || text[0] < '1' || text[0] > '9' || text[2] < '0' ||
        text[2] > '9') {
        return false;
    }
    *level = (uint32_t)(text[0] - '0') << 12 | (uint32_t)(text[2] - '0') << 8;
    return true;
}

void topk_said_print(const char *said, size_t length, char *text, size_t size)
{
    size_t most = length > 60 ? 60 : length;
    size_t used = 0;
    for (size_t i = 0; i < most && used + 8 < size; i++) {
        unsigned char c = (unsigned char)said[i];
        if (c >= ' ' && c < 0x7f) {
            text[used++] = (char)c;
        } else {
            used += (size_t)snprintf(text + used, size - used, "\\x%02x", c);
        }
    }
    snprintf(text + used, size - used, "%s", most < length ? "..." : "");
}

static bool take_greeting(const char *at, const char *end, struct topk_greeting *greeting)
{
    const char *field;
    if (!take_word(&at, end, " name=", greeting->name) ||
        !take_word(&at, end, " version=", greeting->version) ||
        !take_word(&at, end, " device=", greeting->device) ||
        !take_word(&at, end, " driver=", greeting->driver) ||
        !take_word(&at, end, " features=", greeting->features) || !take(&at, end, " level=")) {
        return false;
    }
    size_t length = take_field(&at, end, &field);
    return topk_level_parse(field, length, &greeting->level) &&
           take_number(&at, end, " flags=", 16, &greeting->flags) &&
           take_number(&at, end, " batch=", 10, &greeting->batch) && greeting->batch > 0 &&
           take_word(&at, end, " own=", greeting->own) && at == end;
}

enum topk_greeting_kind topk_greeting_parse(const char *line, size_t length,
                                            struct topk_greeting *greeting,
                                            char error[TOPK_RUNNER_ERROR])
{
    char said[300];
    const char *at = line;
    const char *end = line + length;
    const char *version;
    memset(greeting, 0, sizeof *greeting);
    topk_said_print(line, length, said, sizeof said);
    if (take(&at, end, "unavailable ")) {
        if (!topk_word_parse(at, (size_t)(end - at), error, TOPK_RUNNER_ERROR)) {
            snprintf(error, TOPK_RUNNER_ERROR, "%s", said);
        } else if (error[0] == 0) {
            snprintf(error, TOPK_RUNNER_ERROR, "the worker gives no reason");
        }
        return TOPK_GREETING_UNAVAILABLE;
    }
    if (!take(&at, end, "topk-worker ")) {
        snprintf(error, TOPK_RUNNER_ERROR, "the worker does not introduce itself, but says \"%s\"",
                 said);
        return TOPK_GREETING_NONE;
    }
    size_t digits = take_field(&at, end, &version);
    if (digits != 1 || *version != '1') {
        snprintf(error, TOPK_RUNNER_ERROR,
                 "the worker speaks version %.*s of the protocol, this topk-cts version 1 only",
                 (int)(digits > 20 ? 20 : digits), version);
        return TOPK_GREETING_VERSION;
    }
    if (!take_greeting(at, end, greeting)) {
        snprintf(error, TOPK_RUNNER_ERROR, "the worker's introduction is malformed: \"%s\"", said);
        return TOPK_GREETING_NONE;
    }
    return TOPK_GREETING_HELLO;
}
