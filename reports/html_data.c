/* What the page's script finds cases by. A row of a case is ROW_BYTES characters, digits to the
 * base 64: test, cause and broken clauses take two each, the five facets and the time's bucket one.
 * What they are numbers of is in the JSON beside them; the texts of cases are, too, in the order of
 * the rows that have one: those that did not pass, and, if passingTexts says so, all. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "html_part.h"

/* Bytes for the rows and the texts of cases in the page. Texts beyond it are in the log only. */
#define CASES_BYTES ((size_t)7 << 20)
/* characters of a row */
#define ROW_BYTES (7 + TOPK_FACET_COUNT)

static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz+-";

static void write_strings(FILE *out, const char *const *texts, size_t count)
{
    fputc('[', out);
    for (size_t i = 0; i < count; i++) {
        fputs(i == 0 ? "" : ",", out);
        topk_html_json(out, texts[i]);
    }
    fputc(']', out);
}

static void write_facets(FILE *out, const struct topk_summary *summary)
{
    fputs("\"facets\":[", out);
    for (int i = 0; i < TOPK_FACET_COUNT; i++) {
        enum topk_facet facet = (enum topk_facet)i;
        const char *const *classes = summary->expert->classes(facet);
        size_t count = 0;
        while (classes[count] != NULL) {
            count++;
        }
        fprintf(out, "%s{\"name\":\"%s\",\"title\":\"%s\",\"classes\":", i == 0 ? "" : ",",
                topk_facet_name(facet), topk_facet_title(facet));
        write_strings(out, classes, count);
        fputc('}', out);
    }
    fputs("],\n", out);
}

static void write_groups(FILE *out, const struct topk_summary *summary)
{
    bool *shown = calloc(summary->group_count + 1, sizeof *shown);
    for (size_t i = 0; shown != NULL && i < TOPK_HTML_GROUPS && i < summary->group_count; i++) {
        shown[summary->order[i]] = true;
    }
    fputs("\"groups\":[", out);
    for (size_t i = 0; i < summary->group_count; i++) {
        const struct topk_group *group = &summary->groups[i];
        fprintf(out,
                "%s{\"verdict\":\"%s\",\"failure\":%s,\"shown\":%s,\"clause\":\"%s\",\"cause\":",
                i == 0 ? "" : ",\n", topk_verdict_word(group->verdict),
                topk_verdict_failure(group->verdict) ? "true" : "false",
                shown != NULL && shown[i] ? "true" : "false", topk_clause_id(group->clause));
        topk_html_json(out, group->cause);
        fputc('}', out);
    }
    fputs("],\n", out);
    free(shown);
}

/* [[first, how many], ...] */
static void write_numbers(FILE *out, const struct topk_summary *summary)
{
    fputs("\"numbers\":[", out);
    for (size_t i = 0, count; i < summary->row_count; i += count) {
        count = 1;
        while (i + count < summary->row_count &&
               summary->rows[i + count].number == summary->rows[i].number + count) {
            count++;
        }
        fprintf(out, "%s[%" PRIu64 ",%zu]", i == 0 ? "" : ",", summary->rows[i].number, count);
    }
    fputs("],\n", out);
}

static void write_times(FILE *out)
{
    fputs("\"times\":[", out);
    for (unsigned i = 0; i < TOPK_TIME_BUCKETS; i++) {
        fputs(i == 0 ? "\"" : ",\"", out);
        topk_html_time(out, topk_time_limit(i));
        fputc('"', out);
    }
    fputs("],\n", out);
}

void topk_html_data(FILE *out, const struct topk_summary *summary)
{
    fputs("{", out);
    write_facets(out, summary);
    write_groups(out, summary);
    write_numbers(out, summary);
    write_times(out);
    fputs("\"tests\":", out);
    write_strings(out, summary->tests.texts, summary->tests.count);
    fputs(",\n\"clauseSets\":", out);
    write_strings(out, summary->clause_sets.texts, summary->clause_sets.count);
    fprintf(out, ",\n\"passingTexts\":%s,\n\"replay\":", summary->passing_texts ? "true" : "false");
    topk_html_json(out, summary->replay);
    fputs("}\n", out);
}

static void put_number(char **to, unsigned number, unsigned places)
{
    for (unsigned i = places; i > 0; i--) {
        *(*to)++ = digits[number >> 6 * (i - 1) & 63];
    }
}

void topk_html_rows(FILE *out, const struct topk_summary *summary)
{
    for (size_t i = 0; i < summary->row_count; i++) {
        const struct topk_summary_row *row = &summary->rows[i];
        char text[ROW_BYTES];
        char *to = text;
        put_number(&to, row->test, 2);
        put_number(&to, row->group, 2);
        put_number(&to, row->clauses, 2);
        for (int facet = 0; facet < TOPK_FACET_COUNT; facet++) {
            put_number(&to, row->facets[facet], 1);
        }
        put_number(&to, row->time, 1);
        fwrite(text, 1, sizeof text, out);
    }
    fputc('\n', out);
}

/* at most so many bytes of JSON */
static size_t json_bytes(const char *text)
{
    size_t bytes = 3;
    for (; *text != 0; text++) {
        bool plain = *text >= ' ' && *text <= '~' && strchr("\"\\<>&'", *text) == NULL;
        bytes += plain ? 1 : 7;
    }
    return bytes;
}

/* Rows whose texts, as far as they have one, are in the page: the first so many. */
static size_t rows_with_text(const struct topk_summary *summary)
{
    size_t used = summary->row_count * ROW_BYTES;
    size_t rows = 0;
    for (; rows < summary->row_count; rows++) {
        const char *text = summary->rows[rows].text;
        used += text == NULL ? 0 : json_bytes(text);
        if (used > CASES_BYTES) {
            break;
        }
    }
    return rows;
}

void topk_html_texts(FILE *out, const struct topk_summary *summary)
{
    size_t rows = rows_with_text(summary);
    const char *before = "[";
    for (size_t i = 0; i < rows; i++) {
        const char *text = summary->rows[i].text;
        if (text != NULL) {
            fputs(before, out);
            topk_html_json(out, text);
            before = ",\n";
        }
    }
    fputs(*before == '[' ? "[]\n" : "]\n", out);
}

void topk_html_texts_note(FILE *out, const struct topk_summary *summary)
{
    size_t with = rows_with_text(summary);
    if (!summary->passing_texts) {
        fputs("<p class=\"note\">The texts of cases that passed are left out: there are too many. "
              "Their "
              "kinds, verdicts and times are here; the log has the rest, by number.</p>\n",
              out);
    }
    if (with < summary->row_count) {
        fprintf(out,
                "<p class=\"note\">From case %" PRIu64
                " on the texts of cases are in the log only: there are too many.</p>\n",
                summary->rows[with].number);
    }
}
