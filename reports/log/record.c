/* Writes the records of a result log as JSON. */
#include "record.h"

#include <inttypes.h>

#include "object.h"
#include "reference/element.h"
#include "text.h"

/* ---- members --------------------------------------------------------------------------------- */

/* Adds a text unless it is empty. */
static void put_said(struct topk_object *object, const char *key, const char *text)
{
    if (text != NULL && text[0] != 0) {
        topk_object_text(object, key, text);
    }
}

static void put_hex(struct topk_object *object, const char *key, uint32_t number)
{
    topk_object_put(object, key, json_sprintf("0x%" PRIx32, number));
}

static void put_element(struct topk_object *object, uint32_t type, uint64_t bits)
{
    char text[TOPK_ELEMENT_TEXT];
    char hex[TOPK_TEXT_BITS];
    topk_element_print(type, bits, text);
    topk_text_bits(type, bits, hex);
    topk_object_text(object, "value", text);
    topk_object_text(object, "bits", hex);
}

static json_t *element_json(uint32_t type, uint64_t bits)
{
    struct topk_object object = topk_object_new();
    put_element(&object, type, bits);
    return topk_object_take(&object);
}

static void put_wide_hex(struct topk_object *object, const char *key, uint64_t number)
{
    topk_object_put(object, key, json_sprintf("0x%" PRIx64, number));
}

/* ---- records --------------------------------------------------------------------------------- */

static json_t *backend_json(const struct topk_log_backend *backend)
{
    struct topk_object object = topk_object_new();
    topk_object_text(&object, "spec", backend->spec);
    if (backend->command[0] != 0) {
        topk_object_text(&object, "command", backend->command);
    }
    topk_object_text(&object, "worker", backend->worker);
    topk_object_text(&object, "name", backend->name);
    topk_object_text(&object, "version", backend->version);
    topk_object_text(&object, "device", backend->device);
    topk_object_text(&object, "driver", backend->driver);
    topk_object_text(&object, "features", backend->features);
    put_hex(&object, "level", backend->level);
    put_hex(&object, "flags", backend->flags);
    return topk_object_take(&object);
}

static json_t *texts_json(const char *const *texts, size_t count)
{
    struct topk_array array = topk_array_new();
    for (size_t i = 0; i < count; i++) {
        topk_array_add(&array, topk_text_json(texts[i]));
    }
    return topk_array_take(&array);
}

static json_t *gate_json(const struct topk_log_gate *gate)
{
    struct topk_object object = topk_object_new();
    if (gate->has_least) {
        topk_object_number(&object, "min_supported", gate->least);
    }
    if (gate->require_count > 0) {
        topk_object_put(&object, "require", texts_json(gate->require, gate->require_count));
    }
    if (gate->has_unclean) {
        topk_object_number(&object, "max_unclean", gate->unclean);
    }
    if (gate->has_restarts) {
        topk_object_number(&object, "max_restarts", gate->restarts);
    }
    if (gate->allow_expired) {
        topk_object_flag(&object, "allow_expired", true);
    }
    return topk_object_take(&object);
}

json_t *topk_contract_json(const struct topk_contract *contract)
{
    struct topk_object object = topk_object_new();
    char rules[TOPK_CONTRACT_RULES];
    topk_contract_rules_print(contract, rules);
    topk_object_number(&object, "version", TOPK_CONTRACT_VERSION);
    put_said(&object, "name", contract->name);
    put_said(&object, "source", contract->source);
    topk_object_text(&object, "rules", rules);
    return topk_object_take(&object);
}

