/* See lock.h. */
#define _POSIX_C_SOURCE 200809L /* fcntl, openat, gethostname */

#include "lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "text.h"

#define SLOTS 8
/* How often to try, because the holder may remove a file between our opening and locking it. */
#define TRIES 100

static struct slot {
    bool taken;
    int folder, file;
    char name[256];
    pid_t owner; /* a child process that exits must not release anything */
} slots[SLOTS];

/* Removes the file before releasing its lock. Otherwise another process could open it in between
 * and then lock a file that no longer has a name. */
static void release(struct slot *slot)
{
    if (slot->taken && slot->owner == getpid()) {
        unlinkat(slot->folder, slot->name, 0);
        close(slot->file);
        close(slot->folder);
        slot->taken = false;
    }
}

static void release_all(void)
{
    for (int i = 0; i < SLOTS; i++) {
        release(&slots[i]);
    }
}

static int open_lock(int folder, const char *name, int flags)
{
    /* Opening a pipe must not wait for its other end. */
    return openat(folder, name, flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0666);
}

static struct flock whole(short type)
{
    return (struct flock){.l_type = type, .l_whence = SEEK_SET};
}

/* Describes the holder of a lock: the process and host that the file names, otherwise what the lock
 * itself says. */
static void tell_holder(int file, const struct flock *lock, char holder[TOPK_LOCK_HOLDER])
{
    char text[256] = "";
    char host[256];
    long process = 0;
    const ssize_t length = pread(file, text, sizeof text - 1, 0);
    text[length < 0 ? 0 : length] = 0;
    if (sscanf(text, "%ld %255s", &process, host) == 2 && process > 0) { /* NOLINT(cert-err34-c) */
        char line[256];
        topk_text_line(host, line, sizeof line);
        snprintf(holder, TOPK_LOCK_HOLDER, "process %ld on %s", process, line);
    } else if (lock->l_type != F_UNLCK && lock->l_pid > 0) {
        snprintf(holder, TOPK_LOCK_HOLDER, "process %ld", (long)lock->l_pid);
    } else {
        snprintf(holder, TOPK_LOCK_HOLDER, "another process");
    }
}

static void write_holder(int file)
{
    char host[200] = "";
    char text[256];
    if (gethostname(host, sizeof host - 1) != 0 || host[0] == 0) {
        snprintf(host, sizeof host, "localhost");
    }
    const int length = snprintf(text, sizeof text, "%ld %s\n", (long)getpid(), host);
    /* The text is only used in messages, which say less without it. */
    if (ftruncate(file, 0) != 0 || pwrite(file, text, (size_t)length, 0) != length) {
        return;
    }
}

/* Returns whether the locked file still has this name. */
static bool is_named(int folder, const char *name, int file)
{
    struct stat locked;
    struct stat named;
    return fstat(file, &locked) == 0 && fstatat(folder, name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
           locked.st_dev == named.st_dev && locked.st_ino == named.st_ino;
}

/* Opening and closing a file that this process has locked would release the lock, so check for that
 * first. */
static bool is_ours(int folder, const char *name)
{
    bool ours = false;
    for (int i = 0; i < SLOTS; i++) {
        ours |=
            slots[i].taken && slots[i].owner == getpid() && is_named(folder, name, slots[i].file);
    }
    return ours;
}

/* Opens and locks a file. *file is its descriptor, or -1 if it is not open. */
static enum topk_lock_status lock_file(int folder, const char *name, int *file)
{
    struct flock lock = whole(F_WRLCK);
    struct stat status;
    *file = open_lock(folder, name, O_RDWR | O_CREAT);
    if (*file < 0) {
        return TOPK_LOCK_FAILED;
    }
    if (fstat(*file, &status) == 0 && !S_ISREG(status.st_mode)) {
        errno = EINVAL;
        return TOPK_LOCK_FAILED;
    }
    if (fcntl(*file, F_SETLK, &lock) == 0) {
        return TOPK_LOCK_HELD;
    }
    return errno == EACCES || errno == EAGAIN ? TOPK_LOCK_BUSY : TOPK_LOCK_NONE;
}

/* Does the same, and tries again if the file loses its name in the meantime. */
static enum topk_lock_status lock_named(int folder, const char *name, int *file)
{
    enum topk_lock_status status = lock_file(folder, name, file);
    for (int i = 0; i < TRIES && status == TOPK_LOCK_HELD && !is_named(folder, name, *file); i++) {
        close(*file);
        status = lock_file(folder, name, file);
    }
    return status;
}

static struct slot *free_slot(void)
{
    static bool registered;
    if (!registered) {
        registered = atexit(release_all) == 0;
    }
    for (int i = 0; i < SLOTS; i++) {
        if (!slots[i].taken) {
            return &slots[i];
        }
    }
    return NULL;
}

static void explain(enum topk_lock_status status, const char *folder, const char *name,
                    const char *what, int file, char *error, size_t error_bytes)
{
    const int reason = errno;
    if (status == TOPK_LOCK_BUSY) {
        char holder[TOPK_LOCK_HOLDER];
        struct flock lock = whole(F_WRLCK);
        (void)fcntl(file, F_GETLK, &lock);
        tell_holder(file, &lock, holder);
        snprintf(error, error_bytes, "%s is in use: %s writes to it", what, holder);
    } else if (status == TOPK_LOCK_NONE) {
        snprintf(error, error_bytes, "%s cannot be locked (%s): a second run could write to it",
                 what, strerror(reason));
    } else {
        snprintf(error, error_bytes, "cannot make %s/%s: %s", folder, name, strerror(reason));
    }
}

enum topk_lock_status topk_lock_take(struct topk_lock *lock, const char *folder, const char *name,
                                     const char *what, char *error, size_t error_bytes)
{
    struct slot *slot = free_slot();
    const int dir = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int file = -1;
    lock->slot = 0;
    if (slot == NULL || dir < 0 || is_ours(dir, name) || strlen(name) >= sizeof slot->name) {
        snprintf(error, error_bytes, "cannot use %s as a folder: %s", folder,
                 strerror(dir < 0 ? errno : ENOLCK));
        if (dir >= 0) {
            close(dir);
        }
        return TOPK_LOCK_FAILED;
    }
    const enum topk_lock_status status = lock_named(dir, name, &file);
    if (status != TOPK_LOCK_HELD) {
        explain(status, folder, name, what, file, error, error_bytes);
        if (status == TOPK_LOCK_NONE) {
            unlinkat(dir, name, 0);
            lock->slot = -1;
        }
        if (file >= 0) {
            close(file);
        }
        close(dir);
        return status;
    }
    write_holder(file);
    *slot = (struct slot){.taken = true, .folder = dir, .file = file, .owner = getpid()};
    snprintf(slot->name, sizeof slot->name, "%s", name);
    lock->slot = (int)(slot - slots) + 1;
    return TOPK_LOCK_HELD;
}

void topk_lock_release(struct topk_lock *lock)
{
    if (lock->slot > 0) {
        release(&slots[lock->slot - 1]);
        lock->slot = 0;
    }
}

bool topk_lock_held(const char *folder, const char *name, char holder[TOPK_LOCK_HOLDER])
{
    struct flock lock = whole(F_WRLCK);
    const int dir = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const int file = dir < 0 || is_ours(dir, name) ? -1 : open_lock(dir, name, O_RDONLY);
    const bool held = file >= 0 && fcntl(file, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
    if (held) {
        tell_holder(file, &lock, holder);
    }
    if (file >= 0) {
        close(file);
    }
    if (dir >= 0) {
        close(dir);
    }
    return held;
}
