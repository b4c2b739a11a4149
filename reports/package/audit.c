/* Audits a log: reads it record by record and recomputes everything; the log's own statements are
 * only compared to that. */
#define _POSIX_C_SOURCE 200809L /* strdup */
#include "audit.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "log/log.h"

struct auditing {
    struct topk_audit *audit;
    const struct topk_audit_log *log;
    uint64_t line;     /* the line of the log that was delivered last */
    uint64_t recorded; /* cases that have a record */
    bool complete;     /* the log has an end record */
    struct topk_early early;
    bool wrong; /* an error was found; the reason is in error */
    char *error;
    size_t error_bytes;
};

/* ---- the conclusion
 * ---------------------------------------------------------------------------- */

struct topk_standing topk_audit_standing(const struct topk_audit *audit,
                                         const struct topk_audit_level *level)
{
    return (struct topk_standing){
        .totals = level == NULL ? audit->totals : level->totals,
        .tested = level == NULL ? &audit->tested : &level->tested,
        .judge = audit->header.judge,
        .complete = true, /* otherwise there would be no audit */
        .whole = true,
        .gate = level == NULL ? &audit->gate : &audit->level_gate,
        .contract = &audit->header.contract,
    };
}

enum topk_conformance topk_audit_conformance(const struct topk_audit *audit,
                                             const struct topk_audit_level *level)
{
    const struct topk_standing standing = topk_audit_standing(audit, level);
    return topk_conformance_of(&standing);
}

struct topk_share topk_audit_share(const struct topk_audit *audit, char text[TOPK_SHARE_TEXT])
{
    const struct topk_share share = topk_share_of(&audit->tested, audit->totals);
    topk_share_print(&share, text, TOPK_SHARE_TEXT);
    return share;
}

/* ---- complaints ------------------------------------------------------------------------------ */

/* Complains about the line that was delivered last, and stops reading. */
__attribute__((format(printf, 2, 3))) static bool complain(struct auditing *auditing,
                                                           const char *format, ...)
{
    va_list arguments;
    int used = snprintf(auditing->error, auditing->error_bytes, "%s:%" PRIu64 ": ",
                        auditing->log->path, auditing->line);
    va_start(arguments, format);
    if (used >= 0 && (size_t)used < auditing->error_bytes) {
        vsnprintf(auditing->error + used, auditing->error_bytes - (size_t)used, format, arguments);
    }
    va_end(arguments);
    /* The message quotes a log that could come from anywhere, so a terminal must not take it for
     * commands. */
    topk_text_tame(auditing->error);
    auditing->wrong = true;
    return false;
}

static bool no_memory(struct auditing *auditing)
{
    topk_memory_fail();
    snprintf(auditing->error, auditing->error_bytes, "out of memory");
    auditing->wrong = true;
    return false;
}

/* ---- the header ------------------------------------------------------------------------------ */

/* Replaces a text by a copy of it. */
static bool keep(struct topk_audit *audit, const char **text)
{
    char *copy = strdup(*text == NULL ? "" : *text);
    *text = copy;
    audit->texts[audit->text_count++] = copy;
    return copy != NULL;
}

static bool keep_header(struct topk_audit *audit, const struct topk_log_header *header)
{
    audit->header = *header;
    audit->header.selections = NULL;
    audit->header.gate.require = NULL; /* audit->gate holds these */
    struct topk_log_header *h = &audit->header;
    const char **texts[] = {
        &h->suite,          &h->profile,          &h->profile_digest,
        &h->started,        &h->replay,           &h->revision,
        &h->chaos,          &h->expectations,     &h->contained,
        &h->variables,      &h->backend.spec,     &h->backend.worker,
        &h->backend.name,   &h->backend.version,  &h->backend.device,
        &h->backend.driver, &h->backend.features, &h->backend.command,
    };
    bool kept = true;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        kept = keep(audit, texts[i]) && kept;
    }
    return kept;
}

/* Returns the audit's entry for a level; NULL if there are too many levels. */
static struct topk_audit_level *level_at(struct topk_audit *audit, uint32_t level)
{
    size_t at = 0;
    while (at < audit->level_count && audit->levels[at].level < level) {
        at++;
    }
    if (at < audit->level_count && audit->levels[at].level == level) {
        return &audit->levels[at];
    }
    if (audit->level_count == TOPK_AUDIT_LEVELS) {
        return NULL;
    }
    memmove(&audit->levels[at + 1], &audit->levels[at],
            (audit->level_count - at) * sizeof audit->levels[0]);
    memset(&audit->levels[at], 0, sizeof audit->levels[0]);
    audit->levels[at].level = level;
    audit->level_count++;
    return &audit->levels[at];
}

