/* Files that commands read and write. */
#ifndef TOPK_CLI_FILE_H
#define TOPK_CLI_FILE_H

#include <stdbool.h>
#include <stdio.h>

/* DIR/NAME; to be freed. */
char *cli_path_join(const char *dir, const char *name);

/* The log of a run that is given by its folder, or the file itself; to be freed. */
char *cli_log_path(const char *run);

/* Reads a file whole, at most `most` bytes, terminated; to be freed. NULL after a message. */
char *cli_file_read(const char *path, size_t most, size_t *size);
/* The same; ends the program with a code, after the message. */
char *cli_file_need(const char *path, size_t most, size_t *size, int code);

/* Opens a file that is to be written; NULL after a message. */
FILE *cli_file_create(const char *path);
/* Closes it. False, after a message, if it could not be written whole. */
bool cli_file_close(FILE *file, const char *path);

#endif
