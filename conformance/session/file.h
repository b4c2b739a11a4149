/* Reads, writes and locks the files of commands. */
#ifndef TOPK_CLI_FILE_H
#define TOPK_CLI_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "log/log.h"

/* DIR/NAME; to be freed. */
char *cli_path_join(const char *dir, const char *name);

/* Returns the path of the log of a run, to be freed. run: its folder, or the log itself. The path
 * has TOPK_ZSTD_SUFFIX if only the compressed log exists. */
char *cli_log_path(const char *run);

/* Takes the lock of a folder before writing to it. Returns CLI_CONFORMANT, also, with a note, where
 * locks are unavailable; or, after a message, the exit code. */
int cli_folder_lock(struct topk_lock *lock, const char *folder);
/* The same for a file that a command writes at its end. The lock is a file beside it. */
int cli_file_lock(struct topk_lock *lock, const char *path);
/* Prints a note if another process is writing to the folder of a log that is read. */
void cli_note_use(const char *log_path);

/* Reads a whole file of at most `most` bytes, and adds a terminator; to be freed. NULL after a
 * message; errno is the reason. */
char *cli_file_read(const char *path, size_t most, size_t *size);
/* The same, but ends the program after the message, with CLI_USAGE if the file is not there, may
 * not be read, or is too large. */
char *cli_file_need(const char *path, size_t most, size_t *size);
/* Reads a whole file, and decompresses it if it is compressed by zstd: at most `most` bytes then;
 * to be freed. NULL with the reason in error; errno is EBADMSG if it could be read but its content
 * is malformed or truncated. */
char *cli_file_unpack(const char *path, size_t most, size_t *size, char *error, size_t error_bytes);

/* Checks the log of a run before another function reads it. path: that of cli_log_path(run).
 * Returns CLI_CONFORMANT if it exists and may be read; or, after a message, the exit code. */
int cli_log_there(const char *run, const char *path);

/* Opens a file for writing, like topk_output_open(). False after a message. */
bool cli_file_create(struct topk_output *file, const char *path, enum topk_output_kind kind);
/* Closes it, like topk_output_close(). False after a message. */
bool cli_file_close(struct topk_output *file, bool keep);

/* Returns a descriptor of a temporary file that disappears when it is closed, in $TMPDIR, $TEMP,
 * /var/tmp or /tmp; -1 if none can be created. */
int cli_file_temporary(void);

/* The exit code if a file that the user named cannot be used. reason: the errno. CLI_USAGE if the
 * command line is wrong, CLI_HARNESS if the machine has failed. */
int cli_errno_exit(int reason);

#endif
