/* Merges the shards of a run to one log of the whole run. */
#ifndef TOPK_MERGE_H
#define TOPK_MERGE_H

#include "log/log.h"

/* Results of topk_merge. */
enum topk_merge_status {
    TOPK_MERGE_WHOLE,
    TOPK_MERGE_INCOMPLETE, /* shards are missing or did not finish; the reason is in error */
    TOPK_MERGE_REFUSED,    /* they are not shards of one run, or none exists; nothing was written */
    TOPK_MERGE_FAILED      /* a log cannot be read or was edited, or the output cannot be written */
};

/* Observes the merge; any function may be NULL. */
struct topk_merge_watch {
    void *context;
    void (*header)(void *context, const struct topk_log_header *header); /* of the merged log */
    void (*record)(void *context, const struct topk_log_record *record);
    void (*probe)(void *context, const struct topk_probe *probe); /* each only once */
    void (*process)(void *context, const struct topk_log_process *process);
    /* Shard `number` is missing, or did not finish: path is its log then, else NULL. Called after
     * all others, only for an incomplete merge. */
    void (*missing)(void *context, uint32_t number, const char *path);
};

/* Merges the logs at paths, written by `run --shard' in any order, to DIR/results.jsonl, which must
 * not exist yet. A path that does not exist, or an empty file, is a missing shard. All headers must
 * agree except for the time and the command of the run; probes must agree; and what was tested must
 * be the same where two shards have it. Records are in the order of the shards, with shrunk cases
 * after the others. Unless the result is WHOLE, the reason is in error; after REFUSED and FAILED
 * nothing remains in DIR. */
enum topk_merge_status topk_merge(const char *const *paths, size_t count, const char *dir,
                                  const struct topk_merge_watch *watch, char *error,
                                  size_t error_bytes);

#endif
