/* Reads and writes records that only say that a case passed and what was observed, without a JSON
 * library. */
#include "plain.h"

#include <string.h>

/* Takes a text from the start of *at. */
static bool take(const char **at, const char *text)
{
    size_t length = strlen(text);
    if (strncmp(*at, text, length) != 0) {
        return false;
    }
    *at += length;
    return true;
}

/* Takes a number of at most 18 digits. */
static bool take_number(const char **at, uint64_t *number)
{
    size_t digits = strspn(*at, "0123456789");
    if (digits == 0 || digits > 18 || (digits > 1 && **at == '0')) {
        return false;
    }
    *number = 0;
    for (size_t i = 0; i < digits; i++) {
        *number = 10 * *number + (uint64_t)((*at)[i] - '0');
    }
    *at += digits;
    return true;
}

/* the end of the characters that JSON does not escape */
static const char *end_of_plain(const char *text)
{
    while (*text >= ' ' && *text <= '~' && *text != '"' && *text != '\\') {
        text++;
    }
    return text;
}

/* Takes the rest of a string without escapes, and its closing quote. */
static bool take_string(const char **at)
{
    const char *end = end_of_plain(*at);
    *at = end + 1;
    return *end == '"';
}

/* takes {"clause":"M03","word":"kept"} */
static bool take_observation(const char **at, uint32_t *observations)
{
    for (unsigned i = 0; i < TOPK_OBSERVATION_COUNT; i++) {
        const struct topk_observation_row *row = topk_observation_row((enum topk_observation)i);
        const char *rest = *at;
        if (take(&rest, "{\"clause\":\"") && take(&rest, topk_clause_id(row->clause)) &&
            take(&rest, "\",\"word\":\"") && take(&rest, row->word) && take(&rest, "\"}")) {
            *observations |= UINT32_C(1) << i;
            *at = rest;
            return true;
        }
    }
    return false;
}

static bool take_observations(const char **at, uint32_t *observations)
{
    if (!take(at, ",\"observations\":[")) {
        return true; /* there are no observations */
    }
    do {
        if (!take_observation(at, observations)) {
            return false;
        }
    } while (take(at, ","));
    return take(at, "]");
}

bool topk_plain_case(const struct topk_lines *lines, struct topk_log_record *record)
{
    const char *at = lines->text;
    struct topk_log_record plain = {.verdict = TOPK_VERDICT_PASS,
                                    .own_verdict = TOPK_VERDICT_PASS,
                                    .clause = TOPK_CLAUSE_NONE,
                                    .reason = "",
                                    .cause = ""};
    if (!take(&at, "{\"record\":\"case\",\"number\":") || !take_number(&at, &plain.number) ||
        !take(&at, ",\"id\":\"")) {
        return false;
    }
    size_t id = (size_t)(at - lines->text);
    if (!take_string(&at)) {
        return false;
    }
    size_t id_end = (size_t)(at - lines->text) - 1;
    if (!take(&at, ",\"verdict\":\"pass\"")) {
        return false;
    }
    plain.by_status = take(&at, ",\"by\":\"" TOPK_LOG_BY_STATUS "\"");
    if (!take(&at, ",\"nanoseconds\":") || !take_number(&at, &plain.nanoseconds) ||
        !take_observations(&at, &plain.observations) ||
        at != lines->text + lines->length - TOPK_LINE_TAIL) {
        return false;
    }
    lines->text[id_end] = 0;
    plain.id = lines->text + id;
    *record = plain;
    return true;
}

/* ---- writing --------------------------------------------------------------------------------- */

struct printer {
    char *at; /* NULL: the room was too small */
    const char *end;
};

static void put(struct printer *p, const char *text, size_t length)
{
    if (p->at == NULL || (size_t)(p->end - p->at) < length) {
        p->at = NULL;
        return;
    }
    memcpy(p->at, text, length);
    p->at += length;
}

static void put_text(struct printer *p, const char *text)
{
    put(p, text, strlen(text));
}

static void put_number(struct printer *p, uint64_t number)
{
    char digits[24];
    char *first = digits + sizeof digits;
    do {
        *--first = (char)('0' + number % 10);
        number /= 10;
    } while (number != 0);
    put(p, first, (size_t)(digits + sizeof digits - first));
}

static void put_observations(struct printer *p, uint32_t observations)
{
    const char *before = ",\"observations\":[";
    for (unsigned i = 0; i < TOPK_OBSERVATION_COUNT; i++) {
        if ((observations >> i & 1) != 0) {
            const struct topk_observation_row *row = topk_observation_row((enum topk_observation)i);
            put_text(p, before);
            put_text(p, "{\"clause\":\"");
            put_text(p, topk_clause_id(row->clause));
            put_text(p, "\",\"word\":\"");
            put_text(p, row->word);
            put_text(p, "\"}");
            before = ",";
        }
    }
    if (observations != 0) {
        put_text(p, "]");
    }
}

/* whether a result says only what a plain record has */
static bool is_plain(const struct topk_result *result)
{
    const struct topk_judgement *judgement = &result->judgement;
    return result->verdict == TOPK_VERDICT_PASS && result->clause == TOPK_CLAUSE_NONE &&
           result->call == 0 && !result->by_contract && result->nanoseconds <= INT64_MAX &&
           result->runs == 0 && judgement->count == 0 && !judgement->has_sequence &&
           result->window_count == 0 && result->reading == TOPK_READING_NONE && !result->guess &&
           result->reason[0] == 0 && result->crash.signal[0] == 0;
}

size_t topk_plain_print(char *text, size_t room, uint64_t number, const char *id,
                        const struct topk_result *result)
{
    const char *end = end_of_plain(id);
    if (room == 0 || !is_plain(result) || number > INT64_MAX || *end != 0) {
        return 0;
    }
    struct printer p = {text, text + room};
    put_text(&p, "{\"record\":\"case\",\"number\":");
    put_number(&p, number);
    put_text(&p, ",\"id\":\"");
    put(&p, id, (size_t)(end - id));
    put_text(&p, "\",\"verdict\":\"pass\"");
    put_text(&p, result->by_status ? ",\"by\":\"" TOPK_LOG_BY_STATUS "\"" : "");
    put_text(&p, ",\"nanoseconds\":");
    put_number(&p, result->nanoseconds);
    put_observations(&p, result->judgement.observations);
    return p.at == NULL ? 0 : (size_t)(p.at - text);
}
