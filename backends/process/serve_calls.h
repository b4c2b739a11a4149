/* The backend's end of the backend protocol, docs/backend-protocol.md. */
#ifndef TOPK_SERVE_CALLS_H
#define TOPK_SERVE_CALLS_H

#include "loader.h"
#include "protocol/protocol.h"

/* Where requests come from and answers go to. */
struct topk_judge_line {
    struct topk_stream *stream;
    bool (*ready)(void); /* whether a read would not block; NULL: unknown */
};

/* Opens the found backend when the judge requests it, and answers requests until the judge quits or
 * sends a malformed request; closes the backend. Returns the exit code of the process. */
int topk_calls_serve(struct topk_loaded *loaded, const struct topk_judge_line *line);

#endif
