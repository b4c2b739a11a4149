/* Fake worker processes. Their events all come from the event loop, as those of real processes
 * do. */
#define _POSIX_C_SOURCE 200809L
#include "fake_worker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/runner_worker.h"

struct topk_worker {
    struct topk_worker_events events;
    uv_timer_t timer;
    int exit_code;
    bool killed;
    bool ended;
};

static const char *script;
static const char *script_end;

void fake_worker_script(const char *text, size_t length)
{
    script = text;
    script_end = text + length;
}

static void on_closed(uv_handle_t *handle)
{
    free(handle->data);
}

static void end(struct topk_worker *worker)
{
    if (!worker->ended) {
        worker->ended = true;
        worker->events.ended(worker->events.context);
        uv_close((uv_handle_t *)&worker->timer, on_closed);
    }
}

/* Prints the next line of the script, or ends the worker. */
static void on_timer(uv_timer_t *timer)
{
    struct topk_worker *worker = timer->data;
    char line[TOPK_WORKER_LINE + 2];
    if (worker->killed || script == script_end) {
        end(worker);
        return;
    }
    const size_t left = (size_t)(script_end - script);
    const char *feed = memchr(script, '\n', left);
    size_t length = feed == NULL ? left : (size_t)(feed - script);
    const char *next = feed == NULL ? script_end : feed + 1;
    if (length > TOPK_WORKER_LINE) {
        length = TOPK_WORKER_LINE + 1;
    }
    memcpy(line, script, length);
    line[length] = 0;
    script = next;
    if (length > 4 && memcmp(line, "end ", 4) == 0) {
        worker->exit_code = line[4] & 3;
        end(worker);
        return;
    }
    uv_timer_start(timer, on_timer, 0, 0);
    worker->events.line(worker->events.context, line, length);
}

struct topk_worker *topk_worker_start(uv_loop_t *loop, const char *const *command,
                                      char *const *environment, bool pass_stderr,
                                      const struct topk_worker_events *events, char *error,
                                      size_t error_bytes)
{
    struct topk_worker *worker = calloc(1, sizeof *worker);
    (void)command;
    (void)environment;
    (void)pass_stderr;
    if (worker == NULL) {
        snprintf(error, error_bytes, "out of memory");
        return NULL;
    }
    worker->events = *events;
    uv_timer_init(loop, &worker->timer);
    worker->timer.data = worker;
    uv_timer_start(&worker->timer, on_timer, 0, 0);
    return worker;
}

void topk_worker_send(struct topk_worker *worker, char *data, size_t length)
{
    (void)worker;
    (void)length;
    free(data);
}

void topk_worker_quit(struct topk_worker *worker)
{
    worker->killed = true;
}

void topk_worker_kill(struct topk_worker *worker)
{
    worker->killed = true;
}

void topk_worker_abandon(struct topk_worker *worker)
{
    if (!worker->ended) {
        worker->ended = true;
        uv_close((uv_handle_t *)&worker->timer, on_closed);
    }
}

void topk_worker_describe_end(const struct topk_worker *worker, char *text, size_t size)
{
    snprintf(text, size, "exited with %d", worker->exit_code);
}

void topk_worker_append_stderr(const struct topk_worker *worker, const char *how, char *text,
                               size_t size)
{
    (void)worker;
    snprintf(text, size, "%s", how);
}

int64_t topk_worker_id(const struct topk_worker *worker)
{
    (void)worker;
    return 0;
}

const char *topk_worker_broken(const struct topk_worker *worker)
{
    (void)worker;
    return NULL;
}

int topk_worker_exit_code(const struct topk_worker *worker)
{
    return worker->exit_code;
}

const char *topk_worker_rest(struct topk_worker *worker)
{
    (void)worker;
    return ""; /* a script consists of whole lines */
}

const char *topk_worker_stderr(const struct topk_worker *worker)
{
    (void)worker;
    return "";
}

/* Replaces the runner's timers so that a worker that ended is restarted at once instead of after a
 * delay. The linker puts this in the place of uv_timer_start; see cmake/fuzz.cmake. */
/* NOLINTNEXTLINE(bugprone-reserved-identifier): the names are the linker's */
int __real_uv_timer_start(uv_timer_t *timer, uv_timer_cb callback, uint64_t timeout,
                          uint64_t repeat);
/* NOLINTNEXTLINE(bugprone-reserved-identifier) */
int __wrap_uv_timer_start(uv_timer_t *timer, uv_timer_cb callback, uint64_t timeout,
                          uint64_t repeat);

/* NOLINTNEXTLINE(bugprone-reserved-identifier) */
int __wrap_uv_timer_start(uv_timer_t *timer, uv_timer_cb callback, uint64_t timeout,
                          uint64_t repeat)
{
    return __real_uv_timer_start(timer, callback, repeat == 0 ? 0 : timeout, repeat);
}
