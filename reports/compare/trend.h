/* The trend of several runs, in their order: passes, failures, the share of valid calls that are
 * supported, and the time of the cases that passed with a result in every run. */
#ifndef TOPK_TREND_H
#define TOPK_TREND_H

#include "summary/summary.h"

struct topk_compared;

struct topk_trend {
    uint64_t common; /* number of cases that passed with a result in every run */
    struct topk_trend_point {
        struct topk_tested tested;
        uint64_t nanoseconds; /* time of these cases */
    } * points;               /* owned; one per run */
    size_t count;
};

/* Computes the trend of runs that were read with the same ids. Returns false if memory is short.
 * Free *trend in any case. */
bool topk_trend_make(struct topk_trend *trend, const struct topk_ids *ids,
                     const struct topk_compared *runs, size_t count, const struct topk_asks *asks);
void topk_trend_free(struct topk_trend *trend);

/* NULL if memory is short. */
json_t *topk_trend_json(const struct topk_trend *trend, const struct topk_compared *runs);

#endif
