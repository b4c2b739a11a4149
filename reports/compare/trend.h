/* The trend of several runs, in their order: passes, failures, the share of valid calls served, and
 * the time of the cases that passed with a result in every run. */
#ifndef TOPK_TREND_H
#define TOPK_TREND_H

#include "summary/summary.h"

struct topk_compared;

struct topk_trend {
    uint64_t common; /* cases that passed with a result in every run */
    struct topk_trend_point {
        struct topk_tested tested;
        uint64_t nanoseconds; /* that the common cases took */
    } * points;               /* owned; one a run */
    size_t count;
};

/* Runs that were read with the same ids. False if memory is short. *trend is to be freed in any
 * case. */
bool topk_trend_make(struct topk_trend *trend, const struct topk_ids *ids,
                     const struct topk_compared *runs, size_t count, const struct topk_asks *asks);
void topk_trend_free(struct topk_trend *trend);

/* NULL if memory is short. */
json_t *topk_trend_json(const struct topk_trend *trend, const struct topk_compared *runs);

#endif