/* Numbers the cases of the list as a run does, leaving out those above the run's feature level. */
static bool number_cases(struct auditing *auditing)
{
    struct topk_audit *audit = auditing->audit;
    const struct topk_mustpass_list *list = auditing->log->list;
    audit->lines = malloc((list->count + 1) * sizeof *audit->lines);
    audit->outcomes = calloc(list->count + 1, sizeof *audit->outcomes);
    if (audit->lines == NULL || audit->outcomes == NULL) {
        return no_memory(auditing);
    }
    uint64_t count = 0;
    for (size_t i = 0; i < list->count; i++) {
        if (list->lines[i].level <= audit->header.level) {
            if (level_at(audit, list->lines[i].level) == NULL) {
                return complain(auditing, "the cases ask for too many feature levels");
            }
            audit->outcomes[count].verdict = TOPK_VERDICT_COUNT;
            audit->lines[count++] = (uint32_t)i;
        }
    }
    if (audit->header.cases != count) {
        return complain(auditing,
                        "the run is of %" PRIu64 " cases; profile %s has %" PRIu64
                        " up to its feature level",
                        audit->header.cases, auditing->log->profile->name, count);
    }
    return true;
}

/* Reads the rules that the run declares. */
static bool read_expectations(struct auditing *auditing)
{
    struct topk_audit *audit = auditing->audit;
    const struct topk_log_header *header = &audit->header;
    char reason[512];
    if (!topk_expectations_parse(&audit->expectations, "expectations", header->expectations,
                                 strlen(header->expectations), reason, sizeof reason)) {
        return complain(auditing, "%s", reason);
    }
    topk_expectations_start(&audit->expectations, header->backend.name, header->backend.version,
                            header->backend.driver, header->started);
    return true;
}

static bool take_header(void *context, const struct topk_log_header *header)
{
    struct auditing *auditing = context;
    const struct topk_audit_log *log = auditing->log;
    auditing->line = 1;
    if (!keep_header(auditing->audit, header)) {
        return no_memory(auditing);
    }
    struct topk_audit *audit = auditing->audit;
    topk_gate_take(&audit->gate, header, log->asks);
    audit->level_gate =
        (struct topk_gate){.unclean = audit->gate.unclean, .restarts = audit->gate.restarts};
    if (auditing->audit->header.chaos[0] != 0) {
        return complain(auditing, "results were corrupted on purpose: --chaos %s", header->chaos);
    }
    if (header->selection_count > 0) {
        return complain(auditing, "only selected cases were run: '%s'", header->selections[0]);
    }
    if (header->shards > 0) {
        return complain(auditing,
                        "only shard %" PRIu32 " of %" PRIu32
                        " was run: `topk-cts merge' merges all shards",
                        header->shard, header->shards);
    }
    if (header->level < header->backend.level) {
        return complain(
            auditing, "--feature-level left out what the backend claims: %u.%u instead of %u.%u",
            (unsigned)(header->level >> 12), (unsigned)(header->level >> 8 & 15),
            (unsigned)(header->backend.level >> 12), (unsigned)(header->backend.level >> 8 & 15));
    }
    if (strcmp(header->profile, log->profile->name) != 0 ||
        header->profile_version != log->profile->version) {
        return complain(auditing, "the run is of profile %s v%" PRIu32 ", not of %s v%" PRIu32,
                        header->profile, header->profile_version, log->profile->name,
                        log->profile->version);
    }
    if (strcmp(header->profile_digest, log->list_digest) != 0) {
        return complain(auditing, "the profile's digest is not that of the list of its cases");
    }
    return read_expectations(auditing) && number_cases(auditing);
}

/* ---- cases ----------------------------------------------------------------------------------- */

/* Returns why a verdict does not follow from its record; NULL if it does. */
static const char *verdict_wrong(const struct topk_log_record *record)
{
    const bool outputs = record->window_count > 0 || record->has_sequence || record->cause[0] != 0;
    return topk_verdict_wrong(record->own_verdict, record->finding_count > 0, outputs,
                              record->reason[0] != 0);
}

