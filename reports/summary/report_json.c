/* Writes a run's summary as one JSON object; reports/schema/report.def lists its members. */
#include <jansson.h>
#include <string.h>

#include "run_json.h"
#include "summary.h"
#include "trace_json.h"

/* ---- the run --------------------------------------------------------------------------------- */

static json_t *run_json(const struct topk_summary *summary)
{
    struct topk_object object = topk_object_new();
    topk_object_facts(&object, summary->facts, summary->started);
    topk_object_text(&object, "replay", summary->replay);
    topk_object_number(&object, "seed", summary->seed);
    topk_object_number(&object, "selected", summary->selected);
    topk_object_number(&object, "recorded", summary->recorded);
    return topk_object_take(&object);
}

static json_t *broken_json(const struct topk_summary *summary)
{
    struct topk_array array = topk_array_new();
    for (int i = 0; i < TOPK_CLAUSE_COUNT; i++) {
        if (summary->clauses[i].failing > 0) {
            topk_array_add(&array, topk_text_json(topk_clause_id((enum topk_clause)i)));
        }
    }
    return topk_array_take(&array);
}

/* ---- examples -------------------------------------------------------------------------------- */

static json_t *findings_json(const struct topk_example *example)
{
    struct topk_array array = topk_array_new();
    for (size_t i = 0; i < example->finding_count; i++) {
        const struct topk_example_finding *finding = &example->findings[i];
        struct topk_object object = topk_object_new();
        topk_object_text(&object, "clause", topk_clause_id(finding->clause));
        topk_object_text(&object, "place", finding->place);
        topk_object_text(&object, "sentence", finding->sentence);
        topk_object_text(&object, "expected", finding->expected);
        topk_object_text(&object, "actual", finding->actual);
        topk_object_number(&object, "count", finding->count);
        topk_array_add(&array, topk_object_take(&object));
    }
    return topk_array_take(&array);
}

static json_t *output_json(const char *value, const char *bits, uint64_t index)
{
    struct topk_object object = topk_object_new();
    topk_object_text(&object, "value", value);
    topk_object_text(&object, "bits", bits);
    topk_object_number(&object, "index", index);
    return topk_object_take(&object);
}

static json_t *outputs_json(const struct topk_example *example)
{
    struct topk_array array = topk_array_new();
    for (size_t i = 0; i < example->window_count; i++) {
        const struct topk_example_output *actual = &example->window[i];
        struct topk_object object = topk_object_new();
        topk_object_number(&object, "position", (uint64_t)example->window_from + i);
        if (i < example->expected.count) {
            const struct topk_expected_output *expected = &example->expected.outputs[i];
            topk_object_put(&object, "expected",
                            output_json(expected->value, expected->bits, expected->index));
            topk_object_flag(&object, "differs",
                             strcmp(expected->bits, actual->bits) != 0 ||
                                 expected->index != actual->index);
        }
        topk_object_put(&object, "actual", output_json(actual->value, actual->bits, actual->index));
        topk_array_add(&array, topk_object_take(&object));
    }
    return topk_array_take(&array);
}

/* Writes a crash as in the log, and in words. */
static json_t *crash_json(const struct topk_crash *crash)
{
    struct topk_object object = {topk_crash_json(crash), true};
    struct topk_array trace = topk_array_new();
    char text[TOPK_CRASH_TEXT];
    object.ok = object.json != NULL;
    topk_crash_signal_print(crash, text);
    topk_object_text(&object, "sentence", text);
    for (uint32_t i = 0; i < crash->frame_count; i++) {
        topk_crash_frame_print(&crash->frames[i], text);
        topk_array_add(&trace, topk_text_json(text));
    }
    topk_object_put(&object, "trace", topk_array_take(&trace));
    return topk_object_take(&object);
}

