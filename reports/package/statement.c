/* Statements of conformance. */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include "statement.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "log/log.h"

/* ---- in words -------------------------------------------------------------------------------- */

/* a line of the description; none if there is nothing to say */
static void put_fact(FILE *out, const char *name, const char *text)
{
    if (text[0] != 0) {
        fprintf(out, "  %-13s ", name);
        topk_text_print(out, text);
        fputc('\n', out);
    }
}

static void put_level(FILE *out, uint32_t level)
{
    fprintf(out, "%u.%u", (unsigned)(level >> 12), (unsigned)(level >> 8 & 15));
}

static void put_subject(FILE *out, const struct topk_audit *audit)
{
    const struct topk_log_header *header = &audit->header;
    const struct topk_log_backend *backend = &header->backend;
    fputs("Statement of conformance\n\nTested was\n", out);
    put_fact(out, "backend", backend->name);
    put_fact(out, "version", backend->version);
    put_fact(out, "device", backend->device);
    put_fact(out, "driver", backend->driver);
    put_fact(out, "features", backend->features);
    if ((backend->flags & TOPK_LOG_SOFTWARE_DEVICE) != 0) {
        put_fact(out, "note", "the device is software");
    }
    put_fact(out, "opened as",
             backend->spec[0] != 0      ? backend->spec
             : backend->command[0] != 0 ? backend->command
                                        : backend->worker);
    fputs("  feature level ", out);
    put_level(out, backend->level);
    fputs("\nby\n  topk-cts      ", out);
    topk_text_print(out, header->suite);
    fputc('\n', out);
    put_fact(out, "revision", header->revision[0] == 0 ? "not known" : header->revision);
    fputs("  profile       ", out);
    topk_text_print(out, header->profile);
    fprintf(out, ", version %" PRIu32 "\n", header->profile_version);
    put_fact(out, "digest", header->profile_digest);
    put_fact(out, "started", header->started);
    put_fact(out, "judge", topk_judge_phrase(header->judge));
    if (header->merged > 0) {
        fprintf(out, "  shards        %" PRIu32 ", run apart and merged\n", header->merged);
    }
    fprintf(out, "with all %" PRIu64 " cases of the profile up to feature level ", header->cases);
    put_level(out, header->level);
    fprintf(out, ", and %g seconds for a call.\n", header->timeout);
}

static const char *cases_word(uint64_t count)
{
    return count == 1 ? "case" : "cases";
}

static void put_levels(FILE *out, const struct topk_audit *audit)
{
    for (size_t i = 0; i < audit->level_count; i++) {
        const struct topk_audit_level *level = &audit->levels[i];
        fputs("  Cases of feature level ", out);
        put_level(out, level->level);
        fprintf(out, ": it %s; %" PRIu64 " %s: ",
                topk_conformance_sentence(topk_audit_conformance(audit, level)),
                topk_totals_sum(level->totals), cases_word(topk_totals_sum(level->totals)));
        topk_totals_print(out, "", level->totals, level->tested.by_status);
        fputc('\n', out);
    }
}

static void put_clauses(FILE *out, const struct topk_audit *audit)
{
    bool any = false;
    for (int i = 0; i < TOPK_CLAUSE_COUNT; i++) {
        if (audit->clauses[i] > 0) {
            const struct topk_clause_row *row = topk_clause_row((enum topk_clause)i);
            fputs(any ? "" : "\nClauses that it breaks\n", out);
            fprintf(out, "  %-4s in %" PRIu64 " %s: %s\n", row->id, audit->clauses[i],
                    cases_word(audit->clauses[i]), row->sentence);
            any = true;
        }
    }
}

