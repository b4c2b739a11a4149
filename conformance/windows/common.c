/* Converts paths between UTF-8 and Windows, and Windows errors to errno. */
#include "posix.h"

#include "common.h"

#include <wchar.h>

int windows_fail(DWORD error)
{
    static const struct {
        DWORD error;
        int number;
    } errors[] = {
        {ERROR_FILE_NOT_FOUND, ENOENT},      {ERROR_PATH_NOT_FOUND, ENOENT},
        {ERROR_INVALID_NAME, ENOENT},        {ERROR_BAD_PATHNAME, ENOENT},
        {ERROR_BAD_NETPATH, ENOENT},         {ERROR_INVALID_DRIVE, ENOENT},
        {ERROR_ACCESS_DENIED, EACCES},       {ERROR_SHARING_VIOLATION, EACCES},
        {ERROR_WRITE_PROTECT, EROFS},        {ERROR_LOCK_VIOLATION, EAGAIN},
        {ERROR_ALREADY_EXISTS, EEXIST},      {ERROR_FILE_EXISTS, EEXIST},
        {ERROR_DIR_NOT_EMPTY, ENOTEMPTY},    {ERROR_DIRECTORY, ENOTDIR},
        {ERROR_DISK_FULL, ENOSPC},           {ERROR_HANDLE_DISK_FULL, ENOSPC},
        {ERROR_NOT_ENOUGH_MEMORY, ENOMEM},   {ERROR_OUTOFMEMORY, ENOMEM},
        {ERROR_TOO_MANY_OPEN_FILES, EMFILE}, {ERROR_INVALID_HANDLE, EBADF},
        {ERROR_BROKEN_PIPE, EPIPE},          {ERROR_NO_DATA, EPIPE},
        {ERROR_NOT_SAME_DEVICE, EXDEV},      {ERROR_FILENAME_EXCED_RANGE, ENAMETOOLONG},
        {ERROR_INVALID_PARAMETER, EINVAL},   {ERROR_NOT_SUPPORTED, ENOTSUP},
        {ERROR_INVALID_FUNCTION, ENOTSUP},   {ERROR_TOO_MANY_LINKS, EMLINK},
    };
    errno = EIO;
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
        if (errors[i].error == error) {
            errno = errors[i].number;
        }
    }
    return -1;
}

/* Converts UTF-8 to UTF-16; to be freed. NULL with errno set. */
static wchar_t *utf16(const char *text)
{
    const int length = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, NULL, 0);
    wchar_t *wide = length <= 0 ? NULL : malloc((size_t)length * sizeof *wide);
    if (wide == NULL) {
        errno = length <= 0 ? EILSEQ : ENOMEM;
        return NULL;
    }
    MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, wide, length);
    return wide;
}

char *windows_utf8(const wchar_t *text)
{
    const int bytes = WideCharToMultiByte(CP_UTF8, 0, text, -1, NULL, 0, NULL, NULL);
    char *narrow = bytes <= 0 ? NULL : malloc((size_t)bytes);
    if (narrow == NULL) {
        errno = ENOMEM;
        return NULL;
    }
    WideCharToMultiByte(CP_UTF8, 0, text, -1, narrow, bytes, NULL, NULL);
    return narrow;
}

HANDLE windows_handle(int fd)
{
    return (HANDLE)_get_osfhandle(fd); /* NOLINT(performance-no-int-to-ptr): so it is declared */
}

/* Joins texts; frees the last. To be freed. NULL with errno set. */
static wchar_t *joined(const wchar_t *first, const wchar_t *middle, wchar_t *second)
{
    const size_t room = wcslen(first) + wcslen(middle) + wcslen(second) + 1;
    wchar_t *both = malloc(room * sizeof *both);
    if (both != NULL) {
        wcscpy(both, first);
        wcscat(both, middle);
        wcscat(both, second);
    } else {
        errno = ENOMEM;
    }
    free(second);
    return both;
}

/* Returns the path of a folder's descriptor; to be freed. NULL with errno set. */
static wchar_t *path_of(int folder)
{
    const wchar_t *known = windows_folder_path(folder);
    if (known != NULL) {
        return _wcsdup(known);
    }
    HANDLE handle = windows_handle(folder);
    const DWORD room = GetFinalPathNameByHandleW(handle, NULL, 0, 0);
    wchar_t *path = room == 0 ? NULL : malloc(((size_t)room + 1) * sizeof *path);
    if (path == NULL || GetFinalPathNameByHandleW(handle, path, room + 1, 0) == 0) {
        windows_fail(room == 0 ? GetLastError() : ERROR_OUTOFMEMORY);
        free(path);
        return NULL;
    }
    return path;
}

/* Returns the full path, which is not limited in length; frees `path`. To be freed. The names of
 * devices, such as NUL, keep their meaning. NULL with errno set. */
static wchar_t *whole_path(wchar_t *path)
{
    const DWORD room = GetFullPathNameW(path, 0, NULL, NULL);
    wchar_t *whole = room == 0 ? NULL : malloc(((size_t)room + 1) * sizeof *whole);
    if (whole == NULL || GetFullPathNameW(path, room + 1, whole, NULL) == 0) {
        windows_fail(room == 0 ? GetLastError() : ERROR_OUTOFMEMORY);
        free(whole);
        free(path);
        return NULL;
    }
    free(path);
    if (wcslen(whole) < MAX_PATH - 12 || wcsncmp(whole, L"\\\\.\\", 4) == 0 ||
        wcsncmp(whole, L"\\\\?\\", 4) == 0) {
        return whole;
    }
    if (wcsncmp(whole, L"\\\\", 2) == 0) {
        memmove(whole, whole + 2, (wcslen(whole) - 1) * sizeof *whole);
        return joined(L"\\\\?\\UNC\\", L"", whole);
    }
    return joined(L"\\\\?\\", L"", whole);
}

wchar_t *windows_path(int folder, const char *path)
{
    if (*path == 0) {
        errno = ENOENT;
        return NULL;
    }
    /* the name that programs use on other systems */
    wchar_t *wide = utf16(strcmp(path, "/dev/null") == 0 ? "NUL" : path);
    if (wide == NULL) {
        return NULL;
    }
    for (wchar_t *at = wide; *at != 0; at++) {
        *at = *at == L'/' ? L'\\' : *at;
    }
    const bool rooted = wide[0] == L'\\' || (wide[0] != 0 && wide[1] == L':');
    if (folder == AT_FDCWD || rooted) {
        return whole_path(wide);
    }
    wchar_t *base = path_of(folder);
    if (base == NULL || wcscmp(wide, L".") == 0) {
        free(wide);
        return base;
    }
    wchar_t *both = joined(base, L"\\", wide);
    free(base);
    return both == NULL ? NULL : whole_path(both);
}
