/* Whether the command that started this process has ended. */
#define _POSIX_C_SOURCE 200809L
#include <unistd.h>

#include "trust.h"

bool trust_is_orphan(pid_t parent)
{
    return getppid() != parent;
}
