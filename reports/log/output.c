/* Writes what a command produces to its destination; see output.h. */
#define _GNU_SOURCE /* O_PATH */

#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "memory.h"
#include "text.h"

/* ---- temporary files
 * --------------------------------------------------------------------------- */

/* How many outputs can be open at a time. */
#define SLOTS 16
/* How many names are tried, because an earlier process with the same id may have left files
 * behind. */
#define NAMES_TRIED 1000

/* A signal handler reads these, so a slot is filled before it is marked as taken, and released
 * before it is changed. */
static struct slot {
    volatile sig_atomic_t taken;
    int folder;
    char name[48];
} slots[SLOTS];

static pid_t owner; /* a child process that exits must not remove its parent's files */

static const int ending_signals[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};
#define ENDING_SIGNALS (sizeof ending_signals / sizeof ending_signals[0])

static void remove_all(void)
{
    for (int i = 0; getpid() == owner && i < SLOTS; i++) {
        if (slots[i].taken) {
            unlinkat(slots[i].folder, slots[i].name, 0);
        }
    }
}

static void on_signal(int number)
{
    remove_all();
    signal(number, SIG_DFL);
    raise(number);
}

/* Makes sure that a signal that ends the program leaves no temporary files. Signals that are
 * ignored, or handled by others, are not changed. */
static void change_signals(void (*from)(int), void (*to)(int))
{
    for (size_t i = 0; i < ENDING_SIGNALS; i++) {
        struct sigaction action;
        if (sigaction(ending_signals[i], NULL, &action) == 0 &&
            (action.sa_flags & SA_SIGINFO) == 0 && action.sa_handler == from) {
            signal(ending_signals[i], to);
        }
    }
}

static bool any_taken(void)
{
    bool taken = false;
    for (int i = 0; i < SLOTS; i++) {
        taken |= slots[i].taken != 0;
    }
    return taken;
}

static void watch(void)
{
    static bool registered;
    if (!registered) {
        registered = atexit(remove_all) == 0;
    }
    owner = getpid();
    if (!any_taken()) {
        change_signals(SIG_DFL, on_signal);
    }
}

static void let_go(int slot)
{
    slots[slot].taken = 0;
    if (!any_taken()) {
        change_signals(on_signal, SIG_DFL);
    }
}

/* Creates a file with a new name in a folder. Returns its descriptor, or -1 with errno set. */
static int create_beside(int folder, int *slot)
{
    static unsigned number;
    int at = 0;
    while (at < SLOTS && slots[at].taken) {
        at++;
    }
    if (at == SLOTS) {
        errno = EMFILE;
        return -1;
    }
    struct slot *beside = &slots[at];
    sigset_t all;
    sigset_t before;
    int fd = -1;
    watch();
    /* Signals are blocked so that a handler finds the file in the table or no file at all. */
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    errno = EEXIST;
    for (int i = 0; fd < 0 && errno == EEXIST && i < NAMES_TRIED; i++) {
        snprintf(beside->name, sizeof beside->name, ".topk-cts.%ld.%u.tmp", (long)getpid(),
                 number++);
        fd = openat(folder, beside->name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                    0666);
    }
    const int reason = errno;
    beside->folder = folder;
    beside->taken = fd >= 0;
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (fd < 0) {
        let_go(at);
    }
    *slot = at;
    errno = reason;
    return fd;
}

/* ---- opening --------------------------------------------------------------------------------- */

static bool complain(const struct topk_output *output, int reason, char *error, size_t error_bytes)
{
    snprintf(error, error_bytes, "cannot write %s: %s",
             output->path == NULL ? "to standard output" : output->path, strerror(reason));
    return false;
}

static bool refuse(struct topk_output *output, const char *why, char *error, size_t error_bytes)
{
    snprintf(error, error_bytes, "%s %s", output->path, why);
    output->refused = true;
    return false;
}

/* Returns the descriptor that a path such as /dev/stdout names, or -1. The shell may have
 * redirected it to a file, which must then be written to and not replaced. */
