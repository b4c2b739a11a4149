/* The backends that are linked into the worker. To add one: a file here that defines its table, and
 * a line in CMakeLists.txt, from which TOPK_BUILTIN_LIST comes. */
#include "host.h"

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
