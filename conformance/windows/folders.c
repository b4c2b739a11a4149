/* Reads the entries of folders. */
#include "posix.h"

#include "common.h"
#include <dirent.h>

#include <wchar.h>

struct windows_folder {
    HANDLE search;
    WIN32_FIND_DATAW found;
    bool has_found; /* `found` is valid and was not returned yet */
    struct dirent entry;
};

/* Opens the folder with a path; takes ownership of the path. */
static DIR *open_path(wchar_t *path)
{
    const size_t length = path == NULL ? 0 : wcslen(path);
    DIR *folder = calloc(1, sizeof *folder);
    wchar_t *pattern = path == NULL ? NULL : malloc((length + 3) * sizeof *pattern);
    if (folder == NULL || pattern == NULL) {
        errno = path == NULL ? errno : ENOMEM;
    } else {
        const bool parted = length > 0 && path[length - 1] == L'\\';
        wcscpy(pattern, path);
        wcscat(pattern, parted ? L"*" : L"\\*");
        const DWORD attributes = GetFileAttributesW(path);
        folder->search = FindFirstFileW(pattern, &folder->found);
        folder->has_found = folder->search != INVALID_HANDLE_VALUE;
        if (!folder->has_found) {
            const DWORD error = GetLastError();
            const bool file = attributes != INVALID_FILE_ATTRIBUTES &&
                              (attributes & FILE_ATTRIBUTE_DIRECTORY) == 0;
            windows_fail(file ? ERROR_DIRECTORY : error);
        }
    }
    free(path);
    free(pattern);
    if (folder != NULL && !folder->has_found) {
        free(folder);
        return NULL;
    }
    return folder;
}

DIR *windows_opendir(const char *path)
{
    return open_path(windows_path(AT_FDCWD, path));
}

DIR *windows_fdopendir(int fd)
{
    DIR *folder = open_path(windows_path(fd, "."));
    if (folder != NULL) {
        windows_close(fd);
    }
    return folder;
}

struct dirent *windows_readdir(DIR *folder)
{
    if (!folder->has_found && !FindNextFileW(folder->search, &folder->found)) {
        if (GetLastError() != ERROR_NO_MORE_FILES) {
            windows_fail(GetLastError());
        }
        return NULL;
    }
    folder->has_found = false;
    WideCharToMultiByte(CP_UTF8, 0, folder->found.cFileName, -1, folder->entry.d_name,
                        sizeof folder->entry.d_name, NULL, NULL);
    return &folder->entry;
}

int windows_closedir(DIR *folder)
{
    FindClose(folder->search);
    free(folder);
    return 0;
}

int windows_alphasort(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

int windows_scandir(const char *path, struct dirent ***entries,
                    int (*filter)(const struct dirent *entry),
                    int (*compare)(const struct dirent **a, const struct dirent **b))
{
    DIR *folder = windows_opendir(path);
    struct dirent **list = NULL;
    int count = 0;
    const struct dirent *entry;
    if (folder == NULL) {
        return -1;
    }
    while ((entry = windows_readdir(folder)) != NULL) {
        if (filter != NULL && !filter(entry)) {
            continue;
        }
        struct dirent **longer = (struct dirent **)realloc(
            (void *)list,
            ((size_t)count + 1) *
                sizeof(
                    struct dirent *)); /* NOLINT(bugprone-sizeof-expression): a list of pointers */
        struct dirent *copy = longer == NULL ? NULL : malloc(sizeof *copy);
        list = longer == NULL ? list : longer;
        if (copy == NULL) {
            while (count > 0) {
                free(list[--count]);
            }
            free((void *)list);
            windows_closedir(folder);
            errno = ENOMEM;
            return -1;
        }
        *copy = *entry;
        list[count++] = copy;
    }
    windows_closedir(folder);
    /* Insertion sort: folders of cases are small. */
    for (int i = 1; compare != NULL && i < count; i++) {
        struct dirent *moved = list[i];
        int at = i;
        while (at > 0 &&
               compare((const struct dirent **)&moved, (const struct dirent **)&list[at - 1]) < 0) {
            list[at] = list[at - 1];
            at--;
        }
        list[at] = moved;
    }
    *entries = list;
    return count;
}
