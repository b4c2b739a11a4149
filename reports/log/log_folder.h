/* The log of a run's folder, plain or compressed. A log is written in plain form, so that a killed
 * run can continue. A finished one may be compressed; then the compressed log replaces the plain
 * one in these steps:
 *
 *   results.jsonl                     as it was written
 *   results.jsonl, .topk-cts.*.tmp    the compressed one is written next to it
 *   results.jsonl, results.jsonl.zst  it is on the disk, and gets its name
 *   results.jsonl.zst                 it was read back, and the plain one removed
 *
 * The reverse happens if the run continues. The program may be killed after any of these steps. If
 * both files exist, the plain one counts, and the other is a copy or useless.
 */
#ifndef TOPK_LOG_FOLDER_H
#define TOPK_LOG_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

/* The path of a folder's log: results.jsonl, or results.jsonl.zst if only that exists. The caller
 * frees it; NULL if memory is short. */
char *topk_log_path(const char *dir);

/* The same for a file: path, or path with TOPK_ZSTD_SUFFIX. */
char *topk_log_at(const char *path);

/* Replaces the plain log of a folder, which must have an end record, by a compressed one. Returns
 * false, with the reason in error, if that fails; then the plain one is unchanged. */
bool topk_log_pack(const char *dir, char *error, size_t error_bytes);

/* Replaces the compressed log of a folder, if there is one, by a plain one. Returns false, with the
 * reason in error, if that fails; then nothing has changed. */
bool topk_log_unpack(const char *dir, char *error, size_t error_bytes);

/* Removes the log of a folder, in both forms. Returns false, with errno set and *path naming the
 * file, which the caller frees, if one cannot be removed. */
bool topk_log_remove(const char *dir, char **path);

#endif
