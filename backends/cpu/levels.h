/* Levels of SIMD: for which processors kernels are compiled, and which levels this processor
 * supports. */
#ifndef TOPK_CPU_LEVELS_H
#define TOPK_CPU_LEVELS_H

#include "kernels.h"

struct topk_cpu_level {
    const char *word;                       /* for the option simd= */
    const char *name;                       /* for messages */
    const struct topk_cpu_kernels *kernels; /* TOPK_CPU_KINDS */
};

#define TOPK_CPU_LEVELS 3

/* Lists the levels that are usable here, from the portable one to the fastest. Returns their
 * number. */
size_t topk_cpu_levels(struct topk_cpu_level levels[TOPK_CPU_LEVELS]);

#endif
