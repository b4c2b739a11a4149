/* Counts which clauses the cases of a run test and break, in all and by test, and derives what that
 * says about a sentence of the documents. */
#include "summary_clauses.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reference/sentence.h"

/* Sets *number to the position of a set of clauses among clause_sets; 0 if the set is empty. */
static bool clauses_number(struct topk_summary *summary, const struct topk_clause_set *set,
                           uint16_t *number)
{
    char text[TOPK_CLAUSE_COUNT * 8];
    size_t used = 0;
    uint32_t found = 0;
    for (int i = 0; i < TOPK_CLAUSE_COUNT; i++) {
        if (topk_clause_set_has(set, (enum topk_clause)i)) {
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", used == 0 ? "" : " ",
                                     topk_clause_id((enum topk_clause)i));
        }
    }
    if (used > 0 && !topk_ids_number(&summary->clause_sets, text, &found)) {
        return false;
    }
    *number = used == 0 || found >= TOPK_GROUPS_MAX ? 0 : (uint16_t)(found + 1);
    return true;
}

/* Returns the counts of a test; NULL if memory ran out. */
static struct topk_test_count *counts_of(struct topk_summary *summary, uint32_t test)
{
    while (summary->by_test_count <= test) {
        if (topk_list_add(&summary->by_test, &summary->by_test_count, sizeof *summary->by_test) ==
            NULL) {
            return NULL;
        }
    }
    return &summary->by_test[test];
}

static void count_unserved(struct topk_summary *summary, const struct topk_case_look *look)
{
    for (int i = 0; i < TOPK_CLAUSE_COUNT; i++) {
        summary->clauses[i].unsupported += topk_clause_set_has(&look->clauses, (enum topk_clause)i);
    }
}

bool topk_summary_clauses(struct topk_summary *summary, const struct topk_log_record *record,
                          const struct topk_case_look *look, struct topk_summary_row *row)
{
    struct topk_outcome own;
    struct topk_test_count *by_test = counts_of(summary, row->test);
    bool passed = record->own_verdict == TOPK_VERDICT_PASS;
    bool failed = topk_verdict_failure(record->verdict);
    if (by_test == NULL) {
        return false;
    }
    if (record->verdict == TOPK_VERDICT_UNSUPPORTED) {
        count_unserved(summary, look);
    }
    if (record->verdict == TOPK_VERDICT_UNSUPPORTED ||
        record->verdict == TOPK_VERDICT_HARNESS_ERROR) {
        return true;
    }
    topk_outcome_take(&own, record, record->own_verdict);
    struct topk_clause_set tested = look->clauses;
    topk_clause_set_merge(&tested, &own.clauses);
    for (int i = 0; i < TOPK_CLAUSE_COUNT; i++) {
        bool breaks = topk_clause_set_has(&own.clauses, (enum topk_clause)i);
        bool tests = topk_clause_set_has(&tested, (enum topk_clause)i);
        struct topk_clause_count *count = &summary->clauses[i];
        count->cases += tests;
        count->passing += passed && tests;
        count->by_status += passed && tests && record->by_status;
        count->maybe += !tests && topk_clause_set_has(&look->maybe, (enum topk_clause)i);
        count->failing += breaks && failed;
        count->waived += breaks && !failed;
        by_test->cases[i] += tests;
        by_test->failing[i] += breaks;
    }
    return clauses_number(summary, &tested, &row->tests) &&
           (!failed || clauses_number(summary, &own.clauses, &row->clauses));
}

const char *topk_summary_sentence_claim(const struct topk_summary *summary, size_t sentence)
{
    const struct topk_clause_set set = topk_sentence_clauses(sentence);
    size_t counts[TOPK_CLAIM_COUNT] = {0};
    for (int i = 0; i < TOPK_CLAUSE_COUNT; i++) {
        if (topk_clause_set_has(&set, (enum topk_clause)i)) {
            counts[topk_summary_claim(summary, (enum topk_clause)i)]++;
        }
    }
    const size_t restated = counts[TOPK_CLAIM_RESTATED];
    const size_t held = counts[TOPK_CLAIM_HELD] + counts[TOPK_CLAIM_PARTLY] + restated;
    const size_t unknown = counts[TOPK_CLAIM_UNTESTED] + counts[TOPK_CLAIM_UNSHOWN];
    const size_t left_out = counts[TOPK_CLAIM_NOT_PROMISED] + counts[TOPK_CLAIM_NOT_OBSERVED];
    if (topk_clause_set_empty(&set)) {
        return "";
    }
    if (counts[TOPK_CLAIM_BROKEN] + counts[TOPK_CLAIM_WAIVED] == 0 && held > 0 &&
        unknown + left_out + counts[TOPK_CLAIM_OPEN] > 0) {
        return "held in part";
    }
    return topk_claim_word(counts[TOPK_CLAIM_BROKEN] > 0         ? TOPK_CLAIM_BROKEN
                           : counts[TOPK_CLAIM_WAIVED] > 0       ? TOPK_CLAIM_WAIVED
                           : unknown > 0                         ? TOPK_CLAIM_UNSHOWN
                           : restated > 0                        ? TOPK_CLAIM_RESTATED
                           : counts[TOPK_CLAIM_PARTLY] > 0       ? TOPK_CLAIM_PARTLY
                           : held > 0                            ? TOPK_CLAIM_HELD
                           : counts[TOPK_CLAIM_NOT_OBSERVED] > 0 ? TOPK_CLAIM_NOT_OBSERVED
                           : counts[TOPK_CLAIM_NOT_PROMISED] > 0 ? TOPK_CLAIM_NOT_PROMISED
                                                                 : TOPK_CLAIM_OPEN);
}
