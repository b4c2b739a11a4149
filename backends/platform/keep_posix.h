/* Shared by the POSIX sources of this folder: the keeper of a process, and what a process does
 * between fork() and exec(). Private to this folder. */
#ifndef TOPK_KEEP_POSIX_H
#define TOPK_KEEP_POSIX_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "platform.h"

/* Memory that a keeper shares with the process that started it. */
struct topk_keep_note {
    /* increases with each request to the process, which then gets new processor time */
    _Atomic uint32_t sent;
    _Atomic uint32_t over; /* enum topk_keep_over */
};
enum topk_keep_over {
    TOPK_KEEP_WITHIN,
    TOPK_KEEP_OVER_MEMORY,
    TOPK_KEEP_OVER_CPU
};

/* the rules of topk_contain() */
extern struct topk_containment topk_keep_rules;

/* Makes the system end this process by SIGKILL when its parent ends. */
void topk_keep_end_with(pid_t parent);

/* Makes this process, which was just forked, the keeper of the process that it forks next. *before
 * is set to the previous signal mask; parent: the process that forked the keeper. */
void topk_keep_start(pid_t parent, sigset_t *before);

/* Waits for the end of a child and ends everything that it left behind. Also ends the child if
 * `parent` ends or sends SIGTERM. told: a pipe for the child's status, or -1; it is the only file
 * that stays open. note: may be NULL. folder: the child's folder, which is removed. Ends this
 * process in the same way as the child ended. */
_Noreturn void topk_keep(pid_t child, pid_t parent, int told, struct topk_keep_note *note,
                         const char *folder);

/* Prepares a process that was just forked for code under test: its own session, no ignored signals,
 * and no files that another program inherits except the first three and `memory`, if that is not
 * negative. It ends with its parent, the keeper. before: from topk_keep_start(). folder: for its
 * temporary files; "": none. */
void topk_keep_contain(pid_t keeper, const sigset_t *before, int memory, const char *folder);

/* ---- folder_posix.c, measure_posix.c --------------------------------------------------------- */

#define TOPK_KEEP_FOLDER 4096
/* Makes a folder for temporary files that only this user can read; "" if that fails. */
void topk_keep_folder_make(char path[TOPK_KEEP_FOLDER]);
/* Removes the folder with all its content, of any depth and mode; follows no link. */
void topk_keep_folder_remove(const char *path);

/* Resources of all descendants of this process. */
struct topk_keep_measure {
    uint64_t memory; /* bytes, without mapped files */
    uint64_t cpu;    /* milliseconds, including descendants that have ended */
};
struct topk_keep_measure topk_keep_measure(void);

#endif
