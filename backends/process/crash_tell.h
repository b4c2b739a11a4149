/* A process that hosts a backend reports the place of a crash before it dies. */
#ifndef TOPK_CRASH_TELL_H
#define TOPK_CRASH_TELL_H

/* From now on, a crash of this process writes a line `crash`, as both protocols define it, to the
 * output that topk_stdout_take() took. Call it before a backend is opened. */
void topk_crash_tell(void);

#endif
