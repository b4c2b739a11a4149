/* The temporary folder of a process under test. Its content may have any depth and mode. */
#define _POSIX_C_SOURCE 200809L
#include "keep_posix.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void topk_keep_folder_make(char path[TOPK_KEEP_FOLDER])
{
    const char *in = getenv("TMPDIR"); /* NOLINT(concurrency-mt-unsafe): one thread */
    const int length = snprintf(path, TOPK_KEEP_FOLDER, "%s/topk-XXXXXX",
                                in != NULL && in[0] == '/' ? in : "/tmp");
    if (length >= TOPK_KEEP_FOLDER || mkdtemp(path) == NULL) {
        path[0] = 0;
    }
}

static bool is_dots(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* opens a folder inside another one, whatever its mode; -1 if it is no folder */
static int open_folder(int in, const char *name)
{
    const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    int folder = openat(in, name, flags);
    struct stat status;
    if (folder < 0 && errno == EACCES && fstatat(in, name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
        S_ISDIR(status.st_mode) && fchmodat(in, name, 0700, 0) == 0) {
        folder = openat(in, name, flags);
    }
    if (folder >= 0) {
        fchmod(folder, 0700); /* so that its content can be removed */
    }
    return folder;
}

/* Calls visit() for each entry of an open folder. */
static void each_entry(int folder, void (*visit)(int top, int folder, const char *name), int top)
{
    const int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *list = copy < 0 ? NULL : fdopendir(copy);
    const struct dirent *entry;
    while (list != NULL &&
           (entry = readdir(list)) != NULL) { /* NOLINT(concurrency-mt-unsafe): one thread */
        if (!is_dots(entry->d_name)) {
            visit(top, folder, entry->d_name);
        }
    }
    if (list != NULL) {
        closedir(list);
    } else if (copy >= 0) {
        close(copy);
    }
}

/* Removes a file, or moves a folder to the top, so that neither paths nor recursion grow. */
static void lift(int top, int folder, const char *name)
{
    static unsigned long long number;
    char lifted[64];
    if (unlinkat(folder, name, 0) != 0) {
        const int inner = open_folder(folder, name);
        if (inner >= 0) {
            close(inner);
        }
        snprintf(lifted, sizeof lifted, ".topk-%llu", ++number);
        renameat(folder, name, top, lifted);
    }
}

static void remove_one(int top, int folder, const char *name)
{
    if (unlinkat(folder, name, 0) == 0) {
        return;
    }
    const int inner = open_folder(folder, name);
    if (inner >= 0) {
        each_entry(inner, lift, top);
        close(inner);
    }
    unlinkat(folder, name, AT_REMOVEDIR);
}

void topk_keep_folder_remove(const char *path)
{
    const int top = path[0] == 0 ? -1 : open_folder(AT_FDCWD, path);
    if (top < 0) {
        return;
    }
    /* what cannot be removed, such as a mount, stays */
    for (int round = 0; round < 100000 && rmdir(path) != 0 && errno == ENOTEMPTY; round++) {
        each_entry(top, remove_one, top);
    }
    close(top);
}