static int descriptor_of(const char *path)
{
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
    if (strcmp(path, "/dev/stdout") == 0) {
        return STDOUT_FILENO;
    }
    if (strcmp(path, "/dev/stderr") == 0) {
        return STDERR_FILENO;
    }
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        const size_t length = strlen(folders[i]);
        const char *digits = path + length;
        if (strncmp(path, folders[i], length) == 0 && *digits != 0 && strlen(digits) < 7 &&
            digits[strspn(digits, "0123456789")] == 0) {
            return atoi(digits); /* NOLINT(cert-err34-c): they are at most six digits */
        }
    }
    return -1;
}

/* Opens a stream for a descriptor, which is closed if that fails. */
static bool take_descriptor(struct topk_output *output, int fd, char *error, size_t error_bytes)
{
    output->file = fd < 0 ? NULL : fdopen(fd, "wb");
    if (output->file != NULL) {
        return true;
    }
    const int reason = errno;
    if (fd >= 0) {
        close(fd);
    }
    return complain(output, reason, error, error_bytes);
}

/* Opens what is not a regular file, without replacing it. */
static bool open_special(struct topk_output *output, const char *name, char *error,
                         size_t error_bytes)
{
    struct stat status;
    const int fd = openat(output->folder, name, O_WRONLY | O_NOCTTY | O_CLOEXEC);
    if (fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) {
        close(fd);
        return refuse(output, "was replaced while it was opened", error, error_bytes);
    }
    return take_descriptor(output, fd, error, error_bytes);
}

static bool open_file(struct topk_output *output, char *error, size_t error_bytes)
{
    const int fd = create_beside(output->folder, &output->slot);
    if (fd < 0) {
        return complain(output, errno, error, error_bytes);
    }
    if (!take_descriptor(output, fd, error, error_bytes)) {
        unlinkat(output->folder, slots[output->slot].name, 0);
        let_go(output->slot);
        return false;
    }
    return true;
}

static bool open_in_folder(struct topk_output *output, const char *name, char *error,
                           size_t error_bytes)
{
    struct stat status;
    struct stat target;
    const bool there = fstatat(output->folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0;
    if (there && S_ISDIR(status.st_mode)) {
        return complain(output, EISDIR, error, error_bytes);
    }
    if (!there || output->kind == TOPK_OUTPUT_OURS) {
        return open_file(output, error, error_bytes);
    }
    if (S_ISREG(status.st_mode)) {
        return output->kind == TOPK_OUTPUT_NEW
                   ? refuse(output, "already exists: name another file", error, error_bytes)
                   : open_file(output, error, error_bytes);
    }
    if (S_ISLNK(status.st_mode) &&
        (fstatat(output->folder, name, &target, 0) != 0 || S_ISREG(target.st_mode))) {
        return refuse(output, "is a symbolic link: name the file that it leads to, or remove it",
                      error, error_bytes);
    }
    return open_special(output, name, error, error_bytes);
}

/* Returns a descriptor of the folder that a path is in, and the rest of the path in *name. */
static int open_folder(const char *path, const char **name)
{
    const char *slash = strrchr(path, '/');
    *name = slash == NULL ? path : slash + 1;
    char *folder = slash == NULL ? strdup(".") : strndup(path, (size_t)(slash + 1 - path));
    if (folder == NULL) {
        return -1;
    }
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 && errno == EACCES) {
        /* The folder cannot be listed but may be writable. */
        fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    }
    const int reason = errno;
    free(folder);
    errno = reason;
    return fd;
}

/* Takes over the folder's descriptor, which is closed if opening fails. */
static bool open_owned(struct topk_output *output, int folder, const char *name, char *error,
                       size_t error_bytes)
{
    output->folder = folder;
    output->name = folder < 0 ? NULL : strdup(name);
    if (output->name != NULL && *name != 0) {
        if (open_in_folder(output, output->name, error, error_bytes)) {
            return true;
        }
    } else {
        complain(output, output->name != NULL ? EISDIR : errno, error, error_bytes);
    }
    free(output->name);
    if (folder >= 0) {
        close(folder);
    }
    return false;
}

