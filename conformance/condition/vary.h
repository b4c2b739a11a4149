/* Makes cases that differ slightly from a failing one, to examine the border of a condition. */
#ifndef TOPK_VARY_H
#define TOPK_VARY_H

#include "condition.h"
#include "generate/generate.h"

/* Makes *to a variant of a valid case that asks for a result. The variant is such a case, too, and
 * differs in one to three of operator, types, sizes, K, axis, layouts, offsets, flags, relation and
 * data. Its numbers are often at a border of the condition. Returns false if the attempt gave no
 * such case, or if memory is short; otherwise clear *to afterwards. */
bool topk_vary(const struct topk_case *from, const struct topk_condition *condition,
               struct topk_choice *choice, struct topk_case *to);

#endif
