/* Describes the results of a run in words. */
#define _POSIX_C_SOURCE 200809L /* strdup */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "summary.h"

static const char *const claims[] = {
#define CLAIM(name, word) word,
    TOPK_CLAIM_LIST(CLAIM)
#undef CLAIM
};

struct topk_standing topk_summary_standing(const struct topk_summary *summary)
{
    return (struct topk_standing){.totals = summary->totals,
                                  .tested = &summary->tested,
                                  .judge = summary->judge,
                                  .complete = summary->complete,
                                  .early = summary->early.by != TOPK_EARLY_NOT,
                                  .whole = summary->whole,
                                  .gate = &summary->gate,
                                  .contract = &summary->contract};
}

enum topk_conformance topk_summary_conformance(const struct topk_summary *summary)
{
    const struct topk_standing standing = topk_summary_standing(summary);
    return topk_conformance_of(&standing);
}

void topk_summary_lead(const struct topk_summary *summary, char *text, size_t size)
{
    const struct topk_standing standing = topk_summary_standing(summary);
    topk_conformance_lead(topk_conformance_of(&standing), &standing, text, size);
}

void topk_summary_sentence(const struct topk_summary *summary, char *text, size_t size)
{
    const struct topk_standing standing = topk_summary_standing(summary);
    char left[40] = "";
    char ended[TOPK_ENDED_TEXT];
    if (summary->early.by != TOPK_EARLY_NOT) {
        topk_early_print(&summary->early, text, size);
        snprintf(left, sizeof left, ", %" PRIu64 " were not run", summary->early.left);
        const size_t used = strlen(text);
        snprintf(text + used, size - used, ": ");
        text += used + 2;
        size -= used + 2;
    }
    switch (topk_conformance_of(&standing)) {
    case TOPK_CONFORMANCE_INCOMPLETE:
        snprintf(text, size, "%" PRIu64 " of %" PRIu64 " cases have a result, %" PRIu64 " failed",
                 summary->recorded, summary->selected, summary->failures);
        return;
    case TOPK_CONFORMANCE_UNTESTED:
        topk_tested_sentence(summary->totals, text, size);
        return;
    case TOPK_CONFORMANCE_FAILED:
    case TOPK_CONFORMANCE_UNJUDGED:
        topk_tested_ended(&summary->tested, ended);
        snprintf(text, size, "%" PRIu64 " of %" PRIu64 " cases failed%s%s%s", summary->failures,
                 summary->recorded, left, ended[0] == 0 ? "" : "; ", ended);
        return;
    default:
        topk_passed_sentence(&standing, text, size);
        return;
    }
}

void topk_summary_again(const struct topk_summary *summary, char text[TOPK_SUMMARY_AGAIN])
{
    uint64_t again = 0;
    const char *before = ": ";
    text[0] = 0;
    for (int i = 0; i < TOPK_AGAIN_COUNT; i++) {
        again += summary->again[i];
    }
    if (again == 0) {
        return;
    }
    int used = snprintf(text, TOPK_SUMMARY_AGAIN, "run again: %" PRIu64 " of %" PRIu64 " failure%s",
                        again, again + summary->once, again + summary->once == 1 ? "" : "s");
    for (int i = 0; i < TOPK_AGAIN_COUNT; i++) {
        if (summary->again[i] > 0) {
            used += snprintf(text + used, TOPK_SUMMARY_AGAIN - (size_t)used, "%s%" PRIu64 " %s",
                             before, summary->again[i], topk_again_phrase((enum topk_again_kind)i));
            before = "; ";
        }
    }
}

/* ---- clauses --------------------------------------------------------------------------------- */

