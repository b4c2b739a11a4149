/* Files that commands read and write, and the messages if they cannot. */
#define _POSIX_C_SOURCE 200809L
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "log/log.h"
#include "session.h"

char *cli_path_join(const char *dir, const char *name)
{
    size_t size = strlen(dir) + strlen(name) + 2;
    char *path = cli_need(malloc(size));
    snprintf(path, size, "%s/%s", dir, name);
    return path;
}

char *cli_log_path(const char *run)
{
    struct stat status;
    bool folder = stat(run, &status) == 0 && S_ISDIR(status.st_mode);
    return cli_need(folder ? topk_log_path(run) : topk_log_at(run));
}

/* of: a descriptor whose file size is a hint for the buffer's size; -1: none */
static char *read_all(FILE *file, int of, size_t most, size_t *size)
{
    struct stat status;
    size_t room = 65536;
    char *bytes = NULL;
    if (of >= 0 && fstat(of, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
        room = (size_t)status.st_size < most ? (size_t)status.st_size + 1 : most + 1;
    }
    *size = 0;
    errno = 0;
    do {
        char *more = realloc(bytes, room + 1);
        if (more == NULL) {
            free(bytes);
            errno = ENOMEM;
            return NULL;
        }
        bytes = more;
        *size += fread(bytes + *size, 1, room - *size, file);
        room = *size < room ? room : 2 * room;
    } while (*size <= most && !feof(file) && !ferror(file));
    if (ferror(file) || *size > most) {
        errno = ferror(file) ? errno : EFBIG;
        free(bytes);
        return NULL;
    }
    bytes[*size] = 0;
    return bytes;
}

char *cli_file_read(const char *path, size_t most, size_t *size)
{
    FILE *file = fopen(path, "rb");
    char *bytes = file == NULL ? NULL : read_all(file, fileno(file), most, size);
    const int reason = errno;
    if (bytes == NULL) {
        cli_error("cannot read %s: %s", path, strerror(reason));
    }
    if (file != NULL) {
        fclose(file);
    }
    errno = reason;
    return bytes;
}

char *cli_file_unpack(const char *path, size_t most, size_t *size, char *error, size_t error_bytes)
{
    struct topk_stream *stream = NULL;
    FILE *file = fopen(path, "rb");
    const int of = file == NULL ? -1 : fileno(file);
    FILE *in = file == NULL ? NULL : topk_stream_open(file, true, false, &stream);
    char *bytes = in == NULL ? NULL : read_all(in, of, most, size);
    int reason = errno;
    if (bytes == NULL && in != NULL && topk_stream_problem(stream)[0] != 0) {
        snprintf(error, error_bytes, "%s: %s", path, topk_stream_problem(stream));
    } else if (bytes == NULL) {
        snprintf(error, error_bytes, "cannot read %s: %s", path, strerror(reason));
    } else if (topk_stream_cut(stream)) {
        snprintf(error, error_bytes, "%s: the file was truncated: the compressed data have no end",
                 path);
        free(bytes);
        bytes = NULL;
        reason = EBADMSG;
    }
    if (in != NULL) {
        fclose(in);
    }
    errno = reason;
    return bytes;
}

char *cli_file_need(const char *path, size_t most, size_t *size)
{
    char *bytes = cli_file_read(path, most, size);
    if (bytes == NULL) {
        exit(errno == EFBIG ? CLI_USAGE : cli_errno_exit(errno));
    }
    return bytes;
}

int cli_log_there(const char *run, const char *path)
{
    if (access(path, R_OK) == 0) {
        return CLI_CONFORMANT;
    }
    const int reason = errno;
    if (reason == ENOENT && strcmp(path, run) != 0) {
        cli_error("%s is not the folder of a run: it has no results.jsonl", run);
        return CLI_USAGE;
    }
    cli_error("cannot read %s: %s", path, strerror(reason));
    return cli_errno_exit(reason);
}

bool cli_file_create(struct topk_output *file, const char *path, enum topk_output_kind kind)
{
    char error[1024];
    const bool created = topk_output_open(file, path, kind, error, sizeof error);
    if (!created) {
        cli_error("%s", error);
    }
    return created;
}

bool cli_file_close(struct topk_output *file, bool keep)
{
    char error[1024];
    const bool closed = topk_output_close(file, keep, error, sizeof error);
    if (!closed) {
        cli_error("%s", error);
    }
    return closed;
}

/* ---- folders in use -------------------------------------------------------------------------- */

static int take_lock(struct topk_lock *lock, const char *folder, const char *name, const char *what)
{
    char error[1024];
    switch (topk_lock_take(lock, folder, name, what, error, sizeof error)) {
    case TOPK_LOCK_HELD:
        return CLI_CONFORMANT;
    case TOPK_LOCK_NONE:
        cli_note(NULL, error);
        return CLI_CONFORMANT;
    case TOPK_LOCK_BUSY:
        cli_error("%s", error);
        return CLI_USAGE;
    default:
        cli_error("%s", error);
        return CLI_HARNESS;
    }
}

int cli_folder_lock(struct topk_lock *lock, const char *folder)
{
    char *what = cli_need(topk_text_make("the folder %s", folder));
    const int code = take_lock(lock, folder, TOPK_LOCK_NAME, what);
    free(what);
    return code;
}

/* the folder of a file; to be freed */
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return cli_need(slash == NULL ? strdup(".") : strndup(path, (size_t)(slash + 1 - path)));
}

int cli_file_lock(struct topk_lock *lock, const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = folder_of(path);
    char *name = cli_need(topk_text_make(".%s.lock", slash == NULL ? path : slash + 1));
    const int code = take_lock(lock, folder, name, path);
    free(name);
    free(folder);
    return code;
}

void cli_note_use(const char *log_path)
{
    char holder[TOPK_LOCK_HOLDER];
    char *folder = folder_of(log_path);
    if (topk_lock_held(folder, TOPK_LOCK_NAME, holder)) {
        cli_error("note: %s writes to %s: the run is incomplete", holder, log_path);
    }
    free(folder);
}

int cli_file_temporary(void)
{
    const char *const folders[] = {getenv("TMPDIR"), getenv("TEMP"), "/var/tmp", "/tmp"};
    int file = -1;
    for (size_t i = 0; file < 0 && i < sizeof folders / sizeof folders[0]; i++) {
        char *path = folders[i] == NULL || folders[i][0] == 0
                         ? NULL
                         : topk_text_make("%s/topk-cts.XXXXXX", folders[i]);
        file = path == NULL ? -1 : mkstemp(path);
        if (file >= 0) {
            unlink(path);
            (void)fcntl(file, F_SETFD, FD_CLOEXEC);
        }
        free(path);
    }
    return file;
}

int cli_errno_exit(int reason)
{
    switch (reason) {
    case EACCES:
    case EEXIST:
    case EISDIR:
    case ELOOP:
    case ENAMETOOLONG:
    case ENOENT:
    case ENOTDIR:
    case EPERM:
    case EROFS:
        return CLI_USAGE;
    default:
        return CLI_HARNESS;
    }
}