/* what is waived, by whom and until when */
static void put_waivers(FILE *out, const struct topk_audit *audit)
{
    for (size_t i = 0; i < audit->expectations.count; i++) {
        const struct topk_expectation *rule = &audit->expectations.rules[i];
        fputs(i == 0 ? "\nWaivers that the run declares, see expectations.txt\n" : "", out);
        fprintf(out, "  line %" PRIu32 ", %s of ", rule->line, rule->verdict);
        topk_text_print(out, rule->select);
        if (rule->applies) {
            fprintf(out,
                    ": %" PRIu64 " of %" PRIu64 " cases failed as it says, %" PRIu64 " passed\n",
                    rule->failed, rule->cases, rule->passed);
        } else {
            fputs(": for another backend, version or driver\n", out);
        }
        fprintf(out, "    %s %s; owner ", rule->expired ? "expired on" : "until", rule->expires);
        topk_text_print(out, rule->owner);
        fputs("; reason: ", out);
        topk_text_print(out, rule->reason);
        fputs(rule->link[0] == 0 ? "" : "; ", out);
        topk_text_print(out, rule->link);
        fputc('\n', out);
    }
}

static void put_fingerprint(FILE *out, const struct topk_audit *audit)
{
    fputs("\nWhere the documents leave a choice, it was seen to choose\n", out);
    for (int i = 0; i < TOPK_OBSERVATION_COUNT; i++) {
        if (audit->observations[i] > 0) {
            const struct topk_observation_row *row = topk_observation_row((enum topk_observation)i);
            fprintf(out, "  %-4s %s, in %" PRIu64 " %s\n", topk_clause_id(row->clause), row->word,
                    audit->observations[i], cases_word(audit->observations[i]));
        }
    }
    for (size_t i = 0; i < audit->probe_count; i++) {
        const struct topk_probe *probe = &audit->probes[i];
        fprintf(out, "%s  %s: %s%s%s\n", i == 0 ? "\nProbes of what lies beneath it\n" : "",
                probe->name, topk_probe_verdict_word(probe->verdict),
                probe->value[0] == 0 ? "" : ", ", probe->value);
    }
}

static void put_all(FILE *out, const struct topk_audit *audit)
{
    put_subject(out, audit);
    fprintf(out, "\nIt %s, as far as these cases tell: ",
            topk_conformance_sentence(topk_audit_conformance(audit, NULL)));
    topk_totals_print(out, "", audit->totals, audit->tested.by_status);
    fputs(".\n\n", out);
    put_levels(out, audit);
    put_clauses(out, audit);
    put_waivers(out, audit);
    put_fingerprint(out, audit);
    fputs("\nThe log, results.jsonl, has each case; mustpass.txt lists the cases of the profile.\n",
          out);
}

char *topk_statement_text(const struct topk_audit *audit)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL) {
        return NULL;
    }
    put_all(out, audit);
    bool written = ferror(out) == 0;
    if (fclose(out) != 0 || !written) {
        free(text);
        return NULL;
    }
    return text;
}

/* ---- as JSON --------------------------------------------------------------------------------- */

/* "5.0" */
static json_t *level_json(uint32_t level)
{
    return json_sprintf("%u.%u", (unsigned)(level >> 12), (unsigned)(level >> 8 & 15));
}

/* an array of what make() gives for 0, 1, ... below count; NULL of it is left out */
static json_t *array_json(const struct topk_audit *audit, size_t count,
                          json_t *(*make)(const struct topk_audit *audit, size_t number))
{
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++) {
        json_t *json = make(audit, i);
        if (json != NULL && json_array_append_new(array, json) != 0) {
            json_decref(array);
            return NULL;
        }
    }
    return array;
}

static json_t *conformance_json(const struct topk_audit *audit,
                                const struct topk_audit_level *level)
{
    return json_string(topk_conformance_word(topk_audit_conformance(audit, level)));
}

static json_t *level_of(const struct topk_audit *audit, size_t number)
{
    const struct topk_audit_level *level = &audit->levels[number];
    return json_pack("{s:o, s:o, s:o, s:I}", "level", level_json(level->level), "conformance",
                     conformance_json(audit, level), "totals", topk_totals_json(level->totals),
                     "by_status", (json_int_t)level->tested.by_status);
}

