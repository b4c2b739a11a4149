/* The first line of a worker or a backend process: its greeting, or why it cannot start. */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "protocol.h"
#include "reference/result.h"
#include "words.h"

/* the characters up to a space or the end */
static size_t take_field(struct topk_reader *from, const char **field)
{
    *field = from->at;
    while (from->at < from->end && *from->at != ' ') {
        from->at++;
    }
    return (size_t)(from->at - *field);
}

static bool parse_number(const char *field, size_t length, unsigned base, uint32_t *number)
{
    const char *digits = "0123456789abcdef";
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
    /* one decimal digit on each side of the point: the levels are 1.0 to 6.4 */
    if (length != 3 || text[1] != '.' || text[0] < '1' || text[0] > '9' || text[2] < '0' ||
        text[2] > '9') {
        return false;
    }
    *level = (uint32_t)(text[0] - '0') << 12 | (uint32_t)(text[2] - '0') << 8;
    return true;
}

enum field_kind {
    FIELD_WORD,
    FIELD_LEVEL,
    FIELD_HEX,
    FIELD_COUNT,
    FIELD_BYTES,
    FIELD_ALIGN
};

/* the programs that send greetings */
static const struct {
    const char *program; /* the first word of its greeting */
    const char *who;     /* its name in messages */
    char version;        /* version of its protocol */
} speakers[] = {
    [TOPK_SPEAKER_WORKER] = {"topk-worker ", "the worker", '1'},
    [TOPK_SPEAKER_BACKEND] = {"topk-backend ", "the backend process", '1'},
};

/* the fields after the version, in this order, each preceded by a space */
static const struct field {
    const char *label;
    enum field_kind kind;
    size_t member;
    bool process; /* backend process only */
} fields[] = {
    {"name=", FIELD_WORD, offsetof(struct topk_greeting, name), false},
    {"version=", FIELD_WORD, offsetof(struct topk_greeting, version), false},
    {"device=", FIELD_WORD, offsetof(struct topk_greeting, device), false},
    {"driver=", FIELD_WORD, offsetof(struct topk_greeting, driver), false},
    {"features=", FIELD_WORD, offsetof(struct topk_greeting, features), false},
    {"level=", FIELD_LEVEL, offsetof(struct topk_greeting, level), false},
    {"flags=", FIELD_HEX, offsetof(struct topk_greeting, flags), false},
    {"batch=", FIELD_COUNT, offsetof(struct topk_greeting, batch), false},
    {"frame=", FIELD_BYTES, offsetof(struct topk_greeting, frame), true},
    {"align=", FIELD_ALIGN, offsetof(struct topk_greeting, align), true},
    {"own=", FIELD_WORD, offsetof(struct topk_greeting, own), false},
};
#define FIELDS (sizeof fields / sizeof fields[0])

static const char *const wanted[] = {
    [FIELD_WORD] = "a word of less than 2048 bytes, with %XX for others than printable ASCII",
    [FIELD_LEVEL] = "a feature level such as 5.0",
    [FIELD_HEX] = "a number in hex",
    [FIELD_COUNT] = "a number from 1 on",
    [FIELD_BYTES] = "a number of bytes",
    [FIELD_ALIGN] = "a power of two from 1 to 4096",
};
_Static_assert(TOPK_GREETING_TEXT == 2048, "the words say so");

static bool parse_field(const struct field *field, const char *text, size_t length,
                        struct topk_greeting *greeting)
{
    char *member = (char *)greeting + field->member;
    uint32_t number = 0;
    bool parsed = false;
    switch (field->kind) {
    case FIELD_WORD:
        return topk_word_parse(text, length, member, TOPK_GREETING_TEXT);
    case FIELD_LEVEL:
        parsed = topk_level_parse(text, length, &number);
        break;
    case FIELD_HEX:
        parsed = parse_number(text, length, 16, &number);
        break;
    case FIELD_COUNT:
        parsed = parse_number(text, length, 10, &number) && number > 0;
        break;
    case FIELD_ALIGN:
        parsed = parse_number(text, length, 10, &number) && number > 0 && number <= 4096 &&
                 (number & (number - 1)) == 0;
        break;
    case FIELD_BYTES: {
        uint64_t bytes = 0;
        const char *at = text;
        parsed = topk_wire_number(&at, text + length, UINT64_MAX, &bytes) && at == text + length;
        memcpy(member, &bytes, sizeof bytes);
        return parsed;
    }
    }
    memcpy(member, &number, sizeof number);
    return parsed;
}

uint32_t topk_contract_flags(struct topk_contract *contract, uint32_t flags)
{
    if ((flags & TOPK_FLAG_OWN_CONTRACT) != 0) {
        topk_contract_choose(contract, TOPK_OPTION_INVALID_OWN);
    }
    return topk_contract_has(contract, TOPK_OPTION_INVALID_OWN) ? flags | TOPK_FLAG_OWN_CONTRACT
                                                                : flags;
}

