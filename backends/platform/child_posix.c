/* Platform functions for POSIX: a child process, its pipes with deadlines, and the memory shared
 * with it. A keeper (keep_posix.c) is between the two, and reports how the child ended. */
#define _GNU_SOURCE     /* for F_SETPIPE_SZ, memfd_create() and fallocate() */
#define _POSIX_C_SOURCE 200809L
#include "keep_posix.h"
#include "platform.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* nanoseconds in which a keeper must end everything that a process left behind, if that gets a
 * SIGTERM first */
#define KEEPER_GRACE ((uint64_t)8000000000)

/* ---- a process beside this one --------------------------------------------------------------- */

struct topk_child {
    pid_t keeper;
    struct topk_keep_note *note; /* shared with the keeper; NULL: none */
    int told;                    /* from the keeper: the status of the process when it has ended */
    bool ended;                  /* and `status` is valid */
    int status;
    int to;     /* its input; -1 after it was closed */
    int unread; /* bytes of its input that nobody read, after it was closed; -1: unknown */
    bool deaf;  /* its input was closed at the last write */
    size_t put; /* bytes of the last write */
    int from;   /* its output */
    int memory; /* shared with it; -1: none */
    unsigned char *shared;
    uint64_t shared_bytes;
};

static void close_all(const int files[], int count)
{
    for (int i = 0; i < count; i++) {
        if (files[i] >= 0) {
            close(files[i]);
        }
    }
}

/* A pipe that holds a whole frame avoids switching between the two processes in the middle. */
static void widen_pipe(int file)
{
#if defined(__linux__)
    fcntl(file, F_SETPIPE_SZ, 1 << 20); /* if that is not permitted, it keeps its size */
#else
    (void)file;
#endif
}

/* Memory without a name that can grow, but not shrink: if the process shrank it, accessing it would
 * end us. -1 if the system does not support this. */
static int open_memory(void)
{
#if defined(__linux__)
    const int file = memfd_create("topk", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (file >= 0 && fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_SEAL) != 0) {
        close(file);
        return -1;
    }
    return file;
#else
    return -1;
#endif
}

/* the pipes of a process, as pairs of files: the first is read, the second written */
enum {
    IN,       /* its input */
    OUT = 2,  /* its output */
    WHY = 4,  /* the reason if it did not start */
    TOLD = 6, /* how it ended */
    PIPES = 8
};

/* in the new process, with its ends of the pipes. why: where it writes the reason if it cannot
 * start */
static _Noreturn void run_child(const char *const *arguments, const int files[PIPES], int why)
{
    if (dup2(files[IN], STDIN_FILENO) >= 0 && dup2(files[OUT + 1], STDOUT_FILENO) >= 0) {
        execvp(arguments[0], (char *const *)arguments); /* execvp() does not change them */
    }
    int code = errno;
    ssize_t written = write(why, &code, sizeof code);
    _exit(written == sizeof code ? 127 : 126);
}

/* in the keeper: starts the process */
static _Noreturn void run_keeper(const char *const *arguments, const int files[PIPES], int memory,
                                 pid_t parent, struct topk_keep_note *note)
{
    sigset_t before;
    char folder[TOPK_KEEP_FOLDER];
    topk_keep_start(parent, &before);
    topk_keep_folder_make(folder);
    const pid_t keeper = getpid();
    const pid_t pid = fork();
    if (pid == 0) {
        topk_keep_contain(keeper, &before, memory, folder);
        run_child(arguments, files, files[WHY + 1]);
    }
    if (pid < 0) {
        const int code = errno;
        const ssize_t written = write(files[WHY + 1], &code, sizeof code);
        topk_keep_folder_remove(folder);
        _exit(written == sizeof code ? 127 : 126);
    }
    topk_keep(pid, parent, files[TOLD + 1], note, folder);
}

/* Reads why the new process did not start; 0 if it did. */
static int start_failure(int from)
{
    int code = 0;
    ssize_t got;
    do {
        got = read(from, &code, sizeof code);
    } while (got < 0 && errno == EINTR);
    return got == sizeof code ? code : 0;
}

/* creates the pipes, none of which is inherited */
static bool open_pipes(int files[PIPES])
{
    bool good = true;
    for (int i = 0; i < PIPES; i++) {
        files[i] = -1;
    }
    for (int i = 0; i < PIPES && good; i += 2) {
        good = pipe(&files[i]) == 0;
    }
    for (int i = 0; i < PIPES && good; i++) {
        good = fcntl(files[i], F_SETFD, FD_CLOEXEC) == 0;
    }
    return good;
}

