/* The records of a result log as JSON. */
#include "record.h"

#include <inttypes.h>

#include "element.h"
#include "finding.h"
#include "text.h"

/* ---- members --------------------------------------------------------------------------------- */

/* An object under construction. Once something is wrong (memory is short) it stays wrong, and
 * object_take() gives NULL; so only that is asked. */
struct object {
    json_t *json;
    bool ok;
};

static struct object object_new(void)
{
    json_t *json = json_object();
    return (struct object){json, json != NULL};
}

static json_t *object_take(struct object *object)
{
    if (!object->ok) {
        json_decref(object->json);
        object->json = NULL;
    }
    return object->json;
}

/* value is NULL if it could not be made */
static void put(struct object *object, const char *key, json_t *value)
{
    object->ok = json_object_set_new_nocheck(object->json, key, value) == 0 && object->ok;
}

static json_t *text_json(const char *text)
{
    json_t *json = json_string(text);
    if (json == NULL) { /* not UTF-8 */
        char *clean = topk_text_utf8(text);
        json = json_string(clean);
        free(clean);
    }
    return json;
}

static void put_text(struct object *object, const char *key, const char *text)
{
    put(object, key, text_json(text));
}

/* leaves out what says nothing */
static void put_said(struct object *object, const char *key, const char *text)
{
    if (text != NULL && text[0] != 0) {
        put_text(object, key, text);
    }
}

static void put_number(struct object *object, const char *key, uint64_t number)
{
    if (number <= INT64_MAX) {
        put(object, key, json_integer((json_int_t)number));
    } else {
        put(object, key, json_sprintf("%" PRIu64, number));
    }
}

static void put_hex(struct object *object, const char *key, uint32_t number)
{
    put(object, key, json_sprintf("0x%" PRIx32, number));
}

static void put_element(struct object *object, uint32_t type, uint64_t bits)
{
    char text[TOPK_ELEMENT_TEXT];
    char hex[TOPK_TEXT_BITS];
    topk_element_print(type, bits, text);
    topk_text_bits(type, bits, hex);
    put_text(object, "value", text);
    put_text(object, "bits", hex);
}

static json_t *element_json(uint32_t type, uint64_t bits)
{
    struct object object = object_new();
    put_element(&object, type, bits);
    return object_take(&object);
}

/* appends to an array; false if either is NULL */
static bool add(json_t *array, json_t *item)
{
    return json_array_append_new(array, item) == 0;
}

/* the array, or NULL if it is not whole */
static json_t *array_take(json_t *array, bool ok)
{
    if (!ok) {
        json_decref(array);
        return NULL;
    }
    return array;
}

/* ---- records --------------------------------------------------------------------------------- */

static json_t *backend_json(const struct topk_log_backend *backend)
{
    struct object object = object_new();
    put_text(&object, "spec", backend->spec);
    put_text(&object, "worker", backend->worker);
    put_text(&object, "name", backend->name);
    put_text(&object, "version", backend->version);
    put_text(&object, "device", backend->device);
    put_text(&object, "driver", backend->driver);
    put_text(&object, "features", backend->features);
    put_hex(&object, "level", backend->level);
    put_hex(&object, "flags", backend->flags);
    return object_take(&object);
}

static json_t *selections_json(const struct topk_log_header *header)
{
    json_t *array = json_array();
    bool ok = true;
    for (size_t i = 0; i < header->selection_count; i++) {
        ok = add(array, text_json(header->selections[i])) && ok;
    }
    return array_take(array, ok);
}

json_t *topk_record_header(const struct topk_log_header *header)
{
    struct object object = object_new();
    put_text(&object, "record", "header");
    put_number(&object, "format", TOPK_LOG_FORMAT);
    put_text(&object, "suite", header->suite);
    put_text(&object, "profile", header->profile);
    put_number(&object, "profile_version", header->profile_version);
    put_text(&object, "profile_digest", header->profile_digest);
    put(&object, "selections", selections_json(header));
    put_hex(&object, "level", header->level);
    put_number(&object, "seed", header->seed);
    put(&object, "timeout", json_real(header->timeout));
    put_number(&object, "cases", header->cases);
    put_text(&object, "started", header->started);
    put_text(&object, "replay", header->replay);
    put(&object, "backend", backend_json(&header->backend));
    put_said(&object, "revision", header->revision);
    put_said(&object, "chaos", header->chaos);
    put_said(&object, "expectations", header->expectations);
    return object_take(&object);
}

static json_t *observations_json(uint32_t observations)
{
    json_t *array = json_array();
    bool ok = true;
    for (int i = 0; i < TOPK_OBSERVATION_COUNT; i++) {
        if (observations >> i & 1) {
            const struct topk_observation_row *row = topk_observation_row((enum topk_observation)i);
            struct object object = object_new();
            put_text(&object, "clause", topk_clause_id(row->clause));
            put_text(&object, "word", row->word);
            ok = add(array, object_take(&object)) && ok;
        }
    }
    return array_take(array, ok);
}

