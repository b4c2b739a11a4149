/* Detects whether memory ran out. */
#define _GNU_SOURCE /* fopencookie, strdup */

#include "memory.h"

#include <errno.h>
#include <jansson.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

static atomic_bool is_short;

/* for the thread that called topk_memory_bound() */
static _Thread_local bool is_bound;
static _Thread_local bool is_over;
static _Thread_local bool has_failed;
static _Thread_local size_t bound_left;

void topk_memory_watch(void)
{
    json_set_alloc_funcs(topk_memory_get, free);
}

bool topk_memory_short(void)
{
    return atomic_load(&is_short);
}

void topk_memory_fail(void)
{
    atomic_store(&is_short, true);
    errno = ENOMEM;
}

void topk_memory_bound(size_t bytes)
{
    is_bound = true;
    is_over = false;
    has_failed = false;
    bound_left = bytes;
}

bool topk_memory_unbound(void)
{
    is_bound = false;
    return is_over;
}

void *topk_memory_get(size_t bytes)
{
    if (is_bound && has_failed) {
        return NULL;
    }
    if (is_bound && bytes > bound_left) {
        has_failed = true;
        is_over = true;
        return NULL;
    }
    bound_left -= is_bound ? bytes : 0;
    void *memory = malloc(bytes == 0 ? 1 : bytes);
    if (memory == NULL) {
        topk_memory_fail();
        has_failed = true;
    }
    return memory;
}

void *topk_memory_resize(void *memory, size_t bytes)
{
    void *larger = realloc(memory, bytes == 0 ? 1 : bytes);
    if (larger == NULL) {
        topk_memory_fail();
    }
    return larger;
}

char *topk_memory_copy(const char *text)
{
    char *copy = strdup(text);
    if (copy == NULL) {
        topk_memory_fail();
    }
    return copy;
}

/* ---- texts that grow ------------------------------------------------------------------------- */

struct stream {
    char **text;
    size_t *size;
    char *bytes;
    size_t used;
    size_t room;
    bool lost;
};

static ssize_t stream_write(void *cookie, const char *bytes, size_t count)
{
    struct stream *stream = cookie;
    if (stream->room - stream->used <= count) {
        const size_t room = 2 * (stream->used + count + 1);
        char *larger = stream->lost ? NULL : topk_memory_resize(stream->bytes, room);
        if (larger == NULL) {
            stream->lost = true;
            return 0;
        }
        stream->bytes = larger;
        stream->room = room;
    }
    memcpy(stream->bytes + stream->used, bytes, count);
    stream->used += count;
    return (ssize_t)count;
}

static int stream_close(void *cookie)
{
    struct stream *stream = cookie;
    const bool lost = stream->lost;
    stream->bytes[stream->used] = 0;
    *stream->text = stream->bytes;
    *stream->size = stream->used;
    free(stream);
    return lost ? EOF : 0;
}

FILE *topk_memory_stream(char **text, size_t *size)
{
    static const cookie_io_functions_t functions = {.write = stream_write, .close = stream_close};
    struct stream *stream = topk_memory_get(sizeof *stream);
    char *bytes = stream == NULL ? NULL : topk_memory_get(1);
    FILE *file = NULL;
    *text = NULL;
    *size = 0;
    if (bytes != NULL) {
        *stream = (struct stream){text, size, bytes, 0, 1, false};
        file = fopencookie(stream, "w", functions);
    }
    if (file == NULL) {
        topk_memory_fail();
        free(bytes);
        free(stream);
    }
    return file;
}
