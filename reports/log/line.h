/* The lines of a result log: the chain that links each line to the previous one, and their order: a
 * header, parts, cases, probes, failures that were run again, fresh cases, shrunk cases, and an end
 * record unless the log is truncated. */
#ifndef TOPK_LINE_H
#define TOPK_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "sha256/sha256.h"

/* The chain of the previous line, a SHA-256; "" before the first line. */
struct topk_chain {
    char text[TOPK_SHA256_TEXT];
};

/* Size of a line's tail: ,"chain":"<64 hex digits>"} and the line feed. */
#define TOPK_LINE_TAIL 77

/* Extends the chain by a line, whose text before the tail is body, and writes the tail. */
void topk_chain_seal(struct topk_chain *chain, const char *body, size_t length,
                     char tail[TOPK_LINE_TAIL + 1]);

/* Results of topk_lines_next. */
enum topk_line {
    TOPK_LINE_HEADER,
    TOPK_LINE_CASE,
    TOPK_LINE_PROBE,
    TOPK_LINE_SHRUNK,
    TOPK_LINE_PART,
    TOPK_LINE_AGAIN,
    TOPK_LINE_FRESH,
    TOPK_LINE_PROCESS,
    TOPK_LINE_END,  /* the end record */
    TOPK_LINE_NONE, /* the end of the file */
    TOPK_LINE_CUT,  /* a truncated last line; also an empty file */
    TOPK_LINE_WRONG /* a line that no run writes */
};

struct topk_stream;

/* A log that is read line by line. */
struct topk_lines {
    FILE *file;                 /* of the stream */
    struct topk_stream *stream; /* through which the file is read */
    const char *path;           /* for messages; owned by the caller */
    char *text;                 /* the line, with line feed and terminator */
    size_t room;                /* size of text */
    size_t length;              /* of the line, with the line feed */
    uint64_t number;            /* of the line, from 1 */
    uint64_t end;               /* offset after the line, in the uncompressed log */
    struct topk_chain chain;    /* of the line */
    bool ended;                 /* the end record was read */
};

/* Opens a log, compressed or not, for all readers of log files. If path does not exist but path
 * with TOPK_ZSTD_SUFFIX does, opens that. Returns false, with file and reason in error, if it
 * cannot be read or is no log; then there is nothing to close. */
bool topk_lines_open(struct topk_lines *lines, const char *path, char *error, size_t error_bytes);

/* The same with an open, uncompressed file, which is closed with the lines, or on failure; path is
 * for messages. */
bool topk_lines_start(struct topk_lines *lines, FILE *file, const char *path, char *error,
                      size_t error_bytes);

/* Says why the file could not be read (reason: the errno); returns TOPK_LINE_WRONG. */
enum topk_line topk_lines_unread(const struct topk_lines *lines, int reason, char *error,
                                 size_t error_bytes);

/* Reads and verifies a line. For CUT and WRONG, file, line and reason are in error. */
enum topk_line topk_lines_next(struct topk_lines *lines, char *error, size_t error_bytes);

void topk_lines_close(struct topk_lines *lines);

#endif
