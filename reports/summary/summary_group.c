/* Groups the cases that did not pass by cause: failures by bug and verdict, others by verdict,
 * clause and reason. */
#define _POSIX_C_SOURCE 200809L /* strdup */

#include "summary_group.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- examples -------------------------------------------------------------------------------- */

void topk_example_free(struct topk_example *example)
{
    for (size_t i = 0; example->findings != NULL && i < example->finding_count; i++) {
        free(example->findings[i].place);
        free(example->findings[i].sentence);
        free(example->findings[i].expected);
        free(example->findings[i].actual);
    }
    for (size_t i = 0; example->window != NULL && i < example->window_count; i++) {
        free(example->window[i].value);
        free(example->window[i].bits);
    }
    free(example->findings);
    free(example->window);
    free(example->id);
    free(example->reason);
    free(example->runs);
    free(example->crash);
    memset(example, 0, sizeof *example);
}

/* "2 (00000002)" */
static char *element_text(const char *value, const char *bits)
{
    return value == NULL || bits == NULL ? strdup("") : topk_text_make("%s (%s)", value, bits);
}

static bool copy_findings(struct topk_example *example, const struct topk_log_record *record)
{
    bool ok = true;
    example->findings = calloc(record->finding_count + 1, sizeof *example->findings);
    example->finding_count = record->finding_count;
    for (size_t i = 0; example->findings != NULL && i < record->finding_count; i++) {
        const struct topk_log_finding *from = &record->findings[i];
        struct topk_example_finding *to = &example->findings[i];
        to->clause = from->clause;
        to->count = from->count;
        to->place = strdup(from->place);
        to->sentence = strdup(from->sentence);
        to->expected = element_text(from->expected, from->expected_bits);
        to->actual = element_text(from->actual, from->actual_bits);
        ok = ok && to->place != NULL && to->sentence != NULL && to->expected != NULL &&
             to->actual != NULL;
    }
    return ok && example->findings != NULL;
}

static bool copy_window(struct topk_example *example, const struct topk_log_record *record)
{
    bool ok = true;
    example->window = calloc(record->window_count + 1, sizeof *example->window);
    example->window_from = record->window_from;
    example->window_count = record->window_count;
    for (size_t i = 0; example->window != NULL && i < record->window_count; i++) {
        example->window[i].value = strdup(record->window[i].value);
        example->window[i].bits = strdup(record->window[i].bits);
        example->window[i].index = record->window[i].index;
        ok = ok && example->window[i].value != NULL && example->window[i].bits != NULL;
    }
    return ok && example->window != NULL;
}

bool topk_example_fill(struct topk_example *example, const struct topk_log_record *record,
                       uint64_t elements)
{
    char runs[TOPK_AGAIN_TEXT];
    example->number = record->number;
    example->elements = elements;
    example->id = strdup(record->id);
    example->reason = strdup(record->reason);
    topk_log_runs_print(record, runs);
    example->runs = strdup(runs);
    bool crash = true;
    if (record->crash != NULL) {
        example->crash = malloc(sizeof *example->crash);
        crash = example->crash != NULL;
        if (crash) {
            *example->crash = *record->crash;
        }
    }
    example->call = record->call;
    example->has_sequence = record->has_sequence;
    example->sequence = record->sequence;
    example->position = record->position;
    bool findings = copy_findings(example, record);
    bool window = copy_window(example, record);
    return findings && window && crash && example->id != NULL && example->reason != NULL &&
           example->runs != NULL;
}

void topk_example_expect(struct topk_example *example, const struct topk_summary *summary)
{
    if (example->has_sequence) {
        summary->lookup->expect(example->id, example->call, &summary->contract, example->sequence,
                                example->window_from, (uint32_t)example->window_count,
                                &example->expected);
    }
}

static bool before(uint64_t elements, uint64_t number, const struct topk_example *example)
{
    return elements != example->elements ? elements < example->elements : number < example->number;
}

/* Inserts an example in its order among those that are kept, unless it comes after all of them. */
static bool offer(struct topk_group *group, const struct topk_log_record *record, uint64_t elements)
{
    size_t at = group->example_count;
    while (at > 0 && before(elements, record->number, &group->examples[at - 1])) {
        at--;
    }
    if (at == TOPK_EXAMPLES) {
        return true;
    }
    if (group->example_count == TOPK_EXAMPLES) {
        topk_example_free(&group->examples[TOPK_EXAMPLES - 1]);
        group->example_count--;
    }
    memmove(&group->examples[at + 1], &group->examples[at],
            (group->example_count - at) * sizeof group->examples[0]);
    memset(&group->examples[at], 0, sizeof group->examples[at]);
    group->example_count++;
    return topk_example_fill(&group->examples[at], record, elements);
}

/* ---- groups ---------------------------------------------------------------------------------- */

char *topk_group_cause(const struct topk_log_record *record, const char *type)
{
    if (record->cause[0] != 0) {
        return strdup(record->cause);
    }
    if (record->finding_count > 0 && record->findings[0].place[0] != 0) {
        const char *mismatch = record->findings[0].mismatch;
        return type == NULL ? strdup(mismatch)
                            : topk_text_make("%s, elements of type %s", mismatch, type);
    }
    if (record->crash != NULL) {
        char site[TOPK_CRASH_TEXT];
        topk_crash_site_print(record->crash, site);
        return strdup(site);
    }
    return strdup(record->reason);
}

