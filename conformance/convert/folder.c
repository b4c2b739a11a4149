/* See folder.h. */
#define _POSIX_C_SOURCE 200809L
#include "folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "log/log.h"
#include "session/session.h"

#define FOLDER_FLAGS (O_RDONLY | O_DIRECTORY | O_CLOEXEC)

/* whether a folder has entries; those of an unreadable one count */
static bool has_entries(int fd)
{
    const int copy = openat(fd, ".", FOLDER_FLAGS);
    DIR *dir = copy < 0 ? NULL : fdopendir(copy);
    if (dir == NULL) {
        if (copy >= 0) {
            close(copy);
        }
        return true;
    }
    unsigned count = 0;
    while (readdir(dir) != NULL) {
        count++;
    }
    closedir(dir);
    return count > 2; /* "." and ".." */
}

int cli_folder_open(struct cli_folder *folder, const char *path, bool overwrite)
{
    signal(SIGXFSZ, SIG_IGN); /* a file that grows too long is an error of write */
    folder->path = path;
    if (!topk_directories_make(path)) {
        cli_error("cannot make the folder %s: %s", path, strerror(errno));
        return CLI_USAGE;
    }
    folder->fd = open(path, FOLDER_FLAGS);
    if (folder->fd < 0) {
        cli_error("cannot use %s as a folder: %s", path, strerror(errno));
        return CLI_USAGE;
    }
    if (!overwrite && has_entries(folder->fd)) {
        cli_error("%s has files already: --overwrite replaces those of the same names", path);
        close(folder->fd);
        return CLI_USAGE;
    }
    return CLI_CONFORMANT;
}

int cli_folder_within(struct cli_folder *inner, const struct cli_folder *outer, const char *name)
{
    inner->path = outer->path;
    inner->fd = -1;
    if (mkdirat(outer->fd, name, 0777) == 0 || errno == EEXIST) {
        inner->fd = openat(outer->fd, name, FOLDER_FLAGS | O_NOFOLLOW);
    }
    if (inner->fd < 0) {
        cli_error("cannot make the folder %s/%s: %s", outer->path, name, strerror(errno));
        return CLI_HARNESS;
    }
    return CLI_CONFORMANT;
}

static bool write_all(int fd, const unsigned char *bytes, size_t size)
{
    while (size > 0) {
        const ssize_t written = write(fd, bytes, size);
        if (written < 0 && errno != EINTR) {
            return false;
        }
        if (written > 0) {
            bytes += written;
            size -= (size_t)written;
        }
    }
    return true;
}

int cli_folder_write(const struct cli_folder *folder, const char *name, const void *head,
                     size_t head_size, const void *body, size_t body_size)
{
    char part[128];
    snprintf(part, sizeof part, ".%s.part", name);
    /* what a write that was cut short has left */
    bool ok = unlinkat(folder->fd, part, 0) == 0 || errno == ENOENT;
    const int fd =
        !ok ? -1
            : openat(folder->fd, part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    ok = fd >= 0 && write_all(fd, head, head_size) && write_all(fd, body, body_size);
    int error = errno;
    if (fd >= 0 && close(fd) != 0 && ok) {
        ok = false;
        error = errno;
    }
    /* neither a link nor another name of the same file is written through */
    if (ok && renameat(folder->fd, part, folder->fd, name) != 0) {
        ok = false;
        error = errno;
    }
    if (!ok) {
        unlinkat(folder->fd, part, 0);
        cli_error("cannot write %s in %s: %s", name, folder->path, strerror(error));
        return CLI_HARNESS;
    }
    return CLI_CONFORMANT;
}

int cli_folder_print(const struct cli_folder *folder, const char *name,
                     void (*print)(FILE *out, const void *context), const void *context)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = cli_need(open_memstream(&text, &size));
    print(out, context);
    cli_need_memory(ferror(out) == 0);
    cli_need_memory(fclose(out) == 0);
    int code = cli_folder_write(folder, name, text, size, NULL, 0);
    free(text);
    return code;
}

void cli_folder_close(struct cli_folder *folder)
{
    close(folder->fd);
}
