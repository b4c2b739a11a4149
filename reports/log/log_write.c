/* Writes a result log, each record with one write(), and checks that the file is still the one that
 * was written. */
#define _POSIX_C_SOURCE 200809L /* open, write, ftruncate, fcntl, fsync */

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "line.h"
#include "log.h"
#include "plain.h"
#include "record.h"

struct topk_log {
    int fd;
    bool whole;  /* the file is written by `output`, and gets its name only when it is settled */
    bool placed; /* it was written that way */
    struct topk_output output;
    char *path;
    char *line; /* the record being written; `room` bytes */
    size_t room;
    uint64_t length; /* length of the file, counting complete records only */
    struct topk_chain chain;
    dev_t device; /* of the file that was opened */
    ino_t inode;
    /* The length and chain before the end record was appended; end_length is 0 if there is none. */
    uint64_t end_length;
    struct topk_chain end_chain;
    bool settled; /* topk_log_settle() found everything in order, and nothing was appended since */
    bool failed;  /* permanently; the reason is in error */
    char error[PATH_MAX + 256];
};

/* ---- appending ------------------------------------------------------------------------------- */

/* Fails permanently. `more` is appended to the reason and may be "". */
static bool fail(struct topk_log *log, const char *reason, const char *more)
{
    snprintf(log->error, sizeof log->error, "cannot write %s: %s%s", log->path, reason, more);
    log->failed = true;
    return false;
}

/* Returns false with errno set if not everything could be written. */
static bool write_all(int fd, const char *bytes, size_t count)
{
    while (count > 0) {
        ssize_t done = write(fd, bytes, count);
        if (done < 0 && errno == EINTR) {
            continue;
        }
        if (done <= 0) {
            errno = done == 0 ? EIO : errno;
            return false;
        }
        bytes += done;
        count -= (size_t)done;
    }
    return true;
}

static bool make_room(struct topk_log *log, size_t bytes)
{
    size_t room = 2 * bytes;
    char *line = realloc(log->line, room);
    if (line == NULL) {
        return false;
    }
    log->line = line;
    log->room = room;
    return true;
}

/* Writes the record's text to log->line, leaving room for the tail. Returns 0 if memory ran out. */
static size_t print_record(struct topk_log *log, const json_t *record)
{
    const size_t length = json_dumpb(record, log->line, log->room, JSON_COMPACT);
    const size_t need = length + TOPK_LINE_TAIL + 1;
    if (length > 0 && need <= log->room && topk_json_plain(log->line, length)) {
        return length;
    }
    /* The buffer is too small, or the text has characters that must be escaped. */
    char *text = topk_json_text(record, JSON_COMPACT);
    const size_t whole = text == NULL ? 0 : strlen(text);
    const size_t room = whole + TOPK_LINE_TAIL + 1;
    if (text == NULL || (room > log->room && !make_room(log, room))) {
        free(text);
        return 0;
    }
    memcpy(log->line, text, whole);
    free(text);
    return whole;
}

/* Appends the record whose text is at log->line, without its closing brace and with room for the
 * tail. */
static bool append_body(struct topk_log *log, size_t body)
{
    struct topk_chain chain = log->chain;
    topk_chain_seal(&chain, log->line, body, log->line + body);
    size_t length = body + TOPK_LINE_TAIL;
    if (log->whole) {
        if (fwrite(log->line, 1, length, log->output.file) != length) {
            return fail(log, strerror(errno), "");
        }
    } else if (!write_all(log->fd, log->line, length)) {
        int reason = errno;
        /* A partly written record must not stay in the file. */
        if (ftruncate(log->fd, (off_t)log->length) != 0) {
            return fail(log, strerror(reason), "; its last line is truncated");
        }
        return fail(log, strerror(reason), "");
    }
    log->chain = chain;
    log->length += length;
    log->settled = false;
    return true;
}

/* Appends a record and frees it. `record` is NULL if it could not be made. */
static bool append_record(struct topk_log *log, json_t *record)
{
    size_t length = record == NULL ? 0 : print_record(log, record);
    json_decref(record);
    if (length == 0 || topk_memory_short()) {
        return fail(log, "out of memory", "");
    }
    return append_body(log, length - 1); /* the closing brace is part of the tail */
}

