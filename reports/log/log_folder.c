/* Converts between a compressed and a plain log in a folder, one replacing the other. */
#define _POSIX_C_SOURCE 200809L /* open, lstat, strdup */
#include "log_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "line.h"
#include "log.h"
#include "output.h"
#include "stream.h"

#define PACKED_NAME TOPK_LOG_NAME TOPK_ZSTD_SUFFIX

/* 0, or the reason why a file cannot be seen: ENOENT if it does not exist */
static int unseen(const char *path)
{
    struct stat status;
    return lstat(path, &status) == 0 ? 0 : errno;
}

static bool is_there(const char *path)
{
    return unseen(path) != ENOENT;
}

char *topk_log_at(const char *path)
{
    char *packed = topk_text_make("%s%s", path, TOPK_ZSTD_SUFFIX);
    const int plain = unseen(path);
    if (packed != NULL && plain != 0) {
        const int other = unseen(packed);
        if (other == 0 || (plain == ENOENT && other != ENOENT)) {
            return packed;
        }
    }
    free(packed);
    return strdup(path);
}

char *topk_log_path(const char *dir)
{
    char *plain = topk_text_make("%s/%s", dir, TOPK_LOG_NAME);
    char *path = plain == NULL ? NULL : topk_log_at(plain);
    free(plain);
    return path;
}

/* Paths of the files in a folder; all zero if memory ran out. */
struct paths {
    char *plain, *packed;
};

static bool find_paths(struct paths *paths, const char *dir, char *error, size_t error_bytes)
{
    paths->plain = topk_text_make("%s/%s", dir, TOPK_LOG_NAME);
    paths->packed = topk_text_make("%s/%s", dir, PACKED_NAME);
    if (paths->plain == NULL || paths->packed == NULL) {
        topk_memory_fail();
        snprintf(error, error_bytes, "out of memory");
        return false;
    }
    return true;
}

static void free_paths(struct paths *paths)
{
    free(paths->plain);
    free(paths->packed);
}

/* Removes a file of which the other form now exists, and syncs the folder. */
static bool remove_other(const char *dir, const char *path, char *error, size_t error_bytes)
{
    if (unlink(path) != 0 && errno != ENOENT) {
        snprintf(error, error_bytes, "cannot remove %s: %s", path, strerror(errno));
        return false;
    }
    const int folder = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder >= 0) {
        (void)topk_output_sync(folder); /* after a power failure either file will do */
        close(folder);
    }
    return true;
}

/* Reads a log with an end record through, copying it to `out` unless that is NULL. `chain` is set
 * to the chain of its last line. Returns false with the reason in error. */
static bool read_through(const char *path, FILE *out, struct topk_chain *chain, char *error,
                         size_t error_bytes)
{
    struct topk_lines lines;
    enum topk_line kind;
    bool written = true;
    if (!topk_lines_open(&lines, path, error, error_bytes)) {
        return false;
    }
    while (written && (kind = topk_lines_next(&lines, error, error_bytes)) < TOPK_LINE_NONE) {
        written = out == NULL || fwrite(lines.text, 1, lines.length, out) == lines.length;
    }
    if (!written) {
        snprintf(error, error_bytes, "cannot compress %s: %s", path, strerror(errno));
    } else if (kind == TOPK_LINE_NONE && !lines.ended) {
        snprintf(error, error_bytes, "%s has no end record", path);
    }
    const bool whole = written && kind == TOPK_LINE_NONE && lines.ended;
    *chain = lines.chain;
    topk_lines_close(&lines);
    return whole;
}

/* ---- compressing ----------------------------------------------------------------------------- */

static bool write_packed(const struct paths *paths, struct topk_chain *chain, char *error,
                         size_t error_bytes)
{
    struct topk_output output;
    if (!topk_output_open(&output, paths->packed, TOPK_OUTPUT_OURS, error, error_bytes)) {
        return false;
    }
    struct stat status;
    const bool known = stat(paths->plain, &status) == 0 && status.st_size >= 0;
    FILE *out = topk_stream_pack(output.file, known ? (uint64_t)status.st_size : UINT64_MAX);
    bool good = out != NULL && read_through(paths->plain, out, chain, error, error_bytes);
    if (out == NULL) {
        snprintf(error, error_bytes, "cannot write %s: out of memory", paths->packed);
    } else if (fclose(out) != 0 && good) {
        snprintf(error, error_bytes, "cannot write %s: %s", paths->packed, strerror(errno));
        good = false;
    }
    /* if the file is not kept, the reason is already in error */
    return topk_output_close(&output, good, good ? error : NULL, good ? error_bytes : 0) && good;
}

