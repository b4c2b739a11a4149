/* Shared memory of System V. */
#define _XOPEN_SOURCE 700
#include "shared.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/shm.h>

bool topk_shared_renew(struct topk_shared *shared, size_t size, char *error, size_t error_bytes)
{
    topk_shared_close(shared);
    shared->id = shmget(IPC_PRIVATE, size, IPC_CREAT | IPC_EXCL | 0600);
    if (shared->id < 0) {
        snprintf(error, error_bytes, "no shared memory of %zu bytes: %s", size, strerror(errno));
        return false;
    }
    void *bytes = shmat(shared->id, NULL, 0);
    const int failure = errno;
    /* The system keeps a removed segment until the last process has detached; until then other
     * processes can attach to it. */
    shmctl(shared->id, IPC_RMID, NULL);
    if (bytes == (void *)-1) { /* NOLINT(performance-no-int-to-ptr) */
        snprintf(error, error_bytes, "shared memory cannot be attached: %s", strerror(failure));
        return false;
    }
    shared->bytes = bytes;
    shared->size = size;
    return true;
}

void topk_shared_close(struct topk_shared *shared)
{
    if (shared->bytes != NULL) {
        shmdt(shared->bytes);
    }
    *shared = (struct topk_shared){.bytes = NULL};
}