bool topk_output_open(struct topk_output *output, const char *path, enum topk_output_kind kind,
                      char *error, size_t error_bytes)
{
    const bool named = kind != TOPK_OUTPUT_OURS;
    path = path != NULL && named && strcmp(path, "-") == 0 ? NULL : path;
    *output =
        (struct topk_output){.file = stdout, .path = path, .kind = kind, .folder = -1, .slot = -1};
    if (path == NULL) {
        return true;
    }
    const int descriptor = named ? descriptor_of(path) : -1;
    if (descriptor >= 0) {
        fflush(stdout); /* what was already printed comes first */
        return take_descriptor(output, fcntl(descriptor, F_DUPFD_CLOEXEC, 0), error, error_bytes);
    }
    const char *name = NULL;
    const int folder = open_folder(path, &name);
    return open_owned(output, folder, name, error, error_bytes);
}

bool topk_output_open_at(struct topk_output *output, int folder, const char *name,
                         enum topk_output_kind kind, char *error, size_t error_bytes)
{
    *output = (struct topk_output){.path = name, .kind = kind, .slot = -1};
    return open_owned(output, fcntl(folder, F_DUPFD_CLOEXEC, 0), name, error, error_bytes);
}

/* ---- closing --------------------------------------------------------------------------------- */

bool topk_output_sync(int fd)
{
    return fsync(fd) == 0 || errno == EINVAL || errno == EBADF || errno == ENOTSUP ||
           errno == ENOSYS || errno == EROFS;
}

/* Moves the file to its final name. Returns false with errno set. */
static bool put_in_place(const struct topk_output *output)
{
    const int folder = output->folder;
    const char *beside = slots[output->slot].name;
    struct stat status;
    if (output->kind != TOPK_OUTPUT_NEW) {
        return renameat(folder, beside, folder, output->name) == 0;
    }
    if (linkat(folder, beside, folder, output->name, 0) == 0) {
        unlinkat(folder, beside, 0);
        return true;
    }
    if (errno == EEXIST) {
        return false;
    }
    /* The file system does not support hard links. */
    if (fstatat(folder, output->name, &status, AT_SYMLINK_NOFOLLOW) == 0) {
        errno = EEXIST;
        return false;
    }
    return renameat(folder, beside, folder, output->name) == 0;
}

/* Returns false with errno set if any write failed, now or earlier. */
static bool flush(FILE *file)
{
    errno = 0;
    const bool before = ferror(file) != 0;
    const bool flushed = fflush(file) == 0;
    if (before && flushed) {
        /* An earlier error gave no errno, so try one more byte to learn the reason. */
        errno = 0;
        putc(0, file);
        fflush(file);
        errno = errno == 0 ? EIO : errno;
    }
    return flushed && !before;
}

bool topk_output_close(struct topk_output *output, bool keep, char *error, size_t error_bytes)
{
    const bool beside = output->slot >= 0;
    bool ok = flush(output->file);
    ok = ok && (!beside || !keep || topk_output_sync(fileno(output->file)));
    int reason = errno;
    if (output->path != NULL && fclose(output->file) != 0 && ok) {
        reason = errno;
        ok = false;
    }
    if (ok && keep && topk_memory_short()) { /* some of the data may be missing */
        reason = ENOMEM;
        ok = false;
    }
    if (beside) {
        if (ok && keep && !put_in_place(output)) {
            reason = errno;
            ok = false;
        }
        if (!ok || !keep) {
            unlinkat(output->folder, slots[output->slot].name, 0);
        }
        let_go(output->slot);
        if (ok && keep && !topk_output_sync(output->folder)) {
            reason = errno;
            ok = false;
        }
    }
    if (output->folder >= 0) {
        close(output->folder);
    }
    free(output->name);
    output->name = NULL;
    output->file = NULL;
    output->folder = -1;
    output->slot = -1;
    return ok || complain(output, reason == 0 ? EIO : reason, error, error_bytes);
}
