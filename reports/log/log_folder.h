/* The log of a run's folder, plain or compressed. A log that is written is plain, so that a run
 * that was killed goes on. One that has come to its end may be compressed; then the compressed log
 * takes the place of the plain one:
 *
 *   results.jsonl                     as it was written
 *   results.jsonl, .topk-cts.*.tmp    the compressed one is written beside
 *   results.jsonl, results.jsonl.zst  it was brought to the disk, and has its name
 *   results.jsonl.zst                 it was read back, and the plain one removed
 *
 * and the other way round if the run goes on. Whatever ends the program, each of these stays; where
 * both are there the plain one counts, and the other is a copy, or of no use. */
#ifndef TOPK_LOG_FOLDER_H
#define TOPK_LOG_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

/* The log of a folder: results.jsonl, or results.jsonl.zst if that alone is there. To be freed;
 * NULL if memory is short. */
char *topk_log_path(const char *dir);

/* The same of a file: path, or that with TOPK_ZSTD_SUFFIX. */
char *topk_log_at(const char *path);

/* Has the compressed log of a folder take the place of the plain one, which has an end record.
 * False, with the reason in error, if that fails: then the plain one is there as before. */
bool topk_log_pack(const char *dir, char *error, size_t error_bytes);

/* Has the plain log of a folder take the place of the compressed one, if there is such a one.
 * False, with the reason in error, if that fails: then all is as before. */
bool topk_log_unpack(const char *dir, char *error, size_t error_bytes);

/* Removes the log of a folder, both if there are two. False, with errno set and *path being which,
 * to be freed, if one cannot be removed. */
bool topk_log_remove(const char *dir, char **path);

#endif