static void count(struct topk_audit *audit, struct topk_audit_level *level,
                  const struct topk_asks *asks, const struct topk_log_record *record,
                  struct topk_outcome *outcome)
{
    topk_outcome_take(outcome, record, record->own_verdict);
    audit->totals[record->verdict]++;
    level->totals[record->verdict]++;
    const uint64_t asked = topk_gate_ask(&audit->gate, asks, record->id);
    topk_tested_add(&audit->tested, &audit->gate, asked, record->verdict, record->clause,
                    record->by_status, record->by_contract);
    topk_tested_add(&level->tested, NULL, asked, record->verdict, record->clause, record->by_status,
                    record->by_contract);
    topk_observations_count(audit->observations, record->observations);
    for (int i = 0; i < TOPK_CLAUSE_COUNT && topk_verdict_failure(record->verdict); i++) {
        audit->clauses[i] += topk_clause_set_has(&outcome->clauses, (enum topk_clause)i);
    }
}

static bool take_record(void *context, const struct topk_log_record *record)
{
    struct auditing *auditing = context;
    struct topk_audit *audit = auditing->audit;
    auditing->line++;
    if (record->number >= audit->header.cases) {
        return complain(auditing, "case %" PRIu64 " does not belong to the run", record->number);
    }
    const struct topk_mustpass_line *line =
        &auditing->log->list->lines[audit->lines[record->number]];
    if (strlen(record->id) != line->length || memcmp(record->id, line->id, line->length) != 0) {
        return complain(auditing, "case %" PRIu64 " is not the case in the list", record->number);
    }
    struct topk_outcome *outcome = &audit->outcomes[record->number];
    if (outcome->verdict != TOPK_VERDICT_COUNT) {
        return complain(auditing, "case %" PRIu64 " has a result already", record->number);
    }
    const char *reason = verdict_wrong(record);
    if (reason != NULL) {
        return complain(auditing, "the verdict cannot be '%s': %s",
                        topk_verdict_word(record->verdict), reason);
    }
    struct topk_ended ended;
    uint32_t rule;
    topk_ended_read(record, &ended);
    const enum topk_verdict judged =
        topk_expectations_judge(&audit->expectations, &ended, &rule, NULL);
    if (judged != record->verdict || rule != record->rule) {
        return complain(auditing,
                        "the verdict is '%s', and by the expectations of the run it is '%s'",
                        topk_verdict_word(record->verdict), topk_verdict_word(judged));
    }
    count(audit, level_at(audit, line->level), auditing->log->asks, record, outcome);
    auditing->recorded++;
    return true;
}

static bool take_probe(void *context, const struct topk_probe *probe)
{
    struct auditing *auditing = context;
    struct topk_audit *audit = auditing->audit;
    auditing->line++;
    if (topk_probe_find(audit->probes, audit->probe_count, probe->name) != NULL) {
        return complain(auditing, "probe %s has a record already", probe->name);
    }
    if (audit->probe_count == TOPK_PROBES_MAX) {
        return complain(auditing, "there are too many probes");
    }
    return topk_probes_keep(&audit->probes, &audit->probe_count, probe) || no_memory(auditing);
}

/* If a part was replaced during the run, the run tested two different things and proves nothing
 * about either. */
static bool take_part(void *context, const struct topk_log_part *part)
{
    struct auditing *auditing = context;
    struct topk_audit *audit = auditing->audit;
    auditing->line++;
    const struct topk_log_part *other = topk_log_parts_find(&audit->parts, part);
    const char *name = topk_log_part_text(part, TOPK_LOG_PART_NAME);
    if (other != NULL) {
        return complain(auditing,
                        topk_log_part_agrees(other, part)
                            ? "the %s %.200s has a record already"
                            : "the %s %.200s was exchanged: it has a record with other contents",
                        topk_log_part_role_title(part->role), name);
    }
    if (audit->parts.count == TOPK_LOG_PARTS_MAX) {
        return complain(auditing, "there are too many parts");
    }
    return topk_log_parts_add(&audit->parts, part) || no_memory(auditing);
}

/* A shrunk case proves nothing, it only explains failures of the run. */
static bool take_shrunk(void *context, const struct topk_log_shrunk *shrunk)
{
    struct auditing *auditing = context;
    struct topk_audit *audit = auditing->audit;
    auditing->line++;
    for (size_t i = 0; i < shrunk->of_count; i++) {
        uint64_t number = shrunk->of[i];
        if (number >= audit->header.cases ||
            audit->outcomes[number].verdict == TOPK_VERDICT_COUNT ||
            !topk_verdict_failure(audit->outcomes[number].verdict)) {
            return complain(auditing, "case %" PRIu64 " cannot be shrunk: it did not fail", number);
        }
    }
    return true;
}

