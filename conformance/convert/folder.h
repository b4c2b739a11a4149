/* A folder that a command writes files to. Nothing outside it is written: file names come from the
 * command itself, and links are not followed. */
#ifndef TOPK_CLI_FOLDER_H
#define TOPK_CLI_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct cli_folder {
    int fd;
    const char *path; /* as the caller names it, for messages; not owned */
};

/* Opens a folder; creates it and its parents if necessary. A folder with entries is rejected unless
 * `overwrite` is set; then files are replaced, and other entries stay. Returns CLI_CONFORMANT, or
 * an exit code after a message; then there is nothing to close. */
int cli_folder_open(struct cli_folder *folder, const char *path, bool overwrite);

/* Creates and opens a folder inside another. Its path is that of the outer folder. */
int cli_folder_within(struct cli_folder *inner, const struct cli_folder *outer, const char *name);

/* Writes a whole file or nothing: head, then body, which may be NULL if body_size is 0. An existing
 * file is replaced only at the end. Returns as cli_folder_open() does. */
int cli_folder_write(const struct cli_folder *folder, const char *name, const void *head,
                     size_t head_size, const void *body, size_t body_size);

/* Writes a file with the output of print(). Returns as cli_folder_open() does. */
int cli_folder_print(const struct cli_folder *folder, const char *name,
                     void (*print)(FILE *out, const void *context), const void *context);

void cli_folder_close(struct cli_folder *folder);

#endif
