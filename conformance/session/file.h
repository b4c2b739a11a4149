/* Files that commands read and write. */
#ifndef TOPK_CLI_FILE_H
#define TOPK_CLI_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "log/log.h"

/* DIR/NAME; to be freed. */
char *cli_path_join(const char *dir, const char *name);

/* The log of a run that is given by its folder, or the file itself, or that with TOPK_ZSTD_SUFFIX
 * if that alone is there; to be freed. */
char *cli_log_path(const char *run);

/* Takes the lock of a folder that is written to. CLI_CONFORMANT, also, with a note, where there are
 * no locks; or what to exit with, after a message. */
int cli_folder_lock(struct topk_lock *lock, const char *folder);
/* The same of a file that a command writes at its end, by a lock beside it. */
int cli_file_lock(struct topk_lock *lock, const char *path);
/* Notes, of a log that is read, that another process writes to its folder. */
void cli_note_use(const char *log_path);

/* Reads a file whole, at most `most` bytes, terminated; to be freed. NULL after a message. */
char *cli_file_read(const char *path, size_t most, size_t *size);
/* The same; ends the program with a code, after the message. */
char *cli_file_need(const char *path, size_t most, size_t *size, int code);
/* Reads a file whole and, if it is compressed by zstd, decompressed, at most `most` bytes of that;
 * to be freed. NULL with the reason in error; errno is EBADMSG if it was read, and does not hold.
 */
char *cli_file_unpack(const char *path, size_t most, size_t *size, char *error, size_t error_bytes);

/* Opens a file that is to be written, as topk_output_open(). False after a message. */
bool cli_file_create(struct topk_output *file, const char *path, enum topk_output_kind kind);
/* Closes it, as topk_output_close(). False after a message. */
bool cli_file_close(struct topk_output *file, bool keep);

/* A descriptor of a file that is gone when it is closed, in $TMPDIR, /var/tmp or /tmp; -1 if there
 * can be none. */
int cli_file_temporary(void);

/* The exit code for a file that a user names and that cannot be used for this reason, an errno: the
 * command line is wrong, or the machine has failed. */
int cli_errno_exit(int reason);

#endif
