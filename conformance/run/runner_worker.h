/* The connection to one worker process: starts it, sends and receives lines, and ends it. Their
 * meaning is up to the runner. A worker has its own process group, which is killed with it. */
#ifndef TOPK_RUNNER_WORKER_H
#define TOPK_RUNNER_WORKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <uv.h>

#include "protocol/protocol.h"

struct topk_worker;

struct topk_worker_events {
    /* Receives a line without its end, terminated. A line that is too long is cut; its length is
     * then above TOPK_WORKER_LINE. */
    void (*line)(void *context, const char *line, size_t length);
    /* The process is gone and all its output was delivered. The worker is freed after this call. */
    void (*ended)(void *context);
    void *context;
};

/* Starts command[0] with arguments, ended by NULL, and an environment; NULL: ours. Keeps the last
 * part of its standard error. pass_stderr: also prints it on ours, with control characters escaped.
 * Returns NULL, with the reason in error, if that fails. */
struct topk_worker *topk_worker_start(uv_loop_t *loop, const char *const *command,
                                      char *const *environment, bool pass_stderr,
                                      const struct topk_worker_events *events, char *error,
                                      size_t error_bytes);

/* Sends `length` bytes of whole lines. data must come from malloc() and is freed. */
void topk_worker_send(struct topk_worker *worker, char *data, size_t length);

/* Asks it to end: sends quit, closes its input, and kills it if it is still running 5 s later. */
void topk_worker_quit(struct topk_worker *worker);

/* Kills its process group. Delivers no more lines; ended() is still called. */
void topk_worker_kill(struct topk_worker *worker);

/* Frees it without waiting; ended() is not called any more. */
void topk_worker_abandon(struct topk_worker *worker);

/* Its process id. */
int64_t topk_worker_id(const struct topk_worker *worker);

/* Writes how it ended, such as "killed by signal 11 (Segmentation fault)", with the relevant part
 * of its standard error. Call it in ended(). */
void topk_worker_describe_end(const struct topk_worker *worker, char *text, size_t size);

/* Writes `how` and the relevant part of its standard error, if any. */
void topk_worker_append_stderr(const struct topk_worker *worker, const char *how, char *text,
                               size_t size);

/* The unfinished last line, terminated; else "". Call it in ended(). */
const char *topk_worker_rest(struct topk_worker *worker);

/* Its exit code; -1 if it did not exit by itself. Call it in ended(). */
int topk_worker_exit_code(const struct topk_worker *worker);

/* A failure on our side, unrelated to the worker: of a pipe to it, or in learning how it ended.
 * NULL: none. Call it in ended(). */
const char *topk_worker_broken(const struct topk_worker *worker);

/* The last part of its standard error, terminated. */
const char *topk_worker_stderr(const struct topk_worker *worker);

#endif
