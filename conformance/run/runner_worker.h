/* The connection to one worker process: starts it, sends and receives lines, ends it. The runner
 * knows what the lines mean. A worker has its own process group, which is killed with it. */
#ifndef TOPK_RUNNER_WORKER_H
#define TOPK_RUNNER_WORKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <uv.h>

#include "protocol/protocol.h"

struct topk_worker;

struct topk_worker_events {
    /* A line of the worker, terminated, without its end. One that is too long comes cut, with a
     * length above TOPK_WORKER_LINE. */
    void (*line)(void *context, const char *line, size_t length);
    /* The process is gone and all that it said was delivered. The worker is freed afterwards. */
    void (*ended)(void *context);
    void *context;
};

/* Starts command[0] with these arguments, NULL at the end, and with these variables; environment
 * NULL: with ours. The end of what it says on standard error is kept. pass_stderr: it is printed on
 * ours, too, with what a terminal would obey escaped. NULL, with the reason in error, if that
 * fails. */
struct topk_worker *topk_worker_start(uv_loop_t *loop, const char *const *command,
                                      char *const *environment, bool pass_stderr,
                                      const struct topk_worker_events *events, char *error,
                                      size_t error_bytes);

/* Sends `length` bytes, in which the lines have their ends. data comes from malloc() and is freed.
 */
void topk_worker_send(struct topk_worker *worker, char *data, size_t length);

/* Asks it to end: says quit, closes its input, and kills it if that does not help within 5 s. */
void topk_worker_quit(struct topk_worker *worker);

/* Kills its process group. No more lines are delivered; ended() comes later. */
void topk_worker_kill(struct topk_worker *worker);

/* Frees it without waiting for it; ended() is not called any more. */
void topk_worker_abandon(struct topk_worker *worker);

/* Its process id. */
int64_t topk_worker_id(const struct topk_worker *worker);

/* Writes how it ended ("killed by signal 11 (Segmentation fault)") and, if it said something on
 * standard error, what matters of it. For ended(). */
void topk_worker_describe_end(const struct topk_worker *worker, char *text, size_t size);

/* Writes `how` and, if it said something on standard error, what matters of that. */
void topk_worker_append_stderr(const struct topk_worker *worker, const char *how, char *text,
                               size_t size);

/* What it said last, if that is no whole line, terminated; else "". For ended(). */
const char *topk_worker_rest(struct topk_worker *worker);

/* What it exited with; -1 if it did not exit by itself. For ended(). */
int topk_worker_exit_code(const struct topk_worker *worker);

/* What failed on this side, of which the worker knows nothing: a pipe to it, or learning of its
 * end. NULL: nothing did. For ended(). */
const char *topk_worker_broken(const struct topk_worker *worker);

/* The end of what it said on standard error, terminated. */
const char *topk_worker_stderr(const struct topk_worker *worker);

#endif
