/* Descendants of processes: see descent.h. */
#include "descent.h"

#include <stdlib.h>

#include "log/log.h"

static bool is_root(int64_t pid, const int64_t *roots, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (roots[i] == pid) {
            return true;
        }
    }
    return false;
}

bool topk_descent_find(struct topk_processes *processes, struct topk_kin *kin, size_t kin_count,
                       const int64_t *roots, size_t count, bool themselves, bool kept)
{
    bool found = true;
    bool more = true;
    while (more) {
        more = false;
        for (size_t i = 0; i < kin_count; i++) {
            bool ours = is_root(kin[i].parent, roots, count);
            for (size_t j = 0; !ours && j < kin_count; j++) {
                ours = kin[j].ours && kin[j].pid == kin[i].parent;
            }
            more = more || (ours && !kin[i].ours);
            kin[i].ours = kin[i].ours || ours;
        }
    }
    for (size_t i = 0; found && i < kin_count; i++) {
        const bool root =
            is_root(kin[i].pid, roots, count) || (kept && is_root(kin[i].parent, roots, count));
        if (root ? themselves : kin[i].ours) {
            int64_t *pid = topk_list_add(&processes->list, &processes->count, sizeof *pid);
            found = pid != NULL;
            if (found) {
                *pid = kin[i].pid;
            }
        }
    }
    return found;
}

void topk_processes_free(struct topk_processes *processes)
{
    free(processes->list);
    *processes = (struct topk_processes){NULL, 0};
}
