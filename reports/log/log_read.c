/* Reads a result log back. The chain proves that a line is what was written; each member is still
 * checked, because another version of the suite may have written it. */
#define _POSIX_C_SOURCE 200809L /* fmemopen */

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "line.h"
#include "log.h"
#include "object.h"
#include "plain.h"

/* One line as JSON. If a member is missing or has the wrong type, the first such member is
 * remembered and an empty value is used instead, so one check at the end is enough. */
struct line {
    json_t *json;
    const char *wrong;                /* name of the first wrong member; NULL for none */
    bool no_memory;                   /* memory ran out while reading it */
    const struct topk_agains *agains; /* all of this log */
};

static void complain(struct line *line, const char *key)
{
    line->wrong = line->wrong == NULL ? key : line->wrong;
}

static json_t *member(struct line *line, const json_t *object, const char *key, json_type type)
{
    json_t *value = json_object_get(object, key);
    if (value == NULL || json_typeof(value) != type) {
        complain(line, key);
        return NULL;
    }
    return value;
}

static const char *text_of(struct line *line, const json_t *object, const char *key)
{
    const json_t *value = member(line, object, key, JSON_STRING);
    return value == NULL ? "" : json_string_value(value);
}

static bool digits_only(const char *text, const char *digits)
{
    return *text != 0 && text[strspn(text, digits)] == 0;
}

/* Whole numbers above INT64_MAX are written as strings. */
static uint64_t number_of(struct line *line, const json_t *object, const char *key, uint64_t most)
{
    const json_t *value = json_object_get(object, key);
    const char *text = json_string_value(value);
    uint64_t number = UINT64_MAX;
    bool ok = false;
    if (json_is_integer(value)) {
        ok = json_integer_value(value) >= 0;
        number = (uint64_t)json_integer_value(value);
    } else if (text != NULL && digits_only(text, "0123456789") && strlen(text) <= 20) {
        errno = 0;
        number = strtoull(text, NULL, 10);
        ok = errno == 0;
    }
    if (!ok || number > most) {
        complain(line, key);
        return 0;
    }
    return number;
}

static uint32_t hex_of(struct line *line, const json_t *object, const char *key)
{
    const char *text = text_of(line, object, key);
    if (strncmp(text, "0x", 2) != 0 || !digits_only(text + 2, "0123456789abcdef") ||
        strlen(text) > 10) {
        complain(line, key);
        return 0;
    }
    return (uint32_t)strtoul(text + 2, NULL, 16);
}

static enum topk_clause clause_of(struct line *line, const json_t *object)
{
    const char *text = text_of(line, object, "clause");
    enum topk_clause clause = topk_clause_parse(text, strlen(text));
    if (clause == TOPK_CLAUSE_NONE) {
        complain(line, "clause");
    }
    return clause;
}

/* Gets a member that may be missing, which gives NULL. */
static json_t *optional(struct line *line, const json_t *object, const char *key, json_type type)
{
    return json_object_get(object, key) == NULL ? NULL : member(line, object, key, type);
}

/* Gets a text that may be missing, which gives "". */
static const char *text_or_empty(struct line *line, const json_t *object, const char *key)
{
    return json_object_get(object, key) == NULL ? "" : text_of(line, object, key);
}

/* ---- the header ------------------------------------------------------------------------------ */

static void read_backend(struct line *line, struct topk_log_backend *backend)
{
    const json_t *json = member(line, line->json, "backend", JSON_OBJECT);
    backend->spec = text_of(line, json, "spec");
    backend->command = text_or_empty(line, json, "command");
    backend->worker = text_of(line, json, "worker");
    backend->name = text_of(line, json, "name");
    backend->version = text_of(line, json, "version");
    backend->device = text_of(line, json, "device");
    backend->driver = text_of(line, json, "driver");
    backend->features = text_of(line, json, "features");
    backend->level = hex_of(line, json, "level");
    backend->flags = hex_of(line, json, "flags");
}

/* If a worker reported results itself, nobody else judged them, whatever the header says. */
static enum topk_judge read_judge(struct line *line, const struct topk_log_header *header)
{
    const bool worker = header->backend.worker[0] != 0;
    if (header->format == 1 && json_object_get(line->json, "judge") == NULL) {
        return worker ? TOPK_JUDGE_WORKER : TOPK_JUDGE_UNKNOWN;
    }
    enum topk_judge judge = topk_judge_parse(text_of(line, line->json, "judge"));
    if (judge == TOPK_JUDGE_COUNT || (worker && judge != TOPK_JUDGE_WORKER)) {
        complain(line, "judge");
        return TOPK_JUDGE_WORKER;
    }
    return judge;
}

