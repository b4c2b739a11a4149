/* The client's lines and waiting, and how the process ended. Each wait has a deadline: a process is
 * late if it does not read, does not answer, or stops within an answer. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client_state.h"
#include "platform/platform.h"
#include "platform/stage.h"
#include "protocol/protocol.h"
#include "reference/result.h"

/* milliseconds in which a process must end after it closed its output */
#define DEATH_GRACE 1000u

#define SECOND ((uint64_t)1000000000)
/* slowest link in bytes per second; a slower one counts as stuck */
#define SLOWEST ((uint64_t)256 << 10)
/* how often a silent process is checked for its end and its mark */
#define LOOK (SECOND / 10)

/* ---- the end of a process
 * ------------------------------------------------------------------------ */

const struct topk_frame *topk_client_marked(const struct topk_client *client, uint64_t mark)
{
    for (uint32_t i = 0; i < client->sent; i++) {
        const struct topk_frame *frame = &client->frames[i];
        if (frame->number == mark >> 16 && (mark & 0xffff) < frame->groups) {
            return frame;
        }
    }
    return NULL;
}

/* Determines which calls may have been running when the process ended. Called once, before the
 * process is ended. */
static void blame(struct topk_client *client)
{
    if (client->frame_count == 0) {
        client->end.first = client->last.first;
        client->end.last = client->last.last;
        return;
    }
    /* marks that came as lines are stored plus one */
    uint64_t mark = client->mark - (client->mark > 0);
    if (client->memory != NULL) {
        mark = topk_client_mark(client);
    }
    const struct topk_frame *frame = topk_client_marked(client, mark);
    uint32_t from = 0;
    uint32_t to = client->frames[0].count;
    if (frame == NULL) {
        frame = &client->frames[0];
    } else {
        uint64_t group = mark & 0xffff;
        while (group > 0) {
            group -= frame->queue[++from]->starts_group;
        }
        to = from + 1;
        while (to < frame->count && !frame->queue[to]->starts_group) {
            to++;
        }
    }
    client->end.first = frame->queue[from]->owner;
    client->end.last = frame->queue[to - 1]->owner;
}

/* says what the process was late with */
static void say_late(struct topk_client *client)
{
    const double seconds = (double)client->patience / (double)SECOND;
    char *how = client->end.how;
    switch (client->phase) {
    case TOPK_PHASE_ANSWER:
        snprintf(how, sizeof client->end.how, "%snot finished after %g s",
                 client->unread ? "it closed its input, and was " : "", seconds);
        break;
    case TOPK_PHASE_READING:
        snprintf(how, sizeof client->end.how, "it did not read what it was sent for %g s", seconds);
        break;
    case TOPK_PHASE_BYTES:
        snprintf(how, sizeof client->end.how, "it stopped for %g s in the middle of an answer",
                 seconds);
        break;
    }
}

/* Ends the process. If it wrote to memory after its answer, that is reported as the reason, because
 * nothing reads that memory again. */
static void stop(struct topk_client *client, unsigned grace, const char *event, char *how,
                 size_t how_bytes)
{
    client->at_end = true;
    blame(client);
    const struct topk_half *late = topk_client_late(client);
    client->link.end(client->link.self, grace, event, how, how_bytes);
    if (late != NULL) {
        client->crash.signal[0] = 0;
        client->end.expired = false;
        client->end.first = late->owners.first;
        client->end.last = late->owners.last;
        snprintf(client->end.how, sizeof client->end.how,
                 "it wrote to the memory of a frame after it had answered it");
    }
}

void topk_client_lost(struct topk_client *client, enum topk_wire_read came)
{
    char ended[200];
    if (came == TOPK_WIRE_LATE) {
        client->crash.signal[0] = 0;
        client->end.expired = !client->unread;
        say_late(client);
        stop(client, 0, "", ended, sizeof ended);
    } else {
        stop(client, DEATH_GRACE, "closing its output", client->end.how, sizeof client->end.how);
        client->end.expired = strcmp(client->end.how, TOPK_CHILD_OVER_CPU) == 0;
    }
}

void topk_client_give_up(struct topk_client *client, const char *why)
{
    char ended[200];
    snprintf(client->end.how, sizeof client->end.how, "%s", why);
    client->crash.signal[0] = 0;
    stop(client, 0, "", ended, sizeof ended);
}

