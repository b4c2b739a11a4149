/* Finds the descendants of processes, from the parents that the system reports. */
#ifndef TOPK_IDENTITY_DESCENT_H
#define TOPK_IDENTITY_DESCENT_H

#include "process.h"

/* A process and its parent; ours: it descends from one that is looked for. */
struct topk_kin {
    int64_t pid, parent;
    bool ours;
};

/* What topk_processes_find() does, of all processes, whose `ours` it sets. kept: children of the
 * roots only keep what they started, and count as roots. */
bool topk_descent_find(struct topk_processes *processes, struct topk_kin *kin, size_t kin_count,
                       const int64_t *roots, size_t count, bool themselves, bool kept);

#endif
