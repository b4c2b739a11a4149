/* Windows has no System V shared memory, so AFL++ cannot count there. */
#include "shared.h"

#include <stdio.h>

bool topk_shared_renew(struct topk_shared *shared, size_t size, char *error, size_t error_bytes)
{
    (void)size;
    *shared = (struct topk_shared){.bytes = NULL};
    snprintf(error, error_bytes, "AFL++ has no shared memory on Windows");
    return false;
}

void topk_shared_close(struct topk_shared *shared)
{
    *shared = (struct topk_shared){.bytes = NULL};
}
