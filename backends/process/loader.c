/* Opens a backend, built in or a plugin. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loader.h"
#include "platform/platform.h"
#include "protocol/protocol.h"

/* the offset after a member of the table */
#define END_OF(member)                                                                             \
    (offsetof(struct topk_backend, member) + sizeof((struct topk_backend *)0)->member)

/* length of the name in "NAME:OPTIONS" or "PATH.so:OPTIONS"; a plugin's path may contain colons */
static size_t name_length(const char *spec)
{
    const size_t first = strcspn(spec, ":");
    if (topk_builtin_find(spec, first) != NULL) {
        return first; /* the options may contain paths */
    }
    const char *library = strstr(spec, ".so:");
    const char *dll = strstr(spec, ".dll:");
    if (library != NULL) {
        return (size_t)(library - spec) + 3;
    }
    if (dll != NULL) {
        return (size_t)(dll - spec) + 4;
    }
    return strchr(spec, '/') != NULL || strchr(spec, '\\') != NULL ? strlen(spec)
                                                                   : strcspn(spec, ":");
}

/* The function that a plugin has to have and lacks, NULL if it lacks none. */
static const char *missing_function(const struct topk_backend *backend)
{
    return backend->open == NULL       ? "open"
           : backend->describe == NULL ? "describe"
           : backend->run == NULL      ? "run"
           : backend->close == NULL    ? "close"
                                       : NULL;
}

static const struct topk_backend *load_plugin(struct topk_loaded *loaded, const char *path,
                                              char *error, size_t error_bytes)
{
    loaded->library = topk_library_open(path, error, error_bytes);
    if (loaded->library == NULL) {
        return NULL;
    }
    const struct topk_backend *(*entry)(void) = NULL;
    if (!topk_library_symbol(loaded->library, "topk_backend_entry", &entry, sizeof entry)) {
        snprintf(error, error_bytes, "%s is not a backend: it has no function topk_backend_entry",
                 path);
        return NULL;
    }
    const struct topk_backend *backend = entry();
    if (backend == NULL) {
        snprintf(error, error_bytes, "%s: topk_backend_entry() returned NULL", path);
        return NULL;
    }
    if (backend->abi != TOPK_BACKEND_ABI) {
        snprintf(error, error_bytes, "%s has ABI version %" PRIu32 ", this worker needs %u", path,
                 backend->abi, TOPK_BACKEND_ABI);
        return NULL;
    }
    if (backend->struct_bytes < END_OF(close)) {
        snprintf(error, error_bytes,
                 "%s has a struct topk_backend whose struct_bytes is %" PRIu32
                 "; sizeof(struct topk_backend) is expected, at least %zu",
                 path, backend->struct_bytes, END_OF(close));
        return NULL;
    }
    const char *missing = missing_function(backend);
    if (missing != NULL) {
        snprintf(error, error_bytes, "%s has a struct topk_backend whose %s is NULL", path,
                 missing);
        return NULL;
    }
    return backend;
}

static void known_backends(char *error, size_t error_bytes, const char *spec)
{
    size_t length = (size_t)snprintf(error, error_bytes, "unknown backend '%s'; built in:", spec);
    for (size_t i = 0; i < topk_builtin_backend_count && length < error_bytes; i++) {
        length += (size_t)snprintf(error + length, error_bytes - length, " %s",
                                   topk_builtin_backends[i]->name);
    }
    if (length < error_bytes) {
        snprintf(error + length, error_bytes - length,
                 "; a plugin is given by its path, ./name.so or .\\name.dll");
    }
}

/* whether the table has the functions for probes, which were added later */
static bool has_probes(const struct topk_backend *backend)
{
    return backend->struct_bytes >= END_OF(probe) && backend->probe_name != NULL &&
           backend->probe != NULL;
}

static bool has_start(const struct topk_backend *backend)
{
    return backend->struct_bytes >= END_OF(finish) && backend->start != NULL &&
           backend->finish != NULL;
}

static bool has_repeat(const struct topk_backend *backend)
{
    return backend->struct_bytes >= END_OF(repeat) && backend->repeat != NULL;
}

/* Whether a number is a feature level with a text of two digits: 1.0 to 9.9. Others cannot be sent
 * to the runner. */
static bool is_level(uint32_t level)
{
    uint32_t major = level >> 12;
    uint32_t minor = level >> 8 & 15;
    return major >= 1 && major <= 9 && minor <= 9 && (level & 0xff) == 0;
}

/* reads the contract that the backend declares, if any */
static bool take_contract(struct topk_loaded *loaded, char *error, size_t error_bytes)
{
    const struct topk_backend *backend = loaded->backend;
    struct topk_backend_info *info = &loaded->info;
    char why[400];
    const char *text = NULL;
    if (backend->struct_bytes >= END_OF(contract) && backend->contract != NULL) {
        text = backend->contract(loaded->self);
    }
    text = text == NULL ? "" : text;
    if (!topk_contract_parse(text, strlen(text), false, &loaded->contract, why, sizeof why)) {
        snprintf(error, error_bytes, "backend %s: its contract, %s", backend->name, why);
        loaded->misdeclared = true;
        return false;
    }
    info->flags = topk_contract_flags(&loaded->contract, info->flags);
    return true;
}

