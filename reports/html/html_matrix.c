/* The traceability matrix: page/matrix.html, filled from the report's JSON. The template gets these
 * values:
 *
 *   report      the object of --format json
 *   selected    the name of the profile
 *   pages       each page with its name as `page`, its title, the ids of its documents, and those
 *               of its sentences that lead to clauses. A sentence has `rows`, its clauses, and
 *               `worded`, its wordings with the language of their document
 *   loose       the sentences that lead to no clause
 *   promises    the clauses, see topk_html_promises()
 *   counts      the number of sentences by verdict, for documents that are listed completely
 *   claims      the number of clauses by verdict
 */
#include <string.h>

#include "html.h"
#include "html_part.h"
#include "summary/summary.h"

static json_t *wordings_json(const json_t *sentence, const json_t *documents)
{
    const json_t *wordings = json_object_get(sentence, "wordings");
    const char *own = json_string_value(json_object_get(sentence, "words"));
    struct topk_array array = topk_array_new();
    for (size_t i = 0; i < json_array_size(wordings); i++) {
        const json_t *wording = json_array_get(wordings, i);
        const char *words = json_string_value(json_object_get(wording, "words"));
        const json_t *document = topk_html_find(
            documents, "id", json_string_value(json_object_get(wording, "document")));
        struct topk_object object = topk_object_new();
        topk_object_put(&object, "document", json_incref(json_object_get(wording, "document")));
        topk_object_put(&object, "language", json_incref(json_object_get(document, "language")));
        topk_object_put(&object, "words", json_incref(json_object_get(wording, "words")));
        topk_object_flag(&object, "same", words != NULL && own != NULL && strcmp(words, own) == 0);
        topk_array_add(&array, topk_object_take(&object));
    }
    return topk_array_take(&array);
}

static json_t *sentence_json(const json_t *sentence, const json_t *report)
{
    json_t *rows =
        topk_html_named(json_object_get(sentence, "clauses"), json_object_get(report, "clauses"));
    json_t *worded = topk_html_with(sentence, "worded",
                                    wordings_json(sentence, json_object_get(report, "documents")));
    json_t *whole = topk_html_with(worded, "rows", rows);
    json_decref(worded);
    return whole;
}

/* ---- pages ----------------------------------------------------------------------------------- */

/* Lists the sentences of a page that lead to clauses, or those that do not. */
static json_t *sentences_json(const json_t *report, const char *page, bool leading)
{
    const json_t *list = json_object_get(report, "sentences");
    struct topk_array array = topk_array_new();
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *sentence = json_array_get(list, i);
        const char *of = json_string_value(json_object_get(sentence, "page"));
        const bool leads = json_array_size(json_object_get(sentence, "clauses")) > 0;
        if (leads == leading && (page == NULL || (of != NULL && strcmp(of, page) == 0))) {
            topk_array_add(&array, sentence_json(sentence, report));
        }
    }
    return topk_array_take(&array);
}

/* Lists the pages, each with the title of the first of its documents. */
static json_t *pages_json(const json_t *report)
{
    const json_t *documents = json_object_get(report, "documents");
    struct topk_array array = topk_array_new();
    for (size_t i = 0; i < json_array_size(documents); i++) {
        json_t *document = json_array_get(documents, i);
        const char *page = json_string_value(json_object_get(document, "page"));
        if (topk_html_find(documents, "page", page) != document) {
            continue;
        }
        struct topk_object object = topk_object_new();
        struct topk_array ids = topk_array_new();
        for (size_t j = i; j < json_array_size(documents); j++) {
            const json_t *other = json_array_get(documents, j);
            const char *of = json_string_value(json_object_get(other, "page"));
            if (of != NULL && page != NULL && strcmp(of, page) == 0) {
                topk_array_add(&ids, json_incref(json_object_get(other, "id")));
            }
        }
        topk_object_put(&object, "page", json_incref(json_object_get(document, "page")));
        topk_object_put(&object, "title", json_incref(json_object_get(document, "title")));
        topk_object_put(&object, "ids", topk_array_take(&ids));
        topk_object_put(&object, "list", sentences_json(report, page, true));
        topk_array_add(&array, topk_object_take(&object));
    }
    return topk_array_take(&array);
}

/* ---- counts ---------------------------------------------------------------------------------- */

/* Returns whether all sentences of a page are listed. */
static bool is_whole(const json_t *report, const char *page)
{
    const json_t *document = topk_html_find(json_object_get(report, "documents"), "page", page);
    return json_is_true(json_object_get(document, "whole"));
}

/* Counts how often each verdict occurs in a list; for sentences, only on pages that are listed
 * completely. Items without a verdict are counted last. */
static json_t *counts_json(const json_t *report, const char *list)
{
    const json_t *items = json_object_get(report, list);
    struct topk_array array = topk_array_new();
    size_t without = 0;
    for (size_t i = 0; i < json_array_size(items); i++) {
        const json_t *item = json_array_get(items, i);
        const char *word = json_string_value(json_object_get(item, "verdict"));
        const char *page = json_string_value(json_object_get(item, "page"));
        if (page != NULL && !is_whole(report, page)) {
            continue;
        }
        if (word == NULL || *word == 0) {
            without++;
            continue;
        }
        json_t *known = topk_html_find(array.json, "word", word);
        if (known == NULL) {
            struct topk_object object = topk_object_new();
            topk_object_text(&object, "word", word);
            topk_object_number(&object, "count", 0);
            known = topk_object_take(&object);
            topk_array_add(&array, known);
        }
        json_object_set_new(known, "count",
                            json_integer(json_integer_value(json_object_get(known, "count")) + 1));
    }
    if (without > 0) {
        struct topk_object object = topk_object_new();
        topk_object_text(&object, "word", "lead to no clause");
        topk_object_number(&object, "count", without);
        topk_object_flag(&object, "none", true);
        topk_array_add(&array, topk_object_take(&object));
    }
    return topk_array_take(&array);
}

bool topk_matrix_html_write(FILE *out, const struct topk_summary *summary)
{
    json_t *report = topk_report_json(summary);
    struct topk_object view = topk_object_new();
    topk_object_put(&view, "pages", pages_json(report));
    topk_object_put(&view, "loose", sentences_json(report, NULL, false));
    topk_object_put(&view, "promises", topk_html_promises(report));
    topk_object_put(&view, "counts", counts_json(report, "sentences"));
    topk_object_put(&view, "claims", counts_json(report, "clauses"));
    topk_object_text(&view, "selected", summary->profile);
    topk_html_who(&view, summary);
    topk_object_put(&view, "report", report);
    return topk_html_page(out, "{{>matrix.html}}", &view);
}
