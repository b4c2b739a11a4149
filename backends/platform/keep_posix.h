/* What the POSIX sources of this folder share: the keeper of a process, and what a process does
 * between fork() and exec(). Nobody else includes this. */
#ifndef TOPK_KEEP_POSIX_H
#define TOPK_KEEP_POSIX_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

/* This process ends by SIGKILL when its parent, which was this one, does. */
void topk_keep_end_with(pid_t parent);

/* Makes this process, which has just been forked, the keeper of the process that it forks next.
 * *before takes the signals that were blocked; parent: who forked the keeper. */
void topk_keep_start(pid_t parent, sigset_t *before);

/* Waits for the end of a child and ends all that it left behind; ends the child, too, if `parent`
 * ends or asks for it by SIGTERM. told: a pipe into which the child's status goes as soon as it is
 * known, or -1; it is the only file that stays open. Ends this process as the child ended. */
_Noreturn void topk_keep(pid_t child, pid_t parent, int told);

/* Makes a process that was just forked one that can be put under test: a session of its own, no
 * signal ignored, and no file that another program inherits but its first three and `memory`, if
 * that is not negative. keeper: its parent, with which it ends. before: as topk_keep_start() took
 * it. */
void topk_keep_contain(pid_t keeper, const sigset_t *before, int memory);

#endif
