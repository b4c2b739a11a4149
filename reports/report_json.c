/* A run's summary as one JSON object, for programs. What it holds:
 *
 *   conformance, good, sentence   the verdict: "NOT CONFORMANT", false, "65 of 20197 cases failed"
 *   complete, cut                 by the log's end record; its last line was cut
 *   run                           who answered, what was asked: facts of the header by name
 *   totals                        cases by verdict
 *   clauses                       each with id, grade, sentence and the cases that failed it
 *   causes                        what did not pass, by cause, failures first, with examples
 *   observations, probes          what was seen
 *   maps                          cases and failures over two facets: see docs/reports.md
 *   times                         of cases, in nanoseconds
 *
 * A whole number above 2^63-1 is a string of its digits. */
#include <inttypes.h>
#include <jansson.h>
#include <string.h>

#include "report_text.h"

/* An object under construction; once something is wrong (memory is short) it stays wrong. */
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

static void put(struct object *object, const char *key, json_t *value)
{
    object->ok = json_object_set_new(object->json, key, value) == 0 && object->ok;
}

static void put_text(struct object *object, const char *key, const char *text)
{
    put(object, key, json_string(text));
}

static void put_number(struct object *object, const char *key, uint64_t number)
{
    put(object, key,
        number <= INT64_MAX ? json_integer((json_int_t)number) : json_sprintf("%" PRIu64, number));
}

static void put_flag(struct object *object, const char *key, bool flag)
{
    put(object, key, json_boolean(flag));
}

/* an array under construction, likewise */
struct array {
    json_t *json;
    bool ok;
};

static struct array array_new(void)
{
    json_t *json = json_array();
    return (struct array){json, json != NULL};
}

static void add(struct array *array, json_t *item)
{
    array->ok = json_array_append_new(array->json, item) == 0 && array->ok;
}

static json_t *array_take(struct array *array)
{
    if (!array->ok) {
        json_decref(array->json);
        array->json = NULL;
    }
    return array->json;
}

/* ---- the run --------------------------------------------------------------------------------- */

static json_t *run_json(const struct topk_summary *summary)
{
    struct object object = object_new();
    for (int i = 0; i < TOPK_FACT_COUNT; i++) {
        put_text(&object, topk_fact_name((enum topk_fact)i), summary->facts[i]);
    }
    put_text(&object, "started", summary->started);
    put_text(&object, "replay", summary->replay);
    put_number(&object, "seed", summary->seed);
    put_number(&object, "selected", summary->selected);
    put_number(&object, "recorded", summary->recorded);
    return object_take(&object);
}

static json_t *totals_json(const struct topk_summary *summary)
{
    struct object object = object_new();
    for (int i = 0; i < TOPK_VERDICT_COUNT; i++) {
        put_number(&object, topk_verdict_word((enum topk_verdict)i), summary->totals[i]);
    }
    return object_take(&object);
}

static json_t *clauses_json(const struct topk_summary *summary)
{
    struct array array = array_new();
    for (int i = 0; i < TOPK_CLAUSE_COUNT; i++) {
        const struct topk_clause_row *row = topk_clause_row((enum topk_clause)i);
        struct object object = object_new();
        put_text(&object, "id", row->id);
        put_text(&object, "grade", topk_grade_name(row->grade));
        put_text(&object, "sentence", row->sentence);
        put_number(&object, "failing", summary->clauses[i]);
        add(&array, object_take(&object));
    }
    return array_take(&array);
}

/* ---- causes ---------------------------------------------------------------------------------- */

static json_t *findings_json(const struct topk_example *example)
{
    struct array array = array_new();
    for (size_t i = 0; i < example->finding_count; i++) {
        const struct topk_example_finding *finding = &example->findings[i];
        struct object object = object_new();
        put_text(&object, "clause", topk_clause_id(finding->clause));
        put_text(&object, "place", finding->place);
        put_text(&object, "sentence", finding->sentence);
        put_text(&object, "expected", finding->expected);
        put_text(&object, "actual", finding->actual);
        put_number(&object, "count", finding->count);
        add(&array, object_take(&object));
    }
    return array_take(&array);
}

static json_t *output_json(const char *value, const char *bits, uint64_t index)
{
    struct object object = object_new();
    put_text(&object, "value", value);
    put_text(&object, "bits", bits);
    put_number(&object, "index", index);
    return object_take(&object);
}

static json_t *outputs_json(const struct topk_example *example)
{
    struct array array = array_new();
    for (size_t i = 0; i < example->window_count; i++) {
        const struct topk_example_output *actual = &example->window[i];
        struct object object = object_new();
        put_number(&object, "position", (uint64_t)example->window_from + i);
        if (i < example->expected.count) {
            put(&object, "expected",
                output_json(example->expected.outputs[i].value, example->expected.outputs[i].bits,
                            example->expected.outputs[i].index));
        }
        put(&object, "actual", output_json(actual->value, actual->bits, actual->index));
        add(&array, object_take(&object));
    }
    return array_take(&array);
}

static json_t *examples_json(const struct topk_group *group)
{
    struct array array = array_new();
    for (size_t i = 0; i < group->example_count; i++) {
        const struct topk_example *example = &group->examples[i];
        struct object object = object_new();
        put_number(&object, "number", example->number);
        put_text(&object, "id", example->id);
        put_text(&object, "reason", example->reason);
        put(&object, "findings", findings_json(example));
        if (example->has_sequence) {
            put_number(&object, "sequence", example->sequence);
            put(&object, "outputs", outputs_json(example));
        }
        add(&array, object_take(&object));
    }
    return array_take(&array);
}

