/* The judge's end of the backend protocol, docs/backend-protocol.md: another process does the work.
 * What comes back is a status and bytes: they are copied into this process before anybody looks at
 * them.
 *
 * Calls are sent in frames. While the process computes those of one, the next are prepared and
 * sent, and those before judged: topk_client_send() does not wait, topk_client_receive() does. */
#ifndef TOPK_CLIENT_H
#define TOPK_CLIENT_H

#include <stdio.h>

#include "call.h"
#include "process/loader.h"
#include "protocol/protocol.h"

struct topk_client;

/* The way to a backend process: topk_link_start() gives one; a test may have its own. Deadlines are
 * times of topk_clock_now(). platform.h says what the functions do. */
struct topk_link {
    void *self;
    int64_t (*read)(void *self, void *data, size_t room, uint64_t deadline);
    int64_t (*write)(void *self, const void *data, size_t bytes, uint64_t deadline);
    void (*close)(void *self);
    bool (*unheard)(void *self);
    bool (*ended)(void *self);
    unsigned char *(*share)(void *self, uint64_t bytes, uint64_t *handle);
    bool (*end)(void *self, unsigned milliseconds, const char *event, char *how, size_t how_bytes);
};

/* Starts a process, as topk_child_start() does. False, with the reason in error, if that fails. */
bool topk_link_start(const char *const *command, struct topk_link *link, char *error,
                     size_t error_bytes);

/* Has the process open its backend on a device, one of those that it lists, or "", and waits for
 * its introduction; the link is the client's from now on. NULL, with the reason in error, if it
 * does not introduce itself, and then the process is at its end; *kind tells what it said
 * instead; NONE if nothing. loaded->info points into the client. */
struct topk_client *topk_client_open(const struct topk_link *link, const char *device,
                                     struct topk_loaded *loaded, enum topk_greeting_kind *kind,
                                     char *error, size_t error_bytes);

/* Asks a process that was just started for its devices, a line each, and ends it. False, with the
 * reason in error, if it has no answer. */
bool topk_client_devices(const struct topk_link *link, FILE *out, char *error, size_t error_bytes);

/* Whether the process can make calls with guard pages. */
bool topk_client_guards(const struct topk_client *client);

/* From now on a call may take so many milliseconds. careful: calls go one by one, and each is
 * created first, so that its time is its own. */
void topk_client_limit(struct topk_client *client, uint64_t milliseconds, bool careful);

/* Sends calls, in groups of as many as the process takes at once, in order; queue and calls stay
 * where they are until topk_client_receive(). Each call says by `owner` whose it is, in ascending
 * order. Maybe only some are sent before the answers to what was sent before are received. */
void topk_client_send(struct topk_client *client, struct topk_call *const queue[], uint32_t count);

/* Receives the answers to all calls of the oldest topk_client_send() that was not received yet:
 * their answers and live bytes. Returns the nanoseconds that the process had them for. */
uint64_t topk_client_receive(struct topk_client *client);

/* Looks for writes to the shared memory that came after the answers. Once all is received. */
void topk_client_settle(struct topk_client *client);

/* Tells the process to quit, unless it is at its end, and frees the client. Returns whether it
 * ended well; *how says how it ended. */
bool topk_client_close(struct topk_client *client, char *how, size_t how_bytes);

/* How a process came to its end. */
struct topk_client_end {
    char how[400]; /* for a reader; empty: it did not */
    bool expired;  /* it took too long, and was killed */
    /* who may have been at it, by `owner`; none if first > last */
    uint32_t first;
    uint32_t last;
};

/* Once the process ended, or broke the protocol: how. From that moment on answers are made up,
 * and are not to be judged. */
const struct topk_client_end *topk_client_ended(const struct topk_client *client);

/* Where the process, which ended, said before that it crashed; NULL if it said nothing. */
const struct topk_crash *topk_client_crash(const struct topk_client *client);

#endif
