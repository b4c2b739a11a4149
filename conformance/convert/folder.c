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

/* Returns 1 if a folder has entries, 0 if not, -1 with errno set on failure. */
static int has_entries(int fd)
{
    const int copy = openat(fd, ".", FOLDER_FLAGS);
    DIR *dir = copy < 0 ? NULL : fdopendir(copy);
    if (dir == NULL) {
        const int reason = errno;
        if (copy >= 0) {
            close(copy);
        }
        errno = reason;
        return -1;
    }
    unsigned count = 0;
    errno = 0;
    while (readdir(dir) != NULL) {
        count++;
    }
    const int reason = errno;
    closedir(dir);
    errno = reason;
    return reason != 0 ? -1 : count > 2; /* "." and ".." */
}

int cli_folder_open(struct cli_folder *folder, const char *path, bool overwrite)
{
    signal(SIGXFSZ, SIG_IGN); /* makes write() fail with EFBIG at the limit of file sizes */
    folder->path = path;
    if (!topk_directories_make(path)) {
        const int reason = errno;
        cli_error("cannot make the folder %s: %s", path, strerror(reason));
        return cli_errno_exit(reason);
    }
    folder->fd = open(path, FOLDER_FLAGS);
    if (folder->fd < 0) {
        const int reason = errno;
        cli_error("cannot use %s as a folder: %s", path, strerror(reason));
        return cli_errno_exit(reason);
    }
    const int any = overwrite ? 0 : has_entries(folder->fd);
    if (any < 0) {
        const int reason = errno;
        cli_error("cannot read the folder %s: %s", path, strerror(reason));
        close(folder->fd);
        return cli_errno_exit(reason);
    }
    if (any > 0) {
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

int cli_folder_write(const struct cli_folder *folder, const char *name, const void *head,
                     size_t head_size, const void *body, size_t body_size)
{
    char error[1024];
    struct topk_output output;
    bool written =
        topk_output_open_at(&output, folder->fd, name, TOPK_OUTPUT_OURS, error, sizeof error);
    if (written) {
        fwrite(head, 1, head_size, output.file);
        if (body_size > 0) {
            fwrite(body, 1, body_size, output.file);
        }
        written = topk_output_close(&output, true, error, sizeof error);
    }
    if (!written) {
        cli_error("in %s: %s", folder->path, error);
    }
    return written ? CLI_CONFORMANT : CLI_HARNESS;
}

int cli_folder_print(const struct cli_folder *folder, const char *name,
                     void (*print)(FILE *out, const void *context), const void *context)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = cli_need(topk_memory_stream(&text, &size));
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
