/* Platform functions for Windows and Wine: orphans. The job of a process contains everything that
 * it starts, and ends when the last handle to it, held by this process, is closed. */
#include "win32.h"

#include <string.h>

struct topk_containment topk_win32_rules;

bool topk_contain(const struct topk_containment *rules, char *error, size_t error_bytes)
{
    if (rules->cpu > 0) {
        snprintf(error, error_bytes, "Windows has no limit of processor time for a call");
        return false;
    }
    topk_win32_rules = *rules;
    return true;
}

void topk_files_close(void)
{
    /* create_process() lists what a process inherits */
}

void topk_files_keep(void)
{
}

void topk_process_end_with_parent(int64_t parent)
{
    /* the pipes to the parent close then, and reading or writing them fails */
    (void)parent;
}

void topk_process_keep(int64_t parent)
{
    (void)parent;
}

void topk_orphans_adopt(void)
{
}

void topk_orphans_end(bool (*keep)(int64_t pid))
{
    (void)keep;
}
