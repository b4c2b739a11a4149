/* Examines the drivers' manifests that the environment names to the Vulkan loader, after the loader
 * failed to use them: it returns only a code, VK_ERROR_OUT_OF_HOST_MEMORY if one is not JSON, even
 * if other drivers are good. */
#include "device.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The variable that the loader uses, and its value; NULL if none is set. */
static const char *named(const char **value)
{
    static const char *const names[] = {"VK_DRIVER_FILES", "VK_ICD_FILENAMES",
                                        "VK_ADD_DRIVER_FILES"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        *value = getenv(names[i]);
        if (*value != NULL && **value != 0) {
            return names[i];
        }
    }
    return NULL;
}

/* Whether the text begins and ends like a JSON object; the loader parses the rest. */
static bool read_object(FILE *file)
{
    int first = 0;
    int last = 0;
    for (int byte = getc(file); byte != EOF; byte = getc(file)) {
        if (strchr(" \t\r\n", byte) == NULL || byte == 0) {
            first = first == 0 ? byte : first;
            last = byte;
        }
    }
    return first == '{' && last == '}';
}

/* What is wrong with a manifest, or NULL. */
static const char *fault_of(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return strerror(errno);
    }
    errno = 0;
    const bool object = read_object(file);
    const char *fault = ferror(file) != 0 ? strerror(errno)
                        : object          ? NULL
                                          : "it is not a JSON object";
    (void)fclose(file);
    return fault;
}

bool topk_vulkan_manifest_fault(char *text, size_t bytes)
{
    const char *paths = NULL;
    const char *variable = named(&paths);
    snprintf(text, bytes, "a driver's manifest may be no JSON");
    if (variable == NULL) {
        return false;
    }
    snprintf(text, bytes, "a driver's manifest may be no JSON; %s is '%s'", variable, paths);
    while (*paths != 0) {
        char path[4096];
        const size_t length = strcspn(paths, ":");
        snprintf(path, sizeof path, "%.*s", (int)length, paths);
        const char *fault = length == 0 || length >= sizeof path ? NULL : fault_of(path);
        if (fault != NULL) {
            snprintf(text, bytes, "%s names '%s': %s", variable, path, fault);
            return true;
        }
        paths += length + (paths[length] == ':');
    }
    return false;
}