json_t *topk_record_header(const struct topk_log_header *header)
{
    struct topk_object object = topk_object_new();
    topk_object_text(&object, "record", "header");
    topk_object_number(&object, "format", TOPK_LOG_FORMAT);
    topk_object_text(&object, "suite", header->suite);
    topk_object_text(&object, "profile", header->profile);
    topk_object_number(&object, "profile_version", header->profile_version);
    topk_object_text(&object, "profile_digest", header->profile_digest);
    topk_object_put(&object, "selections", texts_json(header->selections, header->selection_count));
    put_hex(&object, "level", header->level);
    topk_object_number(&object, "seed", header->seed);
    topk_object_put(&object, "timeout", json_real(header->timeout));
    topk_object_number(&object, "cases", header->cases);
    topk_object_text(&object, "started", header->started);
    topk_object_text(&object, "replay", header->replay);
    topk_object_put(&object, "backend", backend_json(&header->backend));
    topk_object_text(&object, "judge", topk_judge_word(header->judge));
    if (!topk_contract_plain(&header->contract)) {
        topk_object_put(&object, "contract", topk_contract_json(&header->contract));
    }
    put_said(&object, "revision", header->revision);
    put_said(&object, "chaos", header->chaos);
    put_said(&object, "expectations", header->expectations);
    put_said(&object, "contained", header->contained);
    put_said(&object, "variables", header->variables);
    if (header->shards > 0) {
        struct topk_object shard = topk_object_new();
        topk_object_number(&shard, "index", header->shard);
        topk_object_number(&shard, "count", header->shards);
        topk_object_number(&shard, "cases", header->shard_total);
        if (header->shard_rule != TOPK_SHARD_BY_NUMBER) {
            topk_object_text(&shard, "rule", topk_shard_rule_word(header->shard_rule));
        }
        if (header->shard_rule == TOPK_SHARD_BY_COSTS) {
            topk_object_text(&shard, "costs", header->shard_costs);
        }
        topk_object_put(&object, "shard", topk_object_take(&shard));
    }
    put_said(&object, "guard_pages", header->guard_pages);
    if (header->merged > 0) {
        topk_object_number(&object, "merged", header->merged);
    }
    const struct topk_log_gate *gate = &header->gate;
    if (gate->has_least || gate->require_count > 0 || gate->allow_expired || gate->has_unclean ||
        gate->has_restarts) {
        topk_object_put(&object, "gate", gate_json(gate));
    }
    return topk_object_take(&object);
}

static json_t *observations_json(uint32_t observations)
{
    struct topk_array array = topk_array_new();
    for (int i = 0; i < TOPK_OBSERVATION_COUNT; i++) {
        if (observations >> i & 1) {
            const struct topk_observation_row *row = topk_observation_row((enum topk_observation)i);
            struct topk_object object = topk_object_new();
            topk_object_text(&object, "clause", topk_clause_id(row->clause));
            topk_object_text(&object, "word", row->word);
            topk_array_add(&array, topk_object_take(&object));
        }
    }
    return topk_array_take(&array);
}

static json_t *coordinates_json(const struct topk_finding *finding)
{
    struct topk_array array = topk_array_new();
    for (uint32_t i = 0; i < finding->rank && i < TOPK_RANK_VALID; i++) {
        topk_array_add(&array, json_integer(finding->at[i]));
    }
    return topk_array_take(&array);
}

static void put_place(struct topk_object *object, const struct topk_finding *finding)
{
    topk_object_text(object, "tensor", topk_role_name(finding->role));
    if (finding->rank == 0) {
        topk_object_put(object, "byte", json_integer(finding->byte));
    } else {
        topk_object_put(object, "at", coordinates_json(finding));
    }
}

static json_t *finding_json(const struct topk_finding *finding, uint32_t type, uint32_t index_type)
{
    struct topk_object object = topk_object_new();
    char text[TOPK_FINDING_TEXT];
    topk_object_text(&object, "clause", topk_clause_id(finding->clause));
    topk_object_text(&object, "mismatch", topk_mismatch_row(finding->mismatch)->word);
    if (topk_finding_has_values(finding)) {
        uint32_t own_type = topk_finding_type(finding, type, index_type);
        put_place(&object, finding);
        topk_object_put(&object, "expected", element_json(own_type, finding->expected));
        topk_object_put(&object, "actual", element_json(own_type, finding->actual));
    }
    topk_object_number(&object, "count", finding->count);
    topk_finding_place(finding, text, sizeof text);
    topk_object_text(&object, "place", text);
    topk_finding_sentence(finding, type, index_type, text, sizeof text);
    topk_object_text(&object, "sentence", text);
    return topk_object_take(&object);
}

