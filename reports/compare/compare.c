/* Compares two runs, case by case. */
#include "compare.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    bool worse;
    const char *one;
    const char *many;
} changes[] = {
#define CHANGE(name, worse, one, many) {worse, one, many},
    TOPK_CHANGE_LIST(CHANGE)
#undef CHANGE
};

const char *topk_change_name(enum topk_change change, uint64_t count)
{
    return count == 1 ? changes[change].one : changes[change].many;
}

bool topk_change_worse(enum topk_change change)
{
    return changes[change].worse;
}

/* ---- one case -------------------------------------------------------------------------------- */

static bool has_record(const struct topk_outcome *outcome)
{
    return outcome->verdict != TOPK_VERDICT_COUNT;
}

static bool fails(const struct topk_outcome *outcome)
{
    return has_record(outcome) && topk_verdict_failure(outcome->verdict);
}

static bool passes(const struct topk_outcome *outcome)
{
    return outcome->verdict == TOPK_VERDICT_PASS ||
           outcome->verdict == TOPK_VERDICT_UNEXPECTED_PASS;
}

enum topk_change topk_change_of(const struct topk_outcome *before, const struct topk_outcome *after)
{
    if (fails(after) && !fails(before)) {
        return TOPK_CHANGE_FAILURE;
    }
    if (!has_record(after)) {
        return has_record(before) ? TOPK_CHANGE_MISSING : TOPK_CHANGE_COUNT;
    }
    if (!has_record(before)) {
        return TOPK_CHANGE_ADDED;
    }
    if (passes(before) && after->verdict == TOPK_VERDICT_UNSUPPORTED) {
        return TOPK_CHANGE_DROPPED;
    }
    if (fails(before) && passes(after)) {
        return TOPK_CHANGE_FIX;
    }
    if (before->verdict != after->verdict) {
        return TOPK_CHANGE_VERDICT;
    }
    if (memcmp(&before->clauses, &after->clauses, sizeof after->clauses) != 0) {
        return TOPK_CHANGE_CLAUSES;
    }
    return before->observations != after->observations ? TOPK_CHANGE_OBSERVATIONS
                                                       : TOPK_CHANGE_COUNT;
}

/* ---- groups ---------------------------------------------------------------------------------- */

static int by_outcome(const struct topk_outcome *a, const struct topk_outcome *b, bool observations)
{
    if (a->verdict != b->verdict) {
        return a->verdict < b->verdict ? -1 : 1;
    }
    int order = memcmp(&a->clauses, &b->clauses, sizeof a->clauses);
    if (order == 0 && observations && a->observations != b->observations) {
        order = a->observations < b->observations ? -1 : 1;
    }
    return order;
}

/* Returns 0 if both cases belong to the same group. */
static int by_group(const struct topk_change_case *a, const struct topk_change_case *b)
{
    if (a->change != b->change) {
        return a->change < b->change ? -1 : 1;
    }
    /* If the verdict changed, cases are not also grouped by their observations. */
    bool observations = a->change == TOPK_CHANGE_OBSERVATIONS;
    size_t length = a->test_length < b->test_length ? a->test_length : b->test_length;
    int order = strncmp(a->id, b->id, length);
    if (order == 0 && a->test_length != b->test_length) {
        order = a->test_length < b->test_length ? -1 : 1;
    }
    order = order != 0 ? order : by_outcome(a->before, b->before, observations);
    return order != 0 ? order : by_outcome(a->after, b->after, observations);
}

static int by_case(const void *a, const void *b)
{
    const struct topk_change_case *x = a;
    const struct topk_change_case *y = b;
    int order = by_group(x, y);
    return order != 0 ? order : strcmp(x->id, y->id);
}

/* Sorts groups by their number of cases, within a change; `first` grows with the change. */
static int by_size(const void *a, const void *b)
{
    const struct topk_change_group *x = a;
    const struct topk_change_group *y = b;
    if (x->count != y->count) {
        return x->count > y->count ? -1 : 1;
    }
    return x->first < y->first ? -1 : 1;
}

/* Divides the cases that can be listed among the groups of one change: equally, but what a small
 * group does not need goes to the larger ones. */
static void share(struct topk_change_group *groups, size_t count, uint64_t most)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t left = count - i;
        uint64_t part = most / left + (most % left != 0);
        groups[i].shown = groups[i].count < part ? groups[i].count : part;
        most -= groups[i].shown;
    }
}

static bool make_groups(struct topk_comparison *comparison, uint64_t most)
{
    const struct topk_change_case *cases = comparison->cases;
    struct topk_change_group *group = NULL;
    for (size_t i = 0; i < comparison->case_count; i++) {
        if (i == 0 || by_group(&cases[i - 1], &cases[i]) != 0) {
            group = topk_list_add(&comparison->groups, &comparison->group_count, sizeof *group);
            if (group == NULL) {
                return false;
            }
            group->first = i;
        }
        group->count++;
    }
    struct topk_change_group *groups = comparison->groups;
    const size_t count = comparison->group_count;
    for (size_t from = 0, to = 0; from < count; from = to) {
        enum topk_change change = cases[groups[from].first].change;
        while (to < count && cases[groups[to].first].change == change) {
            to++;
        }
        qsort(groups + from, to - from, sizeof *groups, by_size);
        share(groups + from, to - from, most);
    }
    return true;
}