static json_t *observation_of(const struct topk_audit *audit, size_t number)
{
    const struct topk_observation_row *row = topk_observation_row((enum topk_observation)number);
    return audit->observations[number] == 0
               ? NULL
               : json_pack("{s:s, s:s, s:I}", "clause", topk_clause_id(row->clause), "word",
                           row->word, "cases", (json_int_t)audit->observations[number]);
}

static json_t *clause_of(const struct topk_audit *audit, size_t number)
{
    return audit->clauses[number] == 0
               ? NULL
               : json_pack("{s:s, s:I}", "clause", topk_clause_id((enum topk_clause)number),
                           "cases", (json_int_t)audit->clauses[number]);
}

static json_t *waiver_of(const struct topk_audit *audit, size_t number)
{
    const struct topk_expectation *rule = &audit->expectations.rules[number];
    return json_pack("{s:I, s:s, s:s, s:s, s:s, s:s, s:s, s:b, s:b, s:I, s:I, s:I}", "line",
                     (json_int_t)rule->line, "select", rule->select, "verdict", rule->verdict,
                     "owner", rule->owner, "reason", rule->reason, "link", rule->link, "expires",
                     rule->expires, "applies", rule->applies, "expired", rule->expired, "cases",
                     (json_int_t)rule->cases, "failed", (json_int_t)rule->failed, "passed",
                     (json_int_t)rule->passed);
}

static json_t *probe_of(const struct topk_audit *audit, size_t number)
{
    const struct topk_probe *probe = &audit->probes[number];
    return json_pack("{s:s, s:s, s:s}", "name", probe->name, "verdict",
                     topk_probe_verdict_word(probe->verdict), "value", probe->value);
}

static json_t *backend_json(const struct topk_log_backend *backend)
{
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:o, s:b}", "spec", backend->spec,
                     "command", backend->command, "worker", backend->worker, "name", backend->name,
                     "version", backend->version, "device", backend->device, "driver",
                     backend->driver, "features", backend->features, "level",
                     level_json(backend->level), "software_device",
                     (backend->flags & TOPK_LOG_SOFTWARE_DEVICE) != 0);
}

char *topk_statement_json(const struct topk_audit *audit)
{
    const struct topk_log_header *header = &audit->header;
    json_t *json = json_pack(
        "{s:s, s:s, s:{s:s, s:I, s:s}, s:s, s:s, s:o, s:f, s:I, s:o, s:o, s:o, s:I, s:o, s:o, s:o, "
        "s:o, s:o}",
        "suite", header->suite, "revision", header->revision, "profile", "name", header->profile,
        "version", (json_int_t)header->profile_version, "digest", header->profile_digest, "started",
        header->started, "judge", topk_judge_word(header->judge), "level",
        level_json(header->level), "timeout", header->timeout, "cases", (json_int_t)header->cases,
        "backend", backend_json(&header->backend), "conformance", conformance_json(audit, NULL),
        "totals", topk_totals_json(audit->totals), "by_status", (json_int_t)audit->tested.by_status,
        "levels", array_json(audit, audit->level_count, level_of), "clauses",
        array_json(audit, TOPK_CLAUSE_COUNT, clause_of), "observations",
        array_json(audit, TOPK_OBSERVATION_COUNT, observation_of), "probes",
        array_json(audit, audit->probe_count, probe_of), "waivers",
        array_json(audit, audit->expectations.count, waiver_of));
    if (json != NULL && header->merged > 0 &&
        json_object_set_new(json, "shards", json_integer(header->merged)) != 0) {
        json_decref(json);
        json = NULL;
    }
    char *text = json == NULL ? NULL : json_dumps(json, JSON_INDENT(2));
    json_decref(json);
    char *line = text == NULL ? NULL : topk_text_make("%s\n", text);
    free(text);
    return line;
}