enum topk_claim topk_summary_claim(const struct topk_summary *summary, enum topk_clause clause)
{
    const struct topk_clause_count *count = &summary->clauses[clause];
    const enum topk_promise promise = topk_contract_promise(&summary->contract, clause, NULL);
    enum topk_grade grade = topk_clause_row(clause)->grade;
    bool restated = promise == TOPK_PROMISE_RESTATED;
    bool open = !restated && (grade == TOPK_GRADE_PRACTICE || grade == TOPK_GRADE_OBSERVE);
    return count->failing > 0                           ? TOPK_CLAIM_BROKEN
           : count->waived > 0                          ? TOPK_CLAIM_WAIVED
           : promise == TOPK_PROMISE_OPEN               ? TOPK_CLAIM_NOT_PROMISED
           : promise == TOPK_PROMISE_NOT_OBSERVED       ? TOPK_CLAIM_NOT_OBSERVED
           : count->cases == 0                          ? TOPK_CLAIM_UNTESTED
           : open                                       ? TOPK_CLAIM_OPEN
           : restated && count->passing == count->cases ? TOPK_CLAIM_RESTATED
           : count->passing == count->cases             ? TOPK_CLAIM_HELD
           : count->passing > 0                         ? TOPK_CLAIM_PARTLY
                                                        : TOPK_CLAIM_UNSHOWN;
}

const char *topk_claim_word(enum topk_claim claim)
{
    return claims[claim];
}

double topk_time_limit(unsigned bucket)
{
    return (bucket & 1) != 0 ? (double)(UINT64_C(1) << (bucket / 2 + 1))
                             : (double)(UINT64_C(1) << bucket / 2) * 1.4142135623730951;
}

unsigned topk_summary_quantile(const struct topk_summary *summary, double share)
{
    uint64_t needed = (uint64_t)ceil((double)summary->recorded * share);
    uint64_t seen = 0;
    unsigned bucket = 0;
    while (bucket + 1 < TOPK_TIME_BUCKETS && (seen += summary->times[bucket]) < needed) {
        bucket++;
    }
    return bucket;
}

/* ---- groups ---------------------------------------------------------------------------------- */

void topk_group_title(const struct topk_group *group, char title[TOPK_GROUP_TITLE])
{
    const bool clause = group->clause < TOPK_CLAUSE_COUNT;
    snprintf(title, TOPK_GROUP_TITLE, "%s%s%s", topk_verdict_word(group->verdict),
             clause ? " " : "", clause ? topk_clause_id(group->clause) : "");
}

/* Writes what the cases of a group share to `sentence`, if it is a bug, and a separator if there is
 * a cause, too, which is returned. */
static const char *group_words(const struct topk_group *group, char sentence[TOPK_BUG_TEXT + 2])
{
    sentence[0] = 0;
    if (group->entry == NULL) {
        return group->cause[0] == 0 ? "no reason given" : group->cause;
    }
    topk_bug_print(&group->entry->bug, sentence);
    /* Without a cause, the broken promise says more than the kind of mismatch. */
    const char *words = group->entry->readings == 0 && group->clause < TOPK_CLAUSE_COUNT
                            ? topk_clause_row(group->clause)->sentence
                            : group->cause;
    if (words[0] != 0) {
        memcpy(sentence + strlen(sentence), "; ", sizeof "; ");
    }
    return words;
}

char *topk_group_says(const struct topk_group *group)
{
    char sentence[TOPK_BUG_TEXT + 2];
    const char *words = group_words(group, sentence);
    return topk_text_make("%s%s", sentence, words);
}

void topk_group_print(FILE *out, const struct topk_group *group)
{
    char title[TOPK_GROUP_TITLE];
    char sentence[TOPK_BUG_TEXT + 2];
    const char *words = group_words(group, sentence);
    topk_group_title(group, title);
    fprintf(out, "%s, %" PRIu64 " case%s: %s%s", title, group->count, group->count == 1 ? "" : "s",
            sentence, words);
}

const struct topk_example *topk_group_smallest(const struct topk_summary *summary,
                                               const struct topk_group *group)
{
    return group->shrunk_count > 0    ? &summary->shrunk[group->shrunk[0]].example
           : group->example_count > 0 ? &group->examples[0]
                                      : NULL;
}
