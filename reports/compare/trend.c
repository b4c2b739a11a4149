/* See trend.h. */
#include "trend.h"

#include <stdlib.h>

#include "compare_report.h"

/* A log may contain any time, so a sum that would overflow becomes the maximum. */
static void add(uint64_t *sum, uint64_t nanoseconds)
{
    const uint64_t room = UINT64_MAX - *sum;
    *sum += nanoseconds < room ? nanoseconds : room;
}

static bool timed(const struct topk_outcome *outcome)
{
    return outcome->verdict == TOPK_VERDICT_PASS && !outcome->by_status;
}

/* Adds the outcome of one case in each run. */
static void take(struct topk_trend *trend, const struct topk_compared *runs, uint32_t number,
                 uint64_t asked)
{
    bool common = true;
    for (size_t i = 0; i < trend->count; i++) {
        const struct topk_outcome *outcome = topk_run_outcome(&runs[i].run, number);
        common = common && timed(outcome);
        if (outcome->verdict != TOPK_VERDICT_COUNT) {
            topk_tested_add(&trend->points[i].tested, NULL, asked, outcome->verdict,
                            TOPK_CLAUSE_NONE, outcome->by_status, false);
        }
    }
    trend->common += common;
    for (size_t i = 0; common && i < trend->count; i++) {
        add(&trend->points[i].nanoseconds, topk_run_outcome(&runs[i].run, number)->nanoseconds);
    }
}

bool topk_trend_make(struct topk_trend *trend, const struct topk_ids *ids,
                     const struct topk_compared *runs, size_t count, const struct topk_asks *asks)
{
    *trend = (struct topk_trend){.points = calloc(count, sizeof *trend->points), .count = count};
    if (trend->points == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < ids->count; i++) {
        take(trend, runs, i, asks->ask(ids->texts[i], NULL, 0));
    }
    return true;
}

void topk_trend_free(struct topk_trend *trend)
{
    free(trend->points);
    *trend = (struct topk_trend){0};
}

/* ---- as JSON --------------------------------------------------------------------------------- */

static json_t *point_json(const struct topk_compared *compared,
                          const struct topk_trend_point *point)
{
    const uint64_t *totals = compared->run.totals;
    const struct topk_share share = topk_share_of(&point->tested, totals);
    uint64_t failures = 0;
    struct topk_object object = topk_object_new();
    for (int i = 0; i < TOPK_VERDICT_COUNT; i++) {
        failures += topk_verdict_failure((enum topk_verdict)i) ? totals[i] : 0;
    }
    topk_object_text(&object, "run", compared->letter);
    topk_object_number(&object, "passed", totals[TOPK_VERDICT_PASS]);
    topk_object_number(&object, "failed", failures);
    topk_object_number(&object, "unsupported", totals[TOPK_VERDICT_UNSUPPORTED]);
    topk_object_put(&object, "share", topk_share_json(&share));
    topk_object_number(&object, "nanoseconds", point->nanoseconds);
    return topk_object_take(&object);
}

json_t *topk_trend_json(const struct topk_trend *trend, const struct topk_compared *runs)
{
    struct topk_object object = topk_object_new();
    struct topk_array array = topk_array_new();
    for (size_t i = 0; i < trend->count; i++) {
        topk_array_add(&array, point_json(&runs[i], &trend->points[i]));
    }
    topk_object_number(&object, "common", trend->common);
    topk_object_put(&object, "runs", topk_array_take(&array));
    return topk_object_take(&object);
}