static json_t *findings_json(const struct topk_judgement *judgement, uint32_t type,
                             uint32_t index_type)
{
    struct topk_array array = topk_array_new();
    for (uint32_t i = 0; i < judgement->count; i++) {
        topk_array_add(&array, finding_json(&judgement->findings[i], type, index_type));
    }
    return topk_array_take(&array);
}

static json_t *outputs_json(const struct topk_result *result, uint32_t type)
{
    struct topk_array array = topk_array_new();
    for (uint32_t i = 0; i < result->window_count; i++) {
        struct topk_object object = topk_object_new();
        put_element(&object, type, result->window_values[i]);
        topk_object_number(&object, "index", result->window_indices[i]);
        topk_array_add(&array, topk_object_take(&object));
    }
    return topk_array_take(&array);
}

static json_t *window_json(const struct topk_result *result, uint32_t type)
{
    struct topk_object object = topk_object_new();
    topk_object_number(&object, "from", result->window_from);
    topk_object_put(&object, "outputs", outputs_json(result, type));
    return topk_object_take(&object);
}

static json_t *outside_json(const struct topk_crash_outside *outside)
{
    struct topk_object object = topk_object_new();
    topk_object_text(&object, "access", topk_crash_access_word(outside->access));
    topk_object_text(&object, "tensor", topk_role_name((enum topk_role)outside->role));
    topk_object_text(&object, "side", outside->before ? "start" : "end");
    topk_object_number(&object, "bytes", outside->bytes);
    return topk_object_take(&object);
}

json_t *topk_crash_json(const struct topk_crash *crash)
{
    struct topk_object object = topk_object_new();
    struct topk_array frames = topk_array_new();
    topk_object_text(&object, "signal", crash->signal);
    if (crash->has_address) {
        put_wide_hex(&object, "address", crash->address);
    }
    if (crash->has_outside) {
        topk_object_put(&object, "outside", outside_json(&crash->outside));
    }
    for (uint32_t i = 0; i < crash->frame_count; i++) {
        const struct topk_crash_frame *from = &crash->frames[i];
        struct topk_object frame = topk_object_new();
        topk_object_text(&frame, "module", from->module);
        put_wide_hex(&frame, "offset", from->offset);
        if (from->symbol[0] != 0) {
            topk_object_text(&frame, "symbol", from->symbol);
            put_wide_hex(&frame, "symbol_offset", from->symbol_offset);
        }
        topk_array_add(&frames, topk_object_take(&frame));
    }
    topk_object_put(&object, "frames", topk_array_take(&frames));
    return topk_object_take(&object);
}

static void put_verdict(struct topk_object *object, const char *id,
                        const struct topk_result *result)
{
    topk_object_text(object, "id", id);
    topk_object_text(object, "verdict", topk_verdict_word(result->verdict));
    if (result->clause != TOPK_CLAUSE_NONE) {
        topk_object_text(object, "clause", topk_clause_id(result->clause));
    }
    if (result->call != 0) {
        topk_object_number(object, "call", result->call);
    }
    if (result->by_status) {
        topk_object_text(object, "by", TOPK_LOG_BY_STATUS);
    } else if (result->by_contract) {
        topk_object_text(object, "by", TOPK_LOG_BY_CONTRACT);
    }
}

