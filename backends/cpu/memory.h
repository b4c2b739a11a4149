/* Memory that is reused from call to call. */
#ifndef TOPK_CPU_MEMORY_H
#define TOPK_CPU_MEMORY_H

#include <stddef.h>

/* Larger blocks are freed after a call. */
#define TOPK_CPU_MEMORY_KEPT ((size_t)64 << 20)

struct topk_cpu_memory {
    void *bytes;
    size_t size;
};

/* Returns memory for `count` elements of a size; its content is undefined. NULL if memory is
 * short. */
void *topk_cpu_memory_room(struct topk_cpu_memory *memory, size_t count, size_t size);

void topk_cpu_memory_free(struct topk_cpu_memory *memory);

#endif