static json_t *causes_json(const struct topk_summary *summary)
{
    struct array array = array_new();
    for (size_t i = 0; i < summary->group_count; i++) {
        const struct topk_group *group = &summary->groups[summary->order[i]];
        struct object object = object_new();
        put_text(&object, "verdict", topk_verdict_word(group->verdict));
        put_flag(&object, "failure", topk_verdict_failure(group->verdict));
        if (group->clause < TOPK_CLAUSE_COUNT) {
            put_text(&object, "clause", topk_clause_id(group->clause));
        }
        put_text(&object, "cause", group->cause);
        put_number(&object, "count", group->count);
        put(&object, "examples", examples_json(group));
        add(&array, object_take(&object));
    }
    return array_take(&array);
}

/* ---- what was seen --------------------------------------------------------------------------- */

static json_t *observations_json(const struct topk_summary *summary)
{
    struct array array = array_new();
    for (int i = 0; i < TOPK_OBSERVATION_COUNT; i++) {
        const struct topk_observation_row *row = topk_observation_row((enum topk_observation)i);
        if (summary->observations[i] > 0) {
            struct object object = object_new();
            put_text(&object, "clause", topk_clause_id(row->clause));
            put_text(&object, "word", row->word);
            put_text(&object, "of", row->of == TOPK_OBSERVATION_OF_DEVICE ? "device" : "backend");
            put_number(&object, "count", summary->observations[i]);
            add(&array, object_take(&object));
        }
    }
    return array_take(&array);
}

static json_t *probes_json(const struct topk_summary *summary)
{
    struct array array = array_new();
    for (size_t i = 0; i < summary->probe_count; i++) {
        const struct topk_probe *probe = &summary->probes[i];
        struct object object = object_new();
        put_text(&object, "name", probe->name);
        put_text(&object, "verdict", topk_probe_verdict_word(probe->verdict));
        put_flag(&object, "finding", topk_probe_verdict_finding(probe->verdict));
        put_text(&object, "value", probe->value);
        put_text(&object, "detail", probe->detail);
        add(&array, object_take(&object));
    }
    return array_take(&array);
}

static void add_cells(struct array *array, const struct topk_summary *summary, enum topk_heat heat)
{
    enum topk_facet row;
    enum topk_facet column;
    topk_heat_facets(heat, &row, &column);
    const char *const *rows = summary->expert->classes(row);
    const char *const *columns = summary->expert->classes(column);
    for (size_t i = 0; rows[i] != NULL; i++) {
        for (size_t j = 0; columns[j] != NULL; j++) {
            const struct topk_heat_cell *cell = &summary->heat[heat][i][j];
            if (cell->cases > 0) {
                struct object object = object_new();
                put_text(&object, topk_facet_name(row), rows[i]);
                put_text(&object, topk_facet_name(column), columns[j]);
                put_number(&object, "cases", cell->cases);
                put_number(&object, "failures", cell->failures);
                put_number(&object, "unsupported", cell->unsupported);
                add(array, object_take(&object));
            }
        }
    }
}

static json_t *maps_json(const struct topk_summary *summary)
{
    struct array array = array_new();
    for (int i = 0; i < TOPK_HEAT_COUNT; i++) {
        struct array cells = array_new();
        add_cells(&cells, summary, (enum topk_heat)i);
        add(&array, array_take(&cells));
    }
    return array_take(&array);
}

static json_t *times_json(const struct topk_summary *summary)
{
    struct object object = object_new();
    put_number(&object, "total", summary->nanoseconds);
    if (summary->recorded > 0) {
        put_number(&object, "half-below",
                   (uint64_t)topk_time_limit(topk_summary_quantile(summary, 0.5)));
        put_number(&object, "99%-below",
                   (uint64_t)topk_time_limit(topk_summary_quantile(summary, 0.99)));
    }
    if (summary->slow_count > 0) {
        put_number(&object, "slowest", summary->slowest[0].nanoseconds);
        put_text(&object, "slowest-case", summary->slowest[0].id);
    }
    return object_take(&object);
}

bool topk_json_write(FILE *out, const struct topk_summary *summary)
{
    enum topk_conformance conformance = topk_summary_conformance(summary);
    char sentence[TOPK_SUMMARY_SENTENCE];
    struct object object = object_new();
    topk_summary_sentence(summary, sentence, sizeof sentence);
    put_text(&object, "conformance", topk_conformance_words(conformance));
    put_flag(&object, "good", topk_conformance_good(conformance));
    put_text(&object, "sentence", sentence);
    put_flag(&object, "complete", summary->complete);
    put_flag(&object, "cut", summary->cut);
    put(&object, "run", run_json(summary));
    put(&object, "totals", totals_json(summary));
    put(&object, "clauses", clauses_json(summary));
    put(&object, "causes", causes_json(summary));
    put(&object, "observations", observations_json(summary));
    put(&object, "probes", probes_json(summary));
    put(&object, "maps", maps_json(summary));
    put(&object, "times", times_json(summary));
    json_t *json = object_take(&object);
    bool ok = json != NULL;
    if (ok) {
        json_dumpf(json, out, JSON_INDENT(1)); /* a failed write the stream tells */
        fputc('\n', out);
    }
    json_decref(json);
    return ok;
}
