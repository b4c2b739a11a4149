/* Times functions in turns, in rounds, and computes their statistics. */
#ifndef TOPK_BENCH_MEASURE_H
#define TOPK_BENCH_MEASURE_H

#include "bench.h"

/* What is timed. */
struct entrant {
    /* One call; number counts them, so that buffers rotate. False if it failed. */
    bool (*call)(void *self, uint64_t number);
    void *self;
    bool failed;
    uint64_t calls;                /* of a turn */
    uint64_t number;               /* of the next call */
    double times[TOPK_BENCH_RUNS]; /* nanoseconds a call, of each round */
};

/* Calls each a few times, to warm it up and to see how many calls make a turn of least_ns; then
 * gives each a turn a round. One that fails is left out from then on. clock: nanoseconds. */
void topk_bench_time(struct entrant *entrants, uint32_t count, uint32_t runs, double least_ns,
                     uint64_t (*clock)(void));

/* The middle of values, count > 0; of an even number the mean of the two in the middle. */
double topk_bench_median(const double *values, uint32_t count);

/* The median of the quotients of two series, round by round. */
double topk_bench_ratio(const double *above, const double *below, uint32_t count);

/* The figure of an entrant whose call has so many elements, without ratio. */
struct topk_bench_figure topk_bench_figure_of(const struct entrant *entrant, uint32_t runs,
                                              uint64_t elements);

#endif
