/* Computes calls, with kernels, a team of threads, and working memory. */
#ifndef TOPK_CPU_ENGINE_H
#define TOPK_CPU_ENGINE_H

#include "cpu.h"
#include "kernels.h"

#include <stdbool.h>

struct topk_cpu_engine;

/* Starts up to `threads` threads, including the caller. Returns NULL if memory is short. */
struct topk_cpu_engine *topk_cpu_engine_open(const struct topk_cpu_kernels *kernels,
                                             unsigned threads);

void topk_cpu_engine_close(struct topk_cpu_engine *engine);

/* The number of threads. */
unsigned topk_cpu_engine_threads(const struct topk_cpu_engine *engine);

/* Computes a plan whose row 0 is `origin`. Returns false if memory is short; the outputs may then
 * be partly written. */
bool topk_cpu_engine_run(struct topk_cpu_engine *engine, const struct topk_cpu_plan *plan,
                         const struct topk_cpu_row *origin);

#endif
