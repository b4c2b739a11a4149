/* Streams that compress and decompress. They are FILEs, so that code that reads lines works with
 * either. */
#define _GNU_SOURCE /* fopencookie, memrchr */
#include "stream.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include <zstd.h>
#include <zstd_errors.h>

#include "memory.h"

/* How much of the file is read at once, and the size of the buffer of a FILE. */
#define IN_BYTES     131072u
#define BUFFER_BYTES 65536u

/* Most of what is left after compressing a log are digests. Levels 2 to 6 make it larger; level 9
 * takes ten times as long to save a twentieth: see docs/scaling.md. */
#define LEVEL 1

static const unsigned char magic[] = {0x28, 0xb5, 0x2f, 0xfd};

struct topk_stream {
    FILE *file;
    bool unpack;
    bool has_lines;
    bool known;        /* the first bytes were examined: */
    bool packed;       /* they are those of a compressed frame */
    bool ended;        /* the frame is complete */
    bool cut;          /* the file ended within the frame */
    int failed;        /* errno of reading the file; 0 for none */
    off_t at;          /* bytes passed to the reader so far */
    size_t line;       /* of these, how many come after the last line feed */
    uint64_t read;     /* bytes of the file that were decompressed */
    uint64_t expanded; /* bytes that they expanded to */
    ZSTD_DCtx *decoder;
    ZSTD_inBuffer in; /* what was read of the file */
    char problem[160];
    char buffer[BUFFER_BYTES]; /* buffer of the FILE */
    char bytes[IN_BYTES];
};

/* ---- reading --------------------------------------------------------------------------------- */

static ssize_t wrong(struct topk_stream *stream, const char *reason, const char *more)
{
    snprintf(stream->problem, sizeof stream->problem, "%s%s", reason, more);
    errno = EBADMSG;
    return -1;
}

static ssize_t no_memory(struct topk_stream *stream)
{
    stream->failed = ENOMEM;
    topk_memory_fail();
    return -1;
}

/* Reads up to `size' bytes of the file. Returns 0 at its end, or if reading failed: then
 * stream->failed is set. */
static size_t read_file(struct topk_stream *stream, char *bytes, size_t size)
{
    errno = 0;
    const size_t count = stream->failed != 0 ? 0 : fread(bytes, 1, size, stream->file);
    if (stream->failed == 0 && count < size && ferror(stream->file)) {
        /* What came before the error is delivered first. */
        stream->failed = errno == 0 ? EIO : errno;
    }
    return count;
}

static void fill(struct topk_stream *stream)
{
    stream->in = (ZSTD_inBuffer){.src = stream->bytes,
                                 .size = read_file(stream, stream->bytes, sizeof stream->bytes)};
}

/* Returns false if memory ran out. */
static bool look_at_start(struct topk_stream *stream)
{
    fill(stream);
    stream->known = true;
    stream->packed = stream->unpack && stream->in.size >= sizeof magic &&
                     memcmp(stream->bytes, magic, sizeof magic) == 0;
    if (stream->packed && stream->decoder == NULL) {
        stream->decoder = ZSTD_createDCtx();
        if (stream->decoder == NULL) {
            return false;
        }
    }
    return !stream->packed ||
           (!ZSTD_isError(ZSTD_DCtx_reset(stream->decoder, ZSTD_reset_session_only)) &&
            !ZSTD_isError(ZSTD_DCtx_setParameter(stream->decoder, ZSTD_d_windowLogMax,
                                                 TOPK_ZSTD_WINDOW_LOG)));
}

static ssize_t read_plain(struct topk_stream *stream, char *bytes, size_t size)
{
    size_t count = stream->in.size - stream->in.pos;
    if (count > 0) {
        count = count < size ? count : size;
        memcpy(bytes, stream->bytes + stream->in.pos, count);
        stream->in.pos += count;
    } else {
        count = read_file(stream, bytes, size);
    }
    return count > 0 || stream->failed == 0 ? (ssize_t)count : -1;
}

