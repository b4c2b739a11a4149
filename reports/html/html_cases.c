/* The list of cases that the page's script searches, in addition to the report's JSON:
 *
 *   tests, clauseSets   the names of tests; sets of clauses that cases broke or test: "S08 S09"
 *   numbers             the numbers of the cases: [[first, count], ...]
 *   rows                ROW_BYTES characters per case, as base 64 digits. Two each: test, cause
 *                       (from 1, as in the report; 0 if it passed), broken clauses and tested
 *                       clauses (from 1; 0 for none). One each: its class in each facet, the bucket
 *                       of its time, and the classes of n and K
 *   passingTexts        whether cases that passed have a text
 *   texts               the texts of cases after the test's name, in the order of the rows with one
 *   textsBefore         the number of the first case without a text for lack of room, if any
 */
#include <stdlib.h>
#include <string.h>

#include "html_part.h"

/* Space for the rows and texts of cases in the page, in bytes. Texts beyond it are only in the
 * log. */
#define CASES_BYTES ((size_t)7 << 20)
/* characters per row */
#define ROW_BYTES (11 + TOPK_FACET_COUNT)

static json_t *strings_json(const struct topk_ids *ids)
{
    struct topk_array array = topk_array_new();
    for (size_t i = 0; i < ids->count; i++) {
        topk_array_add(&array, topk_text_json(ids->texts[i]));
    }
    return topk_array_take(&array);
}

static json_t *numbers_json(const struct topk_summary *summary)
{
    struct topk_array array = topk_array_new();
    for (size_t i = 0, count; i < summary->row_count; i += count) {
        count = 1;
        while (i + count < summary->row_count &&
               summary->rows[i + count].number == summary->rows[i].number + count) {
            count++;
        }
        struct topk_array run = topk_array_new();
        topk_array_add(&run, topk_number_json(summary->rows[i].number));
        topk_array_add(&run, topk_number_json(count));
        topk_array_add(&array, topk_array_take(&run));
    }
    return topk_array_take(&array);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void put_number(char **to, unsigned number, unsigned places)
{
    static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz+-";
    for (unsigned i = places; i > 0; i--) {
        *(*to)++ = digits[number >> 6 * (i - 1) & 63];
    }
}

/* `places` maps a group's number (from 1) to its place in the report (from 1). */
static void put_row(char **to, const struct topk_summary_row *row, const uint16_t *places)
{
    put_number(to, row->test, 2);
    put_number(to, places[row->group], 2);
    put_number(to, row->clauses, 2);
    put_number(to, row->tests, 2);
    for (int facet = 0; facet < TOPK_FACET_COUNT; facet++) {
        put_number(to, row->facets[facet], 1);
    }
    put_number(to, row->time, 1);
    put_number(to, row->n, 1);
    put_number(to, row->k, 1);
}

static json_t *rows_json(const struct topk_summary *summary)
{
    uint16_t *places = calloc(summary->group_count + 1, sizeof *places);
    char *rows = malloc(summary->row_count * ROW_BYTES + 1);
    json_t *json = NULL;
    if (places != NULL && rows != NULL) {
        char *to = rows;
        for (size_t i = 0; i < summary->group_count; i++) {
            places[summary->order[i] + 1] = (uint16_t)(i + 1);
        }
        for (size_t i = 0; i < summary->row_count; i++) {
            put_row(&to, &summary->rows[i], places);
        }
        json = json_stringn_nocheck(rows, (size_t)(to - rows));
    }
    free(places);
    free(rows);
    return json;
}

/* ---- texts ----------------------------------------------------------------------------------- */

/* Returns an upper limit for the size of a text as JSON. */
static size_t json_bytes(const char *text)
{
    size_t bytes = 3;
    for (; *text != 0; text++) {
        bool plain = *text >= ' ' && *text <= '~' && strchr("\"\\<>&", *text) == NULL;
        bytes += plain ? 1 : 7;
    }
    return bytes;
}

json_t *topk_html_cases(const struct topk_summary *summary)
{
    struct topk_object object = topk_object_new();
    struct topk_array texts = topk_array_new();
    size_t used = summary->row_count * ROW_BYTES;
    topk_object_put(&object, "tests", strings_json(&summary->tests));
    topk_object_put(&object, "clauseSets", strings_json(&summary->clause_sets));
    topk_object_put(&object, "numbers", numbers_json(summary));
    topk_object_put(&object, "rows", rows_json(summary));
    topk_object_flag(&object, "passingTexts", summary->passing_texts);
    for (size_t i = 0; i < summary->row_count; i++) {
        const struct topk_summary_row *row = &summary->rows[i];
        used += row->text == NULL ? 0 : json_bytes(row->text);
        if (used > CASES_BYTES) {
            topk_object_number(&object, "textsBefore", row->number);
            break;
        }
        if (row->text != NULL) {
            topk_array_add(&texts, topk_text_json(row->text));
        }
    }
    topk_object_put(&object, "texts", topk_array_take(&texts));
    return topk_object_take(&object);
}
