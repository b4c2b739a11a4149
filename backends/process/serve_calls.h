/* The backend's end of the backend protocol, docs/backend-protocol.md. */
#ifndef TOPK_SERVE_CALLS_H
#define TOPK_SERVE_CALLS_H

#include "loader.h"
#include "protocol/protocol.h"

/* Where requests come from and answers go to. */
struct topk_judge_line {
    struct topk_stream *stream;
    bool (*ready)(void); /* whether reading would not wait; NULL: nobody knows */
};

/* Opens the backend that was found once the judge says so, and answers its requests until it quits
 * or sends a malformed request; closes the backend. Returns what the process is to exit with. */
int topk_calls_serve(struct topk_loaded *loaded, const struct topk_judge_line *line);

#endif
