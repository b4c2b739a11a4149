/* The worker's end of the line protocol of docs/protocol.md. */
#ifndef TOPK_SERVE_H
#define TOPK_SERVE_H

#include <stdio.h>

#include "host.h"

/* Introduces the backend on `out`, then serves what comes in on `in` until it ends or says quit.
 * Returns what the worker exits with: 0, or 3 if a line was not understood or memory is short. */
int topk_serve(struct topk_host *host, FILE *in, FILE *out);

#endif
