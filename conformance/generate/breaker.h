/* Breakers: each changes a description so that it breaks one clause, at the border of the clause if
 * there is one. Add a new way to be invalid here. */
#ifndef TOPK_BREAKER_H
#define TOPK_BREAKER_H

#include "case/case.h"
#include "choice.h"

struct topk_breaker {
    const char *name;
    enum topk_clause clause; /* always broken afterwards; others may be broken, too */
    /* Changes a description of three tensors. Returns false, with nothing changed, if that is not
     * possible. Makes at most TOPK_CHOICE_DEPTH choices with small bounds, so that all results can
     * be enumerated. */
    bool (*spoil)(struct topk_choice *choice, struct topk_case *tc);
};

/* In an order in which two can be applied: a breaker breaks its clause whatever an earlier one
 * did. */
extern const struct topk_breaker topk_breakers[];
extern const uint32_t topk_breaker_count;

#endif
