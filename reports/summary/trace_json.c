/* Writes what a run says about clauses, and about the sentences they come from, as JSON: the
 * members `clauses', `sentences' and `documents' of a report. reports/schema/report.def lists their
 * members. */
#include "trace_json.h"

#include <string.h>

#include "reference/sentence.h"

/* Lists what was observed about a clause, or about all clauses if that is NONE. */
json_t *topk_observations_json(const struct topk_summary *summary, enum topk_clause clause)
{
    struct topk_array array = topk_array_new();
    for (int i = 0; i < TOPK_OBSERVATION_COUNT; i++) {
        const struct topk_observation_row *row = topk_observation_row((enum topk_observation)i);
        bool device = row->of == TOPK_OBSERVATION_OF_DEVICE;
        if (summary->observations[i] > 0 && (clause == TOPK_CLAUSE_NONE || clause == row->clause)) {
            struct topk_object object = topk_object_new();
            topk_object_text(&object, "clause", topk_clause_id(row->clause));
            topk_object_text(&object, "word", row->word);
            topk_object_text(&object, "of", device ? "device" : "backend");
            topk_object_flag(&object, "software", device && summary->software);
            topk_object_number(&object, "count", summary->observations[i]);
            topk_object_text(&object, "sentence", topk_clause_row(row->clause)->sentence);
            topk_array_add(&array, topk_object_take(&object));
        }
    }
    return topk_array_take(&array);
}

/* ---- clauses --------------------------------------------------------------------------------- */

static json_t *leading_json(enum topk_clause clause)
{
    struct topk_array array = topk_array_new();
    for (size_t i = 0; i < topk_sentence_count; i++) {
        if (topk_sentence_leads(i, clause)) {
            topk_array_add(&array, topk_text_json(topk_sentence_row(i)->id));
        }
    }
    return topk_array_take(&array);
}

static json_t *tests_json(const struct topk_summary *summary, enum topk_clause clause)
{
    struct topk_array array = topk_array_new();
    for (size_t i = 0; i < summary->by_test_count; i++) {
        const struct topk_test_count *count = &summary->by_test[i];
        if (count->cases[clause] > 0) {
            struct topk_object object = topk_object_new();
            topk_object_text(&object, "name", summary->tests.texts[i]);
            topk_object_number(&object, "cases", count->cases[clause]);
            topk_object_number(&object, "failing", count->failing[clause]);
            topk_array_add(&array, topk_object_take(&object));
        }
    }
    return topk_array_take(&array);
}

static json_t *clause_json(const struct topk_summary *summary, enum topk_clause clause)
{
    const struct topk_clause_row *row = topk_clause_row(clause);
    const struct topk_clause_count *count = &summary->clauses[clause];
    const struct topk_trace_row *trace = topk_trace_row(clause);
    char declared[TOPK_CONTRACT_RULES];
    topk_contract_clause_print(&summary->contract, clause, declared);
    struct topk_object object = topk_object_new();
    topk_object_text(&object, "id", row->id);
    topk_object_text(&object, "grade", topk_grade_name(row->grade));
    topk_object_text(&object, "sentence", row->sentence);
    topk_object_text(&object, "declared", declared);
    topk_object_text(&object, "verdict", topk_claim_word(topk_summary_claim(summary, clause)));
    topk_object_number(&object, "cases", count->cases);
    topk_object_number(&object, "maybe", count->maybe);
    topk_object_number(&object, "passing", count->passing);
    topk_object_number(&object, "by-status", count->by_status);
    topk_object_number(&object, "failing", count->failing);
    topk_object_number(&object, "waived", count->waived);
    topk_object_number(&object, "otherwise",
                       count->cases - count->passing - count->failing - count->waived);
    topk_object_number(&object, "unsupported", count->unsupported);
    topk_object_put(&object, "observed", topk_observations_json(summary, clause));
    topk_object_put(&object, "sentences", leading_json(clause));
    topk_object_text(&object, "follows", trace->follows);
    topk_object_text(&object, "open", trace->open);
    topk_object_put(&object, "tests", tests_json(summary, clause));
    return topk_object_take(&object);
}

json_t *topk_clauses_json(const struct topk_summary *summary)
{
    struct topk_array array = topk_array_new();
    for (int i = 0; i < TOPK_CLAUSE_COUNT; i++) {
        topk_array_add(&array, clause_json(summary, (enum topk_clause)i));
    }
    return topk_array_take(&array);
}

/* ---- sentences ------------------------------------------------------------------------------- */

static json_t *led_json(size_t sentence)
{
    const struct topk_clause_set set = topk_sentence_clauses(sentence);
    struct topk_array array = topk_array_new();
    for (int i = 0; i < TOPK_CLAUSE_COUNT; i++) {
        if (topk_clause_set_has(&set, (enum topk_clause)i)) {
            topk_array_add(&array, topk_text_json(topk_clause_id((enum topk_clause)i)));
        }
    }
    return topk_array_take(&array);
}

static json_t *wordings_json(size_t sentence)
{
    struct topk_array array = topk_array_new();
    for (int i = 0; i < TOPK_DOCUMENT_COUNT; i++) {
        const char *words = topk_sentence_wording(sentence, (enum topk_document)i);
        if (words != NULL) {
            struct topk_object object = topk_object_new();
            topk_object_text(&object, "document", topk_document_row((enum topk_document)i)->id);
            topk_object_text(&object, "words", words);
            topk_array_add(&array, topk_object_take(&object));
        }
    }
    return topk_array_take(&array);
}

json_t *topk_sentences_json(const struct topk_summary *summary)
{
    struct topk_array array = topk_array_new();
    for (size_t i = 0; i < topk_sentence_count; i++) {
        const struct topk_sentence_row *row = topk_sentence_row(i);
        struct topk_object object = topk_object_new();
        topk_object_text(&object, "id", row->id);
        topk_object_text(&object, "page", row->page);
        topk_object_text(&object, "section", row->section);
        topk_object_text(&object, "words", row->words);
        topk_object_flag(&object, "quoted", topk_sentence_quoted(i));
        topk_object_put(&object, "wordings", wordings_json(i));
        topk_object_put(&object, "clauses", led_json(i));
        topk_object_text(&object, "reason", row->reason);
        topk_object_text(&object, "verdict", topk_summary_sentence_claim(summary, i));
        topk_array_add(&array, topk_object_take(&object));
    }
    return topk_array_take(&array);
}

json_t *topk_documents_json(void)
{
    struct topk_array array = topk_array_new();
    for (int i = 0; i < TOPK_DOCUMENT_COUNT; i++) {
        const struct topk_document_row *row = topk_document_row((enum topk_document)i);
        struct topk_object object = topk_object_new();
        topk_object_text(&object, "id", row->id);
        topk_object_text(&object, "page", row->page);
        topk_object_text(&object, "title", row->title);
        topk_object_text(&object, "language", row->language);
        topk_object_text(&object, "dated", row->dated);
        topk_object_text(&object, "edition", row->edition);
        topk_object_text(&object, "sha256", row->digest);
        topk_object_flag(&object, "whole", row->extent == TOPK_EXTENT_WHOLE);
        topk_array_add(&array, topk_object_take(&object));
    }
    return topk_array_take(&array);
}
