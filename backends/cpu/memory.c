/* Memory that is reused from call to call. */
#include "memory.h"

#include <stdint.h>
#include <stdlib.h>

void *topk_cpu_memory_room(struct topk_cpu_memory *memory, size_t count, size_t size)
{
    if (count > SIZE_MAX / size) {
        return NULL;
    }
    if (memory->bytes == NULL || memory->size < count * size) {
        topk_cpu_memory_free(memory);
        /* calloc, because kernels compare lanes without a row */
        memory->bytes = calloc(count, size);
        memory->size = memory->bytes != NULL ? count * size : 0;
    }
    return memory->bytes;
}

void topk_cpu_memory_free(struct topk_cpu_memory *memory)
{
    free(memory->bytes);
    *memory = (struct topk_cpu_memory){NULL, 0};
}
