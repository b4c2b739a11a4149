/* The facts about the processor that explain times. */
#ifndef TOPK_BENCH_PROCESSOR_H
#define TOPK_BENCH_PROCESSOR_H

#include <stddef.h>

/* Writes "MODEL, avx2 avx512f": its model, and which instructions it has that code is written for.
 */
void topk_processor_print(char *text, size_t bytes);

#endif
