/* Platform functions for POSIX systems: a process beside this one, its pipes with deadlines, the
 * memory that it shares, and what it leaves behind. */
#define _GNU_SOURCE     /* for F_SETPIPE_SZ, memfd_create() and fallocate() */
#define _POSIX_C_SOURCE 200809L
#include "platform.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/prctl.h>
#endif

/* this process ends when its parent does */
static void end_with_parent(pid_t parent)
{
#if defined(__linux__)
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    if (getppid() != parent) {
        _exit(EXIT_FAILURE); /* it ended in the meantime */
    }
}

void topk_process_end_with_parent(void)
{
    end_with_parent(getppid());
}

/* ---- processes that are left behind -------------------------------------------------------------
 */

#if defined(__linux__)

/* whether processes whose parent ended become ours */
static bool adopts;

/* nanoseconds that orphans have to end by themselves: one may have to tidy up, as
 * scripts/wine-session has */
#define ORPHAN_GRACE ((uint64_t)2000000000)

/* Those that were asked to end: each once, as the next would interrupt it. */
struct asked {
    long pids[64];
    size_t count;
};

static void ask_to_end(struct asked *asked, long pid)
{
    for (size_t i = 0; i < asked->count; i++) {
        if (asked->pids[i] == pid) {
            return;
        }
    }
    if (asked->count < sizeof asked->pids / sizeof asked->pids[0]) {
        asked->pids[asked->count++] = pid;
        kill((pid_t)pid, SIGTERM);
    }
}

enum treat {
    COUNT,
    ASK,
    KILL
};

/* Counts the children, but those of which `keep` is true, and treats them so. */
static uint32_t count_children(bool (*keep)(int64_t pid), enum treat treat, struct asked *asked)
{
    char path[64];
    long pid;
    uint32_t count = 0;
    snprintf(path, sizeof path, "/proc/self/task/%ld/children", (long)getpid());
    FILE *children = fopen(path, "r");
    while (children != NULL && fscanf(children, "%ld", &pid) == 1) {
        if (keep == NULL || !keep(pid)) {
            count++;
            if (treat == ASK) {
                ask_to_end(asked, pid);
            } else if (treat == KILL) {
                kill((pid_t)pid, SIGKILL);
            }
            if (treat != COUNT) {
                waitpid((pid_t)pid, NULL, WNOHANG);
            }
        }
    }
    if (children != NULL) {
        fclose(children);
    }
    return count;
}

#endif

void topk_orphans_adopt(void)
{
#if defined(__linux__)
    adopts =
        adopts || (count_children(NULL, COUNT, NULL) == 0 && prctl(PR_SET_CHILD_SUBREAPER, 1) == 0);
#endif
}

