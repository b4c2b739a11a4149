/* On Windows there is only one process, without a parent of the command. */
#include "trust.h"

bool trust_is_orphan(pid_t parent)
{
    (void)parent;
    return false;
}
