/* Finds the manifests by which the Vulkan loader finds drivers. */
#ifndef TOPK_IDENTITY_MANIFEST_H
#define TOPK_IDENTITY_MANIFEST_H

#include <stdbool.h>
#include <stddef.h>

/* Calls take() for each manifest that a loader may have read, with the library that it names: a
 * path, or a name for the system to look up. variables: the values of VK_DRIVER_FILES and similar
 * variables of the processes, in the form "VARIABLE=LIST". The loader's own folders are searched as
 * well. Skips unreadable and malformed manifests. False if take() returned false. */
bool topk_manifests_find(const char *const *variables, size_t count,
                         bool (*take)(void *context, const char *manifest, const char *library),
                         void *context);

/* Whether a variable, "VARIABLE=LIST", lists manifests. */
bool topk_manifest_variable(const char *variable);

#endif
