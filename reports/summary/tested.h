/* What passes are worth. A backend that serves no call that asks for a result has computed nothing,
 * whatever else it refused: its refusals show no conformance. And a pass that rests on a status
 * alone shows less than one whose outputs were judged. */
#ifndef TOPK_TESTED_H
#define TOPK_TESTED_H

#include "reference/result.h"

/* Whether the case of an id asks for a result: its call is valid, and none that may be refused. Who
 * understands cases tells. */
typedef bool topk_asks_result(const char *id);

struct topk_tested {
    bool asked;         /* a case that asks for a result was run */
    bool served;        /* and one of them is not unsupported */
    uint64_t by_status; /* passes, by a status alone */
};

/* Takes the verdict on a case; by_status: as in struct topk_result. asks() is called only as long
 * as that can change anything. */
void topk_tested_add(struct topk_tested *tested, topk_asks_result *asks, const char *id,
                     enum topk_verdict verdict, bool by_status);

/* How many cases there are, of all verdicts. */
uint64_t topk_totals_sum(const uint64_t totals[TOPK_VERDICT_COUNT]);

/* Whether nothing was tested: all that asks for a result is unsupported, or simply all. A run that
 * nothing of asks for a result has tested refusals. */
bool topk_tested_nothing(const struct topk_tested *tested,
                         const uint64_t totals[TOPK_VERDICT_COUNT]);

/* Says so of a run that topk_tested_nothing() is true of: "all 87 cases are unsupported". */
void topk_tested_sentence(const uint64_t totals[TOPK_VERDICT_COUNT], char *text, size_t size);

#endif