/* Gets the word of a header as a text that remains valid; "" if the header has none. */
static const char *read_guard_pages(struct line *line)
{
    static const char *const words[] = {TOPK_LOG_GUARD_PAGES};
    const char *word = text_or_empty(line, line->json, "guard_pages");
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(word, words[i]) == 0) {
            return words[i];
        }
    }
    if (json_object_get(line->json, "guard_pages") != NULL) {
        complain(line, "guard_pages");
    }
    return "";
}

/* Rules are in exactly the form in which we write them. */
static void read_contract(struct line *line, struct topk_contract *contract)
{
    const json_t *json = optional(line, line->json, "contract", JSON_OBJECT);
    char text[TOPK_CONTRACT_TEXT];
    char rules[TOPK_CONTRACT_RULES];
    char error[200];
    if (json == NULL) {
        return;
    }
    const char *name = text_or_empty(line, json, "name");
    const char *source = text_or_empty(line, json, "source");
    const char *said = text_of(line, json, "rules");
    const int length =
        snprintf(text, sizeof text, "%s%s%s%s%s", said, name[0] == 0 ? "" : "\nname=", name,
                 source[0] == 0 ? "" : "\nsource=", source);
    if (number_of(line, json, "version", UINT32_MAX) != TOPK_CONTRACT_VERSION || length < 0 ||
        (size_t)length >= sizeof text ||
        !topk_contract_parse(text, (size_t)length, false, contract, error, sizeof error)) {
        complain(line, "contract");
        return;
    }
    topk_contract_rules_print(contract, rules);
    if (strcmp(rules, said) != 0 || said[0] == 0 || strcmp(contract->name, name) != 0 ||
        strcmp(contract->source, source) != 0) {
        complain(line, "contract");
    }
}

/* words has room for TOPK_REQUIRE_MAX. */
static void read_gate(struct line *line, struct topk_log_gate *gate, const char **words)
{
    const json_t *json = optional(line, line->json, "gate", JSON_OBJECT);
    const json_t *require = json == NULL ? NULL : optional(line, json, "require", JSON_ARRAY);
    const size_t count = json_array_size(require);
    if (json == NULL) {
        return;
    }
    gate->has_least = json_object_get(json, "min_supported") != NULL;
    if (gate->has_least) {
        gate->least = (uint32_t)number_of(line, json, "min_supported", 100);
    }
    gate->has_unclean = json_object_get(json, "max_unclean") != NULL;
    if (gate->has_unclean) {
        gate->unclean = (uint32_t)number_of(line, json, "max_unclean", UINT32_MAX);
    }
    gate->has_restarts = json_object_get(json, "max_restarts") != NULL;
    if (gate->has_restarts) {
        gate->restarts = (uint32_t)number_of(line, json, "max_restarts", UINT32_MAX);
    }
    const json_t *allow = json_object_get(json, "allow_expired");
    if (allow != NULL && !json_is_true(allow)) {
        complain(line, "allow_expired");
    }
    gate->allow_expired = allow != NULL;
    for (size_t i = 0; i < count && i < TOPK_REQUIRE_MAX; i++) {
        words[i] = json_string_value(json_array_get(require, i));
        if (words[i] == NULL || strlen(words[i]) >= TOPK_REQUIRE_TEXT) {
            complain(line, "require");
            return;
        }
    }
    if (count > TOPK_REQUIRE_MAX) {
        complain(line, "require");
        return;
    }
    gate->require = words;
    gate->require_count = count;
}

