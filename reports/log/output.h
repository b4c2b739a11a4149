/* Where a report goes: standard output, or a file that a reader never sees half of. */
#ifndef TOPK_OUTPUT_H
#define TOPK_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct topk_output {
    FILE *file;       /* to write to */
    const char *path; /* the caller's; NULL: standard output */
    char *beside;     /* owned: what is written first; NULL: the path itself */
};

/* Opens a file, or standard output if path is NULL. What is not a regular file, such as a pipe, is
 * written to as it is, and so is what a link leads to, which /dev/stdout may be. False, with the
 * reason in error, if that fails; nothing is to be closed then. */
bool topk_output_open(struct topk_output *output, const char *path, char *error,
                      size_t error_bytes);

/* Closes it; if keep says so the file takes the place of an older one, else that stays. False, with
 * the reason in error, if something could not be written. Standard output is flushed only. */
bool topk_output_close(struct topk_output *output, bool keep, char *error, size_t error_bytes);

#endif