static json_t *readings_json(topk_reading_set readings)
{
    struct topk_array array = topk_array_new();
    for (int i = TOPK_READING_NONE + 1; i < TOPK_READING_COUNT; i++) {
        if ((readings >> i & 1) != 0) {
            topk_array_add(&array, json_string(topk_reading_row((enum topk_reading)i)->word));
        }
    }
    return topk_array_take(&array);
}

/* Writes what was found, and why it is wrong. */
static void put_seen(struct topk_object *object, uint32_t type, uint32_t index_type,
                     const struct topk_result *result)
{
    const struct topk_judgement *judgement = &result->judgement;
    if (judgement->observations != 0) {
        topk_object_put(object, "observations", observations_json(judgement->observations));
    }
    if (judgement->count != 0) {
        topk_object_put(object, "findings", findings_json(judgement, type, index_type));
    }
    if (judgement->has_sequence) {
        topk_object_number(object, "sequence", judgement->sequence);
        topk_object_number(object, "position", judgement->position);
    }
    if (result->window_count != 0) {
        topk_object_put(object, "window", window_json(result, type));
    }
    if (result->reading != TOPK_READING_NONE) {
        topk_object_text(object, "cause", topk_reading_row(result->reading)->sentence);
        topk_object_put(object, "readings", readings_json(result->readings));
    }
    if (result->guess) {
        topk_object_flag(object, "guess", true);
    }
    if (result->reason[0] != 0) {
        topk_object_text(object, "reason", result->reason);
    }
    if (result->crash.signal[0] != 0) {
        topk_object_put(object, "crash", topk_crash_json(&result->crash));
    }
}

json_t *topk_record_case(uint64_t number, const char *id, uint32_t type, uint32_t index_type,
                         const struct topk_result *result)
{
    struct topk_object object = topk_object_new();
    topk_object_text(&object, "record", "case");
    topk_object_number(&object, "number", number);
    put_verdict(&object, id, result);
    topk_object_number(&object, "nanoseconds", result->nanoseconds);
    if (result->runs > 0) {
        const struct topk_log_runs repeat = {result->runs, result->failed};
        topk_object_put(&object, "repeat", topk_log_runs_json(&repeat));
    }
    put_seen(&object, type, index_type, result);
    return topk_object_take(&object);
}

json_t *topk_record_fresh(const char *id, const struct topk_result *result)
{
    struct topk_object object = topk_object_new();
    topk_object_text(&object, "record", "fresh");
    topk_object_text(&object, "id", id);
    topk_object_text(&object, "verdict", topk_verdict_word(result->verdict));
    return topk_object_take(&object);
}

json_t *topk_record_shrunk(const uint64_t *of, size_t of_count, bool minimal, const char *id,
                           uint32_t type, uint32_t index_type, const struct topk_result *result)
{
    struct topk_object object = topk_object_new();
    struct topk_array numbers = topk_array_new();
    for (size_t i = 0; i < of_count; i++) {
        topk_array_add(&numbers, json_integer((json_int_t)of[i]));
    }
    topk_object_text(&object, "record", "shrunk");
    put_verdict(&object, id, result);
    put_seen(&object, type, index_type, result);
    topk_object_put(&object, "of", topk_array_take(&numbers));
    topk_object_flag(&object, "minimal", minimal);
    return topk_object_take(&object);
}

json_t *topk_record_waived(json_t *record, enum topk_verdict verdict, uint32_t line)
{
    struct topk_object object = {record, record != NULL};
    struct topk_object expectation = topk_object_new();
    topk_object_number(&expectation, "line", line);
    topk_object_text(&expectation, "verdict", topk_verdict_word(verdict));
    topk_object_put(&object, "expectation", topk_object_take(&expectation));
    return topk_object_take(&object);
}

static struct topk_object runs_object(const struct topk_log_runs *runs)
{
    struct topk_object object = topk_object_new();
    topk_object_number(&object, "runs", runs->runs);
    topk_object_number(&object, "failed", runs->failed);
    return object;
}

