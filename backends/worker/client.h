/* The judge's end of the backend protocol, docs/backend-protocol.md: a backend like any other,
 * whose functions have another process do the work. What comes back is a status and bytes: they are
 * copied into this process before anybody looks at them. */
#ifndef TOPK_CLIENT_H
#define TOPK_CLIENT_H

#include "platform/platform.h"
#include "process/loader.h"

struct topk_client;

/* Waits for the greeting of a backend process that was started; *child is the client's from now on.
 * NULL, with the reason in error, if it does not introduce itself, and then it is at its end; *said
 * tells whether the process itself gave the reason. loaded->info points into the client. */
struct topk_client *topk_client_open(const struct topk_child *child, struct topk_loaded *loaded,
                                     bool *said, char *error, size_t error_bytes);

/* Once the process ended, or said what is no answer: how, for a reader. Until then NULL. From that
 * moment on all its answers are made up, and are not to be judged. */
const char *topk_client_died(const struct topk_client *client);

#endif
