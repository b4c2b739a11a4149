/* The judge's end of the backend protocol, docs/backend-protocol.md: another process computes. It
 * returns a status and bytes, which are copied into this process before they are used.
 *
 * Calls are sent in frames. While the process computes one frame, the next is prepared and sent,
 * and the previous one is judged: topk_client_send() does not wait, topk_client_receive() does.
 */
#ifndef TOPK_CLIENT_H
#define TOPK_CLIENT_H

#include <stdio.h>

#include "call.h"
#include "process/loader.h"
#include "protocol/protocol.h"

struct topk_client;

/* The connection to a backend process, from topk_link_start() or from a test. Deadlines are times
 * of topk_clock_now(). platform.h describes the functions. */
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

/* Starts a process, as topk_child_start() does. Returns false, with the reason in error, if that
 * fails. */
bool topk_link_start(const char *const *command, struct topk_link *link, char *error,
                     size_t error_bytes);

/* Makes the process open its backend on a device that it lists, or on "", and waits for its
 * greeting. The client owns the link from now on. Returns NULL, with the reason in error, if there
 * is no valid greeting; the process has then ended, and *kind is what it sent instead, NONE if
 * nothing. loaded->info points into the client. */
struct topk_client *topk_client_open(const struct topk_link *link, const char *device,
                                     struct topk_loaded *loaded, enum topk_greeting_kind *kind,
                                     char *error, size_t error_bytes);

/* Gets the list of devices from a process that was just started, writes it to `out`, one per line,
 * and ends the process. Returns false, with the reason in error, if that fails. */
bool topk_client_devices(const struct topk_link *link, FILE *out, char *error, size_t error_bytes);

/* Whether the process can make calls with guard pages. */
bool topk_client_guards(const struct topk_client *client);

/* Sets the time limit for a call in milliseconds. careful: calls are sent one at a time, and each
 * is first only created, so that the time belongs to one call. */
void topk_client_limit(struct topk_client *client, uint64_t milliseconds, bool careful);

/* Sends calls in order, in groups as large as the process accepts. queue and the calls must stay in
 * place until topk_client_receive(). The `owner` of each call says which case it belongs to; owners
 * ascend. Some calls may be sent only after earlier answers are received. */
void topk_client_send(struct topk_client *client, struct topk_call *const queue[], uint32_t count);

/* Receives the answers to all calls of the oldest topk_client_send(): their answers and live bytes.
 * Returns the nanoseconds that the process spent on them. */
uint64_t topk_client_receive(struct topk_client *client);

/* Checks the shared memory for writes after the answers. Call it when everything is received. */
void topk_client_settle(struct topk_client *client);

/* Tells the process to quit, unless it has ended, and frees the client. Returns whether the process
 * ended regularly; *how says how it ended. */
bool topk_client_close(struct topk_client *client, char *how, size_t how_bytes);

/* How a process ended. */
struct topk_client_end {
    char how[400]; /* for the user; empty: it has not ended */
    bool expired;  /* it took too long, and was killed */
    /* owners whose calls may have been running; none if first > last */
    uint32_t first;
    uint32_t last;
};

/* How the process ended or broke the protocol; NULL if it has not. From then on answers are
 * placeholders, and must not be judged. */
const struct topk_client_end *topk_client_ended(const struct topk_client *client);

/* The place of the crash that the ended process reported; NULL if none. */
const struct topk_crash *topk_client_crash(const struct topk_client *client);

#endif
