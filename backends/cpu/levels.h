/* Levels of SIMD: for which processors the kernels are compiled, and which this one can run. */
#ifndef TOPK_CPU_LEVELS_H
#define TOPK_CPU_LEVELS_H

#include "kernels.h"

struct topk_cpu_level {
    const char *word;                       /* of the option simd= */
    const char *name;                       /* for a reader */
    const struct topk_cpu_kernels *kernels; /* TOPK_CPU_KINDS */
};

#define TOPK_CPU_LEVELS 3

/* Fills in the levels that can be used here, the portable one first and the fastest last. Returns
 * how many they are. */
size_t topk_cpu_levels(struct topk_cpu_level levels[TOPK_CPU_LEVELS]);

#endif