struct topk_child *topk_child_start(const char *const *arguments, char *error, size_t error_bytes)
{
    int files[PIPES];
    const pid_t parent = getpid();
    pid_t pid = -1;
    const bool piped = open_pipes(files);
    struct topk_child *child = malloc(sizeof *child);
    const int memory = open_memory();
    struct topk_keep_note *note =
        mmap(NULL, sizeof *note, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    note = note == MAP_FAILED ? NULL : note;
    if (piped && child != NULL && note != NULL) {
        topk_orphans_adopt();
        signal(SIGPIPE, SIG_IGN);
        signal(SIGXFSZ, SIG_IGN); /* a limit for files also applies to shared memory */
        signal(SIGCHLD, SIG_DFL); /* otherwise we would not learn of the keeper's end */
        pid = fork();
    }
    if (pid == 0) {
        run_keeper(arguments, files, memory, parent, note);
    }
    int code = errno;
    close_all((int[]){files[IN], files[OUT + 1], files[WHY + 1], files[TOLD + 1]}, 4);
    if (pid > 0) {
        code = start_failure(files[WHY]);
        widen_pipe(files[IN + 1]);
        widen_pipe(files[OUT]);
        if (code == 0 && (fcntl(files[IN + 1], F_SETFL, O_NONBLOCK) != 0 ||
                          fcntl(files[OUT], F_SETFL, O_NONBLOCK) != 0 ||
                          fcntl(files[TOLD], F_SETFL, O_NONBLOCK) != 0)) {
            code = errno;
        }
    }
    close_all(&files[WHY], 1);
    if (pid > 0 && code == 0) {
        *child = (struct topk_child){.keeper = pid,
                                     .note = note,
                                     .told = files[TOLD],
                                     .to = files[IN + 1],
                                     .unread = -1,
                                     .from = files[OUT],
                                     .memory = memory};
        return child;
    }
    snprintf(error, error_bytes, "cannot start %s: %s", arguments[0],
             strerror(code != 0 ? code : ENOMEM)); /* NOLINT(concurrency-mt-unsafe): one thread */
    if (pid > 0) {
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
    }
    close_all((int[]){files[IN + 1], files[OUT], files[TOLD], memory}, 4);
    if (note != NULL) {
        munmap(note, sizeof *note);
    }
    free(child);
    return NULL;
}

/* Waits until a file can be read or written; false if the deadline passes first. */
static bool wait_until(int file, short event, uint64_t deadline)
{
    for (;;) {
        const uint64_t now = topk_clock_now();
        const uint64_t left = now >= deadline ? 0 : (deadline - now + 999999u) / 1000000u;
        struct pollfd waiting = {.fd = file, .events = event};
        const int ready = poll(&waiting, 1, left > INT_MAX ? INT_MAX : (int)left);
        if (ready > 0) {
            return true;
        }
        if (ready <= 0 && left == 0) {
            return false;
        }
        /* a failure of poll() is not the fault of the process: tries again, until the deadline */
        if (ready < 0 && errno != EINTR) {
            nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
            return true;
        }
    }
}

/* poll() alone does not suffice: another process may take the bytes that are ready, repeatedly. */

int64_t topk_child_read(struct topk_child *child, void *data, size_t room, uint64_t deadline)
{
    for (bool waited = false;; waited = true) {
        const ssize_t got = read(child->from, data, room);
        if (got >= 0) {
            return got;
        }
        if (errno != EINTR && errno != EAGAIN) {
            return TOPK_IO_FAILED;
        }
        if (errno == EAGAIN && ((waited && topk_clock_now() >= deadline) ||
                                !wait_until(child->from, POLLIN, deadline))) {
            return TOPK_IO_LATE;
        }
    }
}

int64_t topk_child_write(struct topk_child *child, const void *data, size_t bytes,
                         uint64_t deadline)
{
    child->note->sent++;
    for (bool waited = false;; waited = true) {
        const ssize_t put = write(child->to, data, bytes);
        if (put > 0) {
            child->put = (size_t)put;
            return put;
        }
        if (put == 0 || (errno != EINTR && errno != EAGAIN)) {
            child->deaf = put == 0 || errno == EPIPE;
            return child->deaf ? 0 : TOPK_IO_FAILED;
        }
        if (errno == EAGAIN && ((waited && topk_clock_now() >= deadline) ||
                                !wait_until(child->to, POLLOUT, deadline))) {
            return TOPK_IO_LATE;
        }
    }
}

void topk_child_close(struct topk_child *child)
{
    if (child->to >= 0) {
#if defined(__linux__)
        /* opens the other end of the pipe, so that unread bytes stay when nobody else has it open
         */
        char path[40];
        snprintf(path, sizeof path, "/proc/self/fd/%d", child->to);
        child->unread = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
#endif
        close(child->to);
        child->to = -1;
    }
}

bool topk_child_unheard(const struct topk_child *child)
{
    int bytes = 0;
    return child->deaf ||
           (child->put > 0 && child->unread >= 0 && ioctl(child->unread, FIONREAD, &bytes) == 0 &&
            bytes >= 0 && (size_t)bytes >= child->put);
}

/* Gets the status of the process from its keeper. If the keeper ended without reporting one, and
 * thereby ended the process, its own status counts. */
static void take_status(struct topk_child *child)
{
    int status;
    const ssize_t got = read(child->told, &status, sizeof status);
    if (got == sizeof status) {
        child->ended = true;
        child->status = status;
    } else if (got == 0 && waitpid(child->keeper, &status, 0) == child->keeper) {
        child->ended = true;
        child->status = status;
        child->keeper = -1;
    }
}

bool topk_child_ended(struct topk_child *child)
{
    if (!child->ended) {
        take_status(child);
    }
    return child->ended;
}

unsigned char *topk_child_share(struct topk_child *child, uint64_t bytes, uint64_t *handle)
{
    struct stat now;
    if (child->shared != NULL) {
        munmap(child->shared, child->shared_bytes);
        child->shared = NULL;
    }
    if (child->memory < 0 || bytes > INT64_MAX || fstat(child->memory, &now) != 0 ||
        (now.st_size < (off_t)bytes && ftruncate(child->memory, (off_t)bytes) != 0)) {
        return NULL;
    }
    void *mapped = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, child->memory, 0);
    if (mapped == MAP_FAILED) {
        return NULL;
    }
#if defined(__linux__)
    /* the pages beyond are not needed any more, and go back to the system */
    if (now.st_size > (off_t)bytes) {
        fallocate(child->memory, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)bytes,
                  now.st_size - (off_t)bytes);
    }
