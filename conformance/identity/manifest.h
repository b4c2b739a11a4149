/* Manifests by which the Vulkan loader finds drivers. */
#ifndef TOPK_IDENTITY_MANIFEST_H
#define TOPK_IDENTITY_MANIFEST_H

#include <stdbool.h>
#include <stddef.h>

/* Hands on each manifest that a loader may have read, and the library that it names: a path, or a
 * name that the system searches for. variables: the values of VK_DRIVER_FILES and its like that the
 * processes have, in the form "VARIABLE=LIST"; the loader's own folders are looked into as well.
 * What cannot be read, or is no manifest, is left out. False if take() said so. */
bool topk_manifests_find(const char *const *variables, size_t count,
                         bool (*take)(void *context, const char *manifest, const char *library),
                         void *context);

/* Whether a variable, "VARIABLE=LIST", names manifests. */
bool topk_manifest_variable(const char *variable);

#endif
