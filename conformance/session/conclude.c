/* See conclude.h. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "session.h"

/* whether the error that standard output cannot be written to was already printed */
static bool told;

bool cli_output_open(void)
{
    return ferror(stdout) == 0;
}

/* whether standard output is a pipe without a reader */
static bool abandoned(int reason)
{
    struct pollfd output = {.fd = STDOUT_FILENO, .events = POLLOUT};
    return reason == EPIPE || (poll(&output, 1, 0) == 1 && (output.revents & POLLERR) != 0);
}

/* Whether all output was written. If not, *reason is the errno, or 0 if it is no longer known. */
static bool flushed(int *reason)
{
    errno = 0;
    const bool failed = ferror(stdout) != 0;
    const bool now = fflush(stdout) == 0;
    *reason = errno;
    return now && !failed;
}

static int refuse(int reason)
{
    if (!told) {
        told = true;
        cli_error("cannot write to standard output: %s",
                  reason == 0 ? "an earlier write failed" : strerror(reason));
    }
    return CLI_HARNESS;
}

int cli_conclude(int code, const char *line)
{
    int reason;
    cli_need_memory(true); /* no verdict on results that may be incomplete */
    bool out = flushed(&reason);
    if (out) {
        fputs(line, stdout);
        out = flushed(&reason);
    }
    const bool well = code == CLI_CONFORMANT || code == CLI_SKIPPED;
    return out || (!well && abandoned(reason)) ? code : refuse(reason);
}

int cli_output_close(int code)
{
    int reason;
    return flushed(&reason) || abandoned(reason) ? code : refuse(reason);
}
