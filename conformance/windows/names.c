/* Creates, renames and removes files and folders. */
#include "posix.h"

#include "common.h"

#include <wchar.h>

/* Removes the name of a file at once even if it is open, which newer versions of Windows
 * support. */
static bool remove_open(const wchar_t *path)
{
    const int FileDispositionInfoEx = 21;
    DWORD how = 1 | 2; /* delete, with POSIX semantics */
    HANDLE handle =
        CreateFileW(path, DELETE, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
                    OPEN_EXISTING, FILE_FLAG_OPEN_REPARSE_POINT, NULL);
    if (handle == INVALID_HANDLE_VALUE) {
        return false;
    }
    const bool gone = SetFileInformationByHandle(
        handle, (FILE_INFO_BY_HANDLE_CLASS)FileDispositionInfoEx, &how, sizeof how);
    CloseHandle(handle);
    return gone;
}

/* For older versions of Windows, where the name of a removed file stays until the file is closed:
 * renames the file, then removes it. */
static bool rename_and_remove(const wchar_t *path)
{
    static unsigned number;
    const size_t room = wcslen(path) + 40;
    wchar_t *other = malloc(room * sizeof *other);
    bool gone = false;
    if (other != NULL) {
        swprintf(other, room, L"%ls.%lu.%u.gone", path, GetCurrentProcessId(), number++);
        gone = MoveFileExW(path, other, 0) && DeleteFileW(other);
    }
    free(other);
    return gone;
}

int windows_unlinkat(int folder, const char *path, int flags)
{
    wchar_t *wide = windows_path(folder, path);
    (void)flags; /* callers do not remove folders this way */
    if (wide == NULL) {
        return -1;
    }
    const DWORD attributes = GetFileAttributesW(wide);
    const DWORD error = GetLastError();
    if (attributes == INVALID_FILE_ATTRIBUTES || (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0) {
        free(wide);
        errno = EISDIR;
        return attributes == INVALID_FILE_ATTRIBUTES ? windows_fail(error) : -1;
    }
    const bool gone = remove_open(wide) || rename_and_remove(wide) || DeleteFileW(wide);
    const DWORD reason = GetLastError();
    free(wide);
    return gone ? 0 : windows_fail(reason);
}

int windows_unlink(const char *path)
{
    return windows_unlinkat(AT_FDCWD, path, 0);
}

int windows_rmdir(const char *path)
{
    wchar_t *wide = windows_path(AT_FDCWD, path);
    const bool gone = wide != NULL && RemoveDirectoryW(wide);
    const DWORD error = GetLastError();
    const bool known = wide != NULL;
    free(wide);
    return gone ? 0 : known ? windows_fail(error) : -1;
}

int windows_mkdirat(int folder, const char *path, unsigned mode)
{
    wchar_t *wide = windows_path(folder, path);
    (void)mode; /* permissions are inherited */
    if (wide == NULL) {
        return -1;
    }
    const bool made = CreateDirectoryW(wide, NULL);
    DWORD error = GetLastError();
    /* For an existing drive Windows reports that access is denied. */
    const DWORD attributes = made ? 0 : GetFileAttributesW(wide);
    if (!made && error == ERROR_ACCESS_DENIED && attributes != INVALID_FILE_ATTRIBUTES) {
        error = ERROR_ALREADY_EXISTS;
    }
    free(wide);
    return made ? 0 : windows_fail(error);
}

int windows_mkdir(const char *path, unsigned mode)
{
    return windows_mkdirat(AT_FDCWD, path, mode);
}

/* Replaces a file even if it is open, which newer versions of Windows support; false on failure. */
static bool replace_open(const wchar_t *from, const wchar_t *to)
{
    struct rename {
        DWORD flags;
        HANDLE root;
        DWORD bytes;
        wchar_t name[1];
    };
    const int FileRenameInfoEx = 22;
    const DWORD replace_if_exists = 1;
    const DWORD posix_semantics = 2;
    const size_t bytes = wcslen(to) * sizeof *to;
    struct rename *order = calloc(1, sizeof *order + bytes);
    HANDLE handle = CreateFileW(from, DELETE | SYNCHRONIZE,
                                FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
                                OPEN_EXISTING, FILE_FLAG_OPEN_REPARSE_POINT, NULL);
    bool done = false;
    if (order != NULL && handle != INVALID_HANDLE_VALUE) {
        order->flags = replace_if_exists | posix_semantics;
        order->bytes = (DWORD)bytes;
        /* NOLINTNEXTLINE(bugprone-not-null-terminated-result): it has a length */
        memcpy(order->name, to, bytes);
        done = SetFileInformationByHandle(handle, (FILE_INFO_BY_HANDLE_CLASS)FileRenameInfoEx,
                                          order, (DWORD)(sizeof *order + bytes));
    }
    if (handle != INVALID_HANDLE_VALUE) {
        CloseHandle(handle);
    }
    free(order);
    return done;
}

int windows_renameat(int from_folder, const char *from, int to_folder, const char *to)
{
    wchar_t *old = windows_path(from_folder, from);
    wchar_t *new = old == NULL ? NULL : windows_path(to_folder, to);
    bool done = false;
    DWORD error = ERROR_OUTOFMEMORY;
    if (new != NULL) {
        done = replace_open(old, new) ||
               MoveFileExW(old, new, MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH);
        error = GetLastError();
    }
    const bool known = new != NULL;
    free(old);
    free(new);
    return done ? 0 : known ? windows_fail(error) : -1;
}

int windows_rename(const char *from, const char *to)
{
    return windows_renameat(AT_FDCWD, from, AT_FDCWD, to);
}

int windows_linkat(int from_folder, const char *from, int to_folder, const char *to, int flags)
{
    wchar_t *old = windows_path(from_folder, from);
    wchar_t *new = old == NULL ? NULL : windows_path(to_folder, to);
    (void)flags;
    const bool known = new != NULL;
    const bool done = known && CreateHardLinkW(new, old, NULL);
    const DWORD error = GetLastError();
    free(old);
    free(new);
    return done ? 0 : known ? windows_fail(error) : -1;
}

/* NOLINTNEXTLINE(readability-non-const-parameter): the type is POSIX's */
char *windows_realpath(const char *path, char *room)
{
    wchar_t *wide = windows_path(AT_FDCWD, path);
    (void)room; /* always NULL: the result is to be freed */
    if (wide == NULL) {
        return NULL;
    }
    const bool there = GetFileAttributesW(wide) != INVALID_FILE_ATTRIBUTES;
    const DWORD error = GetLastError();
    char *whole = there ? windows_utf8(wide) : NULL;
    free(wide);
    if (!there) {
        windows_fail(error);
    }
    for (char *at = whole; at != NULL && *at != 0; at++) {
        if (*at == '\\') {
            *at = '/';
        }
    }
    return whole;
}

int windows_mkstemp(char *pattern)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    static unsigned made;
    char *end = pattern + strlen(pattern) - 6;
    for (int i = 0; i < 1000; i++) {
        LARGE_INTEGER now;
        QueryPerformanceCounter(&now);
        uint64_t number = ((uint64_t)now.QuadPart ^ ((uint64_t)GetCurrentProcessId() << 20)) +
                          (uint64_t)made++ * 7919u;
        for (int c = 0; c < 6; c++, number /= 36) {
            end[c] = letters[number % 36];
        }
        const int fd = windows_open(pattern, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC);
        if (fd >= 0 || errno != EEXIST) {
            return fd;
        }
    }
    return -1;
}
