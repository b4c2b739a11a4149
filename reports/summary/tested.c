/* What passes are worth. */
#include "tested.h"

#include <inttypes.h>
#include <stdio.h>

void topk_tested_add(struct topk_tested *tested, topk_asks_result *asks, const char *id,
                     enum topk_verdict verdict, bool by_status)
{
    tested->by_status += by_status;
    bool served = verdict != TOPK_VERDICT_UNSUPPORTED;
    if (!tested->served && (served || !tested->asked) && asks(id)) {
        tested->asked = true;
        tested->served = served;
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
    return (tested->asked && !tested->served) ||
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
                 " cases are unsupported, and with them all that ask for a result",
                 unsupported, all);
    }
}