static void put_example(struct topk_object *object, const struct topk_summary *summary,
                        const struct topk_example *example)
{
    topk_object_text(object, "id", example->id);
    topk_object_text(object, "reason", example->reason);
    topk_object_text(object, "runs", example->runs);
    if (example->crash != NULL) {
        topk_object_put(object, "crash", crash_json(example->crash));
    }
    topk_object_put(object, "findings", findings_json(example));
    if (example->has_sequence) {
        topk_object_number(object, "sequence", example->sequence);
        topk_object_number(object, "position", example->position);
        topk_object_flag(object, "one-of", example->expected.one_of);
        topk_object_put(object, "outputs", outputs_json(example));
    }
    topk_object_replay(object, summary->replay, example->id);
}

static json_t *examples_json(const struct topk_summary *summary, const struct topk_group *group)
{
    struct topk_array array = topk_array_new();
    for (size_t i = 0; i < group->example_count; i++) {
        const struct topk_example *example = &group->examples[i];
        struct topk_object object = topk_object_new();
        topk_object_number(&object, "number", example->number);
        put_example(&object, summary, example);
        topk_array_add(&array, topk_object_take(&object));
    }
    return topk_array_take(&array);
}

static json_t *shrunk_json(const struct topk_summary *summary, const struct topk_group *group)
{
    struct topk_array array = topk_array_new();
    for (size_t i = 0; i < group->shrunk_count; i++) {
        const struct topk_shrunk_example *shrunk = &summary->shrunk[group->shrunk[i]];
        struct topk_object object = topk_object_new();
        put_example(&object, summary, &shrunk->example);
        topk_object_flag(&object, "minimal", shrunk->minimal);
        topk_array_add(&array, topk_object_take(&object));
    }
    return topk_array_take(&array);
}

static json_t *again_json(const struct topk_summary *summary)
{
    struct topk_object object = topk_object_new();
    char sentence[TOPK_SUMMARY_AGAIN];
    for (int i = 0; i < TOPK_AGAIN_COUNT; i++) {
        topk_object_number(&object, topk_again_word((enum topk_again_kind)i), summary->again[i]);
    }
    topk_object_number(&object, "not", summary->once);
    topk_summary_again(summary, sentence);
    topk_object_text(&object, "sentence", sentence);
    return topk_object_take(&object);
}

/* ---- bugs ------------------------------------------------------------------------------------ */

static json_t *fresh_json(const struct topk_bug *bug)
{
    char sentence[TOPK_BUG_FRESH];
    struct topk_object object = topk_object_new();
    topk_object_number(&object, "inside", bug->fresh_inside);
    topk_object_number(&object, "failed", bug->fresh_failed);
    topk_object_number(&object, "beside", bug->fresh_beside);
    topk_bug_fresh_print(bug, sentence);
    topk_object_text(&object, "sentence", sentence);
    return topk_object_take(&object);
}

/* Lists the numbers of the causes that share cases with the bug. */
static json_t *causes_of(const struct topk_summary *summary, const struct topk_entry *entry)
{
    struct topk_array array = topk_array_new();
    for (size_t i = 0; i < summary->group_count; i++) {
        if (summary->groups[summary->order[i]].entry == entry) {
            topk_array_add(&array, json_integer((json_int_t)i + 1));
        }
    }
    return topk_array_take(&array);
}

