/* Shards of one run put together into one log that stands for the whole. */
#ifndef TOPK_MERGE_H
#define TOPK_MERGE_H

#include "log/log.h"

/* What topk_merge came to. */
enum topk_merge_status {
    TOPK_MERGE_WHOLE,
    TOPK_MERGE_INCOMPLETE, /* shards are missing or did not come to their end; reason in error */
    TOPK_MERGE_REFUSED,    /* they are not shards of one run; nothing was written */
    TOPK_MERGE_FAILED      /* a log cannot be read or was edited, or the log not be written */
};

/* Who sees what is merged; any may be NULL. */
struct topk_merge_watch {
    void *context;
    void (*header)(void *context, const struct topk_log_header *header); /* of the merged log */
    void (*record)(void *context, const struct topk_log_record *record);
    void (*probe)(void *context, const struct topk_probe *probe); /* each once */
    void (*process)(void *context, const struct topk_log_process *process);
    /* Shard `number` never came, or did not come to its end: path is its log then, else NULL.
     * Behind all others, and only of what is incomplete. */
    void (*missing)(void *context, uint32_t number, const char *path);
};

/* Puts the logs at paths, shards that `run --shard' wrote in any order, together into
 * DIR/results.jsonl, which must not exist yet. A path where nothing is, or an empty file, is a
 * shard that never came. They have to agree in all that a header says but for
 * when and by what command they were run, and in what probes saw; and what was tested has to be the
 * same, where both have it. What is merged is in the order of the shards, shrunk cases behind the
 * others. Of all but WHOLE the reason is in error; of REFUSED and FAILED nothing is left in DIR. */
enum topk_merge_status topk_merge(const char *const *paths, size_t count, const char *dir,
                                  const struct topk_merge_watch *watch, char *error,
                                  size_t error_bytes);

#endif
