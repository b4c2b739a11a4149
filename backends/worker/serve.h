/* The worker's end of the line protocol of docs/protocol.md. */
#ifndef TOPK_SERVE_H
#define TOPK_SERVE_H

#include <stdio.h>

#include "host.h"

/* Sends the greeting on `out`, then serves requests from `in` until it ends or says quit. Returns
 * the worker's exit code: 0, or 3 if a line is malformed or memory is short. */
int topk_serve(struct topk_host *host, FILE *in, FILE *out);

#endif
