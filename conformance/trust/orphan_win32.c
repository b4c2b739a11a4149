/* On Windows all work is done in one process, which has no parent to lose. */
#include "trust.h"

bool trust_is_orphan(pid_t parent)
{
    (void)parent;
    return false;
}
