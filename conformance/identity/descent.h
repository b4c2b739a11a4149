/* Finds the descendants of processes, from the parents that the system reports. */
#ifndef TOPK_IDENTITY_DESCENT_H
#define TOPK_IDENTITY_DESCENT_H

#include "process.h"

/* A process and its parent. `ours` says that it descends from a root. */
struct topk_kin {
    int64_t pid, parent;
    bool ours;
};

/* Implements topk_processes_find() on `kin`, the list of all processes; sets their `ours`. kept:
 * the direct children of roots only keep what they start, and count as roots, too. */
bool topk_descent_find(struct topk_processes *processes, struct topk_kin *kin, size_t kin_count,
                       const int64_t *roots, size_t count, bool themselves, bool kept);

#endif
