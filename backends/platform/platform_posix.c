/* Platform functions for POSIX systems. */
#define _GNU_SOURCE     /* for F_SETPIPE_SZ */
#define _POSIX_C_SOURCE 200809L
#include "platform.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/prctl.h>
#endif

/* what a stream of bytes is buffered in */
#define STREAM_BYTES (1u << 16)

char **topk_process_start(int argc, char **argv)
{
    (void)argc;
    return argv; /* whatever bytes name a file, name it in UTF-8 too */
}

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

void topk_process_guard(void)
{
/* the leak sanitizer looks into its own process as a debugger does */
#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__)
    prctl(PR_SET_DUMPABLE, 0);
#endif
    end_with_parent(getppid());
}

void *topk_library_open(const char *path, char *error, size_t error_bytes)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        const char *why = dlerror();
        snprintf(error, error_bytes, "%s", why != NULL ? why : "dlopen failed");
    }
    return library;
}

int topk_library_symbol(void *library, const char *name, void *function, size_t function_bytes)
{
    void *symbol = dlsym(library, name);
    /* ISO C has no cast from void * to a function pointer; POSIX promises that the bits are right
     */
    memcpy(function, &symbol, function_bytes);
    return symbol != NULL;
}

void topk_library_close(void *library)
{
    dlclose(library);
}

FILE *topk_stdout_take(void)
{
    static char buffer[STREAM_BYTES];
    static char in_buffer[STREAM_BYTES];
    fflush(stdout);
    setvbuf(stdin, in_buffer, _IOFBF, sizeof in_buffer);
    int copy = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1); /* ours alone */
    FILE *stream = copy < 0 ? NULL : fdopen(copy, "wb");
    if (stream == NULL || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
        return NULL;
    }
    setvbuf(stream, buffer, _IOFBF, sizeof buffer);
    return stream;
}

/* ---- a process beside this one ------------------------------------------------------------------
 */

static void close_all(const int files[], int count)
{
    for (int i = 0; i < count; i++) {
        if (files[i] >= 0) {
            close(files[i]);
        }
    }
}

/* a process that was started, and what its streams are buffered in */
struct process {
    pid_t pid;
    char to[STREAM_BYTES];
    char from[STREAM_BYTES];
};

/* A pipe that holds a whole frame saves switching between the two processes within it. */
static void widen_pipe(int file)
{
#if defined(__linux__)
    fcntl(file, F_SETPIPE_SZ, 1 << 20); /* it stays as it is where that is not allowed */
#else
    (void)file;
#endif
}

static FILE *stream_of(int file, const char *mode, char buffer[STREAM_BYTES])
{
    FILE *stream = fdopen(file, mode);
    if (stream != NULL) {
        setvbuf(stream, buffer, _IOFBF, STREAM_BYTES);
    }
    return stream;
}

/* in the new process; files: its ends of the pipes, and where to write why it cannot start */
static void run_child(const char *const *arguments, int in, int out, int failure, pid_t parent)
{
    signal(SIGPIPE, SIG_DFL);
    end_with_parent(parent);
    if (dup2(in, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0) {
        execvp(arguments[0], (char *const *)arguments); /* which does not change them */
    }
    int code = errno;
    ssize_t written = write(failure, &code, sizeof code);
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

bool topk_child_start(const char *const *arguments, struct topk_child *child, char *error,
                      size_t error_bytes)
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
    struct process *kept = malloc(sizeof *kept);
    *child = (struct topk_child){.process = kept};
    if (piped && kept != NULL) {
        signal(SIGPIPE, SIG_IGN);
        pid = fork();
    }
    if (pid == 0) {
        run_child(arguments, files[0], files[3], files[5], parent);
    }
    int code = errno;
    close_all((int[]){files[0], files[3], files[5]}, 3);
    if (pid > 0) {
        code = start_failure(files[4]);
        widen_pipe(files[1]);
        widen_pipe(files[2]);
        child->to = code == 0 ? stream_of(files[1], "wb", kept->to) : NULL;
        child->from = child->to != NULL ? stream_of(files[2], "rb", kept->from) : NULL;
    }
    close_all(&files[4], 1);
    if (child->from != NULL) {
        kept->pid = pid;
        return true;
    }
    snprintf(error, error_bytes, "cannot start %s: %s", arguments[0],
             strerror(code != 0 ? code : ENOMEM)); /* NOLINT(concurrency-mt-unsafe): one thread */
    if (pid > 0) {
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
    }
    if (child->to != NULL) {
        fclose(child->to);
    } else {
        close_all(&files[1], 1);
    }
    close_all(&files[2], 1);
    free(kept);
    return false;
}

/* Waits for the end of a process; false if it is not there in time. */
static bool wait_for(pid_t pid, unsigned milliseconds, int *status)
{
    const uint64_t until = topk_clock_now() + (uint64_t)milliseconds * 1000000u;
    for (long pause = 100000; waitpid(pid, status, WNOHANG) != pid; pause += pause / 2) {
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
    const pid_t pid = child->process == NULL ? 0 : ((struct process *)child->process)->pid;
    int status = 0;
    fclose(child->to);
    const bool ended = child->process == NULL || wait_for(pid, milliseconds, &status);
    if (!ended) {
        kill(pid, SIGKILL);
        waitpid(pid, &status, 0);
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
    fclose(child->from);
    free(child->process);
    *child = (struct topk_child){.process = NULL};
    return ended && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

uint64_t topk_clock_now(void)
{
    struct timespec time = {0};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}
