/* The lines of a result log: the chain that ties each line to the one before, and their order: a
 * header, parts, cases, probes, failures that were run again, fresh cases and shrunk cases, and an
 * end record unless the log was truncated. */
#ifndef TOPK_LINE_H
#define TOPK_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The chain of the line before, 64 hex digits; "" before the first line, so zero starts one. */
struct topk_chain {
    char text[65];
};

/* What ends a line: ,"chain":"<64 hex digits>"} and the line feed. */
#define TOPK_LINE_TAIL 77

/* Makes the digest's library ready. False, with the reason in error, if it cannot be used. */
bool topk_chain_ready(char *error, size_t error_bytes);

/* Extends the chain by a line, of which body is all that stands before its tail, and writes the
 * tail. */
void topk_chain_seal(struct topk_chain *chain, const char *body, size_t length,
                     char tail[TOPK_LINE_TAIL + 1]);

/* What topk_lines_next came to. */
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
    TOPK_LINE_CUT,  /* a last line that was cut; an empty file too */
    TOPK_LINE_WRONG /* what no run writes */
};

struct topk_stream;

/* A log that is read line by line. */
struct topk_lines {
    FILE *file;                 /* of the stream */
    struct topk_stream *stream; /* what the file is read through */
    const char *path;           /* for messages; the caller's */
    char *text;                 /* the line, line feed and terminator included */
    size_t room;                /* bytes at text */
    size_t length;              /* of the line, line feed included */
    uint64_t number;            /* of the line, from 1 */
    uint64_t end;               /* offset behind the line, in the log if it is not compressed */
    struct topk_chain chain;    /* the line's */
    bool ended;                 /* the end record was read */
};

/* Opens a log, compressed or not: this is where files of logs are opened to be read. Where there is
 * none, and one whose name has TOPK_ZSTD_SUFFIX behind it is, it is that. False, with file and
 * reason in error, if it cannot be read or is no log; there is nothing to close then. */
bool topk_lines_open(struct topk_lines *lines, const char *path, char *error, size_t error_bytes);

/* The same with a file that is open already and not compressed, and is closed with the lines or if
 * there is nothing to close; path is for messages. */
bool topk_lines_start(struct topk_lines *lines, FILE *file, const char *path, char *error,
                      size_t error_bytes);

/* Says why the file could not be read, reason being errno then; returns TOPK_LINE_WRONG. */
enum topk_line topk_lines_unread(const struct topk_lines *lines, int reason, char *error,
                                 size_t error_bytes);

/* Reads a line and verifies it. Of CUT and WRONG file, line and reason are in error. */
enum topk_line topk_lines_next(struct topk_lines *lines, char *error, size_t error_bytes);

void topk_lines_close(struct topk_lines *lines);

#endif
