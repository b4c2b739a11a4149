/* Writes a run's summary as SARIF 2.1.0 (OASIS): a rule for each clause and for each verdict
 * without a clause, and a result for each group of failures, with a suppression if the group is
 * waived. */
#include <stdlib.h>
#include <string.h>

#include "log/log.h"
#include "reference/sentence.h"
#include "report.h"
#include "sha256/sha256.h"

/* ---- rules ----------------------------------------------------------------------------------- */

static json_t *message_json(const char *text)
{
    struct topk_object object = topk_object_new();
    char *shown = topk_text_xml(text); /* viewers show the text as it is */
    topk_object_put(&object, "text", shown == NULL ? NULL : json_string(shown));
    free(shown);
    return topk_object_take(&object);
}

/* Returns where a clause is documented. */
static char *help_of(enum topk_clause clause)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = topk_memory_stream(&text, &size);
    if (out == NULL) {
        return NULL;
    }
    const struct topk_clause_row *row = topk_clause_row(clause);
    fprintf(out, "%s (%s): %s\n", row->id, topk_grade_name(row->grade), row->sentence);
    for (size_t i = 0; i < topk_sentence_count; i++) {
        if (topk_sentence_leads(i, clause)) {
            const struct topk_sentence_row *sentence = topk_sentence_row(i);
            fprintf(out, "%s: %s\n", sentence->id, sentence->words);
        }
    }
    const char *follows = topk_trace_row(clause)->follows;
    fprintf(out, "%s%s", follows, follows[0] == 0 ? "" : "\n");
    return fclose(out) == 0 ? text : NULL;
}

static json_t *rule_json(const char *id, const char *sentence, const char *help, const char *grade)
{
    struct topk_object rule = topk_object_new();
    topk_object_text(&rule, "id", id);
    topk_object_put(&rule, "shortDescription", message_json(sentence));
    topk_object_put(&rule, "help", message_json(help));
    if (grade != NULL) {
        struct topk_object properties = topk_object_new();
        topk_object_text(&properties, "grade", grade);
        topk_object_put(&rule, "properties", topk_object_take(&properties));
    }
    return topk_object_take(&rule);
}

/* Lists the clauses by number, then the verdicts by number. */
static json_t *rules_json(void)
{
    struct topk_array rules = topk_array_new();
    for (int i = 0; i < TOPK_CLAUSE_COUNT; i++) {
        const struct topk_clause_row *row = topk_clause_row((enum topk_clause)i);
        char *help = help_of((enum topk_clause)i);
        topk_array_add(&rules,
                       rule_json(row->id, row->sentence, help, topk_grade_name(row->grade)));
        free(help);
    }
    static const char *const meanings[] = {
#define VERDICT(name, word, failure, meaning) meaning,
        TOPK_VERDICT_LIST(VERDICT)
#undef VERDICT
    };
    for (int i = 0; i < TOPK_VERDICT_COUNT; i++) {
        topk_array_add(&rules, rule_json(topk_verdict_word((enum topk_verdict)i), meanings[i],
                                         meanings[i], NULL));
    }
    return topk_array_take(&rules);
}

/* ---- results --------------------------------------------------------------------------------- */

/* A run has no source files, so the log is given as the file and the test as the logical
 * location. */
static json_t *locations_json(const struct topk_example *example)
{
    struct topk_object artifact = topk_object_new();
    struct topk_object physical = topk_object_new();
    struct topk_object location = topk_object_new();
    struct topk_array locations = topk_array_new();
    topk_object_text(&artifact, "uri", TOPK_LOG_NAME);
    topk_object_put(&physical, "artifactLocation", topk_object_take(&artifact));
    topk_object_put(&location, "physicalLocation", topk_object_take(&physical));
    const size_t length = example == NULL ? 0 : topk_id_test_length(example->id);
    if (length > 0) {
        struct topk_object logical = topk_object_new();
        struct topk_array logicals = topk_array_new();
        char *test = topk_text_make("%.*s", (int)length, example->id);
        topk_object_text(&logical, "fullyQualifiedName", test);
        free(test);
        topk_array_add(&logicals, topk_object_take(&logical));
        topk_object_put(&location, "logicalLocations", topk_array_take(&logicals));
    }
    topk_array_add(&locations, topk_object_take(&location));
    return topk_array_take(&locations);
}

/* The fingerprint is the same in every run that has this group. */
static json_t *fingerprints_json(const struct topk_group *group)
{
    struct topk_object object = topk_object_new();
    char digest[TOPK_SHA256_TEXT];
    char *key = topk_text_make("%s %s %s", topk_verdict_word(group->verdict),
                               topk_clause_id(group->clause), group->cause);
    if (key != NULL) {
        topk_sha256_print(key, strlen(key), digest);
    }
    topk_object_text(&object, "group/v1", key == NULL ? NULL : digest);
    free(key);
    return topk_object_take(&object);
}

static json_t *suppressions_json(void)
{
    struct topk_object object = topk_object_new();
    struct topk_array array = topk_array_new();
    topk_object_text(&object, "kind", "external");
    topk_object_text(&object, "justification", "declared by --expectations");
    topk_array_add(&array, topk_object_take(&object));
    return topk_array_take(&array);
}