static json_t *coordinates_json(const struct topk_finding *finding)
{
    json_t *array = json_array();
    bool ok = true;
    for (uint32_t i = 0; i < finding->rank && i < TOPK_RANK_VALID; i++) {
        ok = add(array, json_integer(finding->at[i])) && ok;
    }
    return array_take(array, ok);
}

static void put_place(struct object *object, const struct topk_finding *finding)
{
    put_text(object, "tensor", topk_role_name(finding->role));
    if (finding->rank == 0) {
        put(object, "byte", json_integer(finding->byte));
    } else {
        put(object, "at", coordinates_json(finding));
    }
}

static json_t *finding_json(const struct topk_finding *finding, uint32_t type, uint32_t index_type)
{
    struct object object = object_new();
    char text[TOPK_FINDING_TEXT];
    put_text(&object, "clause", topk_clause_id(finding->clause));
    put_text(&object, "mismatch", topk_mismatch_row(finding->mismatch)->word);
    if (topk_finding_has_values(finding)) {
        uint32_t own_type = topk_finding_type(finding, type, index_type);
        put_place(&object, finding);
        put(&object, "expected", element_json(own_type, finding->expected));
        put(&object, "actual", element_json(own_type, finding->actual));
    }
    put_number(&object, "count", finding->count);
    topk_finding_place(finding, text, sizeof text);
    put_text(&object, "place", text);
    topk_finding_sentence(finding, type, index_type, text, sizeof text);
    put_text(&object, "sentence", text);
    return object_take(&object);
}

static json_t *findings_json(const struct topk_judgement *judgement, uint32_t type,
                             uint32_t index_type)
{
    json_t *array = json_array();
    bool ok = true;
    for (uint32_t i = 0; i < judgement->count; i++) {
        ok = add(array, finding_json(&judgement->findings[i], type, index_type)) && ok;
    }
    return array_take(array, ok);
}

static json_t *outputs_json(const struct topk_result *result, uint32_t type)
{
    json_t *array = json_array();
    bool ok = true;
    for (uint32_t i = 0; i < result->window_count; i++) {
        struct object object = object_new();
        put_element(&object, type, result->window_values[i]);
        put_number(&object, "index", result->window_indices[i]);
        ok = add(array, object_take(&object)) && ok;
    }
    return array_take(array, ok);
}

static json_t *window_json(const struct topk_result *result, uint32_t type)
{
    struct object object = object_new();
    put_number(&object, "from", result->window_from);
    put(&object, "outputs", outputs_json(result, type));
    return object_take(&object);
}

json_t *topk_record_case(uint64_t number, const char *id, uint32_t type, uint32_t index_type,
                         const struct topk_result *result)
{
    const struct topk_judgement *judgement = &result->judgement;
    struct object object = object_new();
    put_text(&object, "record", "case");
    put_number(&object, "number", number);
    put_text(&object, "id", id);
    put_text(&object, "verdict", topk_verdict_word(result->verdict));
    if (result->clause != TOPK_CLAUSE_NONE) {
        put_text(&object, "clause", topk_clause_id(result->clause));
    }
    put_number(&object, "nanoseconds", result->nanoseconds);
    if (judgement->observations != 0) {
        put(&object, "observations", observations_json(judgement->observations));
    }
    if (judgement->count != 0) {
        put(&object, "findings", findings_json(judgement, type, index_type));
    }
    if (judgement->has_sequence) {
        put_number(&object, "sequence", judgement->sequence);
        put_number(&object, "position", judgement->position);
    }
    if (result->window_count != 0) {
        put(&object, "window", window_json(result, type));
    }
    if (result->reading != TOPK_READING_NONE) {
        put_text(&object, "cause", topk_reading_row(result->reading)->sentence);
    }
    if (result->reason[0] != 0) {
        put_text(&object, "reason", result->reason);
    }
    return object_take(&object);
}

json_t *topk_record_waived(json_t *record, enum topk_verdict verdict, uint32_t line)
{
    struct object object = {record, record != NULL};
    struct object expectation = object_new();
    put_number(&expectation, "line", line);
    put_text(&expectation, "verdict", topk_verdict_word(verdict));
    put(&object, "expectation", object_take(&expectation));
    return object_take(&object);
}

json_t *topk_record_probe(const struct topk_probe *probe)
{
    struct object object = object_new();
    put_text(&object, "record", "probe");
    put_text(&object, "name", probe->name);
    put_text(&object, "verdict", topk_probe_verdict_word(probe->verdict));
    put_text(&object, "value", probe->value);
    put_text(&object, "detail", probe->detail);
    return object_take(&object);
}

static json_t *totals_json(const uint64_t totals[TOPK_VERDICT_COUNT])
{
    struct object object = object_new();
    for (int i = 0; i < TOPK_VERDICT_COUNT; i++) {
        put_number(&object, topk_verdict_word((enum topk_verdict)i), totals[i]);
    }
    return object_take(&object);
}

json_t *topk_record_end(bool complete, const uint64_t totals[TOPK_VERDICT_COUNT])
{
    struct object object = object_new();
    put_text(&object, "record", "end");
    put(&object, "complete", json_boolean(complete));
    put(&object, "totals", totals_json(totals));
    return object_take(&object);
}