static void read_header(struct line *line, struct topk_log_header *header)
{
    const json_t *json = line->json;
    header->format = (uint32_t)number_of(line, json, "format", TOPK_LOG_FORMAT);
    header->suite = text_of(line, json, "suite");
    header->profile = text_of(line, json, "profile");
    header->profile_version = (uint32_t)number_of(line, json, "profile_version", UINT32_MAX);
    header->profile_digest = text_of(line, json, "profile_digest");
    header->level = hex_of(line, json, "level");
    header->seed = number_of(line, json, "seed", UINT64_MAX);
    header->timeout = json_real_value(member(line, json, "timeout", JSON_REAL));
    header->cases = number_of(line, json, "cases", UINT64_MAX);
    header->started = text_of(line, json, "started");
    header->replay = text_of(line, json, "replay");
    read_backend(line, &header->backend);
    header->judge = read_judge(line, header);
    read_contract(line, &header->contract);
    header->revision = text_or_empty(line, json, "revision");
    header->chaos = text_or_empty(line, json, "chaos");
    header->expectations = text_or_empty(line, json, "expectations");
    header->contained = text_or_empty(line, json, "contained");
    header->variables = text_or_empty(line, json, "variables");
    header->guard_pages = read_guard_pages(line);
    header->shard_costs = "";
    const json_t *shard = optional(line, json, "shard", JSON_OBJECT);
    if (shard != NULL) {
        header->shard = (uint32_t)number_of(line, shard, "index", TOPK_SHARDS_MAX);
        header->shards = (uint32_t)number_of(line, shard, "count", TOPK_SHARDS_MAX);
        header->shard_total = number_of(line, shard, "cases", UINT64_MAX);
        if (header->shard == 0 || header->shard > header->shards) {
            complain(line, "shard");
        }
        const bool ruled = json_object_get(shard, "rule") != NULL;
        header->shard_rule =
            ruled ? topk_shard_rule_parse(text_of(line, shard, "rule")) : TOPK_SHARD_BY_NUMBER;
        header->shard_costs = text_or_empty(line, shard, "costs");
        if ((ruled && header->shard_rule == TOPK_SHARD_BY_NUMBER) ||
            header->shard_rule == TOPK_SHARD_BY_COUNT) {
            complain(line, "rule");
        }
        if ((header->shard_rule == TOPK_SHARD_BY_COSTS) != (header->shard_costs[0] != 0)) {
            complain(line, "costs");
        }
    }
    if (json_object_get(json, "merged") != NULL) {
        header->merged = (uint32_t)number_of(line, json, "merged", TOPK_SHARDS_MAX);
    }
}

/* Returns NULL if memory ran out or an item is not a string. */
static const char **read_selections(struct line *line, size_t *count)
{
    const json_t *array = member(line, line->json, "selections", JSON_ARRAY);
    *count = json_array_size(array);
    const char **selections = calloc(*count + 1, sizeof *selections);
    for (size_t i = 0; selections != NULL && i < *count; i++) {
        selections[i] = json_string_value(json_array_get(array, i));
        if (selections[i] == NULL) {
            complain(line, "selections");
        }
    }
    return selections;
}

/* ---- a case ---------------------------------------------------------------------------------- */

/* What a record points to. */
struct parts {
    struct topk_log_finding findings[TOPK_FINDINGS_MAX];
    struct topk_log_output window[TOPK_WINDOW];
    struct topk_crash crash;
};

static topk_reading_set read_readings(struct line *line)
{
    const json_t *array = optional(line, line->json, "readings", JSON_ARRAY);
    topk_reading_set readings = 0;
    for (size_t i = 0; i < json_array_size(array); i++) {
        const char *word = json_string_value(json_array_get(array, i));
        const enum topk_reading reading =
            word == NULL ? TOPK_READING_NONE : topk_reading_parse(word, strlen(word));
        if (reading == TOPK_READING_NONE) {
            complain(line, "readings");
            return 0;
        }
        readings |= topk_reading_only(reading);
    }
    return readings;
}

static uint32_t read_observations(struct line *line)
{
    const json_t *array = optional(line, line->json, "observations", JSON_ARRAY);
    uint32_t observations = 0;
    for (size_t i = 0; i < json_array_size(array); i++) {
        const json_t *json = json_array_get(array, i);
        enum topk_clause clause = clause_of(line, json);
        const char *word = text_of(line, json, "word");
        int known = 0;
        while (known < TOPK_OBSERVATION_COUNT) {
            const struct topk_observation_row *row =
                topk_observation_row((enum topk_observation)known);
            if (row->clause == clause && strcmp(row->word, word) == 0) {
                break;
            }
            known++;
        }
        if (known == TOPK_OBSERVATION_COUNT) {
            complain(line, "observations");
            return 0;
        }
        observations |= UINT32_C(1) << known;
    }
    return observations;
}

/* Reads an element, if there is one. */
static void read_element(struct line *line, const json_t *object, const char *key,
                         const char **value, const char **bits)
{
    const json_t *element = optional(line, object, key, JSON_OBJECT);
    if (element != NULL) {
        *value = text_of(line, element, "value");
        *bits = text_of(line, element, "bits");
    }
}

