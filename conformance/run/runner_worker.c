/* The connection to one worker process, on libuv.
 *
 * A process has ended when its exit status is known and both of its pipes are closed: only then has
 * all its output been read. A process outside the group may keep a pipe open, and a process may
 * survive SIGKILL inside a driver, so one timer limits each wait.
 */
#define _POSIX_C_SOURCE 200809L
#include "runner_worker.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "log/log.h"
#include "platform/platform.h"

#define BUFFER_BYTES 65536u
#define TAIL_BYTES   4096u
#define HANDLES      5

/* milliseconds */
#define QUIT_GRACE 5000u /* from quit to the kill */
#define PIPE_GRACE 1000u /* from the exit to the ends of both pipes, or the reverse */
#define TERM_GRACE 1000u /* from SIGTERM to SIGKILL */
#define KILL_GRACE 3000u /* from SIGKILL to the exit */

struct topk_worker {
    struct topk_worker *next; /* list of all workers that have not exited */
    struct topk_worker_events events;
    uv_process_t process;
    uv_pipe_t in;
    uv_pipe_t out;
    uv_pipe_t err;
    uv_timer_t timer;
    unsigned handles; /* not closed yet */
    int pid;
    int64_t exit_code;
    int pipe_error; /* error of libuv if a pipe failed on our side */
    int signal;
    bool in_closed;
    bool exited;
    bool out_ended;
    bool err_ended;
    bool killed; /* we killed it: its output is ignored */
    bool forced; /* killed by SIGKILL */
    /* milliseconds after which it was killed because it did not end; 0: it was not */
    unsigned overdue;
    bool ended;  /* ended() was called, or must not be */
    size_t used; /* bytes of an unfinished line in buffer */
    char buffer[BUFFER_BYTES];
    size_t tail_used;
    char tail[TAIL_BYTES + 1];
    bool shows_errors;
    size_t shown; /* bytes of an unfinished line in error_text */
    char error_buffer[TAIL_BYTES];
    char error_text[2 * TAIL_BYTES + 1];
};

struct sending {
    uv_write_t request;
    char *data;
};

static void on_closed(uv_handle_t *handle)
{
    struct topk_worker *worker = handle->data;
    worker->handles--;
    if (worker->handles == 0) {
        free(worker);
    }
}

static void close_all(struct topk_worker *worker)
{
    uv_handle_t *const handles[HANDLES] = {
        (uv_handle_t *)&worker->process, (uv_handle_t *)&worker->in, (uv_handle_t *)&worker->out,
        (uv_handle_t *)&worker->err, (uv_handle_t *)&worker->timer};
    worker->ended = true;
    for (int i = 0; i < HANDLES; i++) {
        if (handles[i]->type == UV_UNKNOWN_HANDLE) {
            continue; /* we lacked pipes to start the process, so this says nothing about it */
        }
        if (!uv_is_closing(handles[i])) {
            uv_close(handles[i], on_closed);
        }
    }
}

/* the processes that this one started; its other children were left behind by a killed worker or by
 * a child of one */
static struct topk_worker *alive;

static bool is_alive(int64_t pid)
{
    const struct topk_worker *worker = alive;
    while (worker != NULL && worker->pid != pid) {
        worker = worker->next;
    }
    return worker != NULL;
}

static void forget(const struct topk_worker *worker)
{
    struct topk_worker **link = &alive;
    while (*link != NULL && *link != worker) {
        link = &(*link)->next;
    }
    if (*link != NULL) {
        *link = worker->next;
    }
}

static void signal_group(const struct topk_worker *worker, int number)
{
    /* fails if the group is empty, which is fine; 0 would be our own group */
    if (worker->pid > 0) {
        kill(-worker->pid, number);
    }
}

static void kill_group(const struct topk_worker *worker)
{
    signal_group(worker, SIGKILL);
}

static void end(struct topk_worker *worker)
{
    if (!worker->ended) {
        worker->ended = true;
        worker->events.ended(worker->events.context);
        close_all(worker);
    }
}

static void on_timer(uv_timer_t *timer)
{
    struct topk_worker *worker = timer->data;
    if (!worker->exited && !worker->killed) {
        worker->overdue = worker->out_ended ? PIPE_GRACE : QUIT_GRACE;
        topk_worker_kill(worker);
    } else if (!worker->exited && !worker->forced) {
        worker->forced = true;
        kill_group(worker);
        uv_timer_start(&worker->timer, on_timer, KILL_GRACE, 0);
    } else {
        end(worker);
    }
}

static void end_if_over(struct topk_worker *worker)
{
    if (worker->exited && worker->out_ended && worker->err_ended) {
        end(worker);
    } else if (!worker->killed && (worker->exited || worker->out_ended)) {
        uv_timer_start(&worker->timer, on_timer, PIPE_GRACE, 0);
    }
}

