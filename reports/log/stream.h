/* Reads and writes zstd-compressed data transparently. The first bytes decide whether a log or a
 * package is compressed, not its name.
 *
 * Files are untrusted, so everything is limited: there is exactly one frame; its window
 * (TOPK_ZSTD_WINDOW_LOG); the expansion, relative to the bytes read so far (TOPK_ZSTD_RATIO,
 * TOPK_ZSTD_SLACK); and the length of a line (TOPK_LINE_MOST). Data that exceeds a limit is refused
 * at that point, and never held in memory as a whole.
 */
#ifndef TOPK_STREAM_H
#define TOPK_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The suffix of the name of a compressed file. */
#define TOPK_ZSTD_SUFFIX ".zst"
/* Greatest window, as a power of two: 8 MiB, which `zstd -19' uses. */
#define TOPK_ZSTD_WINDOW_LOG 23
/* Greatest expansion per byte of the file, beyond the slack. A log stays far below it, because each
 * line contains a digest of 32 bytes that cannot be compressed. */
#define TOPK_ZSTD_RATIO 64u
#define TOPK_ZSTD_SLACK ((uint64_t)4 << 20)
/* Greatest length of a line: a header contains expectations, a file of at most 16 MiB. */
#define TOPK_LINE_MOST ((size_t)32 << 20)

/* The state of a stream that is being read. */
struct topk_stream;

/* Opens a stream that reads a file. The file is closed with the stream, or at once if the result is
 * NULL because memory is short. unpack: decompress data that starts with a zstd frame. lines: the
 * data has lines of at most TOPK_LINE_MOST bytes. The stream can be rewound to its start, if the
 * file can, but not positioned otherwise. *stream is valid as long as the result. */
FILE *topk_stream_open(FILE *file, bool unpack, bool lines, struct topk_stream **stream);

/* Why reading failed, if errno does not say so: "the compressed data are damaged: ..."; otherwise
 * "". */
const char *topk_stream_problem(const struct topk_stream *stream);

/* Whether the data is compressed; known after the first byte was read. */
bool topk_stream_packed(const struct topk_stream *stream);

/* Whether the file ended before its frame: it is truncated. */
bool topk_stream_cut(const struct topk_stream *stream);

/* Opens a stream that compresses what is written to `out`, which stays open: one frame with a
 * checksum. The frame is complete when fclose() has returned 0. size: of the data; UINT64_MAX if
 * unknown. Returns NULL if memory is short. */
FILE *topk_stream_pack(FILE *out, uint64_t size);

#endif
