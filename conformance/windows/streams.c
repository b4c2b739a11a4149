/* Streams, including those that the C library of Windows lacks: of functions (fopencookie) and of
 * memory. */
#include "posix.h"

#include "common.h"

#include <wchar.h>

#undef fclose
#undef fread
#undef fgets
#undef fgetc
#undef ferror
#undef feof
#undef fseek
#undef rewind

#define BUFFER_BYTES 65536u

/* A stream of functions. Opened to write, it is a temporary file until it is closed. Opened to
 * read, the FILE is only a key: the data comes from buffer. */
struct cookie {
    struct cookie *next;
    FILE *file;
    void *self;
    cookie_io_functions_t functions;
    bool writes;
    bool ended;
    bool failed;
    size_t from, to;
    char buffer[BUFFER_BYTES];
};

static struct cookie *cookies;

static struct cookie *cookie_of(FILE *file)
{
    struct cookie *cookie = cookies;
    while (cookie != NULL && cookie->file != file) {
        cookie = cookie->next;
    }
    return cookie;
}

/* ---- opening --------------------------------------------------------------------------------- */

FILE *windows_fdopen(int fd, const char *mode)
{
    char binary[8];
    size_t used = 0;
    for (const char *at = mode; *at != 0 && used < sizeof binary - 2; at++) {
        if (*at == 'r' || *at == 'w' || *at == 'a' || *at == '+') {
            binary[used++] = *at;
        }
    }
    binary[used++] = 'b';
    binary[used] = 0;
    return _fdopen(fd, binary);
}

FILE *windows_fopen(const char *path, const char *mode)
{
    const bool both = strchr(mode, '+') != NULL;
    int flags = both ? O_RDWR : mode[0] == 'r' ? O_RDONLY : O_WRONLY;
    flags |= mode[0] == 'w' ? O_CREAT | O_TRUNC : mode[0] == 'a' ? O_CREAT | O_APPEND : 0;
    flags |= strchr(mode, 'x') != NULL ? O_EXCL : 0;
    const int fd = windows_open(path, flags | O_CLOEXEC);
    FILE *file = fd < 0 ? NULL : windows_fdopen(fd, mode);
    if (fd >= 0 && file == NULL) {
        windows_close(fd);
    }
    return file;
}

/* Opens a file that is removed when it is closed. Windows keeps it in memory if possible. */
FILE *windows_tmpfile(void)
{
    wchar_t folder[MAX_PATH + 1];
    wchar_t path[MAX_PATH + 1];
    if (GetTempPathW(MAX_PATH + 1, folder) == 0 || GetTempFileNameW(folder, L"tpk", 0, path) == 0) {
        windows_fail(GetLastError());
        return NULL;
    }
    HANDLE handle =
        CreateFileW(path, GENERIC_READ | GENERIC_WRITE | DELETE, FILE_SHARE_DELETE, NULL,
                    CREATE_ALWAYS, FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE, NULL);
    if (handle == INVALID_HANDLE_VALUE) {
        windows_fail(GetLastError());
        return NULL;
    }
    const int fd = _open_osfhandle((intptr_t)handle, _O_BINARY | O_CLOEXEC);
    FILE *file = fd < 0 ? NULL : _fdopen(fd, "w+b");
    if (fd < 0) {
        CloseHandle(handle);
    } else if (file == NULL) {
        _close(fd);
    }
    return file;
}

FILE *windows_fmemopen(void *bytes, size_t count, const char *mode)
{
    FILE *file = windows_tmpfile();
    (void)mode;
    if (file != NULL && (fwrite(bytes, 1, count, file) != count || fflush(file) != 0)) {
        fclose(file);
        return NULL;
    }
    if (file != NULL) {
        rewind(file);
    }
    return file;
}

FILE *windows_fopencookie(void *self, const char *mode, cookie_io_functions_t functions)
{
    struct cookie *cookie = calloc(1, sizeof *cookie);
    if (cookie == NULL) {
        return NULL;
    }
    cookie->writes = mode[0] == 'w';
    cookie->file = cookie->writes ? windows_tmpfile() : windows_fopen("NUL", "rb");
    if (cookie->file == NULL) {
        free(cookie);
        return NULL;
    }
    cookie->self = self;
    cookie->functions = functions;
    cookie->next = cookies;
    cookies = cookie;
    return cookie->file;
}

/* ---- closing --------------------------------------------------------------------------------- */

/* Passes what was written to write(). False unless it took all. */
static bool hand_on(struct cookie *cookie)
{
    bool good = fflush(cookie->file) == 0 && ferror(cookie->file) == 0;
    rewind(cookie->file);
    for (size_t count = 1; count > 0;) {
        count = fread(cookie->buffer, 1, sizeof cookie->buffer, cookie->file);
        for (size_t from = 0; good && from < count;) {
            const ssize_t taken =
                cookie->functions.write(cookie->self, cookie->buffer + from, count - from);
            good = taken > 0;
            from += good ? (size_t)taken : 0;
        }
    }
    return good && ferror(cookie->file) == 0;
}

