/* Shows each shrunk case with the failures that were shrunk to it. */
#include <stdlib.h>
#include <string.h>

#include "summary_group.h"

/* Adds the cases that were shrunk to it. */
static bool add_sources(struct topk_shrunk_example *entry, const struct topk_log_shrunk *shrunk)
{
    uint64_t *of = realloc(entry->of, (entry->of_count + shrunk->of_count + 1) * sizeof *of);
    if (of == NULL) {
        return false;
    }
    entry->of = of;
    memcpy(of + entry->of_count, shrunk->of, shrunk->of_count * sizeof *of);
    entry->of_count += shrunk->of_count;
    return true;
}

bool topk_summary_shrunk_add(struct topk_summary *summary, const struct topk_log_shrunk *shrunk)
{
    for (size_t i = 0; i < summary->shrunk_count; i++) {
        if (strcmp(summary->shrunk[i].example.id, shrunk->record.id) == 0) {
            return add_sources(&summary->shrunk[i], shrunk); /* another shard found the same */
        }
    }
    if (summary->shrunk_count == TOPK_SHRUNK_MAX) {
        return true;
    }
    struct topk_case_look look;
    struct topk_shrunk_example *entry =
        topk_list_add(&summary->shrunk, &summary->shrunk_count, sizeof *entry);
    if (entry == NULL) {
        return false;
    }
    summary->lookup->look(shrunk->record.id, &look);
    entry->minimal = shrunk->minimal;
    entry->clause = shrunk->record.clause;
    return topk_example_fill(&entry->example, &shrunk->record, look.elements) &&
           add_sources(entry, shrunk);
}

static int by_number(const void *key, const void *row)
{
    uint64_t number = *(const uint64_t *)key;
    uint64_t other = ((const struct topk_summary_row *)row)->number;
    return number < other ? -1 : number > other;
}

/* Inserts an example in its order among those that are kept, unless it comes after all of them. */
static void offer(const struct topk_summary *summary, struct topk_group *group, uint32_t number)
{
    size_t at = group->shrunk_count;
    for (size_t i = 0; i < group->shrunk_count; i++) {
        if (group->shrunk[i] == number) {
            return;
        }
    }
    while (at > 0 && summary->shrunk[number].example.elements <
                         summary->shrunk[group->shrunk[at - 1]].example.elements) {
        at--;
    }
    if (at == TOPK_EXAMPLES) {
        return;
    }
    size_t kept = group->shrunk_count < TOPK_EXAMPLES ? group->shrunk_count : TOPK_EXAMPLES - 1;
    memmove(&group->shrunk[at + 1], &group->shrunk[at], (kept - at) * sizeof group->shrunk[0]);
    group->shrunk[at] = number;
    group->shrunk_count = kept + 1;
}

void topk_summary_shrunk_finish(struct topk_summary *summary)
{
    for (uint32_t i = 0; i < summary->shrunk_count; i++) {
        struct topk_shrunk_example *entry = &summary->shrunk[i];
        for (size_t j = 0; summary->row_count > 0 && j < entry->of_count; j++) {
            const struct topk_summary_row *row = bsearch(
                &entry->of[j], summary->rows, summary->row_count, sizeof *summary->rows, by_number);
            struct topk_group *group =
                row == NULL || row->group == 0 ? NULL : &summary->groups[row->group - 1];
            /* What a failure of a bug shrinks to is another case of that bug, whichever clause it
             * breaks first. Otherwise a failure may have shrunk to something else. */
            if (group != NULL && (group->entry != NULL || group->clause == entry->clause)) {
                offer(summary, group, i);
            }
        }
        topk_example_expect(&entry->example, summary);
    }
}

void topk_summary_shrunk_free(struct topk_summary *summary)
{
    for (size_t i = 0; i < summary->shrunk_count; i++) {
        topk_example_free(&summary->shrunk[i].example);
        free(summary->shrunk[i].of);
    }
    free(summary->shrunk);
}