static void read_findings(struct line *line, struct topk_log_record *record, struct parts *parts)
{
    const json_t *array = optional(line, line->json, "findings", JSON_ARRAY);
    size_t count = json_array_size(array);
    if (count > TOPK_FINDINGS_MAX) {
        complain(line, "findings");
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const json_t *json = json_array_get(array, i);
        parts->findings[i] =
            (struct topk_log_finding){.clause = clause_of(line, json),
                                      .mismatch = text_of(line, json, "mismatch"),
                                      .sentence = text_of(line, json, "sentence"),
                                      .place = text_of(line, json, "place"),
                                      .count = number_of(line, json, "count", UINT64_MAX)};
        struct topk_log_finding *finding = &parts->findings[i];
        read_element(line, json, "expected", &finding->expected, &finding->expected_bits);
        read_element(line, json, "actual", &finding->actual, &finding->actual_bits);
    }
    record->finding_count = count;
    record->findings = parts->findings;
}

static void read_window(struct line *line, struct topk_log_record *record, struct parts *parts)
{
    const json_t *window = optional(line, line->json, "window", JSON_OBJECT);
    if (window == NULL) {
        return;
    }
    const json_t *array = member(line, window, "outputs", JSON_ARRAY);
    size_t count = json_array_size(array);
    if (count > TOPK_WINDOW) {
        complain(line, "window");
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const json_t *json = json_array_get(array, i);
        parts->window[i] =
            (struct topk_log_output){.value = text_of(line, json, "value"),
                                     .bits = text_of(line, json, "bits"),
                                     .index = number_of(line, json, "index", UINT64_MAX)};
    }
    record->window_from = (uint32_t)number_of(line, window, "from", UINT32_MAX);
    record->window_count = count;
    record->window = parts->window;
}

/* Reads a text into a buffer. A text that does not fit counts as wrong, like a missing one. */
static void name_of(struct line *line, const json_t *object, const char *key, char *name,
                    size_t room)
{
    const char *text = text_of(line, object, key);
    if (text[0] == 0 || strlen(text) >= room) {
        complain(line, key);
        text = "";
    }
    snprintf(name, room, "%s", text);
}

/* Reads a number such as "0x1139". */
static uint64_t wide_hex_of(struct line *line, const json_t *object, const char *key)
{
    const char *text = text_of(line, object, key);
    if (strncmp(text, "0x", 2) != 0 || !digits_only(text + 2, "0123456789abcdef") ||
        strlen(text) > 18) {
        complain(line, key);
        return 0;
    }
    return strtoull(text + 2, NULL, 16);
}

/* Reads an access to a guard page. */
static void read_outside(struct line *line, const json_t *json, struct topk_crash *crash)
{
    const json_t *outside = optional(line, json, "outside", JSON_OBJECT);
    if (outside == NULL) {
        return;
    }
    struct topk_crash_outside *to = &crash->outside;
    const char *tensor = text_of(line, outside, "tensor");
    const char *side = text_of(line, outside, "side");
    to->role = 0;
    while (to->role < TOPK_ROLE_COUNT &&
           strcmp(tensor, topk_role_name((enum topk_role)to->role)) != 0) {
        to->role++;
    }
    to->before = strcmp(side, "start") == 0;
    to->bytes = number_of(line, outside, "bytes", UINT64_MAX);
    crash->has_outside = true;
    if (to->role == TOPK_ROLE_COUNT || (!to->before && strcmp(side, "end") != 0) ||
        !topk_crash_access_parse(text_of(line, outside, "access"), &to->access)) {
        to->role = 0;
        complain(line, "outside");
    }
}

static void read_crash(struct line *line, struct topk_log_record *record, struct parts *parts)
{
    const json_t *json = optional(line, line->json, "crash", JSON_OBJECT);
    struct topk_crash *crash = &parts->crash;
    if (json == NULL) {
        return;
    }
    memset(crash, 0, sizeof *crash);
    record->crash = crash;
    const json_t *frames = member(line, json, "frames", JSON_ARRAY);
    const size_t count = json_array_size(frames);
    read_outside(line, json, crash);
    name_of(line, json, "signal", crash->signal, sizeof crash->signal);
    crash->has_address = json_object_get(json, "address") != NULL;
    crash->address = crash->has_address ? wide_hex_of(line, json, "address") : 0;
    if (count > TOPK_CRASH_FRAMES) {
        complain(line, "frames");
        return;
    }
    crash->frame_count = (uint32_t)count;
    for (size_t i = 0; i < count; i++) {
        const json_t *from = json_array_get(frames, i);
        struct topk_crash_frame *frame = &crash->frames[i];
        name_of(line, from, "module", frame->module, sizeof frame->module);
        frame->offset = wide_hex_of(line, from, "offset");
        if (json_object_get(from, "symbol") != NULL) {
            name_of(line, from, "symbol", frame->symbol, sizeof frame->symbol);
            frame->symbol_offset = wide_hex_of(line, from, "symbol_offset");
        }
    }
}

