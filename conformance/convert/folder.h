/* A folder that a command writes files to, and nothing outside of it: names are the command's own,
 * and links are not followed. */
#ifndef TOPK_CLI_FOLDER_H
#define TOPK_CLI_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct cli_folder {
    int fd;
    const char *path; /* the caller's, for messages */
};

/* Opens a folder and makes it, and those that it is in, if they are not there. One that has
 * entries is for `overwrite` only: then files are replaced, and others stay. Returns
 * CLI_CONFORMANT, or what to exit with, after a message; then nothing is to be closed. */
int cli_folder_open(struct cli_folder *folder, const char *path, bool overwrite);

/* Makes and opens a folder within a folder. Its path is that of the outer one. */
int cli_folder_within(struct cli_folder *inner, const struct cli_folder *outer, const char *name);

/* Writes a file, whole or not at all: head, then body, which may be NULL if its size is 0. One that
 * is there already is replaced at the end. Returns as cli_folder_open. */
int cli_folder_write(const struct cli_folder *folder, const char *name, const void *head,
                     size_t head_size, const void *body, size_t body_size);

/* Writes a file as print() prints it. Returns as cli_folder_open. */
int cli_folder_print(const struct cli_folder *folder, const char *name,
                     void (*print)(FILE *out, const void *context), const void *context);

void cli_folder_close(struct cli_folder *folder);

#endif