static ssize_t refuse_frame(struct topk_stream *stream, size_t code)
{
    switch (ZSTD_getErrorCode(code)) {
    case ZSTD_error_memory_allocation:
        return no_memory(stream);
    case ZSTD_error_frameParameter_windowTooLarge:
        return wrong(stream, "to decompress it takes a window of more than 8 MiB",
                     ": compress it again, without --long or --ultra");
    default:
        return wrong(stream, "the compressed data are damaged: ", ZSTD_getErrorName(code));
    }
}

/* Checks that nothing follows the frame. */
static ssize_t read_end(struct topk_stream *stream)
{
    if (stream->in.pos == stream->in.size) {
        fill(stream);
    }
    if (stream->in.size > stream->in.pos) {
        return wrong(stream, "bytes follow the end of the compressed data", "");
    }
    return stream->failed == 0 ? 0 : -1;
}

/* NOLINTNEXTLINE(readability-non-const-parameter): the decoder writes to it */
static ssize_t read_packed(struct topk_stream *stream, char *bytes, size_t size)
{
    ZSTD_outBuffer out = {.dst = bytes, .size = size};
    while (out.pos == 0) {
        if (stream->ended) {
            return read_end(stream);
        }
        const size_t from = stream->in.pos;
        /* Called even without more input, because the decoder may have more output. */
        const size_t code = ZSTD_decompressStream(stream->decoder, &out, &stream->in);
        stream->read += stream->in.pos - from;
        if (ZSTD_isError(code)) {
            return refuse_frame(stream, code);
        }
        stream->ended = code == 0;
        if (out.pos == 0 && !stream->ended && stream->in.pos == stream->in.size) {
            fill(stream);
            if (stream->in.size == 0) {
                stream->cut = stream->failed == 0;
                return stream->cut ? 0 : -1;
            }
        }
    }
    stream->expanded += out.pos;
    if (stream->expanded > TOPK_ZSTD_SLACK &&
        (stream->expanded - TOPK_ZSTD_SLACK) / TOPK_ZSTD_RATIO > stream->read) {
        return wrong(stream,
                     "it expands to more than 64 times its size, as nothing does that "
                     "topk-cts writes",
                     "");
    }
    return (ssize_t)out.pos;
}

/* Tracks the length of the current line. Returns false if it is too long. */
static bool lines_fit(struct topk_stream *stream, const char *bytes, size_t count)
{
    const char *last = memrchr(bytes, '\n', count);
    stream->line = last == NULL ? stream->line + count : (size_t)(bytes + count - last - 1);
    return stream->line < TOPK_LINE_MOST;
}

static ssize_t stream_read(void *cookie, char *bytes, size_t size)
{
    struct topk_stream *stream = cookie;
    ssize_t count = -1;
    if (stream->problem[0] != 0) {
        errno = EBADMSG;
        return -1;
    }
    if (!stream->known && !look_at_start(stream)) {
        count = no_memory(stream);
    } else {
        count = stream->packed ? read_packed(stream, bytes, size) : read_plain(stream, bytes, size);
    }
    if (count > 0 && stream->has_lines && !lines_fit(stream, bytes, (size_t)count)) {
        return wrong(stream, "a line is longer than 32 MiB, as none of a log is", "");
    }
    if (count < 0 && stream->problem[0] == 0) {
        errno = stream->failed;
    }
    stream->at += count > 0 ? count : 0;
    return count;
}

static int stream_seek(void *cookie, off64_t *offset, int whence)
{
    struct topk_stream *stream = cookie;
    if (*offset == 0 && whence == SEEK_CUR) {
        *offset = stream->at;
        return 0;
    }
    if (*offset != 0 || whence != SEEK_SET) {
        errno = ESPIPE;
        return -1;
    }
    if (fseek(stream->file, 0, SEEK_SET) != 0) {
        return -1;
    }
    stream->in = (ZSTD_inBuffer){.src = stream->bytes};
    stream->at = 0;
    stream->line = 0;
    stream->read = 0;
    stream->expanded = 0;
    stream->failed = 0;
    stream->known = stream->ended = stream->cut = false;
    stream->problem[0] = 0;
    return 0;
}

