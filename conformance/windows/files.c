/* Files by descriptor. They are opened with Windows functions, because the C library would forbid
 * others to read, write, rename and remove an open file; it only gets the handle. */
#include "posix.h"

#include "common.h"

#include <stdarg.h>

/* Descriptors with O_APPEND: each write first moves to the end of the file. */
#define DESCRIPTORS 8192
static bool appends[DESCRIPTORS];

static void set_appends(int fd, bool value)
{
    if (fd >= 0 && fd < DESCRIPTORS) {
        appends[fd] = value;
    }
}

/* The paths of open folders. Wine reports only paths of less than 260 characters for handles. */
static wchar_t *folders[DESCRIPTORS];

/* Stores a path, or NULL; takes ownership. */
static void set_folder(int fd, wchar_t *path)
{
    if (fd >= 0 && fd < DESCRIPTORS) {
        free(folders[fd]);
        folders[fd] = path;
    } else {
        free(path);
    }
}

const wchar_t *windows_folder_path(int fd)
{
    return fd >= 0 && fd < DESCRIPTORS ? folders[fd] : NULL;
}

/* Returns a new descriptor of a handle; closes the handle on failure. */
static int descriptor_of(HANDLE handle, int flags)
{
    const int fd = _open_osfhandle((intptr_t)handle, (flags & (_O_RDONLY | O_CLOEXEC)) | _O_BINARY);
    if (fd < 0) {
        CloseHandle(handle);
        errno = EMFILE;
    }
    set_appends(fd, (flags & O_APPEND) != 0);
    return fd;
}

static DWORD access_of(int flags)
{
    switch (flags & (O_WRONLY | O_RDWR)) {
    case O_WRONLY:
        return GENERIC_WRITE | FILE_READ_ATTRIBUTES;
    case O_RDWR:
        return GENERIC_READ | GENERIC_WRITE;
    default:
        return GENERIC_READ;
    }
}

static DWORD disposition_of(int flags)
{
    if ((flags & O_CREAT) == 0) {
        return (flags & O_TRUNC) != 0 ? TRUNCATE_EXISTING : OPEN_EXISTING;
    }
    if ((flags & O_EXCL) != 0) {
        return CREATE_NEW;
    }
    return (flags & O_TRUNC) != 0 ? CREATE_ALWAYS : OPEN_ALWAYS;
}

