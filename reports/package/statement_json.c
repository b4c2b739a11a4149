/* Writes statements of conformance as JSON. */
#include "statement.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>

#include "log/log.h"
#include "package.h"

/* "5.0" */
static json_t *level_json(uint32_t level)
{
    return json_sprintf("%u.%u", (unsigned)(level >> 12), (unsigned)(level >> 8 & 15));
}

/* Makes an array of make(0) to make(count - 1), leaving out NULL. */
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
    return json_pack("{s:o, s:o, s:o, s:I, s:I, s:I}", "level", level_json(level->level),
                     "conformance", conformance_json(audit, level), "totals",
                     topk_totals_json(level->totals), "by_status",
                     (json_int_t)level->tested.by_status, "served",
                     (json_int_t)level->tested.served, "asked", (json_int_t)level->tested.asked);
}

static json_t *required_of(const struct topk_audit *audit, size_t number)
{
    const struct topk_required *required = &audit->tested.required[number];
    return json_pack("{s:s, s:I, s:I}", "word", audit->gate.words[number], "cases",
                     (json_int_t)required->cases, "lacking", (json_int_t)required->lacking);
}

static json_t *share_json(const struct topk_audit *audit)
{
    const struct topk_share share = topk_share_of(&audit->tested, audit->totals);
    return topk_share_json(&share);
}

static json_t *gate_json(const struct topk_audit *audit)
{
    json_t *json = json_pack("{s:i, s:o}", "least", (int)audit->gate.least, "required",
                             array_json(audit, audit->gate.count, required_of));
    if (audit->gate.expired > 0) {
        json_object_set_new(json, "expired", json_integer((json_int_t)audit->gate.expired));
    }
    return json;
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
    struct topk_object object = topk_object_new();
    topk_object_number(&object, "line", rule->line);
    topk_object_text(&object, "select", rule->select);
    topk_object_text(&object, "when", rule->when);
    topk_object_text(&object, "verdict", rule->verdict);
    topk_object_text(&object, "clause", rule->clause);
    topk_object_text(&object, "cause", rule->cause);
    topk_object_text(&object, "mismatch", rule->mismatch);
    topk_object_text(&object, "crash", rule->crash);
    topk_object_text(&object, "owner", rule->owner);
    topk_object_text(&object, "reason", rule->reason);
    topk_object_text(&object, "link", rule->link);
    topk_object_text(&object, "expires", rule->expires);
    topk_object_flag(&object, "applies", rule->applies);
    topk_object_flag(&object, "expired", rule->expired);
    topk_object_number(&object, "cases", rule->cases);
    topk_object_number(&object, "failed", rule->failed);
    topk_object_number(&object, "passed", rule->passed);
    topk_object_number(&object, "others", rule->others);
    return topk_object_take(&object);
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
    struct topk_object object = topk_object_new();
    struct topk_object profile = topk_object_new();
    topk_object_text(&profile, "name", header->profile);
    topk_object_number(&profile, "version", header->profile_version);
    topk_object_text(&profile, "digest", header->profile_digest);
    topk_object_number(&object, "format", TOPK_PACKAGE_FORMAT);
    topk_object_text(&object, "suite", header->suite);
    topk_object_text(&object, "revision", header->revision);
    topk_object_put(&object, "profile", topk_object_take(&profile));
    topk_object_text(&object, "started", header->started);
    topk_object_text(&object, "judge", topk_judge_word(header->judge));
    if (header->guard_pages[0] != 0) {
        topk_object_text(&object, "guard_pages", header->guard_pages);
    }
    topk_object_put(&object, "level", level_json(header->level));
    topk_object_put(&object, "timeout", json_real(header->timeout));
    topk_object_number(&object, "cases", header->cases);
    topk_object_put(&object, "backend", backend_json(&header->backend));
    topk_object_put(&object, "parts", topk_identity_json(&audit->parts));
    if (!topk_contract_plain(&header->contract)) {
        topk_object_put(&object, "contract", topk_contract_json(&header->contract));
    }
    topk_object_put(&object, "share", share_json(audit));
    topk_object_put(&object, "gate", gate_json(audit));
    topk_object_put(&object, "conformance", conformance_json(audit, NULL));
    topk_object_put(&object, "totals", topk_totals_json(audit->totals));
    topk_object_number(&object, "by_status", audit->tested.by_status);
    topk_object_put(&object, "processes", topk_processes_json(&audit->tested));
    topk_object_put(&object, "levels", array_json(audit, audit->level_count, level_of));
    topk_object_put(&object, "clauses", array_json(audit, TOPK_CLAUSE_COUNT, clause_of));
    topk_object_put(&object, "observations",
                    array_json(audit, TOPK_OBSERVATION_COUNT, observation_of));
    topk_object_put(&object, "probes", array_json(audit, audit->probe_count, probe_of));
    topk_object_put(&object, "waivers", array_json(audit, audit->expectations.count, waiver_of));
    if (header->merged > 0) {
        topk_object_number(&object, "shards", header->merged);
    }
    json_t *json = topk_object_take(&object);
    char *text = json == NULL ? NULL : topk_json_text(json, JSON_INDENT(2));
    json_decref(json);
    char *line = text == NULL ? NULL : topk_text_make("%s\n", text);
    free(text);
    return line;
}