#endif
    child->shared = mapped;
    child->shared_bytes = bytes;
    *handle = (uint64_t)child->memory;
    return mapped;
}

/* Waits for the end of a process; false if it does not end in time. */
static bool wait_for_end(struct topk_child *child, unsigned milliseconds)
{
    const uint64_t until = topk_clock_now() + (uint64_t)milliseconds * 1000000u;
    while (!topk_child_ended(child)) {
        /* a file that fails is always ready, so the clock ends the loop, too */
        if (!wait_until(child->told, POLLIN, until) || topk_clock_now() >= until) {
            return topk_child_ended(child);
        }
    }
    return true;
}

/* Waits until the keeper has ended everything that the process left behind, and itself. Kills a
 * keeper that takes too long; then this process must do the rest. */
static void end_keeper(struct topk_child *child)
{
    const uint64_t until = topk_clock_now() + KEEPER_GRACE;
    int status;
    while (child->keeper > 0 && topk_clock_now() < until &&
           wait_until(child->told, POLLIN, until) &&
           read(child->told, &status, sizeof status) != 0) {
        /* it reports the status of the process that it was told to end */
    }
    if (child->keeper > 0) {
        /* it has closed the file, so that it has nothing else to do; or it is too late */
        kill(child->keeper, SIGKILL);
        waitpid(child->keeper, NULL, 0);
    }
    topk_orphans_end(NULL);
}

bool topk_child_end(struct topk_child *child, unsigned milliseconds, const char *event, char *how,
                    size_t how_bytes)
{
    topk_child_close(child);
    const bool ended = wait_for_end(child, milliseconds);
    const int status = child->status;
    if (!ended) {
        kill(child->keeper, SIGTERM);
    }
    if (child->note->over != TOPK_KEEP_WITHIN) {
        snprintf(how, how_bytes, "%s",
                 child->note->over == TOPK_KEEP_OVER_MEMORY ? TOPK_CHILD_OVER_MEMORY
                                                            : TOPK_CHILD_OVER_CPU);
    } else if (!ended) {
        snprintf(how, how_bytes, "killed, as it did not end within %g s of %s",
                 milliseconds / 1000.0, event);
    } else if (WIFSIGNALED(status)) {
        const int number = WTERMSIG(status);
        snprintf(how, how_bytes, "killed by signal %d (%s)", number,
                 strsignal(number)); /* NOLINT(concurrency-mt-unsafe): one thread */
    } else if (WEXITSTATUS(status) > 128 && WEXITSTATUS(status) <= 128 + 64) {
        const int number = WEXITSTATUS(status) - 128;
        snprintf(how, how_bytes, "exited with %d (of a shell: signal %d, %s)", number + 128, number,
                 strsignal(number)); /* NOLINT(concurrency-mt-unsafe): one thread */
    } else {
        snprintf(how, how_bytes, "exited with %d", WEXITSTATUS(status));
    }
    end_keeper(child);
    if (child->shared != NULL) {
        munmap(child->shared, child->shared_bytes);
    }
    munmap(child->note, sizeof *child->note);
    close_all((int[]){child->from, child->told, child->memory, child->unread}, 4);
    const bool good = ended && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    free(child);
    return good;
}

unsigned char *topk_memory_map(uint64_t handle, uint64_t bytes, char *error, size_t error_bytes)
{
    void *mapped = handle > INT_MAX || bytes > SIZE_MAX
                       ? MAP_FAILED
                       : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, (int)handle, 0);
    if (mapped == MAP_FAILED) {
        snprintf(error, error_bytes,
                 "cannot map %" PRIu64 " bytes of file descriptor %" PRIu64 ": %s", bytes, handle,
                 strerror(errno)); /* NOLINT(concurrency-mt-unsafe): one thread */
        return NULL;
    }
    return mapped;
}

void topk_memory_unmap(unsigned char *memory, uint64_t bytes)
{
    munmap(memory, bytes);
}
