/* The checked process: starts it, sends and receives. Each answer has a time limit, and each line
 * must be well-formed. */
#include <inttypes.h>
#include <string.h>

#include "check.h"
#include "reference/result.h"
#include "state.h"

/* milliseconds in which a process must end after it closed its output, or is not needed any more */
#define DEATH_GRACE 1000u
/* greatest time, in nanoseconds, in which a quitting process flushes its output */
#define FLUSH_GRACE 1000000000u

bool check_start(struct check *check)
{
    char error[400];
    check->from = check->to = 0;
    check->blame = CHECK_NO_RULE;
    check_request(check);
    check->child = topk_child_start(check->command, error, sizeof error);
    return check->child != NULL || check_stop(check, TOPK_CHECK_UNAVAILABLE, error);
}

/* Ends the process; `how` says how it ended. */
static bool end(struct check *check, unsigned grace, const char *event, char how[200])
{
    struct topk_child *child = check->child;
    check->child = NULL;
    return topk_child_end(child, grace, event, how, 200);
}

void check_kill(struct check *check)
{
    char how[200];
    if (check->child != NULL) {
        end(check, 0, "", how);
    }
}

/* ---- what was sent and received, for messages ------------------------------------------------ */

void check_request(struct check *check)
{
    check->sent_length = 0;
    check->sent[0] = 0;
    check->came[0] = 0;
}

static void note_sent(struct check *check, const char *text, size_t length)
{
    static const char more[] = "...";
    const size_t room = sizeof check->sent - sizeof more - check->sent_length;
    if (check->sent_length >= sizeof check->sent - 2 * sizeof more) {
        return;
    }
    const size_t taken = length < room ? length : room - sizeof more;
    memcpy(check->sent + check->sent_length, text, taken);
    check->sent_length += taken;
    snprintf(check->sent + check->sent_length, sizeof more, "%s", taken < length ? more : "");
    check->sent_length += taken < length ? sizeof more - 1 : 0;
}

static void note_came(struct check *check, const char *data, size_t length)
{
    char said[300];
    topk_said_print(data, length, said, sizeof said);
    snprintf(check->came, sizeof check->came, "\"%s\"", said);
}

/* ---- sending --------------------------------------------------------------------------------- */

static bool ended(struct check *check)
{
    char how[200];
    end(check, DEATH_GRACE, "closing its output", how);
    snprintf(check->came, sizeof check->came, "the process ended: %s", how);
    if (strcmp(how, "exited with 127") == 0 && check->introduction[0] == 0 &&
        check->devices[0] == 0) {
        return check_stop(check, TOPK_CHECK_UNAVAILABLE, "the shell cannot start the command");
    }
    return check_broken(check, check->blame == CHECK_NO_RULE ? CHECK_DIED : check->blame,
                        "the process ended where an answer is due");
}

static bool send_bytes(struct check *check, const void *data, size_t bytes)
{
    const unsigned char *from = data;
    if (check->held != NULL) {
        memcpy(check->held + check->held_length, data, bytes);
        check->held_length += bytes;
        return true;
    }
    while (bytes > 0) {
        const int64_t put =
            topk_child_write(check->child, from, bytes, topk_clock_now() + check->timeout);
        if (put == 0) {
            return true; /* it ended; its earlier output must still be read */
        }
        if (put < 0) {
            check->was_late = true;
            check_kill(check);
            snprintf(check->came, sizeof check->came, "nothing: it was killed");
            return check_broken(check, check->blame == CHECK_NO_RULE ? CHECK_TIMEOUT : check->blame,
                                "it does not read its request");
        }
        from += put;
        bytes -= (size_t)put;
    }
    return true;
}

bool check_send(struct check *check, const void *data, size_t bytes)
{
    char text[40];
    const int length = snprintf(text, sizeof text, "(%zu byte%s)\n", bytes, bytes == 1 ? "" : "s");
    note_sent(check, text, (size_t)length);
    return send_bytes(check, data, bytes);
}

bool check_say(struct check *check, const char *line)
{
    char sent[TOPK_WIRE_LINE + 64];
    const int length = snprintf(sent, sizeof sent, "%s\n", line);
    note_sent(check, sent, (size_t)length);
    return send_bytes(check, sent, (size_t)length);
}

/* ---- receiving ------------------------------------------------------------------------------- */

/* Whether an answer that arrives when the process quits was not flushed. After a request with
 * bytes, the process may instead have read too many of them. */
static bool tells_of_flush(enum check_rule blame)
{
    return blame != CHECK_BINARY && blame != CHECK_AHEAD && blame != CHECK_MEMORY_FRAME &&
           blame != CHECK_MEMORY_REPLACED && blame != CHECK_MEMORY_CANNOT;
}

/* An answer is late. If it arrives when the process quits, it was only not flushed. */
static bool late(struct check *check)
{
    check->was_late = true;
    const uint64_t grace = check->timeout < FLUSH_GRACE ? check->timeout : FLUSH_GRACE;
    const uint64_t deadline = topk_clock_now() + grace;
    const double seconds = (double)check->timeout / 1e9;
    const bool began = check->to > check->from;
    const bool quits = topk_child_write(check->child, "quit\n", 5, deadline) == 5;
    const int64_t got =
        quits ? topk_child_read(check->child, check->in, sizeof check->in, deadline) : 0;
    check_kill(check);
    if (got > 0 && tells_of_flush(check->blame)) {
        note_came(check, check->in, (size_t)got);
        return check_broken(check, CHECK_FLUSH,
                            "nothing came for %g s, and the answer when it was told to quit",
                            seconds);
    }
    snprintf(check->came, sizeof check->came, "%s within %g s: it was killed",
             began ? "the start of an answer, and no more" : "nothing", seconds);
    return check_broken(check, check->blame == CHECK_NO_RULE ? CHECK_TIMEOUT : check->blame,
                        "it does not answer in time");
}