json_t *topk_log_runs_json(const struct topk_log_runs *runs)
{
    struct topk_object object = runs_object(runs);
    return topk_object_take(&object);
}

json_t *topk_record_again(const struct topk_log_again *again)
{
    struct topk_object object = topk_object_new();
    topk_object_text(&object, "record", "again");
    topk_object_number(&object, "number", again->number);
    topk_object_text(&object, "kind", topk_again_word(again->kind));
    topk_object_put(&object, "alone", topk_log_runs_json(&again->alone));
    if (again->behind.runs > 0) {
        struct topk_object behind = runs_object(&again->behind);
        topk_object_number(&behind, "before", again->before);
        topk_object_put(&object, "behind", topk_object_take(&behind));
    }
    json_t *record = topk_object_take(&object);
    return again->rule == 0 ? record : topk_record_waived(record, TOPK_VERDICT_FLAKY, again->rule);
}

json_t *topk_record_process(const struct topk_log_process *process)
{
    struct topk_object object = topk_object_new();
    topk_object_text(&object, "record", "process");
    topk_object_text(&object, "end", topk_process_word(process->end));
    put_said(&object, "reason", process->reason);
    return topk_object_take(&object);
}

static void put_part(struct topk_object *object, const struct topk_log_part *part)
{
    topk_object_text(object, "role", topk_log_part_role_word(part->role));
    for (int i = 0; i < TOPK_LOG_PART_TEXT_COUNT; i++) {
        put_said(object, topk_log_part_text_word((enum topk_log_part_text)i), part->texts[i]);
    }
    topk_object_text(object, "by", part->told ? TOPK_LOG_BY_TOLD : TOPK_LOG_BY_SEEN);
}

json_t *topk_record_part(const struct topk_log_part *part)
{
    struct topk_object object = topk_object_new();
    topk_object_text(&object, "record", "part");
    put_part(&object, part);
    return topk_object_take(&object);
}

json_t *topk_log_part_json(const struct topk_log_part *part)
{
    struct topk_object object = topk_object_new();
    topk_object_text(&object, "title", topk_log_part_role_title(part->role));
    put_part(&object, part);
    return topk_object_take(&object);
}

json_t *topk_record_probe(const struct topk_probe *probe)
{
    struct topk_object object = topk_object_new();
    topk_object_text(&object, "record", "probe");
    topk_object_text(&object, "name", probe->name);
    topk_object_text(&object, "verdict", topk_probe_verdict_word(probe->verdict));
    topk_object_text(&object, "value", probe->value);
    topk_object_text(&object, "detail", probe->detail);
    return topk_object_take(&object);
}

json_t *topk_totals_json(const uint64_t totals[TOPK_VERDICT_COUNT])
{
    struct topk_object object = topk_object_new();
    for (int i = 0; i < TOPK_VERDICT_COUNT; i++) {
        topk_object_number(&object, topk_verdict_word((enum topk_verdict)i), totals[i]);
    }
    return topk_object_take(&object);
}

json_t *topk_early_json(const struct topk_early *early)
{
    struct topk_object object = topk_object_new();
    const uint64_t whole = (uint64_t)early->limit;
    topk_object_text(&object, "by", topk_early_word(early->by));
    topk_object_put(&object, "limit",
                    (double)whole == early->limit ? topk_number_json(whole)
                                                  : json_real(early->limit));
    topk_object_number(&object, "left", early->left);
    return topk_object_take(&object);
}

json_t *topk_record_end(bool complete, const struct topk_early *early,
                        const uint64_t totals[TOPK_VERDICT_COUNT])
{
    struct topk_object object = topk_object_new();
    topk_object_text(&object, "record", "end");
    topk_object_put(&object, "complete", json_boolean(complete));
    if (early != NULL) {
        topk_object_put(&object, "early", topk_early_json(early));
    }
    topk_object_put(&object, "totals", topk_totals_json(totals));
    return topk_object_take(&object);
}
