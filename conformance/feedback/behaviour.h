/* Features of what a case made a backend do, seen from outside: its result, its outputs and its
 * time, each combined with properties of the case. They guide the search for backends that do not
 * count edges. */
#ifndef TOPK_BEHAVIOUR_H
#define TOPK_BEHAVIOUR_H

#include "case/case.h"
#include "novelty.h"
#include "reference/result.h"

/* Features of behaviour are less than this number, which is a power of two. */
#define TOPK_BEHAVIOURS ((uint32_t)1 << 20)

/* Appends the features of a result that no kept case has; `first` is the number of the first
 * feature of behaviour. Does not include the feature of the time, see below. Returns false if
 * memory is short. */
bool topk_behaviour_add(const struct topk_case *tc, const struct topk_result *result,
                        const struct topk_novelty *novelty, uint32_t first,
                        struct topk_feature_list *features);

/* Computes the feature of the time that a case took: by how many factors of eight it is slower than
 * usual for its number of calls and elements. Returns false if it was not slow. A disturbance can
 * only make a case look slower, so run a slow case several times and use the least time. */
bool topk_behaviour_slow(const struct topk_case *tc, uint64_t nanoseconds, uint32_t *feature);

#endif
