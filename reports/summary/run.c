/* Reads a whole run back from its log. */
#define _POSIX_C_SOURCE 200809L /* open_memstream, strdup */

#include "run.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "gate.h"
#include "log/log.h"
#include "sha256/sha256.h"

static const char *const fact_names[] = {
#define FACT(name, words) words,
    TOPK_FACT_LIST(FACT)
#undef FACT
};

static const struct topk_outcome no_record = {.verdict = TOPK_VERDICT_COUNT};

const char *topk_fact_name(enum topk_fact fact)
{
    return fact_names[fact];
}

const char *topk_name_shown(const char *name)
{
    return name[0] == 0 ? "(no name)" : name;
}

struct reading {
    struct topk_run *run;
    struct topk_ids *ids;
    bool no_memory;
};

/* ---- the header ------------------------------------------------------------------------------ */

static char *level_text(uint32_t level)
{
    return topk_text_make("%" PRIu32 ".%" PRIu32, level >> 12, level >> 8 & 15);
}

static char *selections_text(const struct topk_log_header *header)
{
    size_t size = 1;
    for (size_t i = 0; i < header->selection_count; i++) {
        size += strlen(header->selections[i]) + 3;
    }
    char *text = calloc(size, 1);
    size_t used = 0;
    for (size_t i = 0; text != NULL && i < header->selection_count; i++) {
        used += (size_t)snprintf(text + used, size - used, "%s'%s'", i == 0 ? "" : " ",
                                 header->selections[i]);
    }
    return text;
}

/* Returns "2 of 4", or the shards that the log was merged from. */
static char *shard_text(const struct topk_log_header *header)
{
    return header->shards > 0
               ? topk_text_make("%" PRIu32 " of %" PRIu32, header->shard, header->shards)
           : header->merged > 0 ? topk_text_make("merged from %" PRIu32, header->merged)
                                : strdup("");
}

/* Identifies the expectations by their digest, because the rules may be long. */
static char *expectations_text(const struct topk_log_header *header)
{
    char digest[TOPK_SHA256_TEXT] = "";
    if (header->expectations[0] != 0) {
        topk_sha256_print(header->expectations, strlen(header->expectations), digest);
        digest[12] = 0;
    }
    return strdup(digest);
}

/* Returns the rules that it was judged by. */
static char *contract_text(const struct topk_log_header *header)
{
    char rules[TOPK_CONTRACT_RULES];
    topk_contract_rules_print(&header->contract, rules);
    return strdup(rules[0] == 0 ? "DirectML's documents" : rules);
}

bool topk_facts_take(char *facts[TOPK_FACT_COUNT], const struct topk_log_header *header)
{
    const struct topk_log_backend *backend = &header->backend;
    bool ok = true;
    facts[TOPK_FACT_SUITE] = strdup(header->suite);
    facts[TOPK_FACT_REVISION] = strdup(header->revision);
    facts[TOPK_FACT_CHAOS] = strdup(header->chaos);
    facts[TOPK_FACT_EXPECTATIONS] = expectations_text(header);
    char gate[TOPK_GATE_TEXT];
    topk_gate_print(&header->gate, gate, sizeof gate);
    facts[TOPK_FACT_GATE] = strdup(gate);
    facts[TOPK_FACT_PROFILE] =
        topk_text_make("%s v%" PRIu32, header->profile, header->profile_version);
    facts[TOPK_FACT_DIGEST] = strdup(header->profile_digest);
    facts[TOPK_FACT_SELECTIONS] = selections_text(header);
    facts[TOPK_FACT_SHARD] = shard_text(header);
    facts[TOPK_FACT_LEVEL] = level_text(header->level);
    facts[TOPK_FACT_TIMEOUT] = topk_text_make("%g", header->timeout);
    facts[TOPK_FACT_SIGNER] = strdup("");
    facts[TOPK_FACT_SPEC] = strdup(backend->spec);
    facts[TOPK_FACT_COMMAND] = strdup(backend->command);
    facts[TOPK_FACT_WORKER] = strdup(backend->worker);
    facts[TOPK_FACT_CONTRACT] = contract_text(header);
    facts[TOPK_FACT_JUDGE] = strdup(topk_judge_phrase(header->judge));
    facts[TOPK_FACT_GUARD_PAGES] = strdup(topk_log_guard_pages_phrase(header->guard_pages));
    facts[TOPK_FACT_BACKEND] = strdup(backend->name);
    facts[TOPK_FACT_VERSION] = strdup(backend->version);
    facts[TOPK_FACT_DEVICE] = strdup(backend->device);
    facts[TOPK_FACT_DRIVER] = strdup(backend->driver);
    facts[TOPK_FACT_FEATURES] = strdup(backend->features);
    facts[TOPK_FACT_BACKEND_LEVEL] = level_text(backend->level);
    facts[TOPK_FACT_SOFTWARE] = strdup(topk_log_software(backend->flags));
    for (unsigned i = 0; i < TOPK_FACT_COUNT; i++) {
        ok = ok && facts[i] != NULL;
    }
    return ok;
}

bool topk_facts_sign(char *facts[TOPK_FACT_COUNT], const char *signer)
{
    free(facts[TOPK_FACT_SIGNER]);
    facts[TOPK_FACT_SIGNER] = strdup(signer);
    return facts[TOPK_FACT_SIGNER] != NULL;
}

void topk_facts_free(char *facts[TOPK_FACT_COUNT])
{
    for (unsigned i = 0; i < TOPK_FACT_COUNT; i++) {
        free(facts[i]);
    }
}