/* Returns "fail S08, 12 cases: CAUSE"; NULL if memory ran out. */
static char *sentence_of(const struct topk_group *group)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = topk_memory_stream(&text, &size);
    if (out == NULL) {
        return NULL;
    }
    topk_group_print(out, group);
    return fclose(out) == 0 ? text : NULL;
}

static json_t *result_json(const struct topk_summary *summary, const struct topk_group *group)
{
    const bool clause = group->clause < TOPK_CLAUSE_COUNT;
    const struct topk_example *example = topk_group_smallest(summary, group);
    struct topk_object result = topk_object_new();
    struct topk_object properties = topk_object_new();
    char *sentence = sentence_of(group);
    topk_object_text(&result, "ruleId",
                     clause ? topk_clause_id(group->clause) : topk_verdict_word(group->verdict));
    topk_object_number(&result, "ruleIndex",
                       clause ? (uint64_t)group->clause
                              : TOPK_CLAUSE_COUNT + (uint64_t)group->verdict);
    topk_object_text(&result, "level", "error");
    topk_object_put(&result, "message", message_json(sentence));
    free(sentence);
    topk_object_put(&result, "locations", locations_json(example));
    topk_object_number(&result, "occurrenceCount", group->count);
    topk_object_put(&result, "partialFingerprints", fingerprints_json(group));
    if (group->verdict == TOPK_VERDICT_EXPECTED_FAIL) {
        topk_object_put(&result, "suppressions", suppressions_json());
    }
    topk_object_text(&properties, "verdict", topk_verdict_word(group->verdict));
    topk_object_text(&properties, "cause", group->cause);
    if (example != NULL) {
        topk_object_text(&properties, "case", example->id);
        topk_object_replay(&properties, summary->replay, example->id);
    }
    topk_object_put(&result, "properties", topk_object_take(&properties));
    return topk_object_take(&result);
}

static json_t *results_json(const struct topk_summary *summary)
{
    struct topk_array results = topk_array_new();
    for (size_t i = 0; i < summary->group_count; i++) {
        const struct topk_group *group = &summary->groups[summary->order[i]];
        if (topk_verdict_failure(group->verdict) || group->verdict == TOPK_VERDICT_EXPECTED_FAIL) {
            topk_array_add(&results, result_json(summary, group));
        }
    }
    return topk_array_take(&results);
}

/* ---- the run --------------------------------------------------------------------------------- */

static json_t *tool_json(const struct topk_summary *summary)
{
    struct topk_object driver = topk_object_new();
    struct topk_object tool = topk_object_new();
    topk_object_text(&driver, "name", "topk-cts");
    topk_object_text(&driver, "version", summary->facts[TOPK_FACT_SUITE]);
    topk_object_put(&driver, "rules", rules_json());
    topk_object_put(&tool, "driver", topk_object_take(&driver));
    return topk_object_take(&tool);
}

/* Returns whether a text is a time. An edited log may contain anything, but SARIF only allows a
 * time here. */
static bool is_time(const char *text)
{
    static const char form[] = "0000-00-00T00:00:00Z";
    for (size_t i = 0; i < sizeof form; i++) {
        const bool digit = text[i] >= '0' && text[i] <= '9';
        if (form[i] == '0' ? !digit : text[i] != form[i]) {
            return false;
        }
    }
    return true;
}

static json_t *invocations_json(const struct topk_summary *summary)
{
    struct topk_object object = topk_object_new();
    struct topk_array array = topk_array_new();
    topk_object_flag(&object, "executionSuccessful", summary->complete);
    if (is_time(summary->started)) {
        topk_object_text(&object, "startTimeUtc", summary->started);
    }
    topk_array_add(&array, topk_object_take(&object));
    return topk_array_take(&array);
}

static json_t *run_json(const struct topk_summary *summary)
{
    char lead[TOPK_LEAD_TEXT];
    char sentence[TOPK_SUMMARY_SENTENCE];
    struct topk_object run = topk_object_new();
    struct topk_object properties = topk_object_new();
    topk_summary_lead(summary, lead, sizeof lead);
    topk_summary_sentence(summary, sentence, sizeof sentence);
    topk_object_text(&properties, "lead", lead);
    topk_object_text(&properties, "sentence", sentence);
    topk_object_text(&properties, "judged", topk_judge_phrase(summary->judge));
    topk_object_facts(&properties, summary->facts, summary->started);
    topk_object_put(&run, "tool", tool_json(summary));
    topk_object_put(&run, "invocations", invocations_json(summary));
    topk_object_put(&run, "results", results_json(summary));
    topk_object_put(&run, "properties", topk_object_take(&properties));
    return topk_object_take(&run);
}

bool topk_sarif_write(FILE *out, const struct topk_summary *summary)
{
    struct topk_object object = topk_object_new();
    struct topk_array runs = topk_array_new();
    topk_object_text(&object, "version", "2.1.0");
    topk_object_text(&object, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    topk_array_add(&runs, run_json(summary));
    topk_object_put(&object, "runs", topk_array_take(&runs));
    return topk_json_print(out, topk_object_take(&object));
}