static json_t *bugs_json(const struct topk_summary *summary)
{
    struct topk_array array = topk_array_new();
    for (size_t i = 0; i < summary->entries.count; i++) {
        const struct topk_entry *entry = &summary->entries.list[i];
        struct topk_object object = topk_object_new();
        struct topk_object smallest = topk_object_new();
        char condition[TOPK_CONDITION_TEXT];
        char sentence[TOPK_BUG_TEXT];
        char about[TOPK_CONDITION_ABOUT];
        char order[TOPK_ENTRY_ORDER];
        char cause[TOPK_ENTRY_CAUSE];
        topk_entry_order(entry, order);
        topk_condition_about(&entry->bug.condition, about);
        topk_condition_print(&entry->bug.condition, condition);
        topk_bug_print(&entry->bug, sentence);
        topk_entry_cause(entry, cause);
        topk_object_text(&smallest, "id", entry->id);
        topk_object_replay(&smallest, summary->replay, entry->id);
        topk_object_text(&object, "condition", condition);
        topk_object_text(&object, "sentence", sentence);
        topk_object_text(&object, "about", about);
        topk_object_number(&object, "count", entry->count);
        topk_object_number(&object, "inside", entry->bug.inside);
        topk_object_number(&object, "outside", entry->bug.outside);
        topk_object_put(&object, "fresh", fresh_json(&entry->bug));
        topk_object_text(&object, "order", order);
        topk_object_text(&object, "verdict", topk_verdict_word(entry->verdict));
        if (entry->clause < TOPK_CLAUSE_COUNT) {
            topk_object_text(&object, "clause", topk_clause_id(entry->clause));
        }
        topk_object_text(&object, "cause", cause);
        topk_object_flag(&object, "guess", cause[0] != 0 && entry->guess);
        topk_object_put(&object, "example", topk_object_take(&smallest));
        topk_object_put(&object, "causes", causes_of(summary, entry));
        topk_array_add(&array, topk_object_take(&object));
    }
    return topk_array_take(&array);
}

/* ---- causes ---------------------------------------------------------------------------------- */

static json_t *causes_json(const struct topk_summary *summary)
{
    struct topk_array array = topk_array_new();
    for (size_t i = 0; i < summary->group_count; i++) {
        const struct topk_group *group = &summary->groups[summary->order[i]];
        struct topk_object object = topk_object_new();
        topk_object_number(&object, "number", i + 1);
        topk_object_text(&object, "verdict", topk_verdict_word(group->verdict));
        topk_object_flag(&object, "failure", topk_verdict_failure(group->verdict));
        if (group->clause < TOPK_CLAUSE_COUNT) {
            const struct topk_clause_row *row = topk_clause_row(group->clause);
            topk_object_text(&object, "clause", row->id);
            topk_object_text(&object, "grade", topk_grade_name(row->grade));
            topk_object_text(&object, "promise", row->sentence);
        }
        topk_object_text(&object, "cause", group->cause);
        if (group->entry != NULL) {
            topk_object_number(&object, "bug",
                               (uint64_t)(group->entry - summary->entries.list) + 1);
        }
        topk_object_number(&object, "count", group->count);
        topk_object_put(&object, "shrunk", shrunk_json(summary, group));
        topk_object_put(&object, "examples", examples_json(summary, group));
        topk_array_add(&array, topk_object_take(&object));
    }
    return topk_array_take(&array);
}

/* ---- what was seen --------------------------------------------------------------------------- */

static json_t *probes_json(const struct topk_summary *summary)
{
    struct topk_array array = topk_array_new();
    for (size_t i = 0; i < summary->probe_count; i++) {
        const struct topk_probe *probe = &summary->probes[i];
        struct topk_object object = topk_object_new();
        topk_object_text(&object, "name", probe->name);
        topk_object_text(&object, "verdict", topk_probe_verdict_word(probe->verdict));
        topk_object_flag(&object, "finding", topk_probe_verdict_finding(probe->verdict));
        topk_object_text(&object, "value", probe->value);
        topk_object_text(&object, "detail", probe->detail);
        topk_array_add(&array, topk_object_take(&object));
    }
    return topk_array_take(&array);
}

static void add_cells(struct topk_array *array, const struct topk_summary *summary,
                      enum topk_heat heat)
{
    enum topk_facet row;
    enum topk_facet column;
    topk_heat_facets(heat, &row, &column);
    const char *const *rows = summary->lookup->classes(row);
    const char *const *columns = summary->lookup->classes(column);
    for (size_t i = 0; rows[i] != NULL; i++) {
        for (size_t j = 0; columns[j] != NULL; j++) {
            const struct topk_heat_cell *cell = &summary->heat[heat][i][j];
            if (cell->cases > 0) {
                struct topk_object object = topk_object_new();
                topk_object_text(&object, topk_facet_name(row), rows[i]);
                topk_object_text(&object, topk_facet_name(column), columns[j]);
                topk_object_number(&object, "cases", cell->cases);
                topk_object_number(&object, "failures", cell->failures);
                topk_object_number(&object, "unsupported", cell->unsupported);
                topk_array_add(array, topk_object_take(&object));
            }
        }
    }
}