static void on_exit_status(uv_process_t *process, int64_t exit_code, int signal)
{
    struct topk_worker *worker = process->data;
    worker->exited = true;
    worker->exit_code = exit_code;
    worker->signal = signal;
    kill_group(worker);
    forget(worker);
    topk_orphans_end(is_alive);
    end_if_over(worker);
}

/* delivers the whole lines of the buffer and moves the rest to its start */
static void deliver_lines(struct topk_worker *worker)
{
    size_t start = 0;
    while (!worker->killed && !worker->ended) {
        char *line = worker->buffer + start;
        char *feed = memchr(line, '\n', worker->used - start);
        size_t length = feed == NULL ? worker->used - start : (size_t)(feed - line);
        if (feed == NULL && length <= TOPK_WORKER_LINE) {
            break;
        }
        if (length > TOPK_WORKER_LINE) {
            length = TOPK_WORKER_LINE + 1;
        } else if (length > 0 && line[length - 1] == '\r') {
            length--;
        }
        start = feed == NULL ? worker->used : (size_t)(feed - worker->buffer) + 1;
        line[length] = 0;
        worker->events.line(worker->events.context, line, length);
    }
    worker->used -= start;
    memmove(worker->buffer, worker->buffer + start, worker->used);
}

static void give_room(uv_handle_t *handle, size_t suggested, uv_buf_t *room)
{
    struct topk_worker *worker = handle->data;
    (void)suggested;
    if (worker->killed) {
        worker->used = 0;
    }
    /* leaves one byte for the terminator of a line that is too long */
    *room = uv_buf_init(worker->buffer + worker->used, (unsigned)(BUFFER_BYTES - 1 - worker->used));
}

/* handles an error of reading, unless it is the normal end */
static void give_up_if_broken(struct topk_worker *worker, ssize_t error)
{
    if (error != UV_EOF && error != UV_ECONNRESET && error != UV_EPIPE) {
        worker->pipe_error = (int)error;
        topk_worker_kill(worker);
    }
}

static void on_output(uv_stream_t *stream, ssize_t count, const uv_buf_t *room)
{
    struct topk_worker *worker = stream->data;
    (void)room;
    if (count > 0) {
        worker->used += (size_t)count;
        deliver_lines(worker);
    } else if (count < 0) {
        uv_read_stop(stream);
        give_up_if_broken(worker, count);
        worker->out_ended = true;
        end_if_over(worker);
    }
}

static void give_error_room(uv_handle_t *handle, size_t suggested, uv_buf_t *room)
{
    struct topk_worker *worker = handle->data;
    (void)suggested;
    *room = uv_buf_init(worker->error_buffer, sizeof worker->error_buffer);
}

/* Prints the whole lines of standard error, or everything if the buffer is full. */
static void show_errors(struct topk_worker *worker, const char *data, size_t count)
{
    char *text = worker->error_text;
    for (size_t i = 0; i < count; i++) {
        text[worker->shown + i] = data[i];
        if (data[i] == 0) {
            text[worker->shown + i] = '?';
        }
    }
    worker->shown += count;
    size_t whole = worker->shown;
    while (whole > 0 && text[whole - 1] != '\n' && count > 0 && worker->shown <= TAIL_BYTES) {
        whole--;
    }
    if (whole > 0) {
        const char next = text[whole];
        text[whole] = 0;
        topk_text_print_lines(stderr, text);
        text[whole] = next;
    }
    worker->shown -= whole;
    memmove(text, text + whole, worker->shown);
}

static void on_error_output(uv_stream_t *stream, ssize_t count, const uv_buf_t *room)
{
    struct topk_worker *worker = stream->data;
    if (count > 0) {
        size_t added = (size_t)count;
        size_t kept = worker->tail_used;
        if (kept + added > TAIL_BYTES) {
            kept = TAIL_BYTES - added;
            memmove(worker->tail, worker->tail + worker->tail_used - kept, kept);
        }
        if (worker->shows_errors) {
            show_errors(worker, room->base, added);
        }
        memcpy(worker->tail + kept, room->base, added);
        worker->tail_used = kept + added;
        worker->tail[worker->tail_used] = 0;
    } else if (count < 0) {
        uv_read_stop(stream);
        show_errors(worker, "", 0);
        give_up_if_broken(worker, count);
        worker->err_ended = true;
        end_if_over(worker);
    }
}

static void init_handles(struct topk_worker *worker, uv_loop_t *loop)
{
    uv_pipe_init(loop, &worker->in, 0);
    uv_pipe_init(loop, &worker->out, 0);
    uv_pipe_init(loop, &worker->err, 0);
    uv_timer_init(loop, &worker->timer);
    worker->process.data = worker;
    worker->in.data = worker;
    worker->out.data = worker;
    worker->err.data = worker;
    worker->timer.data = worker;
    worker->handles = HANDLES;
}