/* Reads more bytes after those that were not taken; there is room. */
static bool fill(struct check *check)
{
    memmove(check->in, check->in + check->from, check->to - check->from);
    check->to -= check->from;
    check->from = 0;
    const uint64_t start = topk_clock_now();
    const int64_t got = topk_child_read(check->child, check->in + check->to,
                                        sizeof check->in - check->to, start + check->timeout);
    if (got <= 0) {
        return got == 0 ? ended(check) : late(check);
    }
    const uint64_t took = topk_clock_now() - start;
    check->slowest = took > check->slowest ? took : check->slowest;
    check->spoke = true;
    check->to += (size_t)got;
    return true;
}

static bool check_line(struct check *check)
{
    for (size_t i = 0; i < check->length; i++) {
        const unsigned char c = (unsigned char)check->line[i];
        if (c == '\r' && i + 1 == check->length) {
            return check_broken(check, check_garbled(check, CHECK_LINE_FEED),
                                "a carriage return stands before the line feed");
        }
        if (c < ' ' || c > '~') {
            return check_broken(check, check_garbled(check, CHECK_ASCII),
                                "byte %zu of the line is 0x%02X", i + 1, c);
        }
    }
    return true;
}

bool check_hear(struct check *check)
{
    const char *feed;
    while ((feed = memchr(check->in + check->from, '\n', check->to - check->from)) == NULL) {
        if (check->to - check->from > CHECK_LINE) {
            break;
        }
        if (!fill(check)) {
            return false;
        }
    }
    const char *start = check->in + check->from;
    const size_t length = feed == NULL ? CHECK_LINE + 1 : (size_t)(feed - start);
    note_came(check, start, length);
    if (length > CHECK_LINE) {
        return check_broken(check, check_garbled(check, CHECK_LINE_LENGTH),
                            "the line is longer than %u bytes", CHECK_LINE);
    }
    memcpy(check->line, start, length);
    check->line[length] = 0;
    check->length = length;
    check->from += length + 1;
    return check_line(check);
}

bool check_hear_bytes(struct check *check, void *data, size_t bytes)
{
    unsigned char *to = data;
    while (bytes > 0) {
        const size_t there = check->to - check->from;
        const size_t taken = bytes < there ? bytes : there;
        memcpy(to, check->in + check->from, taken);
        check->from += taken;
        to += taken;
        bytes -= taken;
        if (bytes > 0 && !fill(check)) {
            return false;
        }
    }
    return true;
}

bool check_hears_within(struct check *check, uint64_t nanoseconds)
{
    if (check->to == check->from) {
        check->from = check->to = 0;
        const int64_t got = topk_child_read(check->child, check->in, sizeof check->in,
                                            topk_clock_now() + nanoseconds);
        check->to = got > 0 ? (size_t)got : 0;
    }
    note_came(check, check->in + check->from, check->to - check->from);
    return check->to > check->from;
}

bool check_silent(struct check *check)
{
    return !check_hears_within(check, 0) ||
           check_broken(check, CHECK_SILENCE, "something follows the answer");
}

/* ---- the end ---------------------------------------------------------------------------------
 */

bool check_ends(struct check *check, int code, const char *event, enum check_rule rule)
{
    char how[200];
    char wanted[32];
    const uint64_t deadline = topk_clock_now() + check->timeout;
    int64_t got = 1;
    if (check->to == check->from) {
        check->from = check->to = 0;
        got = topk_child_read(check->child, check->in, sizeof check->in, deadline);
        check->to = got > 0 ? (size_t)got : 0;
    }
    if (check->to > check->from) {
        note_came(check, check->in + check->from, check->to - check->from);
        check_kill(check);
        return check_broken(check, CHECK_SILENCE, "it says something where nothing is due");
    }
    const unsigned left = (unsigned)(check->timeout / 1000000u);
    end(check, got < 0 ? 0 : left, event, how);
    snprintf(wanted, sizeof wanted, "exited with %d", code);
    if (got < 0 || (code >= 0 && strcmp(how, wanted) != 0) || strncmp(how, "exited", 6) != 0) {
        snprintf(check->came, sizeof check->came, "the process %s%s",
                 got < 0 ? "does not end: " : "ended: ", how);
        return check_broken(check, rule, "after %s the process has to exit%s%s", event,
                            code < 0 ? "" : " with ", code < 0 ? "" : wanted + 12);
    }
    return true;
}

bool check_ends_with_input(struct check *check)
{
    char how[200];
    check_request(check);
    note_sent(check, "the end of input", 16);
    if (end(check, (unsigned)(check->timeout / 1000000u), "the end of its input", how)) {
        return true;
    }
    snprintf(check->came, sizeof check->came, "the process ended: %s", how);
    return check_broken(check, CHECK_END, "at the end of its input the process has to exit with 0");
}
