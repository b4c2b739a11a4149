/* Shared by the statements of the V and the T clauses. */
#ifndef TOPK_STATEMENT_PARTS_H
#define TOPK_STATEMENT_PARTS_H

#include "statement.h"

static inline enum stated stated_broken_if(bool condition)
{
    return condition ? STATED_BROKEN : STATED_HOLDS;
}

/* What a T clause says about a present tensor. */
enum stated stated_tensor(enum topk_clause clause, const struct topk_tensor *tensor, bool input);

#endif