static void close_files(uv_file files[2])
{
    for (int i = 0; i < 2; i++) {
        if (files[i] >= 0) {
            close(files[i]);
            files[i] = -1;
        }
    }
}

/* Passes a file to a pipe of libuv. If that succeeds, libuv closes it. */
static int take_pipe(uv_pipe_t *pipe, uv_file *file)
{
    const int failure = uv_pipe_open(pipe, *file);
    if (failure == 0) {
        *file = -1;
    }
    return failure;
}

struct topk_worker *topk_worker_start(uv_loop_t *loop, const char *const *command,
                                      char *const *environment, bool pass_stderr,
                                      const struct topk_worker_events *events, char *error,
                                      size_t error_bytes)
{
    struct topk_worker *worker = calloc(1, sizeof *worker);
    if (worker == NULL) {
        snprintf(error, error_bytes, "out of memory");
        return NULL;
    }
    topk_process_guard();
    topk_orphans_adopt();
    topk_files_keep(); /* also files that this program inherited */
    worker->events = *events;
    worker->shows_errors = pass_stderr;
    init_handles(worker, loop);

    /* real pipes, because libuv's are sockets, which a script cannot open as /dev/stderr */
    uv_file in[2] = {-1, -1};
    uv_file out[2] = {-1, -1};
    uv_file err[2] = {-1, -1};
    int failure = uv_pipe(in, 0, UV_NONBLOCK_PIPE);
    if (failure == 0) {
        failure = uv_pipe(out, UV_NONBLOCK_PIPE, 0);
    }
    if (failure == 0) {
        failure = uv_pipe(err, UV_NONBLOCK_PIPE, 0);
    }
    if (failure == 0) {
        uv_stdio_container_t stdio[3] = {
            {.flags = UV_INHERIT_FD, .data.fd = in[0]},
            {.flags = UV_INHERIT_FD, .data.fd = out[1]},
            {.flags = UV_INHERIT_FD, .data.fd = err[1]},
        };
        uv_process_options_t options = {
            .exit_cb = on_exit_status,
            .file = command[0],
            .args = (char **)command, /* execvp() does not change them */
            .env = (char **)environment,
#if defined(_WIN32)
            /* it must end with this process, and needs its own console so that Ctrl-C does not
               reach it */
            .flags = UV_PROCESS_WINDOWS_HIDE,
#else
            .flags = UV_PROCESS_DETACHED,
#endif
            .stdio_count = 3,
            .stdio = stdio,
        };
        failure = uv_spawn(loop, &worker->process, &options);
    } else {
        /* a handle that was not started can be closed like the others */
        worker->handles--;
    }
    if (failure == 0) {
        worker->pid = worker->process.pid;
        worker->next = alive;
        alive = worker;
        failure = take_pipe(&worker->in, &in[1]);
        failure = failure != 0 ? failure : take_pipe(&worker->out, &out[0]);
        failure = failure != 0 ? failure
                               : uv_read_start((uv_stream_t *)&worker->out, give_room, on_output);
        if (failure == 0) {
            failure = take_pipe(&worker->err, &err[0]);
            failure = failure != 0 ? failure
                                   : uv_read_start((uv_stream_t *)&worker->err, give_error_room,
                                                   on_error_output);
        }
        if (failure != 0) {
            kill_group(worker);
            forget(worker);
        }
    }
    close_files(in);
    close_files(out);
    close_files(err);
    if (failure != 0) {
        snprintf(error, error_bytes, "cannot start %s: %s", command[0], uv_strerror(failure));
        close_all(worker);
        return NULL;
    }
    return worker;
}

static void on_sent(uv_write_t *request, int status)
{
    struct sending *sending = (struct sending *)request->data;
    /* If the worker is gone, its end will be noticed. Otherwise it would wait forever for these
     * bytes. */
    if (status != 0 && status != UV_ECANCELED && status != UV_EPIPE) {
        topk_worker_kill(request->handle->data);
    }
    free(sending->data);
    free(sending);
}

void topk_worker_send(struct topk_worker *worker, char *data, size_t length)
{
    if (worker->in_closed || worker->killed) {
        free(data);
        return;
    }
    struct sending *sending = malloc(sizeof *sending);
    if (sending != NULL) {
        sending->data = data;
        sending->request.data = sending;
    }
    uv_buf_t buffer = uv_buf_init(data, (unsigned)length);
    if (sending == NULL ||
        uv_write(&sending->request, (uv_stream_t *)&worker->in, &buffer, 1, on_sent) != 0) {
        free(sending);
        free(data);
        topk_worker_kill(worker);
    }
}

