/* The backends that are linked into topk-backend and topk-worker. TOPK_BUILTIN_LIST comes from
 * TOPK_BUILTIN in cmake/folders.cmake. */
#include <string.h>

#include "loader.h"

#define BUILTIN(name) extern const struct topk_backend topk_backend_##name;
TOPK_BUILTIN_LIST
#undef BUILTIN

const struct topk_backend *const topk_builtin_backends[] = {
#define BUILTIN(name) &topk_backend_##name,
    TOPK_BUILTIN_LIST
#undef BUILTIN
};

const size_t topk_builtin_backend_count =
    sizeof topk_builtin_backends / sizeof topk_builtin_backends[0];

const struct topk_backend *topk_builtin_find(const char *name, size_t length)
{
    for (size_t i = 0; i < topk_builtin_backend_count; i++) {
        const struct topk_backend *backend = topk_builtin_backends[i];
        if (strlen(backend->name) == length && memcmp(backend->name, name, length) == 0) {
            return backend;
        }
    }
    return NULL;
}