void topk_orphans_end(bool (*keep)(int64_t pid))
{
#if defined(__linux__)
    struct asked asked = {.count = 0};
    const uint64_t until = topk_clock_now() + ORPHAN_GRACE;
    /* those of one that ended become ours */
    while (adopts && count_children(keep, ASK, &asked) > 0 && topk_clock_now() < until) {
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    for (long round = 0; adopts && round < 100 && count_children(keep, KILL, NULL) > 0; round++) {
        nanosleep(&(struct timespec){.tv_nsec = round * 100000}, NULL);
    }
#else
    (void)keep;
#endif
}

/* ---- a process beside this one ------------------------------------------------------------------
 */

struct topk_child {
    pid_t pid;
    bool ended; /* and status is how */
    int status;
    int to;     /* its input; -1 once it is closed */
    int from;   /* its output */
    int memory; /* what it shares with us; -1: there is none */
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

/* A pipe that holds a whole frame saves switching between the two processes within it. */
static void widen_pipe(int file)
{
#if defined(__linux__)
    fcntl(file, F_SETPIPE_SZ, 1 << 20); /* it stays as it is where that is not allowed */
#else
    (void)file;
#endif
}

/* Memory without a name that can grow, but not shrink: a process that shrank it would have us end
 * when we touch it. -1 where the system has none. */
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

/* in the new process; its ends of the pipes, and where to write why it cannot start */
static void run_child(const char *const *arguments, const int files[6], int memory, pid_t parent)
{
    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
    end_with_parent(parent);
    if (memory >= 0) {
        fcntl(memory, F_SETFD, 0);
    }
    if (dup2(files[0], STDIN_FILENO) >= 0 && dup2(files[3], STDOUT_FILENO) >= 0) {
        execvp(arguments[0], (char *const *)arguments); /* which does not change them */
    }
    int code = errno;
    ssize_t written = write(files[5], &code, sizeof code);
    _exit(written == sizeof code ? 127 : 126);
}

/* Reads why the new process could not start: 0 if it did. */
static int start_failure(int from)
{
    int code = 0;
    ssize_t got;
    do {
        got = read(from, &code, sizeof code);
    } while (got < 0 && errno == EINTR);
    return got == sizeof code ? code : 0;
}

struct topk_child *topk_child_start(const char *const *arguments, char *error, size_t error_bytes)
{
    /* three pipes: its input, its output, and why it did not start */
    int files[6] = {-1, -1, -1, -1, -1, -1};
    const pid_t parent = getpid();
    pid_t pid = -1;
    bool piped = true;
    for (size_t i = 0; i < 6 && piped; i += 2) {
        piped = pipe(&files[i]) == 0;
    }
    for (int i = 0; i < 6 && piped; i++) {
        piped = fcntl(files[i], F_SETFD, FD_CLOEXEC) == 0;
    }
    struct topk_child *child = malloc(sizeof *child);
    const int memory = open_memory();
    if (piped && child != NULL) {
        topk_orphans_adopt();
        signal(SIGPIPE, SIG_IGN);
        signal(SIGXFSZ, SIG_IGN); /* a limit for files is one for memory that is shared */
        pid = fork();
    }
    if (pid == 0) {
        run_child(arguments, files, memory, parent);
    }
    int code = errno;
    close_all((int[]){files[0], files[3], files[5]}, 3);
    if (pid > 0) {
        code = start_failure(files[4]);
        widen_pipe(files[1]);
        widen_pipe(files[2]);
        if (code == 0 && (fcntl(files[1], F_SETFL, O_NONBLOCK) != 0 ||
                          fcntl(files[2], F_SETFL, O_NONBLOCK) != 0)) {
            code = errno;
        }
    }
    close_all(&files[4], 1);
    if (pid > 0 && code == 0) {
        *child =
            (struct topk_child){.pid = pid, .to = files[1], .from = files[2], .memory = memory};
        return child;
    }
    snprintf(error, error_bytes, "cannot start %s: %s", arguments[0],
             strerror(code != 0 ? code : ENOMEM)); /* NOLINT(concurrency-mt-unsafe): one thread */
    if (pid > 0) {
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
    }
    close_all((int[]){files[1], files[2], memory}, 3);
    free(child);
    return NULL;
}

/* Waits until a file can be read or written; false if the deadline comes first. */
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
        if ((ready == 0 && left == 0) || (ready < 0 && errno != EINTR)) {
            return false;
        }
    }
}

/* A process may take what is ready before we do, time and again, so that alone is not waited for.
 */

int64_t topk_child_read(struct topk_child *child, void *data, size_t room, uint64_t deadline)
{
    for (bool waited = false;; waited = true) {
        const ssize_t got = read(child->from, data, room);
        if (got >= 0) {
            return got;
        }
        if (errno != EINTR && errno != EAGAIN) {
            return 0;
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
    for (bool waited = false;; waited = true) {
        const ssize_t put = write(child->to, data, bytes);
        if (put > 0) {
            return put;
        }
        if (put == 0 || (errno != EINTR && errno != EAGAIN)) {
            return 0;
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
        close(child->to);
        child->to = -1;
    }
}

bool topk_child_ended(struct topk_child *child)
{
    if (!child->ended) {
        child->ended = waitpid(child->pid, &child->status, WNOHANG) == child->pid;
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
    /* what is beyond is not wanted any more: its pages go back to the system */
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

/* Waits for the end of a process; false if it is not there in time. */
static bool wait_for_end(struct topk_child *child, unsigned milliseconds)
{
    const uint64_t until = topk_clock_now() + (uint64_t)milliseconds * 1000000u;
    for (long pause = 100000; !topk_child_ended(child); pause += pause / 2) {
        if (topk_clock_now() >= until) {
            return false;
        }
        nanosleep(&(struct timespec){.tv_nsec = pause < 20000000 ? pause : 20000000}, NULL);
    }
    return true;
}

bool topk_child_end(struct topk_child *child, unsigned milliseconds, const char *event, char *how,
                    size_t how_bytes)
{
    topk_child_close(child);
    const bool ended = wait_for_end(child, milliseconds);
    const int status = child->status;
    if (!ended) {
        kill(child->pid, SIGKILL);
        waitpid(child->pid, NULL, 0);
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
    topk_orphans_end(NULL);
    if (child->shared != NULL) {
        munmap(child->shared, child->shared_bytes);
    }
    close_all((int[]){child->from, child->memory}, 2);
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