/* ---- probes ---------------------------------------------------------------------------------- */

static bool finds(const struct topk_probe *probe)
{
    return probe != NULL && topk_probe_verdict_finding(probe->verdict);
}

static void compare_probe(struct topk_comparison *comparison, const struct topk_probe *before,
                          const struct topk_probe *after)
{
    bool same = before != NULL && after != NULL && before->verdict == after->verdict &&
                strcmp(before->value, after->value) == 0;
    if (!same) {
        comparison->probes[comparison->probe_count++] =
            (struct topk_change_probe){before, after, finds(after) && !finds(before)};
    }
}

static void compare_probes(struct topk_comparison *comparison, const struct topk_run *a,
                           const struct topk_run *b)
{
    if (a->probe_count == 0 || b->probe_count == 0) {
        return;
    }
    for (size_t i = 0; i < a->probe_count; i++) {
        compare_probe(comparison, &a->probes[i], topk_run_probe(b, a->probes[i].name));
    }
    for (size_t i = 0; i < b->probe_count; i++) {
        if (topk_run_probe(a, b->probes[i].name) == NULL) {
            compare_probe(comparison, NULL, &b->probes[i]);
        }
    }
}

/* ---- parts ----------------------------------------------------------------------------------- */

static bool add_part(struct topk_comparison *comparison, const struct topk_log_part *before,
                     const struct topk_log_part *after)
{
    if (before != NULL && after != NULL && topk_log_parts_same(before, after)) {
        return true;
    }
    struct topk_change_part *change =
        topk_list_add(&comparison->parts, &comparison->part_count, sizeof *change);
    if (change != NULL) {
        *change = (struct topk_change_part){before, after};
    }
    return change != NULL;
}

static bool compare_parts(struct topk_comparison *comparison, const struct topk_log_parts *a,
                          const struct topk_log_parts *b)
{
    bool added = true;
    if (a->count == 0 || b->count == 0) {
        return true;
    }
    for (size_t i = 0; added && i < a->count; i++) {
        const struct topk_log_part *part = &a->list[i];
        added = add_part(comparison, part, topk_log_parts_counterpart(b, a, part));
    }
    for (size_t i = 0; added && i < b->count; i++) {
        const struct topk_log_part *part = &b->list[i];
        added = topk_log_parts_counterpart(a, b, part) != NULL || add_part(comparison, NULL, part);
    }
    return added;
}

void topk_letter_print(size_t i, char letter[TOPK_LETTER_TEXT])
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    const size_t count = sizeof letters - 1;
    char *at = letter;
    if (i >= count) {
        *at++ = letters[i / count - 1];
    }
    *at++ = letters[i % count];
    *at = 0;
}

/* ---- the whole ------------------------------------------------------------------------------- */

bool topk_compare(struct topk_comparison *comparison, const struct topk_ids *ids,
                  const struct topk_run *a, const struct topk_run *b, uint64_t most)
{
    memset(comparison, 0, sizeof *comparison);
    compare_probes(comparison, a, b);
    comparison->judge_worse = b->judge < a->judge;
    comparison->ends_worse = b->unclean > b->unclean_allowed && a->unclean <= a->unclean_allowed;
    if (!compare_parts(comparison, &a->parts, &b->parts)) {
        return false;
    }
    for (uint32_t i = 0; i < ids->count; i++) {
        const struct topk_outcome *before = topk_run_outcome(a, i);
        const struct topk_outcome *after = topk_run_outcome(b, i);
        enum topk_change change = topk_change_of(before, after);
        comparison->both += has_record(before) && has_record(after);
        if (change < TOPK_CHANGE_COUNT) {
            const char *id = ids->texts[i];
            struct topk_change_case *c =
                topk_list_add(&comparison->cases, &comparison->case_count, sizeof *c);
            if (c == NULL) {
                return false;
            }
            *c = (struct topk_change_case){change, id, topk_id_test_length(id), before, after};
            comparison->counts[change]++;
        }
    }
    if (comparison->case_count > 0) {
        qsort(comparison->cases, comparison->case_count, sizeof *comparison->cases, by_case);
    }
    return make_groups(comparison, most) && topk_compare_speed(comparison, ids, a, b);
}

bool topk_comparison_worse(const struct topk_comparison *comparison)
{
    for (size_t i = 0; i < comparison->probe_count; i++) {
        if (comparison->probes[i].worse) {
            return true;
        }
    }
    for (unsigned i = 0; i < TOPK_CHANGE_COUNT; i++) {
        if (changes[i].worse && comparison->counts[i] > 0) {
            return true;
        }
    }
    return comparison->judge_worse || comparison->ends_worse;
}

const char *topk_comparison_words(const struct topk_comparison *comparison)
{
    return topk_comparison_worse(comparison)                      ? "WORSE THAN"
           : comparison->case_count + comparison->probe_count > 0 ? "NOT WORSE THAN"
                                                                  : "THE SAME AS";
}

void topk_comparison_free(struct topk_comparison *comparison)
{
    free(comparison->cases);
    free(comparison->parts);
    free(comparison->groups);
    free(comparison->speeds);
    topk_ids_free(&comparison->tests);
    memset(comparison, 0, sizeof *comparison);
}
