/* See measure.h. */

#include "measure.h"

#include <stdlib.h>
#include <string.h>

static int by_value(const void *a, const void *b)
{
    const double *x = a;
    const double *y = b;
    return (*x > *y) - (*x < *y);
}

double topk_bench_median(const double *values, uint32_t count)
{
    double sorted[TOPK_BENCH_RUNS];
    memcpy(sorted, values, count * sizeof *values);
    qsort(sorted, count, sizeof sorted[0], by_value);
    return count % 2 == 1 ? sorted[count / 2] : (sorted[count / 2 - 1] + sorted[count / 2]) / 2;
}

double topk_bench_ratio(const double *above, const double *below, uint32_t count)
{
    double quotients[TOPK_BENCH_RUNS];
    for (uint32_t i = 0; i < count; i++) {
        quotients[i] = above[i] / below[i];
    }
    return topk_bench_median(quotients, count);
}

struct topk_bench_figure topk_bench_figure_of(const struct entrant *entrant, uint32_t runs,
                                              uint64_t elements)
{
    struct topk_bench_figure figure = {.measured = !entrant->failed};
    if (!figure.measured) {
        return figure;
    }
    const double each = (double)elements;
    figure.median = topk_bench_median(entrant->times, runs) / each;
    figure.least = figure.greatest = entrant->times[0] / each;
    for (uint32_t i = 1; i < runs; i++) {
        const double time = entrant->times[i] / each;
        figure.least = time < figure.least ? time : figure.least;
        figure.greatest = time > figure.greatest ? time : figure.greatest;
    }
    return figure;
}

/* Returns the nanoseconds that a number of calls take; at least 1, because the clock may be too
 * coarse to show a difference and callers divide by the time. */
static double take_turn(struct entrant *entrant, uint64_t calls, uint64_t (*clock)(void))
{
    const uint64_t start = clock();
    for (uint64_t i = 0; i < calls && !entrant->failed; i++) {
        entrant->failed = !entrant->call(entrant->self, entrant->number++);
    }
    const uint64_t end = clock();
    return end > start ? (double)(end - start) : 1;
}

static void warm_up(struct entrant *entrant, double least_ns, uint64_t (*clock)(void))
{
    double time = take_turn(entrant, 1, clock);
    entrant->calls = 1;
    while (time < least_ns && !entrant->failed) {
        const double wanted = 1.2 * least_ns / time * (double)entrant->calls;
        const double most = 16 * (double)entrant->calls;
        entrant->calls = (uint64_t)(wanted < most ? wanted : most) + 1;
        time = take_turn(entrant, entrant->calls, clock);
    }
}

void topk_bench_time(struct entrant *entrants, uint32_t count, uint32_t runs, double least_ns,
                     uint64_t (*clock)(void))
{
    for (uint32_t i = 0; i < count; i++) {
        warm_up(&entrants[i], least_ns, clock);
    }
    for (uint32_t run = 0; run < runs; run++) {
        for (uint32_t i = 0; i < count; i++) {
            struct entrant *entrant = &entrants[i];
            if (!entrant->failed) {
                entrant->times[run] =
                    take_turn(entrant, entrant->calls, clock) / (double)entrant->calls;
            }
        }
    }
}