int windows_fclose(FILE *file)
{
    struct cookie **link = &cookies;
    while (*link != NULL && (*link)->file != file) {
        link = &(*link)->next;
    }
    struct cookie *cookie = *link;
    if (cookie == NULL) {
        const int fd = _fileno(file);
        if (fd >= 0) {
            (void)windows_fcntl(fd, F_SETFL, 0); /* another file may get this number */
        }
        return fclose(file);
    }
    *link = cookie->next;
    const bool good = !cookie->writes || hand_on(cookie);
    fclose(file);
    const int closed = cookie->functions.close == NULL ? 0 : cookie->functions.close(cookie->self);
    free(cookie);
    return good && closed == 0 ? 0 : EOF;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Fills the buffer if it is empty. False at the end or on failure. */
static bool fill(struct cookie *cookie)
{
    if (cookie->from == cookie->to && !cookie->ended && !cookie->failed) {
        const ssize_t count =
            cookie->functions.read(cookie->self, cookie->buffer, sizeof cookie->buffer);
        cookie->failed = count < 0;
        cookie->ended = count == 0;
        cookie->from = 0;
        cookie->to = count > 0 ? (size_t)count : 0;
    }
    return cookie->from < cookie->to;
}

static struct cookie *read_cookie(FILE *file)
{
    struct cookie *cookie = cookies == NULL ? NULL : cookie_of(file);
    return cookie != NULL && !cookie->writes ? cookie : NULL;
}

size_t windows_fread(void *bytes, size_t size, size_t count, FILE *file)
{
    struct cookie *cookie = read_cookie(file);
    if (cookie == NULL || size == 0) {
        return fread(bytes, size, count, file);
    }
    size_t done = 0;
    while (done < size * count && fill(cookie)) {
        const size_t there = cookie->to - cookie->from;
        const size_t left = size * count - done;
        const size_t taken = there < left ? there : left;
        memcpy((char *)bytes + done, cookie->buffer + cookie->from, taken);
        cookie->from += taken;
        done += taken;
    }
    return done / size;
}

int windows_fgetc(FILE *file)
{
    struct cookie *cookie = read_cookie(file);
    if (cookie == NULL) {
        return fgetc(file);
    }
    return fill(cookie) ? (unsigned char)cookie->buffer[cookie->from++] : EOF;
}

char *windows_fgets(char *line, int room, FILE *file)
{
    if (read_cookie(file) == NULL) {
        return fgets(line, room, file);
    }
    int used = 0;
    for (int c = 0; used + 1 < room && c != '\n' && (c = windows_fgetc(file)) != EOF;) {
        line[used++] = (char)c;
    }
    line[used] = 0;
    return used == 0 ? NULL : line;
}

int windows_ferror(FILE *file)
{
    const struct cookie *cookie = read_cookie(file);
    return cookie == NULL ? ferror(file) : cookie->failed;
}

int windows_feof(FILE *file)
{
    const struct cookie *cookie = read_cookie(file);
    return cookie == NULL ? feof(file) : cookie->ended && cookie->from == cookie->to;
}

int windows_fseek(FILE *file, off_t offset, int whence)
{
    struct cookie *cookie = read_cookie(file);
    if (cookie == NULL) {
        return fseeko64(file, offset, whence);
    }
    off64_t at = offset;
    if (cookie->functions.seek == NULL || cookie->functions.seek(cookie->self, &at, whence) != 0) {
        return -1;
    }
    cookie->from = cookie->to = 0;
    cookie->ended = false;
    return 0;
}

off_t windows_ftell(FILE *file)
{
    struct cookie *cookie = read_cookie(file);
    off64_t at = 0;
    if (cookie == NULL) {
        return ftello64(file);
    }
    if (cookie->functions.seek == NULL ||
        cookie->functions.seek(cookie->self, &at, SEEK_CUR) != 0) {
        return -1;
    }
    return at - (off_t)(cookie->to - cookie->from);
}

void windows_rewind(FILE *file)
{
    struct cookie *cookie = read_cookie(file);
    if (cookie == NULL) {
        rewind(file);
    } else {
        (void)windows_fseek(file, 0, SEEK_SET);
        cookie->failed = false;
    }
}

static bool make_room(char **line, size_t *room, size_t wanted)
{
    if (*line != NULL && *room >= wanted) {
        return true;
    }
    const size_t larger = wanted < 128 ? 128 : 2 * wanted;
    char *grown = realloc(*line, larger);
    if (grown == NULL) {
        errno = ENOMEM;
        return false;
    }
    *line = grown;
    *room = larger;
    return true;
}

/* Takes the part of the buffer that belongs to the line. */
static size_t take_buffered(struct cookie *cookie, char **line, size_t *room, size_t used,
                            int delimiter)
{
    const char *from = cookie->buffer + cookie->from;
    const size_t there = cookie->to - cookie->from;
    const char *end = memchr(from, delimiter, there);
    const size_t taken = end == NULL ? there : (size_t)(end + 1 - from);
    if (!make_room(line, room, used + taken + 1)) {
        return 0;
    }
    memcpy(*line + used, from, taken);
    cookie->from += taken;
    return taken;
}

ssize_t windows_getdelim(char **line, size_t *room, int delimiter, FILE *file)
{
    struct cookie *cookie = read_cookie(file);
    size_t used = 0;
    if (cookie != NULL) {
        while (fill(cookie) && (used == 0 || (*line)[used - 1] != (char)delimiter)) {
            const size_t taken = take_buffered(cookie, line, room, used, delimiter);
            if (taken == 0) {
                return -1;
            }
            used += taken;
        }
    } else {
        for (int c = 0; (used == 0 || c != delimiter) && (c = fgetc(file)) != EOF;) {
            if (!make_room(line, room, used + 2)) {
                return -1;
            }
            (*line)[used++] = (char)c;
        }
    }
    if (used == 0) {
        return -1;
    }
    (*line)[used] = 0;
    return (ssize_t)used;
}
