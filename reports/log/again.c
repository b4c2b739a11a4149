/* Failures that were run again: their records in the log, and their descriptions in words. */
#define _POSIX_C_SOURCE 200809L /* getline */

#include "again.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "log.h"
#include "object.h"

static const struct {
    const char *word, *phrase;
} kinds[] = {
#define AGAIN(name, word, phrase) {word, phrase},
    TOPK_AGAIN_LIST(AGAIN)
#undef AGAIN
};

const char *topk_again_word(enum topk_again_kind kind)
{
    return kinds[kind].word;
}

enum topk_again_kind topk_again_parse(const char *word)
{
    int kind = 0;
    while (kind < TOPK_AGAIN_COUNT && strcmp(kinds[kind].word, word) != 0) {
        kind++;
    }
    return (enum topk_again_kind)kind;
}

const char *topk_again_phrase(enum topk_again_kind kind)
{
    return kinds[kind].phrase;
}

enum topk_again_kind topk_again_kind_of(const struct topk_log_again *again)
{
    const struct topk_log_runs *alone = &again->alone;
    const struct topk_log_runs *behind = &again->behind;
    const bool behind_fails = behind->failed == behind->runs; /* it also failed in its own run */
    return alone->failed == alone->runs && behind_fails             ? TOPK_AGAIN_ALWAYS
           : alone->failed == 0 && behind->runs > 0 && behind_fails ? TOPK_AGAIN_BEHIND
                                                                    : TOPK_AGAIN_FLAKY;
}

void topk_again_print(const struct topk_log_again *again, char text[TOPK_AGAIN_TEXT])
{
    const struct topk_log_runs *behind = &again->behind;
    int used = snprintf(text, TOPK_AGAIN_TEXT, "failed %" PRIu64 " of %" PRIu64 " times alone",
                        again->alone.failed, again->alone.runs);
    if (behind->runs > 0) {
        snprintf(text + used, TOPK_AGAIN_TEXT - (size_t)used,
                 ", %" PRIu64 " of %" PRIu64 " times after the %" PRIu64 " case%s before it",
                 behind->failed, behind->runs, again->before, again->before == 1 ? "" : "s");
    }
}

void topk_log_runs_print(const struct topk_log_record *record, char text[TOPK_AGAIN_TEXT])
{
    text[0] = 0;
    if (record->again != NULL) {
        topk_again_print(record->again, text);
    } else if (record->repeat.runs > 0) {
        snprintf(text, TOPK_AGAIN_TEXT, "failed %" PRIu64 " of %" PRIu64 " times",
                 record->repeat.failed, record->repeat.runs);
    }
}

/* ---- a record as read back ------------------------------------------------------------------- */

static bool read_number(const json_t *object, const char *key, uint64_t *number)
{
    const json_t *value = json_object_get(object, key);
    *number = (uint64_t)json_integer_value(value);
    return json_is_integer(value) && json_integer_value(value) >= 0;
}

static bool read_runs(const json_t *object, struct topk_log_runs *runs)
{
    return read_number(object, "runs", &runs->runs) &&
           read_number(object, "failed", &runs->failed) && runs->runs > 0 &&
           runs->failed <= runs->runs;
}

static bool read_rule(const json_t *object, uint32_t *rule)
{
    const char *verdict = json_string_value(json_object_get(object, "verdict"));
    uint64_t line;
    if (!read_number(object, "line", &line) || line == 0 || line > UINT32_MAX || verdict == NULL ||
        strcmp(verdict, topk_verdict_word(TOPK_VERDICT_FLAKY)) != 0) {
        return false;
    }
    *rule = (uint32_t)line;
    return true;
}

const char *topk_again_read(const json_t *json, struct topk_log_again *again)
{
    const char *kind = json_string_value(json_object_get(json, "kind"));
    const json_t *behind = json_object_get(json, "behind");
    const json_t *expectation = json_object_get(json, "expectation");
    memset(again, 0, sizeof *again);
    if (!read_number(json, "number", &again->number)) {
        return "number";
    }
    if (!read_runs(json_object_get(json, "alone"), &again->alone)) {
        return "alone";
    }
    if (behind != NULL &&
        (!read_runs(behind, &again->behind) || !read_number(behind, "before", &again->before))) {
        return "behind";
    }
    again->kind = kind == NULL ? TOPK_AGAIN_COUNT : topk_again_parse(kind);
    if (again->kind != topk_again_kind_of(again)) {
        return "kind";
    }
    if (expectation != NULL &&
        (again->kind != TOPK_AGAIN_FLAKY || !read_rule(expectation, &again->rule))) {
        return "expectation";
    }
    return NULL;
}

/* ---- the failures of a log
 * --------------------------------------------------------------------- */

static const char start[] = "{\"record\":\"again\",";

/* Keeps a line. Returns false if memory ran out. */
static bool keep(struct topk_agains *agains, const char *line, size_t length)
{
    bool large;
    json_error_t reason;
    json_t *json = topk_json_read(line, length, &reason, &large);
    struct topk_log_again again;
    bool ok = true;
    if (json != NULL && topk_again_read(json, &again) == NULL) {
        struct topk_log_again *place =
            topk_list_add(&agains->list, &agains->count, sizeof *agains->list);
        ok = place != NULL;
        if (ok) {
            *place = again;
        }
    }
    json_decref(json);
    return ok && !topk_memory_short();
}

static int by_number(const void *a, const void *b)
{
    const struct topk_log_again *x = a;
    const struct topk_log_again *y = b;
    return x->number < y->number ? -1 : x->number > y->number;
}

bool topk_agains_search(struct topk_agains *agains, FILE *file)
{
    const long from = ftell(file);
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    bool ok = from >= 0;
    while (ok && (length = getline(&line, &room, file)) > 0) {
        if (strncmp(line, start, sizeof start - 1) == 0) {
            ok = keep(agains, line, (size_t)length);
        }
    }
    free(line);
    /* The loop also ends when there is no memory for a line. */
    ok = ok && ferror(file) == 0 && feof(file) != 0 && fseek(file, from, SEEK_SET) == 0;
    if (agains->count > 1) {
        qsort(agains->list, agains->count, sizeof *agains->list, by_number);
    }
    return ok;
}

const struct topk_log_again *topk_agains_find(const struct topk_agains *agains, uint64_t number)
{
    const struct topk_log_again key = {.number = number};
    return agains->count == 0
               ? NULL
               : bsearch(&key, agains->list, agains->count, sizeof *agains->list, by_number);
}

void topk_agains_free(struct topk_agains *agains)
{
    free(agains->list);
    memset(agains, 0, sizeof *agains);
}
