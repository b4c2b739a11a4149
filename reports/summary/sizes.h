/* Cases over n, the length of the axis, and K: where failures lie, and how long the cases took that
 * passed with a result; of those that did so in an earlier run as well, how long they took there.
 */
#ifndef TOPK_SIZES_H
#define TOPK_SIZES_H

#include <jansson.h>

#include "run.h"

/* Sizes are counted in classes: each power of two alone, and what lies between two of them, since
 * failures begin at powers of two or behind them. 1, 2, 3, 4, 5-7, 8, 9-15, ... */
#define TOPK_SIZE_CLASSES 64
/* Nothing is between 1 and 2: the class of a call that has no such size. */
#define TOPK_SIZE_NONE 1

/* 0 is no size. */
unsigned topk_size_class(uint32_t size);
/* The least and the greatest size of a class that has some. */
void topk_size_range(unsigned class, uint32_t range[2]);

/* A run to hold times against. */
struct topk_earlier {
    const char *path; /* of its log, as it was given */
    struct topk_ids ids;
    struct topk_run run; /* read with these ids */
};

struct topk_sizes {
    struct topk_size_cell {
        uint64_t cases, failures, unsupported;
    } cells[TOPK_SIZE_CLASSES][TOPK_SIZE_CLASSES]; /* by n, by K */
    struct topk_size_sample *samples;              /* owned; the cases that are timed */
    size_t sample_count;
};

/* What the cases of a class of n took that passed with a result: medians of nanoseconds. */
struct topk_size_times {
    uint64_t cases;
    double took;
    uint64_t both; /* of them passed in the earlier run, too */
    double before, after;
    double ratio; /* median of how many times as long a case took as before */
};

/* Takes a case with the length of its axis and K; of neither 0. False if memory is short. */
bool topk_sizes_add(struct topk_sizes *sizes, uint32_t n, uint32_t k,
                    const struct topk_log_record *record, struct topk_earlier *earlier);
/* False if memory is short. */
bool topk_sizes_times(const struct topk_sizes *sizes,
                      struct topk_size_times times[TOPK_SIZE_CLASSES]);
void topk_sizes_free(struct topk_sizes *sizes);

/* What a report says of them; NULL if memory is short. earlier: NULL if there is none. */
json_t *topk_sizes_json(const struct topk_sizes *sizes);
json_t *topk_size_times_json(const struct topk_sizes *sizes);
json_t *topk_earlier_json(const struct topk_earlier *earlier);

#endif
