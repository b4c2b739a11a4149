/* Where what a command makes goes: standard output, or a file that is there whole or not at all. A
 * file is written beside its place, under another name, brought to the disk, and then takes its
 * place. So whatever ends the program, SIGKILL and loss of power included, leaves the older file or
 * the new one. What is beside is removed if the program fails or a signal ends it; after SIGKILL a
 * file `.topk-cts.PID.N.tmp' may stay behind. */
#ifndef TOPK_OUTPUT_H
#define TOPK_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* What may stand at the place of a file. */
enum topk_output_kind {
    /* What a user names. A file is replaced. "-" is standard output; a device, a pipe and an open
     * descriptor (/dev/stdout, /dev/fd/3) are written to as they are, and so are those that a link
     * leads to. Another link is refused: it would be replaced by a file, or the file that it leads
     * to be written where somebody else reads it. */
    TOPK_OUTPUT_NAMED,
    /* The same, but a file is not replaced: the output is refused. */
    TOPK_OUTPUT_NEW,
    /* A file of a fixed name in a folder of the suite: it is replaced whatever it is, also a link,
     * which is never followed. */
    TOPK_OUTPUT_OURS
};

struct topk_output {
    FILE *file;       /* to write to */
    const char *path; /* the caller's, for messages; NULL: standard output */
    enum topk_output_kind kind;
    char *name;   /* owned: the last part of path */
    int folder;   /* descriptor of the folder that it is in */
    int slot;     /* of what is beside, in a table of such files; -1: there is none */
    bool refused; /* opening failed since something is there that is not to be replaced */
};

/* Opens an output; path is NULL for standard output. False, with the reason in error, if that
 * fails; nothing is to be closed then. */
bool topk_output_open(struct topk_output *output, const char *path, enum topk_output_kind kind,
                      char *error, size_t error_bytes);

/* The same with a file in an open folder, whose descriptor stays the caller's. */
bool topk_output_open_at(struct topk_output *output, int folder, const char *name,
                         enum topk_output_kind kind, char *error, size_t error_bytes);

/* Closes it. If keep says so the file gets its place, else all stays as it was. False, with the
 * reason in error, if something could not be written; then, too, all stays as it was. Standard
 * output is flushed only. */
bool topk_output_close(struct topk_output *output, bool keep, char *error, size_t error_bytes);

/* Brings what was written to an open file, or the names in an open folder, to the disk. False with
 * errno set; a file system that cannot do so has nothing to tell, which is no failure. */
bool topk_output_sync(int fd);

#endif
