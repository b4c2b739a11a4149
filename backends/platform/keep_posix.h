/* What the POSIX sources of this folder share: the keeper of a process, and what a process does
 * between fork() and exec(). Nobody else includes this. */
#ifndef TOPK_KEEP_POSIX_H
#define TOPK_KEEP_POSIX_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "platform.h"

/* What a keeper and who started it tell each other, in memory that both have. */
struct topk_keep_note {
    _Atomic uint32_t sent; /* goes up with what the process is sent: it has its time anew */
    _Atomic uint32_t over; /* enum topk_keep_over */
};
enum topk_keep_over {
    TOPK_KEEP_WITHIN,
    TOPK_KEEP_OVER_MEMORY,
    TOPK_KEEP_OVER_CPU
};

/* what topk_contain() said */
extern struct topk_containment topk_keep_rules;

/* This process ends by SIGKILL when its parent, which was this one, does. */
void topk_keep_end_with(pid_t parent);

/* Makes this process, which has just been forked, the keeper of the process that it forks next.
 * *before takes the signals that were blocked; parent: who forked the keeper. */
void topk_keep_start(pid_t parent, sigset_t *before);

/* Waits for the end of a child and ends all that it left behind; ends the child, too, if `parent`
 * ends or asks for it by SIGTERM. told: a pipe into which the child's status goes as soon as it is
 * known, or -1; it is the only file that stays open. note: NULL if nobody wants to know. folder: of
 * the child, is removed. Ends this process as the child ended. */
_Noreturn void topk_keep(pid_t child, pid_t parent, int told, struct topk_keep_note *note,
                         const char *folder);

/* Makes a process that was just forked one that can be put under test: a session of its own, no
 * signal ignored, and no file that another program inherits but its first three and `memory`, if
 * that is not negative. keeper: its parent, with which it ends. before: as topk_keep_start() took
 * it. folder: for its temporary files; "": there is none. */
void topk_keep_contain(pid_t keeper, const sigset_t *before, int memory, const char *folder);

/* ---- folder_posix.c, measure_posix.c ------------------------------------------------------------
 */

#define TOPK_KEEP_FOLDER 4096
/* Makes a folder that only this user can read, in that for temporary files; "" if that fails. */
void topk_keep_folder_make(char path[TOPK_KEEP_FOLDER]);
/* Removes it with all that is in it, of whatever depth and mode, and follows no link. */
void topk_keep_folder_remove(const char *path);

/* What all that descend from this process have. */
struct topk_keep_measure {
    uint64_t memory; /* bytes, without what is mapped from files */
    uint64_t cpu;    /* milliseconds, with those that have ended */
};
struct topk_keep_measure topk_keep_measure(void);

#endif
