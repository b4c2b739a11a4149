/* Memory that is kept from call to call. */
#ifndef TOPK_CPU_MEMORY_H
#define TOPK_CPU_MEMORY_H

#include <stddef.h>

/* A block beyond this is freed when a call is done. */
#define TOPK_CPU_MEMORY_KEPT ((size_t)64 << 20)

struct topk_cpu_memory {
    void *bytes;
    size_t size;
};

/* Room for elements of a size. Contents are not kept. NULL if there is no memory. */
void *topk_cpu_memory_room(struct topk_cpu_memory *memory, size_t count, size_t size);

void topk_cpu_memory_free(struct topk_cpu_memory *memory);

#endif