bool topk_log_copy(struct topk_log *log, const char *body, size_t length)
{
    size_t need = length + TOPK_LINE_TAIL + 1;
    if (log->failed) {
        return false;
    }
    if (need > log->room && !make_room(log, need)) {
        return fail(log, "out of memory", "");
    }
    memcpy(log->line, body, length);
    return append_body(log, length);
}

bool topk_log_case(struct topk_log *log, uint64_t number, const char *id, uint32_t type,
                   uint32_t index_type, const struct topk_result *result)
{
    return topk_log_waived(log, number, id, type, index_type, result, result->verdict, 0);
}

bool topk_log_waived(struct topk_log *log, uint64_t number, const char *id, uint32_t type,
                     uint32_t index_type, const struct topk_result *result,
                     enum topk_verdict verdict, uint32_t line)
{
    if (log->failed) {
        return false;
    }
    const size_t room = log->room < TOPK_LINE_TAIL + 1 ? 0 : log->room - TOPK_LINE_TAIL - 1;
    const size_t plain = line == 0 ? topk_plain_print(log->line, room, number, id, result) : 0;
    if (plain > 0 && !topk_memory_short()) {
        return append_body(log, plain);
    }
    json_t *record = topk_record_case(number, id, type, index_type, result);
    return append_record(log, line == 0 ? record : topk_record_waived(record, verdict, line));
}

bool topk_log_probe(struct topk_log *log, const struct topk_probe *probe)
{
    return !log->failed && append_record(log, topk_record_probe(probe));
}

bool topk_log_part(struct topk_log *log, const struct topk_log_part *part)
{
    return !log->failed && append_record(log, topk_record_part(part));
}

bool topk_log_again(struct topk_log *log, const struct topk_log_again *again)
{
    return !log->failed && append_record(log, topk_record_again(again));
}

bool topk_log_fresh(struct topk_log *log, const char *id, const struct topk_result *result)
{
    return !log->failed && append_record(log, topk_record_fresh(id, result));
}

bool topk_log_process(struct topk_log *log, const struct topk_log_process *process)
{
    return !log->failed && append_record(log, topk_record_process(process));
}

bool topk_log_shrunk(struct topk_log *log, const uint64_t *of, size_t of_count, bool minimal,
                     const char *id, uint32_t type, uint32_t index_type,
                     const struct topk_result *result)
{
    return !log->failed && append_record(log, topk_record_shrunk(of, of_count, minimal, id, type,
                                                                 index_type, result));
}

static bool append_end(struct topk_log *log, json_t *record)
{
    const uint64_t length = log->length;
    const struct topk_chain chain = log->chain;
    if (!append_record(log, record)) {
        return false;
    }
    log->end_length = length;
    log->end_chain = chain;
    return true;
}

bool topk_log_end(struct topk_log *log, bool complete, const uint64_t totals[TOPK_VERDICT_COUNT])
{
    return !log->failed && append_end(log, topk_record_end(complete, NULL, totals));
}

bool topk_log_end_early(struct topk_log *log, const struct topk_early *early,
                        const uint64_t totals[TOPK_VERDICT_COUNT])
{
    return !log->failed && append_end(log, topk_record_end(false, early, totals));
}

bool topk_log_retract(struct topk_log *log)
{
    if (log->failed || log->end_length == 0) {
        return !log->failed;
    }
    if ((log->whole && fflush(log->output.file) != 0) ||
        ftruncate(log->fd, (off_t)log->end_length) != 0) {
        return fail(log, strerror(errno), "; its end record says too much");
    }
    log->length = log->end_length;
    log->chain = log->end_chain;
    log->end_length = 0;
    log->settled = false;
    return true;
}

const char *topk_log_error(const struct topk_log *log)
{
    return log->error;
}

/* ---- opening and closing --------------------------------------------------------------------- */

/* Creates the directory named by the first `length` characters of dir. Returns false with errno
 * set. */
