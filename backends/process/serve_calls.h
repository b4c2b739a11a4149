/* The backend's end of the backend protocol, docs/backend-protocol.md. */
#ifndef TOPK_SERVE_CALLS_H
#define TOPK_SERVE_CALLS_H

#include <stdio.h>

#include "loader.h"

/* Introduces the backend on `out`, then serves the requests that come on `in` until it ends or says
 * quit. Returns what the process exits with: 0, or 3 after an `error` line. */
int topk_calls_serve(struct topk_loaded *loaded, FILE *in, FILE *out);

#endif
