/* A library to preload: the system calls that the variable TOPK_TEST_FAIL names, separated by
 * commas, fail. */
#define _GNU_SOURCE /* for RTLD_NEXT, pipe2() and epoll_pwait() */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/shm.h>
#include <unistd.h>

static bool is_to_fail(const char *name)
{
    const char *names = getenv("TOPK_TEST_FAIL"); /* NOLINT(concurrency-mt-unsafe): one thread */
    const size_t length = strlen(name);
    while (names != NULL && *names != 0) {
        const size_t there = strcspn(names, ",");
        if (there == length && memcmp(names, name, length) == 0) {
            return true;
        }
        names += there + (names[there] == ',');
    }
    return false;
}

/* the function that has the name behind this one */
static void find(const char *name, void *function, size_t bytes)
{
    void *symbol = dlsym(RTLD_NEXT, name);
    memcpy(function, &symbol, bytes);
}

/* NOLINTBEGIN(bugprone-macro-parentheses,readability-inconsistent-declaration-parameter-name):
 * these are parameters, with names of our own */
#define FAILING(name, code, parameters, arguments)                                                 \
    int name parameters                                                                            \
    {                                                                                              \
        static int(*real) parameters;                                                              \
        if (is_to_fail(#name)) {                                                                   \
            errno = code;                                                                          \
            return -1;                                                                             \
        }                                                                                          \
        if (real == NULL) {                                                                        \
            find(#name, &real, sizeof real);                                                       \
        }                                                                                          \
        return real arguments;                                                                     \
    }

FAILING(epoll_create1, ENOMEM, (int flags), (flags))
FAILING(epoll_ctl, ENOSPC, (int file, int what, int of, struct epoll_event *event),
        (file, what, of, event))
FAILING(epoll_pwait, EIO,
        (int file, struct epoll_event *events, int most, int timeout, const sigset_t *mask),
        (file, events, most, timeout, mask))
FAILING(epoll_wait, EIO, (int file, struct epoll_event *events, int most, int timeout),
        (file, events, most, timeout))
FAILING(eventfd, EMFILE, (unsigned start, int flags), (start, flags))
FAILING(pipe2, EMFILE, (int files[2], int flags), (files, flags))
FAILING(pipe, EMFILE, (int files[2]), (files))
FAILING(fork, EAGAIN, (void), ())
FAILING(mkstemp, EACCES, (char *pattern), (pattern))
FAILING(shmget, ENOSPC, (key_t key, size_t size, int flags), (key, size, flags))
/* NOLINTEND(bugprone-macro-parentheses,readability-inconsistent-declaration-parameter-name) */