static bool make_directory(const char *dir, size_t length)
{
    char *path = strndup(dir, length);
    if (path == NULL) {
        return false;
    }
    /* If something else than a directory exists, the next step fails and reports that. */
    bool made = mkdir(path, 0777) == 0 || errno == EEXIST;
    int reason = errno;
    free(path);
    errno = reason;
    return made;
}

bool topk_directories_make(const char *dir)
{
    size_t length = 0;
    do {
        length += strspn(dir + length, "/");
        length += strcspn(dir + length, "/");
        if (!make_directory(dir, length)) {
            return false;
        }
    } while (dir[length] != 0);
    return true;
}

/* Makes a log without a file yet. Returns NULL, with the reason in error, if memory ran out. */
static struct topk_log *log_new(const char *dir, char *error, size_t error_bytes)
{
    topk_memory_watch();
    struct topk_log *log = calloc(1, sizeof *log);
    char *path = topk_text_make("%s/%s", dir, TOPK_LOG_NAME);
    if (log == NULL || path == NULL) {
        snprintf(error, error_bytes, "out of memory");
        free(path);
        free(log);
        return NULL;
    }
    log->path = path;
    log->fd = -1;
    return log;
}

static void log_free(struct topk_log *log)
{
    if (log->whole && log->output.file != NULL) {
        (void)topk_output_close(&log->output, false, NULL, 0);
    }
    if (log->fd >= 0) {
        close(log->fd);
    }
    free(log->line);
    free(log->path);
    free(log);
}

/* Prevents a second run from writing to the log, if the file system supports locks, and remembers
 * which file it is. */
static bool lock(struct topk_log *log, char *error, size_t error_bytes)
{
    struct stat status;
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (fcntl(log->fd, F_SETLK, &whole) != 0 && (errno == EACCES || errno == EAGAIN)) {
        struct flock other = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
        char holder[32] = "another process";
        if (fcntl(log->fd, F_GETLK, &other) == 0 && other.l_type != F_UNLCK && other.l_pid > 0) {
            snprintf(holder, sizeof holder, "process %ld", (long)other.l_pid);
        }
        snprintf(error, error_bytes, "%s is in use: %s writes to it", log->path, holder);
        return false;
    }
    if (fstat(log->fd, &status) != 0) {
        snprintf(error, error_bytes, "cannot write %s: %s", log->path, strerror(errno));
        return false;
    }
    log->device = status.st_dev;
    log->inode = status.st_ino;
    return true;
}