/* Whether the flags allow what a handle refers to; if not, sets errno. */
static bool is_allowed(HANDLE handle, int flags)
{
    BY_HANDLE_FILE_INFORMATION is;
    const bool wants_folder = (flags & O_DIRECTORY) != 0;
    if (!GetFileInformationByHandle(handle, &is)) {
        is.dwFileAttributes = 0; /* a device or a pipe */
    }
    const bool folder = (is.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
    if (wants_folder && !folder) {
        errno = ENOTDIR;
        return false;
    }
    if (!wants_folder && folder && (flags & (O_WRONLY | O_RDWR | O_CREAT)) != 0) {
        errno = EISDIR;
        return false;
    }
    if ((flags & O_NOFOLLOW) != 0 && (is.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0) {
        errno = ELOOP;
        return false;
    }
    return true;
}

static int open_at(int folder, const char *path, int flags)
{
    wchar_t *wide = windows_path(folder, path);
    if (wide == NULL) {
        return -1;
    }
    SECURITY_ATTRIBUTES inherited = {.nLength = sizeof inherited,
                                     .bInheritHandle = (flags & O_CLOEXEC) == 0};
    const DWORD how =
        FILE_FLAG_BACKUP_SEMANTICS | ((flags & O_NOFOLLOW) != 0 ? FILE_FLAG_OPEN_REPARSE_POINT : 0);
    HANDLE handle =
        CreateFileW(wide, access_of(flags), FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
                    &inherited, disposition_of(flags), FILE_ATTRIBUTE_NORMAL | how, NULL);
    const DWORD error = GetLastError();
    const DWORD attributes = GetFileAttributesW(wide);
    if (handle == INVALID_HANDLE_VALUE) {
        free(wide);
        if (attributes != INVALID_FILE_ATTRIBUTES && error == ERROR_ACCESS_DENIED &&
            (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0) {
            errno = EISDIR;
            return -1;
        }
        return windows_fail(error);
    }
    if (!is_allowed(handle, flags)) {
        const int reason = errno;
        CloseHandle(handle);
        free(wide);
        errno = reason;
        return -1;
    }
    const int fd = descriptor_of(handle, flags);
    if (attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0) {
        set_folder(fd, wide);
    } else {
        free(wide);
    }
    return fd;
}

int windows_open(const char *path, int flags, ...)
{
    return open_at(AT_FDCWD, path, flags);
}

int windows_openat(int folder, const char *path, int flags, ...)
{
    return open_at(folder, path, flags);
}

int windows_close(int fd)
{
    set_appends(fd, false);
    set_folder(fd, NULL);
    return _close(fd);
}

/* ---- file status ----------------------------------------------------------------------------- */

static void set_time(struct windows_stat *status, FILETIME time)
{
    /* units of 100 ns since 1601 */
    const uint64_t ticks = ((uint64_t)time.dwHighDateTime << 32) | time.dwLowDateTime;
    status->st_mtim.tv_sec = (time_t)(ticks / 10000000u - 11644473600u);
    status->st_mtim.tv_nsec = (long)(ticks % 10000000u * 100u);
}

static int stat_handle(HANDLE handle, struct windows_stat *status)
{
    BY_HANDLE_FILE_INFORMATION is;
    *status = (struct windows_stat){.st_nlink = 1};
    switch (GetFileType(handle)) {
    case FILE_TYPE_CHAR:
        status->st_mode = _S_IFCHR;
        return 0;
    case FILE_TYPE_PIPE:
        status->st_mode = _S_IFIFO;
        return 0;
    default:
        break;
    }
    if (!GetFileInformationByHandle(handle, &is)) {
        return windows_fail(GetLastError());
    }
    const bool folder = (is.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
    const bool link = (is.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0;
    status->st_mode = link ? S_IFLNK : folder ? _S_IFDIR : _S_IFREG;
    status->st_mode |=
        _S_IREAD | ((is.dwFileAttributes & FILE_ATTRIBUTE_READONLY) != 0 ? 0 : _S_IWRITE);
    status->st_size = (int64_t)(((uint64_t)is.nFileSizeHigh << 32) | is.nFileSizeLow);
    status->st_dev = is.dwVolumeSerialNumber;
    status->st_ino = ((uint64_t)is.nFileIndexHigh << 32) | is.nFileIndexLow;
    status->st_nlink = is.nNumberOfLinks;
    set_time(status, is.ftLastWriteTime);
    return 0;
}

int windows_fstat(int fd, struct windows_stat *status)
{
    *status = (struct windows_stat){0};
    HANDLE handle = windows_handle(fd);
    return handle == INVALID_HANDLE_VALUE ? windows_fail(ERROR_INVALID_HANDLE)
                                          : stat_handle(handle, status);
}

int windows_fstatat(int folder, const char *path, struct windows_stat *status, int flags)
{
    wchar_t *wide = windows_path(folder, path);
    *status = (struct windows_stat){0};
    if (wide == NULL) {
        return -1;
    }
    const DWORD how = FILE_FLAG_BACKUP_SEMANTICS |
                      ((flags & AT_SYMLINK_NOFOLLOW) != 0 ? FILE_FLAG_OPEN_REPARSE_POINT : 0);
    HANDLE handle = CreateFileW(wide, FILE_READ_ATTRIBUTES,
                                FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
                                OPEN_EXISTING, how, NULL);
    const DWORD error = GetLastError();
    free(wide);
    if (handle == INVALID_HANDLE_VALUE) {
        return windows_fail(error);
    }
    const int result = stat_handle(handle, status);
    const int reason = errno;
    CloseHandle(handle);
    errno = reason;
    return result;
}

int windows_stat(const char *path, struct windows_stat *status)
{
    return windows_fstatat(AT_FDCWD, path, status, 0);
}

int windows_lstat(const char *path, struct windows_stat *status)
{
    return windows_fstatat(AT_FDCWD, path, status, AT_SYMLINK_NOFOLLOW);
}

int windows_access(const char *path, int mode)
{
    struct windows_stat status = {0};
    if (windows_stat(path, &status) != 0) {
        return -1;
    }
    if ((mode & 2) != 0 && (status.st_mode & _S_IWRITE) == 0) {
        errno = EACCES;
        return -1;
    }
    return 0;
}

int windows_isatty(int fd)
{
    DWORD mode;
    return GetConsoleMode(windows_handle(fd), &mode) ? 1 : 0;
}

/* ---- reading and writing --------------------------------------------------------------------- */

ssize_t windows_write(int fd, const void *bytes, size_t count)
{
    const unsigned most = count > 1u << 30 ? 1u << 30 : (unsigned)count;
    if (fd >= 0 && fd < DESCRIPTORS && appends[fd]) {
        _lseeki64(fd, 0, SEEK_END);
    }
    const int done = _write(fd, bytes, most);
    if (done < 0 && errno == EINVAL) {
        errno = EPIPE; /* the C library reports EINVAL for a pipe without a reader */
    }
    return done;
}

ssize_t windows_read(int fd, void *bytes, size_t count)
{
    return _read(fd, bytes, count > 1u << 30 ? 1u << 30 : (unsigned)count);
}

static OVERLAPPED at_offset(off_t offset)
{
    return (OVERLAPPED){.Offset = (DWORD)((uint64_t)offset & 0xffffffffu),
                        .OffsetHigh = (DWORD)((uint64_t)offset >> 32)};
}

/* Unlike in POSIX these functions move the file position. Callers do not use both. */
ssize_t windows_pread(int fd, void *bytes, size_t count, off_t offset)
{
    OVERLAPPED at = at_offset(offset);
    DWORD done = 0;
    const DWORD most = count > 1u << 30 ? 1u << 30 : (DWORD)count;
    if (!ReadFile(windows_handle(fd), bytes, most, &done, &at)) {
        const DWORD error = GetLastError();
        return error == ERROR_HANDLE_EOF ? 0 : windows_fail(error);
    }
    return (ssize_t)done;
}

ssize_t windows_pwrite(int fd, const void *bytes, size_t count, off_t offset)
{
    OVERLAPPED at = at_offset(offset);
    DWORD done = 0;
    const DWORD most = count > 1u << 30 ? 1u << 30 : (DWORD)count;
    if (!WriteFile(windows_handle(fd), bytes, most, &done, &at)) {
        return windows_fail(GetLastError());
    }
    return (ssize_t)done;
}

int windows_fsync(int fd)
{
    struct windows_stat status = {0};
    if (windows_fstat(fd, &status) == 0 && S_ISDIR(status.st_mode)) {
        return 0; /* Windows writes the entries of a folder without a request */
    }
    return FlushFileBuffers(windows_handle(fd)) ? 0 : windows_fail(GetLastError());
}

/* ---- fcntl() --------------------------------------------------------------------------------- */

/* Far beyond the end of any file, because on Windows a lock keeps others from reading the locked
 * range. */
#define LOCK_AT ((off_t)1 << 62)

static int set_lock(int fd, const struct flock *lock)
{
    OVERLAPPED at = at_offset(LOCK_AT);
    HANDLE handle = windows_handle(fd);
    if (lock->l_type == F_UNLCK) {
        return UnlockFileEx(handle, 0, 1, 0, &at) ? 0 : windows_fail(GetLastError());
    }
    const DWORD how =
        LOCKFILE_FAIL_IMMEDIATELY | (lock->l_type == F_WRLCK ? LOCKFILE_EXCLUSIVE_LOCK : 0);
    if (LockFileEx(handle, how, 0, 1, 0, &at)) {
        return 0;
    }
    const DWORD error = GetLastError();
    return windows_fail(error == ERROR_IO_PENDING ? ERROR_LOCK_VIOLATION : error);
}

static int get_lock(int fd, struct flock *lock)
{
    if (set_lock(fd, lock) == 0) {
        lock->l_type = F_UNLCK;
        return set_lock(fd, lock);
    }
    lock->l_pid = 0;
    return errno == EAGAIN ? 0 : -1;
}

static int duplicate(int fd)
{
    HANDLE copy;
    if (!DuplicateHandle(GetCurrentProcess(), windows_handle(fd), GetCurrentProcess(), &copy, 0,
                         FALSE, DUPLICATE_SAME_ACCESS)) {
        return windows_fail(GetLastError());
    }
    const int made = descriptor_of(copy, O_CLOEXEC);
    const wchar_t *path = windows_folder_path(fd);
    set_folder(made, path == NULL ? NULL : _wcsdup(path));
    return made;
}

int windows_fcntl(int fd, int command, ...)
{
    va_list more;
    int result = -1;
    va_start(more, command);
    switch (command) {
    case F_DUPFD_CLOEXEC:
        result = duplicate(fd);
        break;
    case F_SETLK:
        result = set_lock(fd, va_arg(more, struct flock *));
        break;
    case F_GETLK:
        result = get_lock(fd, va_arg(more, struct flock *));
        break;
    case F_GETFL:
        result = fd >= 0 && fd < DESCRIPTORS && appends[fd] ? O_APPEND : 0;
        break;
    case F_SETFL:
        set_appends(fd, (va_arg(more, int) & O_APPEND) != 0);
        result = 0;
        break;
    case F_GETFD:
        result = FD_CLOEXEC;
        break;
    case F_SETFD:
        result = 0;
        break;
    default:
        errno = EINVAL;
        break;
    }
    va_end(more);
    return result;
}
