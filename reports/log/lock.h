/* Locks the folder of a run, so that only one process writes to it. The lock is a record lock on a
 * file in the folder: it ends with its process in any case, and works on NFS. The file names the
 * holder, and is removed with the lock; a file that a killed process left has no effect. Readers
 * take no lock. */
#ifndef TOPK_LOCK_H
#define TOPK_LOCK_H

#include <stdbool.h>
#include <stddef.h>

/* Name of the lock of a run's folder. */
#define TOPK_LOCK_NAME ".lock"

enum topk_lock_status {
    TOPK_LOCK_HELD,   /* held until topk_lock_release() or the end of the process */
    TOPK_LOCK_BUSY,   /* another process holds it; error names the folder and the process */
    TOPK_LOCK_NONE,   /* the file system has no locks; error says so */
    TOPK_LOCK_FAILED, /* its file cannot be created; the reason is in error */
};

/* A process holds at most one per folder, and few in total. All zero holds none. */
struct topk_lock {
    int slot; /* from 1, in a table of held locks; 0: none; -1: the file system has none */
};

/* Takes the lock `name' in an existing folder, without waiting. what: what it locks, for messages,
 * such as "the folder results". */
enum topk_lock_status topk_lock_take(struct topk_lock *lock, const char *folder, const char *name,
                                     const char *what, char *error, size_t error_bytes);

/* Releases the lock, if it is held. */
void topk_lock_release(struct topk_lock *lock);

/* Size of the description of a lock's holder, with the terminator. */
#define TOPK_LOCK_HOLDER 320
/* Whether another process holds the lock; holder is set to, for example, "process 4711 on host
 * h". */
bool topk_lock_held(const char *folder, const char *name, char holder[TOPK_LOCK_HOLDER]);

#endif
