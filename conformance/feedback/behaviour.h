/* What a case made a backend do, seen from outside: its result, its outputs and its time, each
 * together with what kind of case it was. For backends that count no edges. */
#ifndef TOPK_BEHAVIOUR_H
#define TOPK_BEHAVIOUR_H

#include "case/case.h"
#include "novelty.h"
#include "reference/result.h"

/* Features of behaviour are below this number, which is a power of two. */
#define TOPK_BEHAVIOURS ((uint32_t)1 << 20)

/* Appends those that have not come; first: the number of the first one. Of a time nothing is
 * appended, see below. False if memory is short. */
bool topk_behaviour_add(const struct topk_case *tc, const struct topk_result *result,
                        const struct topk_novelty *novelty, uint32_t first,
                        struct topk_feature_list *features);

/* The feature of the time that a case took: whether it took far longer than cases of its kind
 * usually do, in steps of a factor of eight. A disturbance can make a case look slow and never
 * fast, so of a slow one the least of several times counts. False: it was not slow. */
bool topk_behaviour_slow(const struct topk_case *tc, uint64_t nanoseconds, uint32_t *feature);

#endif