/* Returns the cause of a bug; if none is known, what is wrong in this case. */
static char *bug_cause(const struct topk_entry *entry, const struct topk_log_record *record)
{
    char cause[TOPK_ENTRY_CAUSE];
    topk_entry_cause(entry, cause);
    return cause[0] != 0               ? strdup(cause)
           : record->finding_count > 0 ? strdup(record->findings[0].mismatch)
           : record->crash != NULL     ? topk_group_cause(record, NULL)
                                       : strdup(record->reason);
}

/* Returns what the members of a group have in common: for failures the bug, the verdict, and where
 * they crashed. */
static char *group_key(const struct topk_summary *summary, const struct topk_log_record *record,
                       const struct topk_entry *entry, const char *cause)
{
    char site[TOPK_CRASH_TEXT] = "";
    if (entry == NULL) {
        return topk_text_make("%d %d %s", (int)record->verdict, (int)record->clause, cause);
    }
    if (record->crash != NULL) {
        topk_crash_site_print(record->crash, site);
    }
    return topk_text_make("%d bug %zu %s", (int)record->verdict,
                          (size_t)(entry - summary->entries.list), site);
}

static bool group_add(struct topk_summary *summary, uint32_t number,
                      const struct topk_log_record *record, const struct topk_entry *entry,
                      const char *cause)
{
    struct topk_group *group =
        topk_list_add(&summary->groups, &summary->group_count, sizeof *group);
    if (group == NULL) {
        return false;
    }
    bool last = number + 1 == TOPK_GROUPS_MAX;
    group->verdict = record->verdict;
    group->clause = last ? TOPK_CLAUSE_NONE : record->clause;
    if (entry != NULL && entry->verdict == record->verdict) {
        group->clause = entry->clause;
    }
    group->entry = entry;
    group->cause = strdup(last ? "other causes" : cause);
    group->first = record->number;
    return group->cause != NULL;
}

bool topk_summary_group(struct topk_summary *summary, struct topk_ids *keys,
                        const struct topk_log_record *record, const struct topk_case_look *look,
                        uint32_t *group)
{
    const char *type = summary->lookup->classes(TOPK_FACET_TYPE)[look->facets[TOPK_FACET_TYPE]];
    const struct topk_entry *entry = topk_verdict_failure(record->verdict)
                                         ? topk_entries_find(&summary->entries, record->number)
                                         : NULL;
    char *cause = entry == NULL ? topk_group_cause(record, type) : bug_cause(entry, record);
    char *key = cause == NULL ? NULL : group_key(summary, record, entry, cause);
    bool ok = key != NULL;
    if (ok && keys->count >= TOPK_GROUPS_MAX) {
        /* It may still belong to an existing group, but a new one would be too many. */
        *group = TOPK_GROUPS_MAX - 1;
        uint32_t number;
        ok = topk_ids_number(keys, key, &number);
        *group = number < *group ? number : *group;
    } else if (ok) {
        ok = topk_ids_number(keys, key, group);
    }
    if (ok && *group == summary->group_count) {
        ok = group_add(summary, *group, record, entry, cause);
    }
    if (ok) {
        struct topk_group *found = &summary->groups[*group];
        found->count++;
        found->first = record->number < found->first ? record->number : found->first;
        ok = offer(found, record, look->elements);
        /* The smallest case represents a bug. */
        if (ok && entry != NULL && found->examples[0].number == record->number) {
            char *before = found->cause;
            found->cause = cause;
            cause = before;
        }
    }
    free(cause);
    free(key);
    return ok;
}

/* ---- the end --------------------------------------------------------------------------------- */

static int rank_of(const struct topk_group *group)
{
    return topk_verdict_failure(group->verdict)             ? 0
           : group->verdict == TOPK_VERDICT_UNEXPECTED_PASS ? 1
           : group->verdict == TOPK_VERDICT_EXPECTED_FAIL   ? 2
                                                            : 3;
}

struct numbered {
    const struct topk_group *group;
    uint32_t number;
};

/* Sorts failures first, then groups with more cases. */
static int by_weight(const void *a, const void *b)
{
    const struct topk_group *x = ((const struct numbered *)a)->group;
    const struct topk_group *y = ((const struct numbered *)b)->group;
    if (rank_of(x) != rank_of(y)) {
        return rank_of(x) - rank_of(y);
    }
    if (x->count != y->count) {
        return x->count > y->count ? -1 : 1;
    }
    return x->first < y->first ? -1 : x->first > y->first;
}

bool topk_summary_groups_finish(struct topk_summary *summary)
{
    size_t count = summary->group_count;
    summary->order = malloc((count + 1) * sizeof *summary->order);
    struct numbered *sorted = malloc((count + 1) * sizeof *sorted);
    if (summary->order == NULL || sorted == NULL) {
        free(sorted);
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        struct topk_group *group = &summary->groups[i];
        sorted[i] = (struct numbered){group, (uint32_t)i};
        for (size_t j = 0; j < group->example_count; j++) {
            topk_example_expect(&group->examples[j], summary);
        }
    }
    qsort(sorted, count, sizeof *sorted, by_weight);
    for (size_t i = 0; i < count; i++) {
        summary->order[i] = sorted[i].number;
    }
    free(sorted);
    return true;
}

void topk_summary_groups_free(struct topk_summary *summary)
{
    for (size_t i = 0; i < summary->group_count; i++) {
        for (size_t j = 0; j < summary->groups[i].example_count; j++) {
            topk_example_free(&summary->groups[i].examples[j]);
        }
        free(summary->groups[i].cause);
    }
    free(summary->groups);
    free(summary->order);
}
