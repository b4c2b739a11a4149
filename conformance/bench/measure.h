/* Times functions that take turns in rounds, and computes statistics. */
#ifndef TOPK_BENCH_MEASURE_H
#define TOPK_BENCH_MEASURE_H

#include "bench.h"

/* A timed function. */
struct entrant {
    /* Makes one call. `number` counts the calls, so that buffers rotate. False if it failed. */
    bool (*call)(void *self, uint64_t number);
    void *self;
    bool failed;
    uint64_t calls;                /* in a turn */
    uint64_t number;               /* of the next call */
    double times[TOPK_BENCH_RUNS]; /* nanoseconds per call in each round */
};

/* Calls each entrant a few times, to warm it up and to find how many calls take least_ns; then
 * gives each entrant one turn per round. Stops calling an entrant that fails. clock: returns
 * nanoseconds. */
void topk_bench_time(struct entrant *entrants, uint32_t count, uint32_t runs, double least_ns,
                     uint64_t (*clock)(void));

/* Returns the median of count > 0 values; for an even number the mean of the middle two. */
double topk_bench_median(const double *values, uint32_t count);

/* Returns the median of the ratios of two series, round by round. */
double topk_bench_ratio(const double *above, const double *below, uint32_t count);

/* Returns the figure of an entrant, without ratio. elements: in each call. */
struct topk_bench_figure topk_bench_figure_of(const struct entrant *entrant, uint32_t runs,
                                              uint64_t elements);

#endif
