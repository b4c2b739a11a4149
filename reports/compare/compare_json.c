/* A comparison of runs as one JSON object; reports/schema/compare.def lists its members. */
#include <string.h>

#include "compare_report.h"
#include "summary/summary.h"

static json_t *run_json(const struct topk_compared *compared)
{
    const struct topk_run *run = &compared->run;
    struct topk_object object = topk_object_new();
    topk_object_text(&object, "letter", compared->letter);
    topk_object_text(&object, "name", topk_name_shown(run->facts[TOPK_FACT_BACKEND]));
    topk_object_text(&object, "log", compared->path);
    topk_object_facts(&object, run->facts, run->started);
    topk_object_number(&object, "selected", run->selected);
    topk_object_number(&object, "recorded", run->recorded);
    topk_object_flag(&object, "complete", run->complete);
    topk_object_flag(&object, "cut", run->cut);
    topk_object_put(&object, "totals", topk_totals_json(run->totals));
    topk_object_number(&object, "by-status", run->by_status);
    return topk_object_take(&object);
}

/* {"name":..., "before":..., "after":...} */
static json_t *change_json(const char *name, const char *before, const char *after)
{
    struct topk_object object = topk_object_new();
    topk_object_text(&object, "name", name);
    topk_object_text(&object, "before", before);
    topk_object_text(&object, "after", after);
    return topk_object_take(&object);
}

static json_t *facts_json(const struct topk_run *a, const struct topk_run *b)
{
    struct topk_array array = topk_array_new();
    for (int i = 0; i < TOPK_FACT_COUNT; i++) {
        if (strcmp(a->facts[i], b->facts[i]) != 0) {
            topk_array_add(
                &array, change_json(topk_fact_name((enum topk_fact)i), a->facts[i], b->facts[i]));
        }
    }
    return topk_array_take(&array);
}

static json_t *parts_json(const struct topk_comparison *comparison)
{
    struct topk_array array = topk_array_new();
    for (size_t i = 0; i < comparison->part_count; i++) {
        const struct topk_change_part *change = &comparison->parts[i];
        const struct topk_log_part *part = change->before == NULL ? change->after : change->before;
        char before[TOPK_PART_WORDS];
        char after[TOPK_PART_WORDS];
        topk_part_words(change->before, before);
        topk_part_words(change->after, after);
        struct topk_object object = {
            change_json(topk_log_part_text(part, TOPK_LOG_PART_NAME), before, after), true};
        object.ok = object.json != NULL;
        topk_object_text(&object, "role", topk_log_part_role_word(part->role));
        topk_object_text(&object, "title", topk_log_part_role_title(part->role));
        topk_array_add(&array, topk_object_take(&object));
    }
    return topk_array_take(&array);
}

static json_t *observations_json(const struct topk_run *a, const struct topk_run *b)
{
    struct topk_array array = topk_array_new();
    for (int i = 0; i < TOPK_OBSERVATION_COUNT; i++) {
        const struct topk_observation_row *row = topk_observation_row((enum topk_observation)i);
        if (a->observations[i] != b->observations[i]) {
            struct topk_object object = topk_object_new();
            topk_object_text(&object, "clause", topk_clause_id(row->clause));
            topk_object_text(&object, "word", row->word);
            topk_object_number(&object, "before", a->observations[i]);
            topk_object_number(&object, "after", b->observations[i]);
            topk_array_add(&array, topk_object_take(&object));
        }
    }
    return topk_array_take(&array);
}

static json_t *probes_json(const struct topk_comparison *comparison)
{
    struct topk_array array = topk_array_new();
    for (size_t i = 0; i < comparison->probe_count; i++) {
        const struct topk_change_probe *probe = &comparison->probes[i];
        char before[TOPK_OUTCOME_TEXT];
        char after[TOPK_OUTCOME_TEXT];
        topk_probe_words(probe->before, before);
        topk_probe_words(probe->after, after);
        struct topk_object object = {
            change_json(probe->before == NULL ? probe->after->name : probe->before->name, before,
                        after),
            true};
        object.ok = object.json != NULL;
        topk_object_flag(&object, "worse", probe->worse);
        topk_array_add(&array, topk_object_take(&object));
    }
    return topk_array_take(&array);
}

/* Lists the kinds of change that occurred with their counts; a name is singular or plural to fit
 * its count. */
static json_t *changes_json(const struct topk_comparison *comparison)
{
    struct topk_array array = topk_array_new();
    for (int i = 0; i < TOPK_CHANGE_COUNT; i++) {
        enum topk_change change = (enum topk_change)i;
        if (comparison->counts[i] > 0) {
            struct topk_object object = topk_object_new();
            topk_object_number(&object, "number", (uint64_t)i + 1);
            topk_object_text(&object, "change", topk_change_name(change, 1));
            topk_object_text(&object, "name", topk_change_name(change, comparison->counts[i]));
            topk_object_flag(&object, "worse", topk_change_worse(change));
            topk_object_number(&object, "count", comparison->counts[i]);
            topk_array_add(&array, topk_object_take(&object));
        }
    }
    return topk_array_take(&array);
}