static json_t *facets_json(const struct topk_summary *summary)
{
    struct topk_array array = topk_array_new();
    for (int i = 0; i < TOPK_FACET_COUNT; i++) {
        struct topk_object object = topk_object_new();
        struct topk_array classes = topk_array_new();
        const char *const *class = summary->lookup->classes((enum topk_facet)i);
        for (; *class != NULL; class ++) {
            topk_array_add(&classes, topk_text_json(*class));
        }
        topk_object_text(&object, "name", topk_facet_name((enum topk_facet)i));
        topk_object_text(&object, "title", topk_facet_title((enum topk_facet)i));
        topk_object_put(&object, "classes", topk_array_take(&classes));
        topk_array_add(&array, topk_object_take(&object));
    }
    return topk_array_take(&array);
}

static json_t *maps_json(const struct topk_summary *summary)
{
    struct topk_array array = topk_array_new();
    for (int i = 0; i < TOPK_HEAT_COUNT; i++) {
        struct topk_array cells = topk_array_new();
        add_cells(&cells, summary, (enum topk_heat)i);
        topk_array_add(&array, topk_array_take(&cells));
    }
    return topk_array_take(&array);
}

static json_t *buckets_json(const struct topk_summary *summary)
{
    struct topk_array array = topk_array_new();
    for (unsigned i = 0; i < TOPK_TIME_BUCKETS; i++) {
        struct topk_object object = topk_object_new();
        topk_object_number(&object, "below", (uint64_t)topk_time_limit(i));
        topk_object_number(&object, "cases", summary->times[i]);
        topk_array_add(&array, topk_object_take(&object));
    }
    return topk_array_take(&array);
}

static json_t *slow_json(const struct topk_summary *summary)
{
    struct topk_array array = topk_array_new();
    for (size_t i = 0; i < summary->slow_count; i++) {
        struct topk_object object = topk_object_new();
        topk_object_number(&object, "nanoseconds", summary->slowest[i].nanoseconds);
        topk_object_number(&object, "number", summary->slowest[i].number);
        topk_object_text(&object, "id", summary->slowest[i].id);
        topk_array_add(&array, topk_object_take(&object));
    }
    return topk_array_take(&array);
}

static json_t *times_json(const struct topk_summary *summary)
{
    static const struct {
        const char *name;
        double share;
    } quantiles[] = {
        {"half-below", 0.5}, {"90%-below", 0.9}, {"99%-below", 0.99}, {"all-below", 1}};
    struct topk_object object = topk_object_new();
    topk_object_number(&object, "total", summary->nanoseconds);
    for (size_t i = 0; summary->recorded > 0 && i < sizeof quantiles / sizeof quantiles[0]; i++) {
        unsigned bucket = topk_summary_quantile(summary, quantiles[i].share);
        topk_object_number(&object, quantiles[i].name, (uint64_t)topk_time_limit(bucket));
    }
    if (summary->slow_count > 0) {
        topk_object_number(&object, "slowest", summary->slowest[0].nanoseconds);
        topk_object_text(&object, "slowest-case", summary->slowest[0].id);
    }
    topk_object_put(&object, "slow", slow_json(summary));
    topk_object_put(&object, "buckets", buckets_json(summary));
    return topk_object_take(&object);
}

static json_t *gate_json(const struct topk_summary *summary)
{
    struct topk_object object = topk_object_new();
    struct topk_array required = topk_array_new();
    for (size_t i = 0; i < summary->gate.count; i++) {
        struct topk_object word = topk_object_new();
        topk_object_text(&word, "word", summary->gate.words[i]);
        topk_object_number(&word, "cases", summary->tested.required[i].cases);
        topk_object_number(&word, "lacking", summary->tested.required[i].lacking);
        topk_array_add(&required, topk_object_take(&word));
    }
    topk_object_number(&object, "least", summary->gate.least);
    topk_object_put(&object, "required", topk_array_take(&required));
    if (summary->gate.expired > 0) {
        topk_object_number(&object, "expired", summary->gate.expired);
    }
    return topk_object_take(&object);
}

