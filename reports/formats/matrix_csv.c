/* Writes the traceability matrix as CSV, from the JSON of the report. There is one line for each
 * sentence of a document and each clause it leads to; one for each sentence that leads to no
 * clause, with the reason; and one for each clause that no sentence states. A row of the table
 * `columns` describes a column. */
#include <stdlib.h>
#include <string.h>

#include "log/log.h"
#include "report.h"

/* What a line is about. All members but the first two may be NULL. */
struct line {
    const json_t *run, *report;
    const json_t *sentence, *wording, *document, *clause;
};

/* ---- cells ----------------------------------------------------------------------------------- */

/* Writes a cell in quotes. Spreadsheets treat a cell that starts with one of these characters as a
 * formula; an apostrophe before it prevents that. */
static void put_cell(FILE *out, const char *text)
{
    fputc('"', out);
    if (*text != 0 && strchr("=+-@\t\r", *text) != NULL) {
        fputc('\'', out);
    }
    for (const char *at = text; *at != 0;) {
        char piece[TOPK_TEXT_PIECE];
        at = topk_text_piece(at, piece);
        fprintf(out, "%s%s", piece[0] == '"' ? "\"" : "", piece);
    }
    fputc('"', out);
}

static const char *member(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text == NULL ? "" : text;
}

/* Writes a list of objects as names and numbers: "accepts 30; refuses 2". */
static bool put_counts(FILE *out, const json_t *list, const char *name, const char *number)
{
    char *text = NULL;
    size_t size = 0;
    FILE *cell = topk_memory_stream(&text, &size);
    if (cell == NULL) {
        return false;
    }
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *item = json_array_get(list, i);
        fprintf(cell, "%s%s %lld", i == 0 ? "" : "; ", member(item, name),
                (long long)json_integer_value(json_object_get(item, number)));
    }
    const bool ok = fclose(cell) == 0;
    if (ok) {
        put_cell(out, text);
    }
    free(text);
    return ok;
}

/* Writes a text or a number; an empty cell if the member is missing. */
static void put_member(FILE *out, const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    if (json_is_integer(value)) {
        fprintf(out, "%lld", (long long)json_integer_value(value));
    } else if (json_is_string(value)) {
        put_cell(out, json_string_value(value));
    }
}

/* ---- columns --------------------------------------------------------------------------------- */

enum of {
    OF_RUN,
    OF_REPORT,
    OF_SENTENCE,
    OF_WORDING,
    OF_DOCUMENT,
    OF_CLAUSE
};

static const struct column {
    const char *name;
    enum of of;
    const char *key;
    const char *number; /* for a list: the member that is counted; else NULL */
} columns[] = {
    {"sentence", OF_SENTENCE, "id", NULL},
    {"document", OF_DOCUMENT, "id", NULL},
    {"title", OF_DOCUMENT, "title", NULL},
    {"language", OF_DOCUMENT, "language", NULL},
    {"dated", OF_DOCUMENT, "dated", NULL},
    {"edition", OF_DOCUMENT, "edition", NULL},
    {"sha256", OF_DOCUMENT, "sha256", NULL},
    {"section", OF_SENTENCE, "section", NULL},
    {"words", OF_WORDING, "words", NULL},
    {"words in English", OF_SENTENCE, "words", NULL},
    {"verdict on the sentence", OF_SENTENCE, "verdict", NULL},
    {"clause", OF_CLAUSE, "id", NULL},
    {"grade", OF_CLAUSE, "grade", NULL},
    {"promise", OF_CLAUSE, "sentence", NULL},
    {"declared contract", OF_CLAUSE, "declared", NULL},
    {"follows", OF_CLAUSE, "follows", NULL},
    {"verdict on the clause", OF_CLAUSE, "verdict", NULL},
    {"cases", OF_CLAUSE, "cases", NULL},
    {"cases that may test it", OF_CLAUSE, "maybe", NULL},
    {"passed", OF_CLAUSE, "passing", NULL},
    {"passed by a status alone", OF_CLAUSE, "by-status", NULL},
    {"broke it", OF_CLAUSE, "failing", NULL},
    {"broke it, waived", OF_CLAUSE, "waived", NULL},
    {"failed otherwise", OF_CLAUSE, "otherwise", NULL},
    {"not served", OF_CLAUSE, "unsupported", NULL},
    {"tests and their cases", OF_CLAUSE, "tests", "name"},
    {"observed", OF_CLAUSE, "observed", "word"},
    {"left open", OF_CLAUSE, "open", NULL},
    {"reason for no clause", OF_SENTENCE, "reason", NULL},
    {"backend", OF_RUN, "backend", NULL},
    {"version", OF_RUN, "version", NULL},
    {"device", OF_RUN, "device", NULL},
    {"profile", OF_RUN, "profile", NULL},
    {"started", OF_RUN, "started", NULL},
    {"verdict on the run", OF_REPORT, "lead", NULL},
    {"by the contract", OF_RUN, "contract", NULL},
    {"judged", OF_REPORT, "judged", NULL},
};

