/* Lists that grow item by item. The allocated size is a power of two. */
#include "list.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"

void *topk_list_add(void *list, size_t *count, size_t bytes)
{
    char *items;
    memcpy(&items, list, sizeof items); /* a pointer to any type */
    if ((*count & (*count - 1)) == 0) {
        items = realloc(items, (*count == 0 ? 1 : 2 * *count) * bytes);
        if (items == NULL) {
            topk_memory_fail();
            return NULL;
        }
        memcpy(list, &items, sizeof items);
    }
    return memset(items + bytes * (*count)++, 0, bytes);
}
