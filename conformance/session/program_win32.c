/* Starts a program and reads the few lines that it prints, on Windows: see program.h. */
#include "program.h"

#include <stdlib.h>
#include <string.h>

#include <uv.h>

#include "session.h"

struct asking {
    cli_take_line *take;
    void *list;
    ptrdiff_t most;
    ptrdiff_t count;
    bool refused;
    bool well; /* it exited with 0 */
    size_t used;
    char line[1024];
    char buffer[4096];
    uv_process_t process;
    uv_pipe_t out;
    uv_timer_t timer;
};

static void give_room(uv_handle_t *handle, size_t suggested, uv_buf_t *room)
{
    struct asking *asking = handle->data;
    (void)suggested;
    *room = uv_buf_init(asking->buffer, sizeof asking->buffer);
}

static void take_line(struct asking *asking)
{
    const bool carriage = asking->used > 0 && asking->line[asking->used - 1] == '\r';
    asking->line[asking->used - (carriage ? 1 : 0)] = 0;
    asking->used = 0;
    if (!asking->refused && asking->count < asking->most) {
        asking->refused = !asking->take(asking->list, (size_t)asking->count, asking->line);
        asking->count += !asking->refused;
    }
}

static void on_output(uv_stream_t *stream, ssize_t count, const uv_buf_t *room)
{
    struct asking *asking = stream->data;
    for (ssize_t i = 0; i < count; i++) {
        if (room->base[i] == '\n') {
            take_line(asking);
        } else if (asking->used < sizeof asking->line - 1) {
            asking->line[asking->used++] = room->base[i];
        }
    }
    if (count < 0) {
        uv_close((uv_handle_t *)stream, NULL);
    }
}

static void on_exit_status(uv_process_t *process, int64_t code, int signal)
{
    struct asking *asking = process->data;
    asking->well = code == 0 && signal == 0;
    uv_close((uv_handle_t *)process, NULL);
    uv_close((uv_handle_t *)&asking->timer, NULL);
}

static void on_late(uv_timer_t *timer)
{
    struct asking *asking = timer->data;
    uv_process_kill(&asking->process, SIGKILL);
}

ptrdiff_t cli_program_read(const char *const *command, char *const *environment,
                           const char *seconds, cli_take_line *take, void *list, ptrdiff_t most)
{
    uv_loop_t loop;
    struct asking *asking = cli_need(calloc(1, sizeof *asking));
    asking->take = take;
    asking->list = list;
    asking->most = most;
    asking->process.data = asking->out.data = asking->timer.data = asking;
    cli_need_memory(uv_loop_init(&loop) == 0);
    uv_pipe_init(&loop, &asking->out, 0);
    uv_timer_init(&loop, &asking->timer);
    uv_stdio_container_t stdio[3] = {
        {.flags = UV_IGNORE},
        {.flags = UV_CREATE_PIPE | UV_WRITABLE_PIPE, .data.stream = (uv_stream_t *)&asking->out},
        {.flags = UV_INHERIT_FD, .data.fd = 2},
    };
    const uv_process_options_t options = {.exit_cb = on_exit_status,
                                          .file = command[0],
                                          .args = (char **)command,
                                          .env = (char **)environment,
                                          .flags = UV_PROCESS_WINDOWS_HIDE,
                                          .stdio_count = 3,
                                          .stdio = stdio};
    if (uv_spawn(&loop, &asking->process, &options) == 0) {
        uv_timer_start(&asking->timer, on_late, (uint64_t)strtoul(seconds, NULL, 10) * 1000, 0);
        uv_read_start((uv_stream_t *)&asking->out, give_room, on_output);
    } else {
        uv_close((uv_handle_t *)&asking->process, NULL);
        uv_close((uv_handle_t *)&asking->out, NULL);
        uv_close((uv_handle_t *)&asking->timer, NULL);
    }
    uv_run(&loop, UV_RUN_DEFAULT);
    uv_loop_close(&loop);
    const ptrdiff_t count = asking->well && !asking->refused ? asking->count : -1;
    free(asking);
    return count;
}