/* Reads what an expectation changed. */
static void read_expectation(struct line *line, struct topk_log_record *record)
{
    const json_t *json = optional(line, line->json, "expectation", JSON_OBJECT);
    record->own_verdict = record->verdict;
    if (json == NULL) {
        return;
    }
    const char *verdict = text_of(line, json, "verdict");
    record->rule = (uint32_t)number_of(line, json, "line", UINT32_MAX);
    record->own_verdict = topk_verdict_parse(verdict, strlen(verdict));
    if (record->own_verdict == TOPK_VERDICT_COUNT || record->rule == 0) {
        complain(line, "expectation");
    }
}

/* Reads what --repeat found. */
static void read_repeat(struct line *line, struct topk_log_record *record)
{
    const json_t *json = optional(line, line->json, "repeat", JSON_OBJECT);
    if (json == NULL) {
        return;
    }
    record->repeat.runs = number_of(line, json, "runs", UINT32_MAX);
    record->repeat.failed = number_of(line, json, "failed", UINT32_MAX);
    if (record->repeat.runs == 0 || record->repeat.failed > record->repeat.runs) {
        complain(line, "repeat");
    }
}

/* Adjusts the verdict of a failure by what running it again gave. A failure that an expectation
 * waives does not count as one here. */
static void read_again(const struct line *line, struct topk_log_record *record)
{
    const struct topk_log_again *again = topk_agains_find(line->agains, record->number);
    if (again == NULL || record->rule != 0 || !topk_verdict_failure(record->verdict)) {
        return;
    }
    record->again = again;
    if (again->kind == TOPK_AGAIN_FLAKY) {
        record->own_verdict = TOPK_VERDICT_FLAKY;
        record->verdict = again->rule != 0 ? TOPK_VERDICT_EXPECTED_FAIL : TOPK_VERDICT_FLAKY;
        record->rule = again->rule;
    }
}

/* Reads what a verdict is based on. own_verdict must already be set. */
static void read_by(struct line *line, struct topk_log_record *record)
{
    const char *by = text_or_empty(line, line->json, "by");
    record->by_status =
        strcmp(by, TOPK_LOG_BY_STATUS) == 0 && record->own_verdict == TOPK_VERDICT_PASS;
    record->by_contract =
        strcmp(by, TOPK_LOG_BY_CONTRACT) == 0 && record->own_verdict == TOPK_VERDICT_UNSUPPORTED;
    if (json_object_get(line->json, "by") != NULL && !record->by_status && !record->by_contract) {
        complain(line, "by");
    }
}

/* Reads what cases and shrunk cases have in common. */
static void read_result(struct line *line, struct topk_log_record *record, struct parts *parts)
{
    const json_t *json = line->json;
    memset(record, 0, sizeof *record);
    record->id = text_of(line, json, "id");
    const char *verdict = text_of(line, json, "verdict");
    record->verdict = topk_verdict_parse(verdict, strlen(verdict));
    if (record->verdict == TOPK_VERDICT_COUNT) {
        complain(line, "verdict");
    }
    bool has_clause = json_object_get(json, "clause") != NULL;
    record->clause = has_clause ? clause_of(line, json) : TOPK_CLAUSE_NONE;
    if (json_object_get(json, "call") != NULL) {
        record->call = (uint32_t)number_of(line, json, "call", UINT32_MAX);
    }
    record->observations = read_observations(line);
    read_findings(line, record, parts);
    record->has_sequence = json_object_get(json, "sequence") != NULL;
    if (record->has_sequence) {
        record->sequence = number_of(line, json, "sequence", UINT64_MAX);
        record->position = (uint32_t)number_of(line, json, "position", UINT32_MAX);
    }
    read_window(line, record, parts);
    record->reason = text_or_empty(line, json, "reason");
    read_crash(line, record, parts);
    record->cause = text_or_empty(line, json, "cause");
    record->readings = read_readings(line);
    record->guess = json_is_true(json_object_get(json, "guess"));
}

static void read_case(struct line *line, struct topk_log_record *record, struct parts *parts)
{
    read_result(line, record, parts);
    record->number = number_of(line, line->json, "number", UINT64_MAX);
    record->nanoseconds = number_of(line, line->json, "nanoseconds", UINT64_MAX);
    read_expectation(line, record);
    read_by(line, record);
    read_repeat(line, record);
    read_again(line, record);
}