/* calls describe(); false, with the reason in error, if the result is invalid */
static bool describe(struct topk_loaded *loaded, char *error, size_t error_bytes)
{
    static const char *const nothing = "";
    static char parts[TOPK_TOLD_TEXT]; /* static because only one backend is open at a time */
    struct topk_backend_info *info = &loaded->info;
    *info = (struct topk_backend_info){.batch = 1};
    loaded->backend->describe(loaded->self, info);
    const char **texts[] = {&info->name,   &info->version,  &info->device,
                            &info->driver, &info->features, &info->invalid_calls_reason};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (*texts[i] == NULL) {
            *texts[i] = nothing;
        }
    }
    if (!take_contract(loaded, error, error_bytes)) {
        return false;
    }
    info->flags &= ~TOPK_BACKEND_PROBES;
    info->flags |= has_probes(loaded->backend) ? TOPK_BACKEND_PROBES : 0;
    loaded->starts = has_start(loaded->backend);
    loaded->repeats = has_repeat(loaded->backend);
    topk_libraries_print(parts, sizeof parts, TOPK_TOLD_MAX);
    loaded->parts = parts;
    if (info->batch == 0) {
        info->batch = 1;
    }
    if (info->batch > TOPK_PROTOCOL_BATCH) {
        info->batch = TOPK_PROTOCOL_BATCH; /* a batch never has more cases */
    }
    if (!is_level(info->feature_level)) {
        snprintf(error, error_bytes,
                 "backend %s: feature_level is 0x%" PRIx32
                 ", which is no feature level; describe() has to set it, 0x5000 is 5.0",
                 loaded->backend->name, info->feature_level);
        return false;
    }
    return true;
}

bool topk_loader_find(struct topk_loaded *loaded, const char *spec, char *error, size_t error_bytes)
{
    *loaded = (struct topk_loaded){.backend = NULL};
    size_t length = name_length(spec);
    loaded->options = spec[length] == ':' ? spec + length + 1 : "";
    bool path = memchr(spec, '/', length) != NULL || memchr(spec, '\\', length) != NULL ||
                (length > 3 && memcmp(spec + length - 3, ".so", 3) == 0) ||
                (length > 4 && memcmp(spec + length - 4, ".dll", 4) == 0);
    if (path) {
        char *name = malloc(length + 3);
        if (name == NULL) {
            snprintf(error, error_bytes, "out of memory");
            return false;
        }
        /* without a slash, the loader would search only its own folders */
        bool bare = memchr(spec, '/', length) == NULL && memchr(spec, '\\', length) == NULL;
        snprintf(name, length + 3, "%s%.*s", bare ? "./" : "", (int)length, spec);
        loaded->backend = load_plugin(loaded, name, error, error_bytes);
        free(name);
    } else {
        loaded->backend = topk_builtin_find(spec, length);
        if (loaded->backend == NULL) {
            known_backends(error, error_bytes, spec);
        }
    }
    if (loaded->backend == NULL) {
        topk_loader_close(loaded);
    }
    return loaded->backend != NULL;
}

bool topk_loader_device(const struct topk_loaded *loaded, uint32_t number, char *options,
                        size_t options_bytes)
{
    const struct topk_backend *backend = loaded->backend;
    options[0] = 0;
    if (backend->struct_bytes < END_OF(device) || backend->device == NULL ||
        backend->device(number, options, options_bytes) == 0) {
        return false;
    }
    options[options_bytes - 1] = 0;
    return true;
}

bool topk_loader_open_found(struct topk_loaded *loaded, const char *device, char *error,
                            size_t error_bytes)
{
    const size_t room = strlen(loaded->options) + strlen(device) + 2;
    char *options = malloc(room);
    error[0] = 0;
    if (options == NULL) {
        snprintf(error, error_bytes, "out of memory");
    } else {
        const bool both = loaded->options[0] != 0 && device[0] != 0;
        snprintf(options, room, "%s%s%s", loaded->options, both ? "," : "", device);
        loaded->self = loaded->backend->open(options, error, error_bytes);
        free(options);
    }
    if (loaded->self == NULL && error[0] == 0) {
        snprintf(error, error_bytes, "backend %s did not open and gave no reason",
                 loaded->backend->name);
    }
    if (loaded->self == NULL || !describe(loaded, error, error_bytes)) {
        const bool misdeclared = loaded->misdeclared;
        topk_loader_close(loaded);
        loaded->misdeclared = misdeclared;
        return false;
    }
    return true;
}

bool topk_loader_open(struct topk_loaded *loaded, const char *spec, char *error, size_t error_bytes)
{
    return topk_loader_find(loaded, spec, error, error_bytes) &&
           topk_loader_open_found(loaded, "", error, error_bytes);
}

void topk_loader_close(struct topk_loaded *loaded)
{
    if (loaded->backend != NULL && loaded->self != NULL) {
        loaded->backend->close(loaded->self);
    }
    if (loaded->library != NULL) {
        topk_library_close(loaded->library);
    }
    *loaded = (struct topk_loaded){.backend = NULL};
}
