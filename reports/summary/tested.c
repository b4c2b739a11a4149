/* Decides how much the passes of a run are worth. */
#include "tested.h"

#include <inttypes.h>
#include <stdio.h>

/* Returns whether support cannot be required because the documents promise nothing (grade PRACTICE:
 * K = n, overlapping inputs). An implementation that refuses such a call has not supported it, but
 * lacks nothing. */
static bool may_lack(enum topk_clause clause)
{
    return clause < TOPK_CLAUSE_COUNT && topk_clause_row(clause)->grade == TOPK_GRADE_PRACTICE;
}

void topk_tested_add(struct topk_tested *tested, const struct topk_gate *gate, uint64_t asked,
                     enum topk_verdict verdict, enum topk_clause clause, bool by_status,
                     bool by_contract)
{
    const bool served = verdict != TOPK_VERDICT_UNSUPPORTED;
    tested->by_status += by_status;
    tested->by_contract += by_contract;
    tested->asked += asked & 1;
    tested->served += served ? asked & 1 : 0;
    for (size_t i = 0; gate != NULL && i < gate->count; i++) {
        const uint64_t is = asked >> (1 + i) & 1;
        tested->required[i].cases += is;
        tested->required[i].lacking += !served && !may_lack(clause) ? is : 0;
    }
}

uint64_t topk_tested_unclean(const struct topk_tested *tested)
{
    uint64_t count = 0;
    for (int i = 0; i < TOPK_PROCESS_COUNT; i++) {
        count += topk_process_unclean((enum topk_process_end)i) ? tested->ended[i] : 0;
    }
    return count;
}

void topk_tested_ended(const struct topk_tested *tested, char text[TOPK_ENDED_TEXT])
{
    int used = 0;
    text[0] = 0;
    for (int i = TOPK_PROCESS_UNDER_WAY + 1; i < TOPK_PROCESS_COUNT; i++) {
        const uint64_t count = tested->ended[i];
        if (count > 0) {
            used += snprintf(text + used, TOPK_ENDED_TEXT - (size_t)used, "%s%" PRIu64 " %s %s",
                             used == 0 ? "" : ", ", count, count == 1 ? "process" : "processes",
                             topk_process_phrase((enum topk_process_end)i, count == 1));
        }
    }
}

uint64_t topk_totals_sum(const uint64_t totals[TOPK_VERDICT_COUNT])
{
    uint64_t sum = 0;
    for (int i = 0; i < TOPK_VERDICT_COUNT; i++) {
        sum += totals[i];
    }
    return sum;
}

bool topk_tested_nothing(const struct topk_tested *tested,
                         const uint64_t totals[TOPK_VERDICT_COUNT])
{
    return (tested->asked > 0 && tested->served == 0) ||
           totals[TOPK_VERDICT_UNSUPPORTED] == topk_totals_sum(totals);
}

void topk_tested_sentence(const uint64_t totals[TOPK_VERDICT_COUNT], char *text, size_t size)
{
    uint64_t unsupported = totals[TOPK_VERDICT_UNSUPPORTED];
    uint64_t all = topk_totals_sum(totals);
    if (unsupported == all) {
        snprintf(text, size, "all %" PRIu64 " cases are unsupported", all);
    } else {
        snprintf(text, size,
                 "%" PRIu64 " of %" PRIu64
                 " cases are unsupported, among them all that ask for a result",
                 unsupported, all);
    }
}

/* ---- the share ------------------------------------------------------------------------------- */

struct topk_share topk_share_of(const struct topk_tested *tested,
                                const uint64_t totals[TOPK_VERDICT_COUNT])
{
    const uint64_t all = topk_totals_sum(totals);
    return tested->asked > 0
               ? (struct topk_share){tested->served, tested->asked, false}
               : (struct topk_share){all - totals[TOPK_VERDICT_UNSUPPORTED], all, true};
}

uint32_t topk_share_percent(const struct topk_share *share)
{
    return share->asked == 0                  ? 0
           : share->served >= share->asked    ? 100
           : share->served > UINT64_MAX / 100 ? (uint32_t)(share->served / (share->asked / 100 + 1))
                                              : (uint32_t)(share->served * 100 / share->asked);
}

void topk_share_print(const struct topk_share *share, char *text, size_t size)
{
    const uint32_t percent = topk_share_percent(share);
    const char *of = share->all ? "cases" : "valid calls";
    if (percent == 0 && share->served > 0) {
        snprintf(text, size, "less than 1 %% of the %s", of);
    } else {
        snprintf(text, size, "%" PRIu32 " %% of the %s", percent, of);
    }
}
