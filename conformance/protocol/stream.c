/* Buffered streams from an untrusted peer: lines have a greatest length. */
#include <string.h>

#include "protocol.h"

_Static_assert(TOPK_STREAM_BYTES >= TOPK_WORKER_LINE + 2, "a line fits");

/* Reads more bytes after those in the buffer. */
static enum topk_wire_read fill(struct topk_stream *stream)
{
    if (stream->from > 0) {
        memmove(stream->in, stream->in + stream->from, stream->to - stream->from);
        stream->to -= stream->from;
        stream->from = 0;
    }
    const int64_t got =
        stream->read(stream->self, stream->in + stream->to, sizeof stream->in - stream->to);
    if (got <= 0) {
        return got == 0 ? TOPK_WIRE_END : TOPK_WIRE_LATE;
    }
    stream->to += (size_t)got;
    return TOPK_WIRE_READ;
}

enum topk_wire_read topk_stream_line(struct topk_stream *stream, char **line, size_t *length)
{
    size_t looked = 0;
    for (;;) {
        char *start = stream->in + stream->from;
        const size_t there = stream->to - stream->from;
        char *feed = memchr(start + looked, '\n', there - looked);
        *line = start;
        *length = feed == NULL ? there : (size_t)(feed - start);
        if (*length > TOPK_WORKER_LINE + 1) {
            *length = TOPK_WORKER_LINE;
            return TOPK_WIRE_BAD;
        }
        if (feed != NULL) {
            stream->from += *length + 1;
            *length -= *length > 0 && start[*length - 1] == '\r';
            start[*length] = 0;
            return memchr(start, 0, *length) == NULL ? TOPK_WIRE_READ : TOPK_WIRE_BAD;
        }
        looked = there;
        const enum topk_wire_read filled = fill(stream);
        if (filled != TOPK_WIRE_READ) {
            stream->in[stream->to] = 0; /* there is room because the line is short */
            *line = stream->in + stream->from;
            return filled;
        }
    }
}

enum topk_wire_read topk_stream_take(struct topk_stream *stream, void *data, uint64_t bytes)
{
    char *to = data;
    while (bytes > 0) {
        const size_t there = stream->to - stream->from;
        if (there > 0) {
            const size_t taken = bytes < there ? (size_t)bytes : there;
            memcpy(to, stream->in + stream->from, taken);
            stream->from += taken;
            to += taken;
            bytes -= taken;
        } else if (bytes >= sizeof stream->in) {
            const int64_t got = stream->read(stream->self, to, (size_t)bytes);
            if (got <= 0) {
                return got == 0 ? TOPK_WIRE_END : TOPK_WIRE_LATE;
            }
            to += got;
            bytes -= (uint64_t)got;
        } else {
            const enum topk_wire_read filled = fill(stream);
            if (filled != TOPK_WIRE_READ) {
                return filled;
            }
        }
    }
    return TOPK_WIRE_READ;
}

static enum topk_wire_read write_all(struct topk_stream *stream, const char *data, uint64_t bytes)
{
    while (bytes > 0) {
        const int64_t put = stream->write(stream->self, data, (size_t)bytes);
        if (put <= 0) {
            return put == 0 ? TOPK_WIRE_END : TOPK_WIRE_LATE;
        }
        data += put;
        bytes -= (uint64_t)put;
    }
    return TOPK_WIRE_READ;
}

enum topk_wire_read topk_stream_flush(struct topk_stream *stream)
{
    const size_t used = stream->used;
    stream->used = 0;
    return write_all(stream, stream->out, used);
}

enum topk_wire_read topk_stream_put(struct topk_stream *stream, const void *data, uint64_t bytes)
{
    if (bytes > sizeof stream->out - stream->used) {
        const enum topk_wire_read flushed = topk_stream_flush(stream);
        if (flushed != TOPK_WIRE_READ) {
            return flushed;
        }
    }
    if (bytes > sizeof stream->out) {
        return write_all(stream, data, bytes);
    }
    memcpy(stream->out + stream->used, data, (size_t)bytes);
    stream->used += (size_t)bytes;
    return TOPK_WIRE_READ;
}

size_t topk_stream_waiting(const struct topk_stream *stream)
{
    return stream->to - stream->from;
}