static int stream_close(void *cookie)
{
    struct topk_stream *stream = cookie;
    const int result = fclose(stream->file);
    ZSTD_freeDCtx(stream->decoder);
    free(stream);
    return result;
}

FILE *topk_stream_open(FILE *file, bool unpack, bool lines, struct topk_stream **stream)
{
    static const cookie_io_functions_t functions = {
        .read = stream_read, .seek = stream_seek, .close = stream_close};
    struct topk_stream *made = calloc(1, sizeof *made);
    FILE *outer = made == NULL ? NULL : fopencookie(made, "r", functions);
    *stream = made;
    if (outer == NULL) {
        topk_memory_fail();
        fclose(file);
        free(made);
        *stream = NULL;
        return NULL;
    }
    made->file = file;
    made->unpack = unpack;
    made->has_lines = lines;
    made->in.src = made->bytes;
    setvbuf(outer, made->buffer, _IOFBF, sizeof made->buffer);
    return outer;
}

const char *topk_stream_problem(const struct topk_stream *stream)
{
    return stream->problem;
}

bool topk_stream_packed(const struct topk_stream *stream)
{
    return stream->packed;
}

bool topk_stream_cut(const struct topk_stream *stream)
{
    return stream->cut;
}

/* ---- writing --------------------------------------------------------------------------------- */

struct packing {
    FILE *out;
    ZSTD_CCtx *encoder;
    bool failed;
    char bytes[IN_BYTES];
};

/* Returns false with errno set. */
static bool pack(struct packing *packing, const char *bytes, size_t count, ZSTD_EndDirective how)
{
    ZSTD_inBuffer in = {.src = bytes, .size = count};
    size_t left;
    do {
        ZSTD_outBuffer out = {.dst = packing->bytes, .size = sizeof packing->bytes};
        left = ZSTD_compressStream2(packing->encoder, &out, &in, how);
        if (ZSTD_isError(left)) {
            errno = ZSTD_getErrorCode(left) == ZSTD_error_memory_allocation ? ENOMEM : EIO;
            return false;
        }
        if (out.pos > 0 && fwrite(packing->bytes, 1, out.pos, packing->out) != out.pos) {
            return false;
        }
    } while (how == ZSTD_e_end ? left > 0 : in.pos < in.size);
    return true;
}

static ssize_t pack_write(void *cookie, const char *bytes, size_t count)
{
    struct packing *packing = cookie;
    packing->failed = packing->failed || !pack(packing, bytes, count, ZSTD_e_continue);
    return packing->failed ? 0 : (ssize_t)count;
}

static int pack_close(void *cookie)
{
    struct packing *packing = cookie;
    const bool good = !packing->failed && pack(packing, NULL, 0, ZSTD_e_end);
    const int reason = errno;
    ZSTD_freeCCtx(packing->encoder);
    free(packing);
    errno = reason;
    return good ? 0 : EOF;
}

FILE *topk_stream_pack(FILE *out, uint64_t size)
{
    static const cookie_io_functions_t functions = {.write = pack_write, .close = pack_close};
    struct packing *packing = calloc(1, sizeof *packing);
    ZSTD_CCtx *encoder = packing == NULL ? NULL : ZSTD_createCCtx();
    FILE *file = NULL;
    if (encoder != NULL &&
        !ZSTD_isError(ZSTD_CCtx_setParameter(encoder, ZSTD_c_compressionLevel, LEVEL)) &&
        !ZSTD_isError(ZSTD_CCtx_setParameter(encoder, ZSTD_c_checksumFlag, 1)) &&
        (size == UINT64_MAX || !ZSTD_isError(ZSTD_CCtx_setPledgedSrcSize(encoder, size)))) {
        packing->out = out;
        packing->encoder = encoder;
        file = fopencookie(packing, "w", functions);
    }
    if (file == NULL) {
        topk_memory_fail();
        ZSTD_freeCCtx(encoder);
        free(packing);
    }
    return file;
}