/* `of` has room for all numbers. */
static void read_shrunk(struct line *line, struct topk_log_shrunk *shrunk, struct parts *parts,
                        uint64_t *of)
{
    const json_t *array = member(line, line->json, "of", JSON_ARRAY);
    const json_t *minimal = json_object_get(line->json, "minimal");
    read_result(line, &shrunk->record, parts);
    shrunk->record.own_verdict = shrunk->record.verdict;
    read_by(line, &shrunk->record);
    shrunk->minimal = json_is_true(minimal);
    shrunk->of_count = json_array_size(array);
    shrunk->of = of;
    for (size_t i = 0; i < shrunk->of_count; i++) {
        const json_t *number = json_array_get(array, i);
        of[i] = (uint64_t)json_integer_value(number);
        if (!json_is_integer(number) || json_integer_value(number) < 0) {
            complain(line, "of");
        }
    }
    if (!json_is_boolean(minimal)) {
        complain(line, "minimal");
    }
}

/* ---- a probe --------------------------------------------------------------------------------- */

/* Reads a text into a buffer. A text that does not fit counts as wrong, like a missing one. */
static void read_text(struct line *line, const char *key, char *text, size_t size)
{
    const char *said = text_of(line, line->json, key);
    if (strlen(said) >= size) {
        complain(line, key);
        said = "";
    }
    topk_probe_text(text, size, said);
}

static void read_probe(struct line *line, struct topk_probe *probe)
{
    const char *verdict = text_of(line, line->json, "verdict");
    probe->verdict = topk_probe_verdict_parse(verdict, strlen(verdict));
    if (probe->verdict == TOPK_PROBE_VERDICT_COUNT) {
        complain(line, "verdict");
    }
    read_text(line, "name", probe->name, sizeof probe->name);
    read_text(line, "value", probe->value, sizeof probe->value);
    read_text(line, "detail", probe->detail, sizeof probe->detail);
    if (!topk_probe_name_valid(probe->name, strlen(probe->name))) {
        complain(line, "name");
    }
}

/* ---- a part ---------------------------------------------------------------------------------- */

