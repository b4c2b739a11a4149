/* What the judge does for each output and each element of a result that holds: whether the outputs
 * are what they name, in order; and how many elements come no later than the last of them, and
 * what magnitudes floats have, the scan. It is made of vector code: one source, judge_certificate.h
 * and judge_lanes.h, compiled for each level of what processors can do (judge_scan_base.c and the
 * files beside it), and chosen while the program runs. */
#ifndef TOPK_JUDGE_SCAN_H
#define TOPK_JUDGE_SCAN_H

#include <stdint.h>

#include "judge.h"

/* bytes that are looked at together */
#define TOPK_SCAN_ROW 64

/* Bit patterns from `first` on, `span` more than one of them, past the greatest to 0. */
struct topk_scan_range {
    uint64_t first;
    uint64_t span;
};

/* A scan of one sequence, of elements that are bit patterns: what is asked, and what is found. An
 * element counts if it lies among the first `after` and within `early`, or after these and not
 * within `late`. */
struct topk_scan {
    struct topk_scan_range early;
    struct topk_scan_range late; /* has `last` */
    uint64_t last;               /* an element of the sequence */
    uint32_t after;
    uint32_t count;    /* gets how many count */
    uint64_t greatest; /* of floats: gets the greatest magnitude */
    uint64_t least;    /* of floats: gets the least magnitude but 0; 0 if there is none */
};

struct topk_output {
    uint64_t bits;
    uint32_t index;
};

/* Functions for elements of one size, floats or not. `step` is in bytes. */
struct topk_scan_functions {
    /* Whether the outputs are elements of the sequence, each strictly after the one before; which
     * is the last of them. origin: bits of the least integer; of floats those of -0 */
    bool (*outputs)(const struct topk_sequence *s, uint64_t origin, struct topk_output *last);
    void (*sequence)(const unsigned char *input, uint64_t step, uint32_t length,
                     struct topk_scan *scan);
    /* as many sequences as elements fill a row, which begin side by side; step is not 0 */
    void (*columns)(const unsigned char *input, uint64_t step, uint32_t length,
                    struct topk_scan *scans);
};

struct topk_scan_level {
    const char *name;                        /* "avx2" */
    const struct topk_scan_functions *types; /* by enum topk_type */
};

/* The levels that this machine has, by number from 0, what every machine of the build has, to the
 * best; NULL behind that. */
const struct topk_scan_level *topk_scan_level(uint32_t number);

/* The level that the judge uses: the best, unless topk_scan_use() said otherwise. */
const struct topk_scan_level *topk_scan_used(void);

/* Has the judge use a level, for tests, fuzz targets and benchmarks; NULL: the best again. Not
 * while another thread judges. */
void topk_scan_use(const struct topk_scan_level *level);

/* What the build has; NULL if it has no such code. */
extern const struct topk_scan_level topk_scan_base;
extern const struct topk_scan_level *const topk_scan_avx2;
extern const struct topk_scan_level *const topk_scan_avx512;

#endif
