/* Cases by n, the length of the axis, and K: where failures are, and how long cases took that
 * passed with a result; for those that also passed in an earlier run, how long they took there. */
#ifndef TOPK_SIZES_H
#define TOPK_SIZES_H

#include <jansson.h>

#include "run.h"

/* Sizes are grouped in classes: each power of two is one, and so are the sizes between two of them,
 * because failures start at powers of two or after them. 1, 2, 3, 4, 5-7, 8, 9-15, ... */
#define TOPK_SIZE_CLASSES 64
/* Class 1 would be between 1 and 2, and is empty: it stands for a call without such a size. */
#define TOPK_SIZE_NONE 1

/* size must not be 0. */
unsigned topk_size_class(uint32_t size);
/* The least and greatest sizes of a class that is not empty. */
void topk_size_range(unsigned class, uint32_t range[2]);

/* A run with which times are compared. */
struct topk_earlier {
    const char *path; /* of its log, as given by the user */
    struct topk_ids ids;
    struct topk_run run; /* read with these ids */
};

struct topk_sizes {
    struct topk_size_cell {
        uint64_t cases, failures, unsupported;
    } cells[TOPK_SIZE_CLASSES][TOPK_SIZE_CLASSES]; /* by n, by K */
    struct topk_size_sample *samples;              /* owned; the cases with times */
    size_t sample_count;
};

/* The times of the cases of a class of n that passed with a result: medians in nanoseconds. */
struct topk_size_times {
    uint64_t cases;
    double took;
    uint64_t both; /* number of these that also passed in the earlier run */
    double before, after;
    double ratio; /* median of the ratios of each case's time to its earlier time */
};

/* Adds a case by the length of its axis and K, neither of which is 0. Returns false if memory is
 * short. */
bool topk_sizes_add(struct topk_sizes *sizes, uint32_t n, uint32_t k,
                    const struct topk_log_record *record, struct topk_earlier *earlier);
/* False if memory is short. */
bool topk_sizes_times(const struct topk_sizes *sizes,
                      struct topk_size_times times[TOPK_SIZE_CLASSES]);
void topk_sizes_free(struct topk_sizes *sizes);

/* The JSON for a report; NULL if memory is short. earlier: NULL if there is none. */
json_t *topk_sizes_json(const struct topk_sizes *sizes);
json_t *topk_size_times_json(const struct topk_sizes *sizes);
json_t *topk_earlier_json(const struct topk_earlier *earlier);

#endif
