/* What computes calls: kernels, a team of threads, and memory that they work in. */
#ifndef TOPK_CPU_ENGINE_H
#define TOPK_CPU_ENGINE_H

#include "cpu.h"
#include "kernels.h"

#include <stdbool.h>

struct topk_cpu_engine;

/* Starts up to `threads` threads, of which the caller is one. NULL if there is no memory. */
struct topk_cpu_engine *topk_cpu_engine_open(const struct topk_cpu_kernels *kernels,
                                             unsigned threads);

void topk_cpu_engine_close(struct topk_cpu_engine *engine);

/* How many threads there are. */
unsigned topk_cpu_engine_threads(const struct topk_cpu_engine *engine);

/* Computes a plan, whose row 0 is `origin`. False if there is no memory to work in: the outputs may
 * be written in part then. */
bool topk_cpu_engine_run(struct topk_cpu_engine *engine, const struct topk_cpu_plan *plan,
                         const struct topk_cpu_row *origin);

#endif