static bool pack(const char *dir, const struct paths *paths, char *error, size_t error_bytes)
{
    struct topk_chain written;
    struct topk_chain read;
    if (!write_packed(paths, &written, error, error_bytes)) {
        return false;
    }
    /* The last digest covers all bytes. */
    bool same = read_through(paths->packed, NULL, &read, error, error_bytes);
    if (same && strcmp(written.text, read.text) != 0) {
        snprintf(error, error_bytes, "%s is not as it was written: it was changed meanwhile",
                 paths->packed);
        same = false;
    }
    if (same && remove_other(dir, paths->plain, error, error_bytes)) {
        return true;
    }
    unlink(paths->packed);
    return false;
}

bool topk_log_pack(const char *dir, char *error, size_t error_bytes)
{
    struct paths paths;
    const bool packed =
        find_paths(&paths, dir, error, error_bytes) && pack(dir, &paths, error, error_bytes);
    free_paths(&paths);
    return packed;
}

/* ---- decompressing --------------------------------------------------------------------------- */

/* Writes the expanded form of a compressed log. Its records are checked by whoever continues it. */
static bool expand(FILE *in, const struct topk_stream *stream, const struct paths *paths,
                   char *error, size_t error_bytes)
{
    char bytes[8192];
    size_t count = 0;
    bool written = true;
    struct topk_output output;
    if (!topk_output_open(&output, paths->plain, TOPK_OUTPUT_OURS, error, error_bytes)) {
        return false;
    }
    while (written && (count = fread(bytes, 1, sizeof bytes, in)) > 0) {
        written = fwrite(bytes, 1, count, output.file) == count;
    }
    const int reason = errno;
    const bool read = ferror(in) == 0;
    if (!read && topk_stream_problem(stream)[0] != 0) {
        snprintf(error, error_bytes, "%s: %s", paths->packed, topk_stream_problem(stream));
    } else if (!read) {
        snprintf(error, error_bytes, "cannot read %s: %s", paths->packed, strerror(reason));
    } else if (!written) {
        snprintf(error, error_bytes, "cannot write %s: %s", paths->plain, strerror(reason));
    }
    const bool good = read && written;
    return topk_output_close(&output, good, good ? error : NULL, good ? error_bytes : 0) && good;
}

static bool unpack(const char *dir, const struct paths *paths, char *error, size_t error_bytes)
{
    if (!is_there(paths->plain)) {
        FILE *file = fopen(paths->packed, "rb");
        struct topk_stream *stream = NULL;
        if (file == NULL && errno == ENOENT) {
            return true;
        }
        FILE *in = file == NULL ? NULL : topk_stream_open(file, true, true, &stream);
        if (in == NULL) {
            snprintf(error, error_bytes, "cannot read %s: %s", paths->packed, strerror(errno));
            return false;
        }
        const bool good = expand(in, stream, paths, error, error_bytes);
        fclose(in);
        if (!good) {
            return false;
        }
    }
    return remove_other(dir, paths->packed, error, error_bytes);
}

bool topk_log_unpack(const char *dir, char *error, size_t error_bytes)
{
    struct paths paths;
    const bool unpacked =
        find_paths(&paths, dir, error, error_bytes) && unpack(dir, &paths, error, error_bytes);
    free_paths(&paths);
    return unpacked;
}

bool topk_log_remove(const char *dir, char **path)
{
    static const char *const names[] = {TOPK_LOG_NAME, PACKED_NAME};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        *path = topk_text_make("%s/%s", dir, names[i]);
        if (*path == NULL || (unlink(*path) != 0 && errno != ENOENT)) {
            return false;
        }
        free(*path);
    }
    *path = NULL;
    return true;
}
