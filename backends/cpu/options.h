/* The options of the backend: "threads=2,simd=avx2". */
#ifndef TOPK_CPU_OPTIONS_H
#define TOPK_CPU_OPTIONS_H

#include "levels.h"

#include <stdbool.h>

struct topk_cpu_options {
    unsigned threads;
    struct topk_cpu_level level;
};

/* Parses the options. Returns false if an option is unknown or repeated, or a value is not allowed;
 * error says which, and what is allowed. */
bool topk_cpu_options_read(const char *text, struct topk_cpu_options *options, char *error,
                           size_t error_bytes);

#endif
