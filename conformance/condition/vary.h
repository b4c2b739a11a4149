/* Makes cases that differ slightly from a failing one, to examine the border of a condition. */
#ifndef TOPK_VARY_H
#define TOPK_VARY_H

#include "condition.h"
#include "generate/generate.h"

/* Makes *to a valid case that asks for a result and differs from another such case in one to three
 * of operator, types, sizes, K, axis, layouts, offsets, flags, relation and data. Numbers are often
 * those at a border of the condition. False if what came out is no such case, or if memory is
 * short; else *to is to be cleared. */
bool topk_vary(const struct topk_case *from, const struct topk_condition *condition,
               struct topk_choice *choice, struct topk_case *to);

#endif
