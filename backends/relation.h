/* Relations between calls (check.def): the second calls that a case asks for, and their comparison.
 */
#ifndef TOPK_RELATION_H
#define TOPK_RELATION_H

#include "call.h"

/* Most second calls of one case: of ROW, one for each of the first so many sequences. */
#define TOPK_RELATED_MAX 16

/* Prepares second call `number` of a case whose first call is prepared. Returns 1, or 0 if there is
 * no such call, or -1 if memory is short. base: the first call, not run yet. */
int topk_relation_prepare(struct topk_call *related, const struct topk_call *base, uint32_t number);

/* Compares second call `number` with the first, both done, and adds what differs to judgement.
 * Sequences with a NaN are compared only where the same call is repeated (F02, S14), those with
 * FLOAT32 denormals only where the shape stays (F04). */
void topk_relation_compare(const struct topk_call *related, const struct topk_call *base,
                           uint32_t number, struct topk_judgement *judgement);

#endif
