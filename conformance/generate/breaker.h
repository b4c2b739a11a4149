/* Breakers: each makes a description break one clause, at the clause's border where it has one.
 * Where a newcomer adds a way to be invalid. */
#ifndef TOPK_BREAKER_H
#define TOPK_BREAKER_H

#include "case/case.h"
#include "choice.h"

struct topk_breaker {
    const char *name;
    enum topk_clause clause; /* that is broken for sure; others may be with it */
    /* Spoils a description of three tensors. False, and nothing is changed, if it offers no way.
     * It makes at most TOPK_CHOICE_DEPTH choices, from few, so that all can be enumerated. */
    bool (*spoil)(struct topk_choice *choice, struct topk_case *tc);
};

/* In the order in which two can be applied: whatever comes before, the clause of the later one is
 * broken afterwards. */
extern const struct topk_breaker topk_breakers[];
extern const uint32_t topk_breaker_count;

#endif