/* reads an optional " contract=W"; false, with the reason in error, if it is wrong */
static bool take_contract(struct topk_reader *from, struct topk_greeting *greeting,
                          const char *start, char error[TOPK_GREETING_ERROR])
{
    char text[TOPK_CONTRACT_TEXT];
    char why[400];
    const char *word;
    if (topk_take_text(from, " contract=")) {
        const size_t length = take_field(from, &word);
        if (!topk_word_parse(word, length, text, sizeof text)) {
            snprintf(error, TOPK_GREETING_ERROR,
                     "%s contract= must be a word of less than %d bytes", start,
                     TOPK_CONTRACT_TEXT);
            return false;
        }
        if (!topk_contract_parse(text, strlen(text), false, &greeting->contract, why, sizeof why)) {
            snprintf(error, TOPK_GREETING_ERROR, "%s its contract, %s", start, why);
            return false;
        }
    }
    greeting->flags = topk_contract_flags(&greeting->contract, greeting->flags);
    return true;
}

/* reads an optional " parts=W"; false, with the reason in error, if it is wrong */
static bool take_parts(struct topk_reader *from, struct topk_greeting *greeting, const char *start,
                       char error[TOPK_GREETING_ERROR])
{
    char why[600];
    const char *word;
    if (!topk_take_text(from, " parts=")) {
        return true;
    }
    const size_t length = take_field(from, &word);
    if (!topk_word_parse(word, length, greeting->parts, sizeof greeting->parts)) {
        snprintf(error, TOPK_GREETING_ERROR, "%s parts= must be a word of less than %zu bytes",
                 start, sizeof greeting->parts);
        return false;
    }
    if (!topk_told_check(greeting->parts, why, sizeof why)) {
        snprintf(error, TOPK_GREETING_ERROR, "%s its parts, %s", start, why);
        return false;
    }
    return true;
}

/* Adds to the error that a space is written %20, if the field before is a word and the text after
 * the space is not a field. */
static void add_space(const struct field *before, const struct topk_reader *from,
                      char error[TOPK_GREETING_ERROR])
{
    const size_t used = strlen(error);
    const char *at = from->at;
    const bool space = at < from->end; /* a field ends at a space or at the end */
    for (at += space; at < from->end && *at != ' ' && *at != '='; at++) {
    }
    if (space && before->kind == FIELD_WORD && (at == from->end || *at == ' ')) {
        snprintf(error + used, TOPK_GREETING_ERROR - used, "; a space in %s must be written %%20",
                 before->label);
    }
}

/* Reads the fields; error says what is wrong, and where. */
static enum topk_greeting_kind take_greeting(enum topk_speaker speaker, struct topk_reader from,
                                             struct topk_greeting *greeting,
                                             char error[TOPK_GREETING_ERROR])
{
    const char *who = speakers[speaker].who;
    char start[80];
    char said[300];
    snprintf(start, sizeof start, "%s's introduction is malformed:", who);
    for (size_t i = 0; i < FIELDS; i++) {
        if (fields[i].process && speaker != TOPK_SPEAKER_BACKEND) {
            continue;
        }
        const struct topk_reader stands = from;
        const char *text;
        if (!topk_take_text(&from, " ") || !topk_take_text(&from, fields[i].label)) {
            topk_said_print(stands.at, (size_t)(from.end - stands.at), said, sizeof said);
            snprintf(error, TOPK_GREETING_ERROR, "%s \"%s\" stands where %s has to", start, said,
                     fields[i].label);
            add_space(&fields[i > 0 ? i - 1 : 0], &stands, error);
            return TOPK_GREETING_NONE;
        }
        size_t length = take_field(&from, &text);
        if (!parse_field(&fields[i], text, length, greeting)) {
            topk_said_print(text, length, said, sizeof said);
            snprintf(error, TOPK_GREETING_ERROR, "%s %s is \"%s\"; it must be %s", start,
                     fields[i].label, said, wanted[fields[i].kind]);
            return TOPK_GREETING_NONE;
        }
    }
    const char *fields_end = from.at;
    if (!take_contract(&from, greeting, start, error)) {
        return TOPK_GREETING_MISDECLARED;
    }
    if (!take_parts(&from, greeting, start, error)) {
        return TOPK_GREETING_NONE;
    }
    if (from.at < from.end) {
        topk_said_print(from.at, (size_t)(from.end - from.at), said, sizeof said);
        snprintf(error, TOPK_GREETING_ERROR, "%s \"%s\" stands behind its end", start, said);
        if (from.at == fields_end) {
            add_space(&fields[FIELDS - 1], &from, error);
        }
    }
    return from.at == from.end ? TOPK_GREETING_HELLO : TOPK_GREETING_NONE;
}

