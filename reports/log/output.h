/* The output of a command: standard output, or a file that is written completely or not at all. A
 * file is written under a temporary name next to its destination, flushed to the disk, and then
 * renamed. So whatever ends the program, including SIGKILL and power loss, either the old or the
 * new file is there. The temporary file is removed if the program fails or a signal ends it; after
 * SIGKILL a file `.topk-cts.PID.N.tmp' may remain. */
#ifndef TOPK_OUTPUT_H
#define TOPK_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* What may exist at the destination. */
enum topk_output_kind {
    /* A path from the user. A file is replaced. "-" is standard output. A device, a pipe and an
     * open descriptor (/dev/stdout, /dev/fd/3) are written to directly, also through a link. Other
     * links are refused: either the link would be replaced by a file, or a file elsewhere would be
     * overwritten. */
    TOPK_OUTPUT_NAMED,
    /* The same, but an existing file is not replaced: the output is refused. */
    TOPK_OUTPUT_NEW,
    /* A file with a fixed name in a folder of the suite: it is replaced, whatever it is; a link is
     * replaced, too, and never followed. */
    TOPK_OUTPUT_OURS
};

struct topk_output {
    FILE *file;       /* the stream to write to */
    const char *path; /* owned by the caller, for messages; NULL: standard output */
    enum topk_output_kind kind;
    char *name;   /* owned: the last component of path */
    int folder;   /* descriptor of its folder */
    int slot;     /* index in the table of temporary files; -1: none */
    bool refused; /* opening failed because something exists that must not be replaced */
};

/* Opens an output; path is NULL for standard output. Returns false, with the reason in error, if
 * that fails; then there is nothing to close. */
bool topk_output_open(struct topk_output *output, const char *path, enum topk_output_kind kind,
                      char *error, size_t error_bytes);

/* The same with a file in an open folder, whose descriptor stays open. */
bool topk_output_open_at(struct topk_output *output, int folder, const char *name,
                         enum topk_output_kind kind, char *error, size_t error_bytes);

/* Closes an output. With keep, the file gets its name; otherwise nothing changes. Returns false,
 * with the reason in error, if something could not be written; then nothing changes, either.
 * Standard output is only flushed. */
bool topk_output_close(struct topk_output *output, bool keep, char *error, size_t error_bytes);

/* Flushes an open file, or the names in an open folder, to the disk. Returns false with errno set;
 * not being supported by the file system is no failure. */
bool topk_output_sync(int fd);

#endif
