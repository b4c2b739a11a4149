/* Describes the processor, to explain times. */
#ifndef TOPK_BENCH_PROCESSOR_H
#define TOPK_BENCH_PROCESSOR_H

#include <stddef.h>

/* Writes "MODEL, avx2 avx512f": the model, and which of the instruction sets that the code can use
 * the processor has. */
void topk_processor_print(char *text, size_t bytes);

#endif