void topk_worker_quit(struct topk_worker *worker)
{
    static char quit[] = "quit\n";
    if (worker->in_closed || worker->killed) {
        return;
    }
    uv_buf_t buffer = uv_buf_init(quit, sizeof quit - 1);
    /* may fail, because the end of the input means the same */
    uv_try_write((uv_stream_t *)&worker->in, &buffer, 1);
    worker->in_closed = true;
    uv_close((uv_handle_t *)&worker->in, on_closed);
    uv_timer_start(&worker->timer, on_timer, QUIT_GRACE, 0);
}

void topk_worker_kill(struct topk_worker *worker)
{
    if (!worker->killed) {
        worker->killed = true;
        /* a keeper then ends the processes that it keeps, and removes its folder */
        signal_group(worker, SIGTERM);
        uv_timer_start(&worker->timer, on_timer, TERM_GRACE, 0);
    }
}

void topk_worker_abandon(struct topk_worker *worker)
{
    kill_group(worker);
    forget(worker);
    close_all(worker);
    topk_orphans_end(is_alive);
}

const char *topk_worker_stderr(const struct topk_worker *worker)
{
    return worker->tail;
}

int64_t topk_worker_id(const struct topk_worker *worker)
{
    return worker->pid;
}

const char *topk_worker_rest(struct topk_worker *worker)
{
    worker->buffer[worker->killed ? 0 : worker->used] = 0;
    return worker->buffer;
}

/* Whether Linux says that a process has ended or does not exist. */
static bool is_over(int pid)
{
    char path[64];
    char text[512];
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        return access("/proc/self/stat", F_OK) == 0;
    }
    const size_t length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[length] = 0;
    const char *name_end = strrchr(text, ')');
    return name_end != NULL && strncmp(name_end, ") Z", 3) == 0;
}

const char *topk_worker_broken(const struct topk_worker *worker)
{
    if (worker->pipe_error != 0) {
        return uv_strerror(worker->pipe_error);
    }
    /* a process that hangs in the kernel cannot be killed; that is its driver's fault */
    return !worker->exited && is_over(worker->pid) ? "the system does not tell how it ended" : NULL;
}

int topk_worker_exit_code(const struct topk_worker *worker)
{
    return worker->exited && worker->signal == 0 ? (int)worker->exit_code : -1;
}

/* The part of a text that explains an end best: a sanitizer's summary, or the last lines. At most
 * `most` characters, starting with a whole line if possible. */
static const char *telling_part(const char *text, size_t most, size_t *length)
{
    size_t end = strlen(text);
    while (end > 0 && strchr(" \t\r\n", text[end - 1]) != NULL) {
        end--;
    }
    const char *summary = strstr(text, "SUMMARY: ");
    if (summary != NULL) {
        *length = strcspn(summary, "\r\n");
        *length = *length > most ? most : *length;
        return summary;
    }
    const char *start = end > most ? text + end - most : text;
    if (start > text) {
        const char *feed = memchr(start, '\n', end - (size_t)(start - text));
        start = feed == NULL ? start : feed + 1;
    }
    *length = end - (size_t)(start - text);
    return start;
}

void topk_worker_append_stderr(const struct topk_worker *worker, const char *how, char *text,
                               size_t size)
{
    snprintf(text, size, "%s", how);
    size_t used = strlen(text);
    size_t most = size - used > 16 ? size - used - 16 : 0;
    size_t length;
    const char *part = telling_part(worker->tail, most, &length);
    if (length > 0 && most > 0) {
        snprintf(text + used, size - used, "; stderr: %.*s", (int)length, part);
    }
}

void topk_worker_describe_end(const struct topk_worker *worker, char *text, size_t size)
{
    char how[200];
    if (!worker->exited) {
        snprintf(how, sizeof how, "could not be killed");
    } else if (worker->overdue > 0) {
        snprintf(how, sizeof how, "killed, as it did not end within %g s of %s",
                 (double)worker->overdue / 1000,
                 worker->overdue == PIPE_GRACE ? "closing its output" : "being told to quit");
    } else if (worker->signal != 0) {
        snprintf(how, sizeof how, "killed by signal %d (%s)", worker->signal,
                 strsignal(worker->signal));    /* NOLINT(concurrency-mt-unsafe): one thread */
    } else if (worker->exit_code > INT32_MAX) { /* an exception code of Windows */
        snprintf(how, sizeof how, "ended by exception %08" PRIX64, (uint64_t)worker->exit_code);
    } else if (worker->exit_code > 128 && worker->exit_code <= 128 + 64) {
        int signal = (int)worker->exit_code - 128;
        snprintf(how, sizeof how, "exited with %d (of a shell: signal %d, %s)",
                 (int)worker->exit_code, signal,
                 strsignal(signal)); /* NOLINT(concurrency-mt-unsafe): one thread */
    } else {
        snprintf(how, sizeof how, "exited with %d", (int)worker->exit_code);
    }
    topk_worker_append_stderr(worker, how, text, size);
}
