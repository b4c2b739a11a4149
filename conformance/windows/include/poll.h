/* poll() for Windows: tells nothing, as nobody asks more than whether a pipe has lost its reader,
 * which a write tells. */
#ifndef TOPK_WINDOWS_POLL_H
#define TOPK_WINDOWS_POLL_H

#define POLLIN  1
#define POLLOUT 4
#define POLLERR 8

struct pollfd {
    int fd;
    short events;
    short revents;
};

static inline int poll(struct pollfd *files, unsigned count, int timeout)
{
    (void)count;
    (void)timeout;
    files[0].revents = 0;
    return 0;
}

#endif