enum topk_greeting_kind topk_greeting_parse(enum topk_speaker speaker, const char *line,
                                            size_t length, struct topk_greeting *greeting,
                                            char error[TOPK_GREETING_ERROR])
{
    const char *who = speakers[speaker].who;
    char said[300];
    struct topk_reader from = {line, line + length};
    const char *version;
    memset(greeting, 0, sizeof *greeting);
    topk_said_print(line, length, said, sizeof said);
    const bool unavailable = topk_take_text(&from, "unavailable ");
    if (unavailable || topk_take_text(&from, "misdeclared ")) {
        if (!topk_word_parse(from.at, (size_t)(from.end - from.at), error, TOPK_GREETING_ERROR)) {
            snprintf(error, TOPK_GREETING_ERROR, "%s", said);
        } else if (error[0] == 0) {
            snprintf(error, TOPK_GREETING_ERROR, "%s gives no reason", who);
        }
        return unavailable ? TOPK_GREETING_UNAVAILABLE : TOPK_GREETING_MISDECLARED;
    }
    if (!topk_take_text(&from, speakers[speaker].program)) {
        snprintf(error, TOPK_GREETING_ERROR, "%s does not introduce itself, but says \"%s\"", who,
                 said);
        return TOPK_GREETING_NONE;
    }
    size_t digits = take_field(&from, &version);
    if (digits != 1 || *version != speakers[speaker].version) {
        snprintf(error, TOPK_GREETING_ERROR,
                 "%s speaks version %.*s of the protocol, this topk-cts version %c only", who,
                 (int)(digits > 20 ? 20 : digits), version, speakers[speaker].version);
        return TOPK_GREETING_VERSION;
    }
    return take_greeting(speaker, from, greeting, error);
}

static int put_word(char *line, int used, const char *key, const char *text)
{
    char word[1024];
    topk_word_print(text, word, sizeof word);
    return used + snprintf(line + used, TOPK_GREETING_LINE - (size_t)used, " %s%s", key, word);
}

/* appends as many whole lines as fit */
static int put_parts(char *line, int used, const char *parts)
{
    static const char key[] = " parts=";
    char word[1024];
    size_t length = 0;
    /* leaves room for the line end and the terminator */
    const size_t left = TOPK_GREETING_LINE - (size_t)used - sizeof key - 1;
    const size_t room = left < sizeof word - 1 ? left : sizeof word - 1;
    for (const char *at = parts; *at != 0;) {
        char text[TOPK_TOLD_TEXT];
        char more[3 * sizeof text];
        const size_t bytes = strcspn(at, "\n");
        snprintf(text, sizeof text, "%s%.*s", length == 0 ? "" : "\n", (int)bytes, at);
        const size_t more_length = topk_word_print(text, more, sizeof more);
        if (length + more_length > room) {
            break;
        }
        memcpy(word + length, more, more_length);
        length += more_length;
        at += bytes + (at[bytes] == 0 ? 0 : 1);
    }
    return length == 0 ? used
                       : used + snprintf(line + used, TOPK_GREETING_LINE - (size_t)used, "%s%.*s",
                                         key, (int)length, word);
}

size_t topk_greeting_print(enum topk_speaker speaker, const struct topk_backend_info *info,
                           const struct topk_contract *contract, const char *parts, uint32_t flags,
                           uint32_t align, char line[TOPK_GREETING_LINE])
{
    /* seven words of 1023 characters and their separators fit */
    int used = snprintf(line, TOPK_GREETING_LINE, "%s%c", speakers[speaker].program,
                        speakers[speaker].version);
    used = put_word(line, used, "name=", info->name);
    used = put_word(line, used, "version=", info->version);
    used = put_word(line, used, "device=", info->device);
    used = put_word(line, used, "driver=", info->driver);
    used = put_word(line, used, "features=", info->features);
    used +=
        snprintf(line + used, TOPK_GREETING_LINE - (size_t)used, " level=%u.%u flags=%x batch=%u",
                 (unsigned)(info->feature_level >> 12), (unsigned)(info->feature_level >> 8 & 15),
                 (unsigned)flags, (unsigned)info->batch);
    if (speaker == TOPK_SPEAKER_BACKEND) {
        used += snprintf(line + used, TOPK_GREETING_LINE - (size_t)used, " frame=0 align=%u",
                         (unsigned)align);
    }
    used = put_word(line, used, "own=", info->invalid_calls_reason);
    if (contract != NULL && !topk_contract_plain(contract)) {
        char text[TOPK_CONTRACT_TEXT];
        topk_contract_print(contract, text);
        used = put_word(line, used, "contract=", text);
    }
    used = put_parts(line, used, parts == NULL ? "" : parts);
    used += snprintf(line + used, TOPK_GREETING_LINE - (size_t)used, "\n");
    return (size_t)used;
}
