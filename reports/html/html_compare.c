/* The page of a comparison: page/compare.html, filled from the comparison's JSON. The template gets
 * these values:
 *
 *   report     the object of --format json
 *   a, others  the first run, and the other ones
 *   history    the runs, each with its point of the trend, if there are more than two
 *   facts      one row per fact, with a cell for each run; `other` is set if it differs from A
 *   sections   for each comparison: the comparison, and its kinds of change with their groups, as
 *              far as these are listed
 */
#include <string.h>

#include "compare/compare.h"
#include "html_part.h"

/* How many groups are listed per kind of change. Of the others only the number is shown. */
#define GROUPS 200

/* ---- the runs -------------------------------------------------------------------------------- */

static bool differs(const json_t *comparison, const char *fact)
{
    const json_t *facts = json_object_get(comparison, "facts");
    for (size_t i = 0; i < json_array_size(facts); i++) {
        const json_t *name = json_object_get(json_array_get(facts, i), "name");
        if (strcmp(json_string_value(name), fact) == 0) {
            return true;
        }
    }
    return false;
}

/* Adds a row, unless no run has a value for it. If `totals` is set, the value is one of the
 * totals. */
static void add_row(struct topk_array *rows, const json_t *report, bool totals, const char *key)
{
    const json_t *runs = json_object_get(report, "runs");
    const json_t *comparisons = json_object_get(report, "comparisons");
    struct topk_array cells = topk_array_new();
    bool said = false;
    for (size_t i = 0; i < json_array_size(runs); i++) {
        const json_t *run = json_array_get(runs, i);
        json_t *value = json_object_get(totals ? json_object_get(run, "totals") : run, key);
        struct topk_object cell = topk_object_new();
        said = said || json_string_length(value) > 0 || json_integer_value(value) != 0;
        topk_object_put(&cell, "value", json_incref(value));
        topk_object_flag(&cell, "number", json_is_integer(value));
        topk_object_flag(&cell, "other",
                         i > 0 && !totals && differs(json_array_get(comparisons, i - 1), key));
        topk_array_add(&cells, topk_object_take(&cell));
    }
    struct topk_object row = topk_object_new();
    topk_object_flag(&row, "totals", totals);
    topk_object_text(&row, "name", key);
    topk_object_put(&row, "cells", topk_array_take(&cells));
    json_t *json = topk_object_take(&row);
    if (said || json == NULL) {
        topk_array_add(rows, json);
    } else {
        json_decref(json);
    }
}

static json_t *facts_json(const json_t *report)
{
    json_t *run = json_array_get(json_object_get(report, "runs"), 0);
    json_t *totals = json_object_get(run, "totals");
    struct topk_array rows = topk_array_new();
    for (void *at = json_object_iter(run); at != NULL; at = json_object_iter_next(run, at)) {
        const char *key = json_object_iter_key(at);
        if (strcmp(key, "letter") != 0 && strcmp(key, "name") != 0) {
            add_row(&rows, report, false, key);
        }
    }
    for (void *at = json_object_iter(totals); at != NULL; at = json_object_iter_next(totals, at)) {
        add_row(&rows, report, true, json_object_iter_key(at));
    }
    return topk_array_take(&rows);
}

/* The comparison of two runs already says everything. */
static json_t *history_json(const json_t *report)
{
    const json_t *runs = json_object_get(report, "runs");
    const json_t *points = json_object_get(json_object_get(report, "trend"), "runs");
    struct topk_array array = topk_array_new();
    for (size_t i = 0; json_array_size(runs) > 2 && i < json_array_size(runs); i++) {
        topk_array_add(&array, topk_html_with(json_array_get(runs, i), "point",
                                              json_incref(json_array_get(points, i))));
    }
    return topk_array_take(&array);
}

/* ---- the changes ----------------------------------------------------------------------------- */

/* Makes a kind of change, whose groups start at *at. */
static json_t *kind_json(json_t *change, const json_t *groups, size_t *at)
{
    struct topk_object kind = topk_object_new();
    struct topk_array listed = topk_array_new();
    size_t count = 0;
    for (; *at < json_array_size(groups); ++*at) {
        json_t *group = json_array_get(groups, *at);
        if (!json_equal(json_object_get(group, "change"), json_object_get(change, "change"))) {
            break;
        }
        if (count++ < GROUPS) {
            topk_array_add(&listed, json_incref(group));
        }
    }
    topk_object_put(&kind, "kind", json_incref(change));
    topk_object_put(&kind, "listed", topk_array_take(&listed));
    topk_object_number(&kind, "unlisted", count > GROUPS ? count - GROUPS : 0);
    return topk_object_take(&kind);
}

static json_t *section_json(json_t *comparison)
{
    const json_t *changes = json_object_get(comparison, "changes");
    struct topk_object section = topk_object_new();
    struct topk_array kinds = topk_array_new();
    size_t at = 0;
    for (size_t i = 0; i < json_array_size(changes); i++) {
        topk_array_add(&kinds, kind_json(json_array_get(changes, i),
                                         json_object_get(comparison, "groups"), &at));
    }
    topk_object_put(&section, "comparison", json_incref(comparison));
    topk_object_put(&section, "kinds", topk_array_take(&kinds));
    return topk_object_take(&section);
}

bool topk_compare_html_write(FILE *out, const struct topk_compare_report *report)
{
    json_t *json = topk_compare_json(report);
    const json_t *runs = json_object_get(json, "runs");
    const json_t *comparisons = json_object_get(json, "comparisons");
    struct topk_object view = topk_object_new();
    struct topk_array others = topk_array_new();
    struct topk_array sections = topk_array_new();
    for (size_t i = 0; i < json_array_size(comparisons); i++) {
        topk_array_add(&others, json_incref(json_array_get(runs, i + 1)));
        topk_array_add(&sections, section_json(json_array_get(comparisons, i)));
    }
    topk_object_put(&view, "a", json_incref(json_array_get(runs, 0)));
    topk_object_put(&view, "others", topk_array_take(&others));
    topk_object_put(&view, "facts", facts_json(json));
    topk_object_put(&view, "sections", topk_array_take(&sections));
    topk_object_put(&view, "history", history_json(json));
    topk_object_put(&view, "report", json);
    return topk_html_page(out, "{{>compare.html}}", &view);
}