/* Only failed cases are run again, and their records say whether they failed each time. */
static bool take_again(void *context, const struct topk_log_again *again)
{
    struct auditing *auditing = context;
    struct topk_audit *audit = auditing->audit;
    auditing->line++;
    if (again->number >= audit->header.cases ||
        audit->outcomes[again->number].verdict == TOPK_VERDICT_COUNT ||
        !topk_verdict_failure(audit->outcomes[again->number].verdict)) {
        return complain(auditing, "case %" PRIu64 " was run again, and had not failed before",
                        again->number);
    }
    if (audit->outcomes[again->number].again) {
        return complain(auditing, "case %" PRIu64 " has a record of that it was run again already",
                        again->number);
    }
    audit->outcomes[again->number].again = true;
    return true;
}

/* Some ends of a process make a runner stop the whole run at once, and its log must not be
 * published. */
static bool take_process(void *context, const struct topk_log_process *process)
{
    struct auditing *auditing = context;
    auditing->line++;
    auditing->audit->tested.ended[process->end]++;
    const char *why = topk_process_wrong(process->end);
    return why == NULL || complain(auditing, "%s", why);
}

/* ---- the end record
 * ---------------------------------------------------------------------------- */

static bool take_end(void *context, const struct topk_log_ending *ending)
{
    struct auditing *auditing = context;
    auditing->line++;
    auditing->complete = ending->complete;
    auditing->early = ending->early;
    return true;
}

/* Returns whether the end record has the totals that were counted: it must be exactly the record
 * that a run with these totals writes. */
static bool totals_agree(struct auditing *auditing)
{
    const struct topk_audit_log *log = auditing->log;
    json_t *record = topk_record_end(true, NULL, auditing->audit->totals);
    char *expected = record == NULL ? NULL : topk_json_text(record, JSON_COMPACT);
    json_decref(record);
    if (expected == NULL) {
        return no_memory(auditing);
    }
    size_t length = strlen(expected) - 1; /* the closing brace is part of the tail */
    bool agree = log->size >= length + TOPK_LINE_TAIL + 1;
    if (agree) {
        const char *line = log->bytes + log->size - TOPK_LINE_TAIL - length;
        agree = line[-1] == '\n' && memcmp(line, expected, length) == 0;
    }
    free(expected);
    return agree || complain(auditing, "the totals are not those of the cases");
}

static bool check_end(struct auditing *auditing)
{
    const struct topk_audit *audit = auditing->audit;
    char why[TOPK_EARLY_TEXT];
    topk_early_print(&auditing->early, why, sizeof why);
    for (uint64_t i = 0; i < audit->header.cases; i++) {
        if (audit->outcomes[i].verdict == TOPK_VERDICT_COUNT) {
            const struct topk_mustpass_line *line = &auditing->log->list->lines[audit->lines[i]];
            return complain(auditing,
                            "the run is not complete%s%s: %" PRIu64 " of %" PRIu64
                            " cases have a result; the first without is %.*s",
                            why[0] == 0 ? "" : ", ", why, auditing->recorded, audit->header.cases,
                            line->length > 200 ? 200 : (int)line->length, line->id);
        }
    }
    return auditing->complete
               ? totals_agree(auditing)
               : complain(auditing, "the run did not finish: there is no end record that says so");
}

bool topk_audit(struct topk_audit *audit, const struct topk_audit_log *log, char *error,
                size_t error_bytes)
{
    struct auditing auditing = {
        .audit = audit, .log = log, .error = error, .error_bytes = error_bytes};
    const struct topk_log_reader reader = {.context = &auditing,
                                           .header = take_header,
                                           .record = take_record,
                                           .end = take_end,
                                           .probe = take_probe,
                                           .shrunk = take_shrunk,
                                           .part = take_part,
                                           .again = take_again,
                                           .process = take_process};
    memset(audit, 0, sizeof *audit);
    int status = topk_log_read_bytes(log->bytes, log->size, log->path, &reader, error, error_bytes);
    if (status != 0 || auditing.wrong || !check_end(&auditing)) {
        return false;
    }
    /* A process runs cases of all levels. */
    for (size_t i = 0; i < audit->level_count; i++) {
        memcpy(audit->levels[i].tested.ended, audit->tested.ended, sizeof audit->tested.ended);
    }
    return true;
}

void topk_audit_free(struct topk_audit *audit)
{
    for (size_t i = 0; i < audit->text_count; i++) {
        free(audit->texts[i]);
    }
    free(audit->outcomes);
    free(audit->lines);
    topk_expectations_free(&audit->expectations);
    free(audit->probes);
    topk_log_parts_free(&audit->parts);
    memset(audit, 0, sizeof *audit);
}
