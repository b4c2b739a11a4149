/* The inner loops of the judge for correct results: whether the outputs are the elements that they
 * name, in order; and the scan, which counts the elements that come no later than the last output,
 * and finds the magnitudes of floats. It is vector code: one source, judge_certificate.h and
 * judge_lanes.h, compiled for several levels of processors (judge_scan_base.c and the files next to
 * it); the level is chosen at run time. */
#ifndef TOPK_JUDGE_SCAN_H
#define TOPK_JUDGE_SCAN_H

#include <stdint.h>

#include "judge.h"

/* bytes that are processed together */
#define TOPK_SCAN_ROW 64

/* The bit patterns from `first` to `first` + `span`, modulo the greatest pattern + 1. */
struct topk_scan_range {
    uint64_t first;
    uint64_t span;
};

/* The parameters and results of a scan of one sequence, whose elements are bit patterns. An element
 * counts if it is one of the first `after` and within `early`, or one of the others and not within
 * `late`. */
struct topk_scan {
    struct topk_scan_range early;
    struct topk_scan_range late; /* contains `last` */
    uint64_t last;               /* an element of the sequence */
    uint32_t after;
    uint32_t count;    /* result: number of elements that count */
    uint64_t greatest; /* result for floats: greatest magnitude */
    uint64_t least;    /* result for floats: least magnitude except 0; 0 if there is none */
};

struct topk_output {
    uint64_t bits;
    uint32_t index;
};

/* Functions for elements of one size, floats or not. Steps are in bytes. */
struct topk_scan_functions {
    /* Whether the outputs are elements of the sequence, each strictly after the previous one; *last
     * is set to the last of them. origin: bits of the least integer, or of -0 for floats. */
    bool (*outputs)(const struct topk_sequence *s, uint64_t origin, struct topk_output *last);
    void (*sequence)(const unsigned char *input, uint64_t step, uint32_t length,
                     struct topk_scan *scan);
    /* scans as many sequences as a row has elements, which start side by side; step is not 0 */
    void (*columns)(const unsigned char *input, uint64_t step, uint32_t length,
                    struct topk_scan *scans);
};

struct topk_scan_level {
    const char *name;                        /* "avx2" */
    const struct topk_scan_functions *types; /* by enum topk_type */
};

/* Returns a level that this machine supports, by number, from the basic one at 0 to the best; NULL
 * after the last. */
const struct topk_scan_level *topk_scan_level(uint32_t number);

/* The level that the judge uses: the best one, or that of topk_scan_use(). */
const struct topk_scan_level *topk_scan_used(void);

/* Makes the judge use a level, for tests, fuzz targets and benchmarks; NULL: the best one. Must not
 * be called while another thread judges. */
void topk_scan_use(const struct topk_scan_level *level);

/* The levels of this build; NULL if it lacks one. */
extern const struct topk_scan_level topk_scan_base;
extern const struct topk_scan_level *const topk_scan_avx2;
extern const struct topk_scan_level *const topk_scan_avx512;

#endif