static bool take_header(void *context, const struct topk_log_header *header)
{
    struct reading *reading = context;
    struct topk_run *run = reading->run;
    run->selected = header->cases;
    run->judge = header->judge;
    run->unclean_allowed = header->gate.has_unclean ? header->gate.unclean : TOPK_GATE_UNCLEAN;
    run->started = strdup(header->started);
    run->replay = strdup(header->replay);
    reading->no_memory =
        run->started == NULL || run->replay == NULL || !topk_facts_take(run->facts, header);
    return !reading->no_memory;
}

/* ---- cases ----------------------------------------------------------------------------------- */

/* Makes room for the outcome of a case number. */
static bool reach(struct topk_run *run, uint32_t number)
{
    if (number < run->outcome_count) {
        return true;
    }
    size_t count = 2 * (size_t)number + 1024;
    struct topk_outcome *outcomes = realloc(run->outcomes, count * sizeof *outcomes);
    if (outcomes == NULL) {
        return false;
    }
    for (size_t i = run->outcome_count; i < count; i++) {
        outcomes[i] = no_record;
    }
    run->outcomes = outcomes;
    run->outcome_count = count;
    return true;
}

void topk_outcome_take(struct topk_outcome *outcome, const struct topk_log_record *record,
                       enum topk_verdict verdict)
{
    *outcome = (struct topk_outcome){.verdict = verdict,
                                     .by_status = record->by_status,
                                     .observations = record->observations,
                                     .nanoseconds = record->nanoseconds};
    if (topk_verdict_failure(verdict)) {
        topk_log_clauses(record, &outcome->clauses);
        if (topk_clause_set_empty(&outcome->clauses) && record->clause < TOPK_CLAUSE_COUNT) {
            topk_clause_set_add(&outcome->clauses, record->clause);
        }
    }
}

void topk_observations_count(uint64_t counts[TOPK_OBSERVATION_COUNT], uint32_t observations)
{
    for (unsigned i = 0; i < TOPK_OBSERVATION_COUNT; i++) {
        counts[i] += observations >> i & 1;
    }
}

static bool take_record(void *context, const struct topk_log_record *record)
{
    struct reading *reading = context;
    struct topk_run *run = reading->run;
    uint32_t number;
    if (!topk_ids_number(reading->ids, record->id, &number) || !reach(run, number)) {
        reading->no_memory = true;
        return false;
    }
    struct topk_outcome *outcome = &run->outcomes[number];
    if (outcome->verdict != TOPK_VERDICT_COUNT) {
        return true;
    }
    topk_outcome_take(outcome, record, record->verdict);
    run->recorded++;
    run->totals[record->verdict]++;
    run->by_status += record->by_status;
    topk_observations_count(run->observations, record->observations);
    return true;
}

static bool take_end(void *context, const struct topk_log_ending *ending)
{
    struct reading *reading = context;
    reading->run->complete = ending->complete;
    return true;
}

/* ---- probes ---------------------------------------------------------------------------------- */

const struct topk_probe *topk_probe_find(const struct topk_probe *probes, size_t count,
                                         const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(probes[i].name, name) == 0) {
            return &probes[i];
        }
    }
    return NULL;
}

bool topk_probes_keep(struct topk_probe **probes, size_t *count, const struct topk_probe *probe)
{
    if (topk_probe_find(*probes, *count, probe->name) != NULL || *count == TOPK_PROBES_MAX) {
        return true;
    }
    struct topk_probe *kept = topk_list_add(probes, count, sizeof *kept);
    if (kept != NULL) {
        *kept = *probe;
    }
    return kept != NULL;
}

const struct topk_probe *topk_run_probe(const struct topk_run *run, const char *name)
{
    return topk_probe_find(run->probes, run->probe_count, name);
}

static bool take_probe(void *context, const struct topk_probe *probe)
{
    struct reading *reading = context;
    reading->no_memory =
        !topk_probes_keep(&reading->run->probes, &reading->run->probe_count, probe);
    return !reading->no_memory;
}

static bool take_log_part(void *context, const struct topk_log_part *part)
{
    struct reading *reading = context;
    reading->no_memory = !topk_log_parts_keep(&reading->run->parts, part);
    return !reading->no_memory;
}

static bool take_process(void *context, const struct topk_log_process *process)
{
    ((struct reading *)context)->run->unclean += topk_process_unclean(process->end);
    return true;
}

/* ---- the whole ------------------------------------------------------------------------------- */

int topk_run_read_source(struct topk_run *run, struct topk_ids *ids,
                         const struct topk_log_source *source, char *error, size_t error_bytes)
{
    memset(run, 0, sizeof *run);
    struct reading reading = {run, ids, false};
    const struct topk_log_reader reader = {.context = &reading,
                                           .header = take_header,
                                           .record = take_record,
                                           .end = take_end,
                                           .probe = take_probe,
                                           .part = take_log_part,
                                           .process = take_process};
    int status = topk_log_read_source(source, &reader, error, error_bytes);
    if (reading.no_memory) {
        topk_memory_fail();
        snprintf(error, error_bytes, "cannot read %s: out of memory", source->path);
        return -1;
    }
    run->cut = status == 1;
    return run->started == NULL ? -1 : status;
}

int topk_run_read(struct topk_run *run, struct topk_ids *ids, const char *path, char *error,
                  size_t error_bytes)
{
    const struct topk_log_source source = {.path = path};
    return topk_run_read_source(run, ids, &source, error, error_bytes);
}

const struct topk_outcome *topk_run_outcome(const struct topk_run *run, uint32_t number)
{
    return number < run->outcome_count ? &run->outcomes[number] : &no_record;
}

void topk_run_free(struct topk_run *run)
{
    topk_facts_free(run->facts);
    free(run->started);
    free(run->replay);
    free(run->outcomes);
    free(run->probes);
    topk_log_parts_free(&run->parts);
    memset(run, 0, sizeof *run);
}