static bool put_line(FILE *out, const struct line *line)
{
    const json_t *const objects[] = {[OF_RUN] = line->run,           [OF_REPORT] = line->report,
                                     [OF_SENTENCE] = line->sentence, [OF_WORDING] = line->wording,
                                     [OF_DOCUMENT] = line->document, [OF_CLAUSE] = line->clause};
    bool ok = true;
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
        const struct column *column = &columns[i];
        const json_t *object = objects[column->of];
        if (i > 0) {
            fputc(',', out);
        }
        if (column->number == NULL) {
            put_member(out, object, column->key);
        } else if (object != NULL) {
            ok = put_counts(out, json_object_get(object, column->key), column->number,
                            strcmp(column->key, "tests") == 0 ? "cases" : "count") &&
                 ok;
        }
    }
    fputs("\r\n", out);
    return ok;
}

static void put_names(FILE *out)
{
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
        fputs(i == 0 ? "" : ",", out);
        put_cell(out, columns[i].name);
    }
    fputs("\r\n", out);
}

/* ---- lines ----------------------------------------------------------------------------------- */

static const json_t *find(const json_t *list, const char *id)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        if (strcmp(member(json_array_get(list, i), "id"), id) == 0) {
            return json_array_get(list, i);
        }
    }
    return NULL;
}

static bool put_wording(FILE *out, const struct line *wording)
{
    const json_t *ids = json_object_get(wording->sentence, "clauses");
    struct line line = *wording;
    bool ok = true;
    if (json_array_size(ids) == 0) {
        return put_line(out, &line);
    }
    for (size_t i = 0; ok && i < json_array_size(ids); i++) {
        line.clause = find(json_object_get(line.report, "clauses"),
                           json_string_value(json_array_get(ids, i)));
        ok = put_line(out, &line);
    }
    return ok;
}

static bool put_sentence(FILE *out, const struct line *of, const json_t *sentence)
{
    const json_t *wordings = json_object_get(sentence, "wordings");
    bool ok = true;
    for (size_t i = 0; ok && i < json_array_size(wordings); i++) {
        const json_t *wording = json_array_get(wordings, i);
        struct line line = *of;
        line.sentence = sentence;
        line.wording = wording;
        line.document = find(json_object_get(of->report, "documents"), member(wording, "document"));
        ok = put_wording(out, &line);
    }
    return ok;
}

bool topk_matrix_csv_write(FILE *out, const struct topk_summary *summary)
{
    json_t *report = topk_report_json(summary);
    const json_t *sentences = json_object_get(report, "sentences");
    const json_t *clauses = json_object_get(report, "clauses");
    const struct line of = {.run = json_object_get(report, "run"), .report = report};
    bool ok = report != NULL;
    put_names(out);
    for (size_t i = 0; ok && i < json_array_size(sentences); i++) {
        ok = put_sentence(out, &of, json_array_get(sentences, i));
    }
    for (size_t i = 0; ok && i < json_array_size(clauses); i++) {
        struct line line = of;
        line.clause = json_array_get(clauses, i);
        if (json_array_size(json_object_get(line.clause, "sentences")) == 0) {
            ok = put_line(out, &line);
        }
    }
    json_decref(report);
    return ok;
}
