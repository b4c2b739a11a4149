/* Manifests of the Vulkan loader: in the files and folders that variables name, and in the loader's
 * default folders. */
#define _POSIX_C_SOURCE 200809L
#include "manifest.h"

#include <dirent.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATH_BYTES 4096
#define ICD_FOLDER "vulkan/icd.d"

struct finding {
    bool (*take)(void *context, const char *manifest, const char *library);
    void *context;
};

bool topk_manifest_variable(const char *variable)
{
    static const char *const names[] = {
        "VK_DRIVER_FILES=", "VK_ICD_FILENAMES=", "VK_ADD_DRIVER_FILES="};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strncmp(variable, names[i], strlen(names[i])) == 0) {
            return true;
        }
    }
    return false;
}

static bool ends(const char *text, const char *end)
{
    const size_t length = strlen(text);
    return length > strlen(end) && strcmp(text + length - strlen(end), end) == 0;
}

static bool take_file(const struct finding *finding, const char *path)
{
    char library[PATH_BYTES];
    json_error_t reason;
    json_t *json = json_load_file(path, 0, &reason);
    const char *named =
        json_string_value(json_object_get(json_object_get(json, "ICD"), "library_path"));
    bool more = true;
    if (named != NULL) {
        /* The loader resolves a relative path with a folder against the manifest's folder. */
        const char *slash = strrchr(path, '/');
        const bool beside = named[0] != '/' && strchr(named, '/') != NULL && slash != NULL;
        snprintf(library, sizeof library, "%.*s%s", beside ? (int)(slash - path + 1) : 0, path,
                 named);
        more = finding->take(finding->context, path, library);
    }
    json_decref(json);
    return more;
}

static bool take_folder(const struct finding *finding, const char *folder)
{
    bool more = true;
    DIR *dir = opendir(folder);
    const struct dirent *entry;
    while (dir != NULL && more && (entry = readdir(dir)) != NULL) {
        char path[PATH_BYTES];
        if (ends(entry->d_name, ".json") &&
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) < (int)sizeof path) {
            more = take_file(finding, path);
        }
    }
    if (dir != NULL) {
        closedir(dir);
    }
    return more;
}

/* Takes each path of a colon-separated list, with `behind` appended. */
static bool take_list(const struct finding *finding, const char *list, const char *behind)
{
    bool more = true;
    while (more && *list != 0) {
        char path[PATH_BYTES];
        const size_t length = strcspn(list, ":");
        if (length > 0 &&
            snprintf(path, sizeof path, "%.*s%s", (int)length, list, behind) < (int)sizeof path) {
            more = ends(path, ".json") ? take_file(finding, path) : take_folder(finding, path);
        }
        list += length + (list[length] == ':');
    }
    return more;
}

/* Takes the folders that an environment variable lists, or `instead` if it is unset or empty. */
static bool take_folders(const struct finding *finding, const char *variable, const char *instead)
{
    const char *list = getenv(variable);
    return take_list(finding, list != NULL && *list != 0 ? list : instead, "/" ICD_FOLDER);
}

bool topk_manifests_find(const char *const *variables, size_t count,
                         bool (*take)(void *context, const char *manifest, const char *library),
                         void *context)
{
    const struct finding finding = {take, context};
    const char *home = getenv("HOME");
    char folders[PATH_BYTES] = "";
    bool more = true;
    for (size_t i = 0; more && i < count; i++) {
        const char *list = strchr(variables[i], '=');
        more = list == NULL || take_list(&finding, list + 1, "");
    }
    if (home != NULL) {
        snprintf(folders, sizeof folders, "%s/.config:%s/.local/share", home, home);
    }
    return more && take_list(&finding, folders, "/" ICD_FOLDER) &&
           take_folders(&finding, "XDG_CONFIG_HOME", "") &&
           take_folders(&finding, "XDG_CONFIG_DIRS", "/etc/xdg") &&
           take_folders(&finding, "XDG_DATA_HOME", "") &&
           take_folders(&finding, "XDG_DATA_DIRS", "/usr/local/share:/usr/share") &&
           take_list(&finding, "/usr/local/etc:/etc", "/" ICD_FOLDER);
}