json_t *topk_report_json(const struct topk_summary *summary)
{
    const enum topk_conformance conformance = topk_summary_conformance(summary);
    const bool believed = summary->judge == TOPK_JUDGE_APART;
    const struct topk_share share = topk_share_of(&summary->tested, summary->totals);
    char sentence[TOPK_SUMMARY_SENTENCE];
    char lead[TOPK_LEAD_TEXT];
    struct topk_object object = topk_object_new();
    topk_summary_sentence(summary, sentence, sizeof sentence);
    topk_summary_lead(summary, lead, sizeof lead);
    topk_object_number(&object, "format", TOPK_REPORT_FORMAT);
    topk_object_text(&object, "conformance", topk_conformance_words(conformance));
    topk_object_flag(&object, "good", topk_conformance_good(conformance));
    topk_object_text(&object, "sentence", sentence);
    topk_object_text(&object, "lead", lead);
    topk_object_put(&object, "share", topk_share_json(&share));
    topk_object_put(&object, "gate", gate_json(summary));
    if (!topk_contract_plain(&summary->contract)) {
        topk_object_put(&object, "contract", topk_contract_json(&summary->contract));
    }
    topk_object_text(&object, "judged", believed ? "" : topk_judge_phrase(summary->judge));
    topk_object_flag(&object, "complete", summary->complete);
    topk_object_flag(&object, "cut", summary->cut);
    if (summary->early.by != TOPK_EARLY_NOT) {
        topk_object_put(&object, "early", topk_early_json(&summary->early));
    }
    topk_object_flag(&object, "whole", summary->whole);
    topk_object_text(&object, "backend", topk_name_shown(summary->facts[TOPK_FACT_BACKEND]));
    char tested[TOPK_PART_WORDS];
    topk_identity_brief(&summary->parts, tested, sizeof tested);
    topk_object_text(&object, "tested", tested);
    topk_object_put(&object, "parts", topk_identity_json(&summary->parts));
    topk_object_put(&object, "run", run_json(summary));
    topk_object_put(&object, "totals", topk_totals_json(summary->totals));
    topk_object_put(&object, "again", again_json(summary));
    topk_object_put(&object, "processes", topk_processes_json(&summary->tested));
    topk_object_number(&object, "by-status", summary->tested.by_status);
    topk_object_put(&object, "clauses", topk_clauses_json(summary));
    topk_object_put(&object, "sentences", topk_sentences_json(summary));
    topk_object_put(&object, "documents", topk_documents_json());
    topk_object_put(&object, "broken", broken_json(summary));
    topk_object_put(&object, "bugs", bugs_json(summary));
    topk_object_put(&object, "causes", causes_json(summary));
    topk_object_put(&object, "observations", topk_observations_json(summary, TOPK_CLAUSE_NONE));
    topk_object_put(&object, "probes", probes_json(summary));
    topk_object_number(&object, "probe-findings", summary->probe_findings);
    topk_object_put(&object, "facets", facets_json(summary));
    topk_object_put(&object, "maps", maps_json(summary));
    topk_object_put(&object, "sizes", topk_sizes_json(&summary->sizes));
    topk_object_put(&object, "times-by-n", topk_size_times_json(&summary->sizes));
    if (summary->lookup->earlier != NULL) {
        topk_object_put(&object, "against", topk_earlier_json(summary->lookup->earlier));
    }
    topk_object_put(&object, "times", times_json(summary));
    return topk_object_take(&object);
}

bool topk_json_write(FILE *out, const struct topk_summary *summary)
{
    return topk_json_print(out, topk_report_json(summary));
}
