/* Reads a file once from start to end for its digest, and at some offsets for the version data that
 * it contains. */
#define _POSIX_C_SOURCE 200809L
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define READ_BYTES ((size_t)256 << 10)

static struct topk_file_stamp stamp_of(const struct stat *status)
{
    return (struct topk_file_stamp){(uint64_t)status->st_dev, (uint64_t)status->st_ino,
                                    (uint64_t)status->st_size, (int64_t)status->st_mtim.tv_sec,
                                    (int64_t)status->st_mtim.tv_nsec};
}

bool topk_file_stamp_take(const char *path, struct topk_file_stamp *stamp)
{
    struct stat status;
    if (stat(path, &status) != 0) {
        return false;
    }
    *stamp = stamp_of(&status);
    errno = EINVAL;
    return S_ISREG(status.st_mode);
}

bool topk_file_stamp_same(const struct topk_file_stamp *a, const struct topk_file_stamp *b)
{
    return a->device == b->device && a->inode == b->inode && a->size == b->size &&
           a->seconds == b->seconds && a->nanoseconds == b->nanoseconds;
}

static bool read_at(void *self, uint64_t offset, void *to, size_t bytes)
{
    const int fd = *(const int *)self;
    while (bytes > 0) {
        const ssize_t count = pread(fd, to, bytes, (off_t)offset);
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count <= 0) {
            return false;
        }
        to = (char *)to + count;
        offset += (uint64_t)count;
        bytes -= (size_t)count;
    }
    return true;
}

/* Opens a regular file; -1 with errno set. Rejects everything else, because opening or reading a
 * FIFO or device may block. */
static int open_file(const char *path, struct stat *status)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) {
        return -1;
    }
    const int reason = fstat(fd, status) != 0 ? errno : S_ISREG(status->st_mode) ? 0 : EINVAL;
    if (reason != 0) {
        close(fd);
        errno = reason;
        return -1;
    }
    return fd;
}

bool topk_file_kind(const char *path, enum topk_image_kind *kind)
{
    struct stat status;
    int fd = open_file(path, &status);
    if (fd < 0) {
        return false;
    }
    *kind = topk_image_kind(&(struct topk_image){&fd, read_at});
    close(fd);
    return true;
}

/* False, with errno set, if the file cannot be read. */
static bool digest(int fd, char text[TOPK_SHA256_TEXT])
{
    struct topk_sha256 sha256;
    unsigned char *buffer = malloc(READ_BYTES);
    ssize_t count = buffer == NULL ? -1 : 1;
    topk_sha256_start(&sha256);
    while (count > 0) {
        count = read(fd, buffer, READ_BYTES);
        if (count > 0) {
            topk_sha256_add(&sha256, buffer, (size_t)count);
        }
    }
    topk_sha256_end_text(&sha256, text);
    free(buffer);
    return count == 0;
}

bool topk_file_read(const char *path, struct topk_file *file, char *error, size_t error_bytes)
{
    struct stat status;
    struct stat after;
    memset(file, 0, sizeof *file);
    int fd = open_file(path, &status);
    if (fd < 0) {
        snprintf(error, error_bytes, "%s", strerror(errno));
        return false;
    }
    const struct topk_image image = {&fd, read_at};
    file->kind = topk_image_kind(&image);
    topk_elf_build_id(&image, file->build_id);
    topk_pe_version(&image, file->version);
    file->stamp = stamp_of(&status);
    bool whole = digest(fd, file->sha256);
    snprintf(error, error_bytes, "%s", whole ? "" : strerror(errno));
    if (whole && fstat(fd, &after) == 0) {
        const struct topk_file_stamp now = stamp_of(&after);
        whole = topk_file_stamp_same(&file->stamp, &now);
        snprintf(error, error_bytes, "%s", whole ? "" : "it changes while it is read");
    }
    close(fd);
    return whole;
}
