/* Reads records that only say that a case passed and what was observed, without a JSON parser. */
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

/* Takes the rest of a string without escapes, and its closing quote. */
static bool take_string(const char **at)
{
    const char *end = *at;
    while (*end >= ' ' && *end <= '~' && *end != '"' && *end != '\\') {
        end++;
    }
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