static void read_part(struct line *line, struct topk_log_part *part)
{
    const char *by = text_of(line, line->json, "by");
    memset(part, 0, sizeof *part);
    part->role = topk_log_part_role_parse(text_of(line, line->json, "role"));
    part->told = strcmp(by, TOPK_LOG_BY_TOLD) == 0;
    for (int i = 0; i < TOPK_LOG_PART_TEXT_COUNT; i++) {
        part->texts[i] =
            text_or_empty(line, line->json, topk_log_part_text_word((enum topk_log_part_text)i));
    }
    if (part->role == TOPK_LOG_PART_ROLE_COUNT) {
        complain(line, "role");
    } else if (!part->told && strcmp(by, TOPK_LOG_BY_SEEN) != 0) {
        complain(line, "by");
    } else if (topk_log_part_wrong(part) != NULL) {
        complain(line, topk_log_part_wrong(part));
    }
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* What happened to a line. */
enum delivery {
    DELIVERED,
    STOPPED, /* the reader asked to stop */
    NOT_UNDERSTOOD
};

/* Each of these parses a line and, if that worked, passes it to the reader. They return false if
 * the reader asked to stop. */

static bool deliver_header(const struct topk_log_reader *reader, struct line *line)
{
    struct topk_log_header header = {0};
    const char *required[TOPK_REQUIRE_MAX];
    const char **selections = read_selections(line, &header.selection_count);
    line->no_memory = selections == NULL;
    if (line->no_memory) {
        return true;
    }
    header.selections = selections;
    read_header(line, &header);
    read_gate(line, &header.gate, required);
    bool more =
        line->wrong != NULL || reader->header == NULL || reader->header(reader->context, &header);
    free(selections);
    return more;
}

static bool deliver_case(const struct topk_log_reader *reader, struct line *line)
{
    struct topk_log_record record;
    struct parts parts;
    read_case(line, &record, &parts);
    return line->wrong != NULL || reader->record == NULL ||
           reader->record(reader->context, &record);
}

static bool deliver_shrunk(const struct topk_log_reader *reader, struct line *line)
{
    struct topk_log_shrunk shrunk;
    struct parts parts;
    size_t most = json_array_size(json_object_get(line->json, "of"));
    uint64_t *of = calloc(most + 1, sizeof *of);
    line->no_memory = of == NULL;
    if (line->no_memory) {
        return true;
    }
    read_shrunk(line, &shrunk, &parts, of);
    bool more =
        line->wrong != NULL || reader->shrunk == NULL || reader->shrunk(reader->context, &shrunk);
    free(of);
    return more;
}

static bool deliver_probe(const struct topk_log_reader *reader, struct line *line)
{
    struct topk_probe probe;
    read_probe(line, &probe);
    return line->wrong != NULL || reader->probe == NULL || reader->probe(reader->context, &probe);
}

static bool deliver_part(const struct topk_log_reader *reader, struct line *line)
{
    struct topk_log_part part;
    read_part(line, &part);
    return line->wrong != NULL || reader->part == NULL || reader->part(reader->context, &part);
}

static bool deliver_again(const struct topk_log_reader *reader, struct line *line)
{
    struct topk_log_again again;
    const char *wrong = topk_again_read(line->json, &again);
    if (wrong != NULL) {
        complain(line, wrong);
    }
    return line->wrong != NULL || reader->again == NULL || reader->again(reader->context, &again);
}

static bool deliver_fresh(const struct topk_log_reader *reader, struct line *line)
{
    struct topk_log_record record;
    struct parts parts;
    read_result(line, &record, &parts);
    record.own_verdict = record.verdict;
    return line->wrong != NULL || reader->fresh == NULL || reader->fresh(reader->context, &record);
}

static bool deliver_process(const struct topk_log_reader *reader, struct line *line)
{
    const struct topk_log_process process = {
        .end = topk_process_parse(text_of(line, line->json, "end")),
        .reason = text_or_empty(line, line->json, "reason")};
    if (process.end == TOPK_PROCESS_COUNT) {
        complain(line, "end");
    }
    return line->wrong != NULL || reader->process == NULL ||
           reader->process(reader->context, &process);
}

/* Reads why the run ended early, if it did. */
static void read_early(struct line *line, struct topk_log_ending *ending)
{
    struct topk_early *early = &ending->early;
    const json_t *json = optional(line, line->json, "early", JSON_OBJECT);
    if (json == NULL) {
        return;
    }
    const json_t *limit = json_object_get(json, "limit");
    early->by = topk_early_parse(text_of(line, json, "by"));
    early->limit = json_number_value(limit);
    early->left = number_of(line, json, "left", UINT64_MAX);
    /* The option has its own minimum and maximum. Here, any number that could be a limit is
     * accepted. */
    if (early->by == TOPK_EARLY_NOT || early->by == TOPK_EARLY_COUNT || !json_is_number(limit) ||
        early->limit < 0 || early->limit > 1e15 || ending->complete) {
        complain(line, "early");
        early->by = TOPK_EARLY_NOT;
    }
}

static bool deliver_end(const struct topk_log_reader *reader, struct line *line)
{
    const json_t *complete = json_object_get(line->json, "complete");
    struct topk_log_ending ending = {.complete = json_is_true(complete)};
    if (!json_is_boolean(complete)) {
        complain(line, "complete");
    }
    read_early(line, &ending);
    return line->wrong != NULL || reader->end == NULL || reader->end(reader->context, &ending);
}

static bool (*const deliver_by_kind[])(const struct topk_log_reader *reader, struct line *line) = {
    [TOPK_LINE_HEADER] = deliver_header, [TOPK_LINE_CASE] = deliver_case,
    [TOPK_LINE_PROBE] = deliver_probe,   [TOPK_LINE_SHRUNK] = deliver_shrunk,
    [TOPK_LINE_PART] = deliver_part,     [TOPK_LINE_AGAIN] = deliver_again,
    [TOPK_LINE_FRESH] = deliver_fresh,   [TOPK_LINE_PROCESS] = deliver_process,
    [TOPK_LINE_END] = deliver_end,
};

/* Returns whether a record can be copied unchanged. */
static bool copied(enum topk_line kind)
{
    return kind == TOPK_LINE_CASE || kind == TOPK_LINE_SHRUNK || kind == TOPK_LINE_AGAIN ||
           kind == TOPK_LINE_FRESH || kind == TOPK_LINE_PROCESS;
}

static enum delivery deliver(const struct topk_lines *lines, enum topk_line kind,
                             const struct topk_agains *agains, const struct topk_log_reader *reader,
                             char *error, size_t error_bytes)
{
    struct topk_log_record plain;
    if (reader->copy != NULL && copied(kind) &&
        !reader->copy(reader->context, kind == TOPK_LINE_CASE, lines->text,
                      lines->length - TOPK_LINE_TAIL)) {
        return STOPPED;
    }
    if (kind == TOPK_LINE_CASE && topk_plain_case(lines, &plain)) {
        bool more = reader->record == NULL || reader->record(reader->context, &plain);
        return more ? DELIVERED : STOPPED;
    }
    json_error_t reason;
    bool large;
    struct line line = {.json = topk_json_read(lines->text, lines->length, &reason, &large),
                        .agains = agains};
    bool more = line.json != NULL && deliver_by_kind[kind](reader, &line);
    line.no_memory = line.no_memory || topk_memory_short();
    if (line.no_memory) {
        topk_memory_fail();
        snprintf(error, error_bytes, "cannot read %s: out of memory", lines->path);
    } else if (large) {
        snprintf(error, error_bytes,
                 "%s:%" PRIu64 ": it is not a record: there are too many values", lines->path,
                 lines->number);
    } else if (line.json == NULL) {
        snprintf(error, error_bytes, "%s:%" PRIu64 ": %s", lines->path, lines->number, reason.text);
    } else if (line.wrong != NULL) {
        snprintf(error, error_bytes, "%s:%" PRIu64 ": \"%s\" is missing or not known here",
                 lines->path, lines->number, line.wrong);
    }
    bool understood = line.json != NULL && !line.no_memory && line.wrong == NULL;
    json_decref(line.json);
    return !understood ? NOT_UNDERSTOOD : more ? DELIVERED : STOPPED;
}

static int read_lines(struct topk_lines *lines, const struct topk_log_reader *reader, char *error,
                      size_t error_bytes)
{
    enum delivery delivery = DELIVERED;
    enum topk_line kind = TOPK_LINE_NONE;
    struct topk_agains agains = {0};
    if (reader->record != NULL && !topk_agains_search(&agains, lines->file)) {
        topk_lines_unread(lines, errno, error, error_bytes);
        topk_agains_free(&agains);
        topk_lines_close(lines);
        return -1;
    }
    while (delivery == DELIVERED &&
           (kind = topk_lines_next(lines, error, error_bytes)) < TOPK_LINE_NONE) {
        delivery = deliver(lines, kind, &agains, reader, error, error_bytes);
    }
    bool cut = delivery == DELIVERED && (kind == TOPK_LINE_CUT || !lines->ended);
    /* A run can be killed at any moment: a log that ends between two lines is cut, too. */
    if (cut && kind == TOPK_LINE_NONE) {
        snprintf(error, error_bytes, "%s:%" PRIu64 ": the log was truncated: no end record follows",
                 lines->path, lines->number);
    }
    topk_lines_close(lines);
    topk_agains_free(&agains);
    if (delivery == NOT_UNDERSTOOD || kind == TOPK_LINE_WRONG) {
        return -1;
    }
    return cut ? 1 : 0;
}

int topk_log_read(const char *path, const struct topk_log_reader *reader, char *error,
                  size_t error_bytes)
{
    struct topk_lines lines;
    return topk_lines_open(&lines, path, error, error_bytes)
               ? read_lines(&lines, reader, error, error_bytes)
               : -1;
}

int topk_log_read_bytes(const char *bytes, size_t size, const char *path,
                        const struct topk_log_reader *reader, char *error, size_t error_bytes)
{
    struct topk_lines lines;
    if (size == 0) {
        snprintf(error, error_bytes, "%s:1: the log is empty", path);
        return -1;
    }
    /* The stream is only read from, so the cast is safe. */
    FILE *file = fmemopen((void *)bytes, size, "rb");
    if (file == NULL) {
        topk_memory_fail();
        snprintf(error, error_bytes, "out of memory");
        return -1;
    }
    return topk_lines_start(&lines, file, path, error, error_bytes)
               ? read_lines(&lines, reader, error, error_bytes)
               : -1;
}

int topk_log_read_source(const struct topk_log_source *source, const struct topk_log_reader *reader,
                         char *error, size_t error_bytes)
{
    return source->bytes == NULL ? topk_log_read(source->path, reader, error, error_bytes)
                                 : topk_log_read_bytes(source->bytes, source->size, source->path,
                                                       reader, error, error_bytes);
}

void topk_log_clauses(const struct topk_log_record *record, struct topk_clause_set *clauses)
{
    for (size_t i = 0; i < record->finding_count; i++) {
        /* As in topk_result_clauses, one cause stands for all findings that it explains. */
        enum topk_clause clause = record->findings[i].clause;
        bool explained =
            record->cause[0] != 0 && clause != TOPK_CLAUSE_M01 && clause != TOPK_CLAUSE_M02;
        topk_clause_set_add(clauses, explained ? record->clause : clause);
    }
}
