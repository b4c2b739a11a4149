/* A process that hosts a backend says where it crashed, as the last thing that it says. */
#ifndef TOPK_CRASH_TELL_H
#define TOPK_CRASH_TELL_H

/* From now on a crash of this process is a line `crash` on what topk_stdout_take() took, as both
 * protocols have it, before the process dies of it. To be called before a backend is opened. */
void topk_crash_tell(void);

#endif