static json_t *groups_json(const struct topk_compared *a, const struct topk_compared *b)
{
    const struct topk_comparison *comparison = &b->comparison;
    struct topk_array array = topk_array_new();
    for (size_t i = 0; i < comparison->group_count; i++) {
        const struct topk_change_group *group = &comparison->groups[i];
        const struct topk_change_case *cases = &comparison->cases[group->first];
        /* A case that B does not have was run in A only. */
        const struct topk_run *run = cases->change == TOPK_CHANGE_MISSING ? &a->run : &b->run;
        char before[TOPK_OUTCOME_TEXT];
        char after[TOPK_OUTCOME_TEXT];
        struct topk_array ids = topk_array_new();
        for (size_t j = 0; j < group->shown; j++) {
            topk_array_add(&ids, topk_text_json(cases[j].id));
        }
        topk_group_words(comparison, group, before, after);
        struct topk_object object = topk_object_new();
        json_t *test = json_stringn(cases->id, cases->test_length);
        topk_object_text(&object, "change", topk_change_name(cases->change, 1));
        topk_object_flag(&object, "worse", topk_change_worse(cases->change));
        topk_object_put(&object, "test", test);
        topk_object_text(&object, "before", before);
        topk_object_text(&object, "after", after);
        topk_object_number(&object, "count", group->count);
        topk_object_put(&object, "cases", topk_array_take(&ids));
        topk_object_number(&object, "left-out", group->count - group->shown);
        topk_object_replay(&object, run->replay, cases->id);
        topk_array_add(&array, topk_object_take(&object));
    }
    return topk_array_take(&array);
}

static void put_speed(struct topk_object *object, const struct topk_speed *speed)
{
    topk_object_number(object, "cases", speed->cases);
    topk_object_number(object, "before", speed->before);
    topk_object_number(object, "after", speed->after);
    topk_object_put(object, "median", json_real(speed->median));
}

/* Times are in nanoseconds. The median is over all cases, of how many times as long each one
 * took. */
static json_t *time_json(const struct topk_comparison *comparison)
{
    struct topk_object object = topk_object_new();
    struct topk_array tests = topk_array_new();
    put_speed(&object, &comparison->speed);
    for (size_t i = 0; i < comparison->speed_count; i++) {
        struct topk_object test = topk_object_new();
        topk_object_text(&test, "test", comparison->speeds[i].test);
        put_speed(&test, &comparison->speeds[i]);
        topk_array_add(&tests, topk_object_take(&test));
    }
    topk_object_put(&object, "tests", topk_array_take(&tests));
    return topk_object_take(&object);
}

static json_t *comparison_json(const struct topk_compared *a, const struct topk_compared *b)
{
    const struct topk_comparison *comparison = &b->comparison;
    char *const *facts = b->run.facts;
    struct topk_object object = topk_object_new();
    struct topk_object counts = topk_object_new();
    for (int i = 0; i < TOPK_CHANGE_COUNT; i++) {
        topk_object_number(&counts, topk_change_name((enum topk_change)i, 2),
                           comparison->counts[i]);
    }
    topk_object_text(&object, "run", b->letter);
    topk_object_text(&object, "verdict", topk_comparison_words(comparison));
    topk_object_flag(&object, "worse", topk_comparison_worse(comparison));
    topk_object_flag(&object, "judge-worse", comparison->judge_worse);
    topk_object_flag(&object, "ends-worse", comparison->ends_worse);
    topk_object_number(&object, "both", comparison->both);
    topk_object_flag(&object, "same-profile",
                     strcmp(a->run.facts[TOPK_FACT_PROFILE], facts[TOPK_FACT_PROFILE]) == 0 &&
                         strcmp(a->run.facts[TOPK_FACT_DIGEST], facts[TOPK_FACT_DIGEST]) == 0);
    topk_object_put(&object, "counts", topk_object_take(&counts));
    topk_object_put(&object, "changes", changes_json(comparison));
    topk_object_put(&object, "facts", facts_json(&a->run, &b->run));
    topk_object_put(&object, "parts", parts_json(comparison));
    if ((a->run.parts.count == 0) != (b->run.parts.count == 0)) {
        const struct topk_compared *alone = a->run.parts.count == 0 ? b : a;
        topk_object_text(&object, "parts-only-in", alone->letter);
    }
    topk_object_put(&object, "observations", observations_json(&a->run, &b->run));
    topk_object_put(&object, "probes", probes_json(comparison));
    if ((a->run.probe_count == 0) != (b->run.probe_count == 0)) {
        const struct topk_compared *alone = a->run.probe_count == 0 ? b : a;
        topk_object_text(&object, "probes-only-in", alone->letter);
    }
    topk_object_put(&object, "groups", groups_json(a, b));
    if (comparison->speed.cases > 0) {
        topk_object_put(&object, "time", time_json(comparison));
    }
    return topk_object_take(&object);
}

json_t *topk_compare_json(const struct topk_compare_report *report)
{
    bool worse = false;
    struct topk_object object = topk_object_new();
    struct topk_array runs = topk_array_new();
    struct topk_array comparisons = topk_array_new();
    for (size_t i = 0; i < report->count; i++) {
        topk_array_add(&runs, run_json(&report->runs[i]));
        if (i > 0) {
            topk_array_add(&comparisons, comparison_json(&report->runs[0], &report->runs[i]));
            worse = worse || topk_comparison_worse(&report->runs[i].comparison);
        }
    }
    topk_object_number(&object, "format", TOPK_COMPARE_FORMAT);
    topk_object_flag(&object, "worse", worse);
    topk_object_put(&object, "runs", topk_array_take(&runs));
    topk_object_put(&object, "trend", topk_trend_json(report->trend, report->runs));
    topk_object_put(&object, "comparisons", topk_array_take(&comparisons));
    return topk_object_take(&object);
}

bool topk_compare_json_write(FILE *out, const struct topk_compare_report *report)
{
    return topk_json_print(out, topk_compare_json(report));
}
