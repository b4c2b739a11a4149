/* What is compressed by zstd, read and written as if it were not. A log, or a package, is taken for
 * what its first bytes say that it is; a name decides nothing.
 *
 * Who made a file may want the reader to fall. So there is one frame and nothing behind it, its
 * window is bounded (TOPK_ZSTD_WINDOW_LOG), and so is what it expands to, by what has been read of
 * it (TOPK_ZSTD_RATIO, TOPK_ZSTD_SLACK), and the length of a line (TOPK_LINE_MOST). What breaks a
 * bound is refused when it does, and never held in memory whole. */
#ifndef TOPK_STREAM_H
#define TOPK_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* What the name of a compressed file has behind that of the plain one. */
#define TOPK_ZSTD_SUFFIX ".zst"
/* Largest window, as a power of two: 8 MiB, all that `zstd -19' asks for. */
#define TOPK_ZSTD_WINDOW_LOG 23
/* A byte of the file may stand for so many, beyond the first ones. Each line of a log has a digest
 * of 32 bytes that nothing compresses, so a log comes nowhere near. */
#define TOPK_ZSTD_RATIO 64u
#define TOPK_ZSTD_SLACK ((uint64_t)4 << 20)
/* Bytes of a line: a header has expectations, a file of 16 MiB at most. */
#define TOPK_LINE_MOST ((size_t)32 << 20)

/* What a file is read through. */
struct topk_stream;

/* Reads a file, which is closed with what is returned, or at once if that is NULL: memory is short.
 * unpack: whether what begins as a frame of zstd is decompressed. lines: whether it has lines, none
 * of which may be longer than TOPK_LINE_MOST. It can be set back to its start, if the file can, and
 * to nowhere else. *stream lives as long as what is returned. */
FILE *topk_stream_open(FILE *file, bool unpack, bool lines, struct topk_stream **stream);

/* Why reading failed, if that is no matter of errno: "the compressed data are damaged: ..."; "" if
 * it is, or did not. */
const char *topk_stream_problem(const struct topk_stream *stream);

/* Whether it is compressed; known once a byte was read. */
bool topk_stream_packed(const struct topk_stream *stream);

/* Whether its end was reached, and that of its frame was not: the file was cut. */
bool topk_stream_cut(const struct topk_stream *stream);

/* Compresses what is written to what is returned, to out, which stays the caller's: one frame, with
 * a checksum. It has an end once fclose() said 0. size: of what will be written; UINT64_MAX if that
 * is not known. NULL if memory is short. */
FILE *topk_stream_pack(FILE *out, uint64_t size);

#endif