static bool create_file(struct topk_log *log, char *error, size_t error_bytes)
{
    /* Symbolic links are not followed, because the file is to be new. */
    log->fd = open(log->path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
    if (log->fd < 0 && errno == EEXIST) {
        snprintf(error, error_bytes, "%s exists: resume that run or name another directory",
                 log->path);
        return false;
    }
    if (log->fd < 0) {
        snprintf(error, error_bytes, "cannot create %s: %s", log->path, strerror(errno));
        return false;
    }
    return lock(log, error, error_bytes);
}

static bool create(struct topk_log *log, const char *dir, const struct topk_log_header *header,
                   char *error, size_t error_bytes)
{
    if (!topk_directories_make(dir)) {
        snprintf(error, error_bytes, "cannot make directory '%s': %s", dir, strerror(errno));
        return false;
    }
    if (log->whole) {
        if (!topk_output_open(&log->output, log->path, TOPK_OUTPUT_NEW, error, error_bytes)) {
            log->whole = false; /* there is nothing to close */
            return false;
        }
        log->fd = fcntl(fileno(log->output.file), F_DUPFD_CLOEXEC, 0);
        if (log->fd < 0 || fcntl(log->fd, F_SETFL, O_APPEND) != 0) {
            snprintf(error, error_bytes, "cannot create %s: %s", log->path, strerror(errno));
            return false;
        }
        if (!lock(log, error, error_bytes)) {
            return false;
        }
    } else if (!create_file(log, error, error_bytes)) {
        return false;
    }
    if (!append_record(log, topk_record_header(header))) {
        snprintf(error, error_bytes, "%s", log->error);
        if (!log->whole) {
            /* a file without a header is not a log and would only be in the way */
            unlink(log->path);
        }
        return false;
    }
    return true;
}

static struct topk_log *create_new(const char *dir, const struct topk_log_header *header,
                                   bool whole, char *error, size_t error_bytes)
{
    struct topk_log *log = log_new(dir, error, error_bytes);
    if (log != NULL) {
        log->whole = whole;
        if (!create(log, dir, header, error, error_bytes)) {
            log_free(log);
            return NULL;
        }
    }
    return log;
}

struct topk_log *topk_log_create(const char *dir, const struct topk_log_header *header, char *error,
                                 size_t error_bytes)
{
    return create_new(dir, header, false, error, error_bytes);
}

struct topk_log *topk_log_create_whole(const char *dir, const struct topk_log_header *header,
                                       char *error, size_t error_bytes)
{
    return create_new(dir, header, true, error, error_bytes);
}

/* Reads the log through. log->length and log->chain are set to the end of what is kept, *seen to
 * the end of the file. */
static bool verify(struct topk_log *log, uint64_t *seen, char *error, size_t error_bytes)
{
    struct topk_lines lines;
    enum topk_line kind;
    if (!topk_lines_open(&lines, log->path, error, error_bytes)) {
        return false;
    }
    while ((kind = topk_lines_next(&lines, error, error_bytes)) < TOPK_LINE_NONE) {
        if (kind != TOPK_LINE_END) {
            log->length = lines.end;
            log->chain = lines.chain;
        }
    }
    *seen = lines.end;
    const bool packed = topk_stream_packed(lines.stream);
    topk_lines_close(&lines);
    if (packed) {
        snprintf(error, error_bytes, "%s is compressed: it would have to be named %s%s", log->path,
                 TOPK_LOG_NAME, TOPK_ZSTD_SUFFIX);
        return false;
    }
    return kind == TOPK_LINE_NONE || (kind == TOPK_LINE_CUT && log->length > 0);
}

static bool reopen(struct topk_log *log, char *error, size_t error_bytes)
{
    uint64_t seen = 0;
    struct stat status;
    if (!verify(log, &seen, error, error_bytes)) {
        return false;
    }
    log->fd = open(log->path, O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (log->fd < 0) {
        snprintf(error, error_bytes, "cannot write %s: %s", log->path,
                 errno == ELOOP ? "it is a symbolic link" : strerror(errno));
        return false;
    }
    /* A lock is lost as soon as the process closes the file anywhere, so we lock after verify(). */
    if (!lock(log, error, error_bytes)) {
        return false;
    }
    if (fstat(log->fd, &status) != 0 || !S_ISREG(status.st_mode) ||
        (uint64_t)status.st_size != seen) {
        snprintf(error, error_bytes, "%s changes while it is read: is that run still going?",
                 log->path);
        return false;
    }
    if (seen != log->length && ftruncate(log->fd, (off_t)log->length) != 0) {
        snprintf(error, error_bytes, "cannot write %s: %s", log->path, strerror(errno));
        return false;
    }
    return true;
}

struct topk_log *topk_log_append(const char *dir, char *error, size_t error_bytes)
{
    struct topk_log *log = log_new(dir, error, error_bytes);
    if (log != NULL && !reopen(log, error, error_bytes)) {
        log_free(log);
        return NULL;
    }
    return log;
}

/* ---- whether the file is intact
 * ---------------------------------------------------------------- */

/* Fails permanently because the file is not what was written. */
__attribute__((format(printf, 2, 3))) static bool spoiled(struct topk_log *log, const char *format,
                                                          ...)
{
    va_list arguments;
    const int used = snprintf(log->error, sizeof log->error, "%s ", log->path);
    va_start(arguments, format);
    if (used > 0 && (size_t)used < sizeof log->error) {
        vsnprintf(log->error + used, sizeof log->error - (size_t)used, format, arguments);
    }
    va_end(arguments);
    log->failed = true;
    return false;
}

bool topk_log_intact(struct topk_log *log)
{
    struct stat there;
    if (log->failed || log->whole) { /* the latter has no name yet */
        return !log->failed;
    }
    if (stat(log->path, &there) != 0) {
        return errno == ENOENT ? spoiled(log, "was removed while it was written")
                               : spoiled(log, "cannot be looked at: %s", strerror(errno));
    }
    if (there.st_dev != log->device || there.st_ino != log->inode) {
        return spoiled(log, "is another file than the one that was written: it was replaced");
    }
    if ((uint64_t)there.st_size != log->length) {
        return spoiled(log,
                       "has %" PRIu64 " bytes, and %" PRIu64
                       " were written: it was changed while it was written",
                       (uint64_t)there.st_size, log->length);
    }
    return true;
}

/* Returns whether the file, read back, contains the records that were written. The last digest
 * covers all bytes. */
static bool reads_back(struct topk_log *log)
{
    struct topk_lines lines;
    enum topk_line kind;
    char error[PATH_MAX + 128] = "";
    if (!topk_lines_open(&lines, log->path, error, sizeof error)) {
        return spoiled(log, "cannot be read back: %s", error);
    }
    while ((kind = topk_lines_next(&lines, error, sizeof error)) < TOPK_LINE_NONE) {
    }
    const bool same = kind == TOPK_LINE_NONE && lines.end == log->length &&
                      strcmp(lines.chain.text, log->chain.text) == 0;
    topk_lines_close(&lines);
    return same || spoiled(log, "is not as it was written: it was changed meanwhile%s%s",
                           error[0] == 0 ? "" : ": ", error);
}

/* Syncs the folder that contains the file's name, where that is possible. */
static bool sync_folder(struct topk_log *log)
{
    const char *slash = strrchr(log->path, '/');
    char *folder =
        slash == log->path ? strdup("/") : strndup(log->path, (size_t)(slash - log->path));
    const int fd = folder == NULL ? -1 : open(folder, O_RDONLY | O_CLOEXEC);
    free(folder);
    if (fd < 0) {
        return true; /* the folder can be written to but not read */
    }
    const bool synced = fsync(fd) == 0 || errno != EIO;
    close(fd);
    return synced || fail(log, strerror(EIO), "");
}

/* Gives the file of a log written by `output` its name. From now on it is like any other log. */
static bool put_in_place(struct topk_log *log)
{
    char error[PATH_MAX + 256];
    log->whole = false;
    log->placed = topk_output_close(&log->output, true, error, sizeof error);
    if (!log->placed) {
        snprintf(log->error, sizeof log->error, "%s", error);
        log->failed = true;
    }
    return log->placed;
}

bool topk_log_settle(struct topk_log *log)
{
    if (log->failed || log->settled) {
        return !log->failed;
    }
    if (log->whole && !put_in_place(log)) {
        return false;
    }
    /* A file system that delays writes reports errors here; one that cannot sync has nothing to
     * report. */
    if (fsync(log->fd) != 0 && errno != EINVAL) {
        return fail(log, strerror(errno), "");
    }
    log->settled = sync_folder(log) && topk_log_intact(log) && reads_back(log);
    return log->settled;
}

/* Removes the end record of a closed log that could not be saved properly, because the log must not
 * claim to be complete. */
static void drop_end(const struct topk_log *log)
{
    const int fd = log->end_length == 0 ? -1 : open(log->path, O_WRONLY | O_CLOEXEC);
    struct stat status;
    if (fd >= 0 && fstat(fd, &status) == 0 && status.st_dev == log->device &&
        status.st_ino == log->inode && (uint64_t)status.st_size == log->length &&
        ftruncate(fd, (off_t)log->end_length) == 0) {
        fsync(fd);
    }
    if (fd >= 0) {
        close(fd);
    }
}

bool topk_log_close(struct topk_log *log)
{
    const bool settled = topk_log_settle(log);
    const bool closed = close(log->fd) == 0;
    if (!settled || !closed) {
        drop_end(log);
    }
    log->fd = -1;
    log_free(log);
    return settled && closed;
}

void topk_log_drop(struct topk_log *log)
{
    struct stat there;
    if (log->placed && stat(log->path, &there) == 0 && there.st_dev == log->device &&
        there.st_ino == log->inode) {
        unlink(log->path);
    }
    log_free(log);
}
