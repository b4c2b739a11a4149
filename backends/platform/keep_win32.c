/* Platform functions for Windows, and for Wine: what processes leave behind. The job of a process
 * has all that it starts, and ends with the last handle to it, which this process has. */
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
    /* a process inherits what it is to inherit: create_process() lists it */
}

void topk_files_keep(void)
{
}

void topk_process_end_with_parent(int64_t parent)
{
    /* its pipes to the parent are closed then, and reading or writing them fails */
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