void topk_client_wrong(struct topk_client *client, const char *format, ...)
{
    char why[sizeof client->end.how] = TOPK_BROKE_PROTOCOL;
    const size_t used = strlen(why);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why + used, sizeof why - used, format, arguments);
    va_end(arguments);
    topk_client_give_up(client, why);
}

void topk_client_wrong_line(struct topk_client *client, const char *line, size_t length,
                            const char *wanted)
{
    char said[160];
    char what[400];
    if (strncmp(line, "error ", 6) == 0 &&
        topk_word_parse(line + 6, length - 6, what, sizeof what)) {
        topk_said_print(what, strlen(what), said, sizeof said);
        topk_client_wrong(client, "it did not understand its judge: %s", said);
        return;
    }
    topk_said_print(line, length, said, sizeof said);
    topk_client_wrong(client, "it said \"%s\" where %s has to stand", said, wanted);
}

/* ---- waiting --------------------------------------------------------------------------------- */

void topk_client_wait(struct topk_client *client, enum topk_phase phase, uint64_t nanoseconds,
                      uint64_t bytes)
{
    client->phase = phase;
    client->patience = nanoseconds;
    client->deadline = topk_clock_now() + nanoseconds + bytes / SLOWEST * SECOND;
}

/* Whether the process has begun another group, by its own mark: then its time starts again. A mark
 * that goes back, or to something that was not sent, has no effect, so the time is bounded. */
static bool went_on(struct topk_client *client)
{
    if (client->memory == NULL || client->phase != TOPK_PHASE_ANSWER) {
        return false;
    }
    const uint64_t mark = topk_client_mark(client);
    if (mark <= client->mark || topk_client_marked(client, mark) == NULL) {
        return false;
    }
    client->mark = mark;
    return true;
}

/* The pipe failed on our side; the process is not to blame. */
static _Noreturn void give_up(const char *what)
{
    fprintf(stderr, "topk-worker: %s the backend process failed: %s\n", what, strerror(errno));
    exit(TOPK_WORKER_EXIT_HARNESS);
}

int64_t topk_client_read(void *self, void *data, size_t room)
{
    struct topk_client *client = self;
    for (;;) {
        const uint64_t now = topk_clock_now();
        const uint64_t look = now + LOOK < client->deadline ? now + LOOK : client->deadline;
        const enum topk_stage before = topk_stage_enter(TOPK_STAGE_CALL);
        int64_t got = client->link.read(client->link.self, data, room, look);
        topk_stage_enter(before);
        if (got >= 0) {
            return got;
        }
        if (got == TOPK_IO_FAILED) {
            give_up("reading from");
        }
        if (client->link.ended(client->link.self)) {
            /* another process that holds the pipe is not under test */
            got = client->link.read(client->link.self, data, room, now);
            return got < 0 ? 0 : got;
        }
        if (went_on(client)) {
            topk_client_wait(client, TOPK_PHASE_ANSWER, client->patience, 0);
        } else if (topk_clock_now() >= client->deadline) {
            return TOPK_IO_LATE;
        }
    }
}

int64_t topk_client_write(void *self, const void *data, size_t bytes)
{
    struct topk_client *client = self;
    for (;;) {
        const uint64_t now = topk_clock_now();
        const uint64_t look = now + LOOK < client->deadline ? now + LOOK : client->deadline;
        const int64_t put = client->link.write(client->link.self, data, bytes, look);
        if (put >= 0) {
            return put;
        }
        if (put == TOPK_IO_FAILED) {
            give_up("writing to");
        }
        if (client->link.ended(client->link.self)) {
            return 0;
        }
        if (topk_clock_now() >= client->deadline) {
            return TOPK_IO_LATE;
        }
    }
}

bool topk_client_line(struct topk_client *client, const char *wanted, char **line, size_t *length)
{
    char said[160];
    enum topk_wire_read came = topk_stream_line(&client->stream, line, length);
    if (came == TOPK_WIRE_READ && topk_wire_crash_parse(*line, *length, &client->crash)) {
        came = topk_stream_line(&client->stream, line, length);
        if (came == TOPK_WIRE_READ) {
            topk_client_wrong_line(client, *line, *length,
                                   "the end of a process that said that it crashed");
            return false;
        }
    }
    if (came == TOPK_WIRE_BAD) {
        topk_said_print(*line, *length, said, sizeof said);
        topk_client_wrong(client, "it said \"%s\", which is not a line, where %s has to stand",
                          said, wanted);
    } else if (came != TOPK_WIRE_READ) {
        topk_client_lost(client, came);
    }
    return came == TOPK_WIRE_READ;
}
