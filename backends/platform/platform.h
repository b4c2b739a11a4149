/* The few things that ISO C does not have and a worker needs: one file a system implements them,
 * platform_posix.c, platform_win32.c. Texts and paths are UTF-8 where the system has a say in it.
 */
#ifndef TOPK_PLATFORM_H
#define TOPK_PLATFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* To be called first by main(). A crash from then on ends the process at once, with an exit code or
 * a signal: no dialog, no debugger. Returns the arguments of the program as UTF-8: as many as it
 * was given, valid until the process ends; NULL if memory is short. */
char **topk_process_start(int argc, char **argv);

/* Keeps this process out of reach of those of the same user that it starts: they cannot read or
 * change its memory, nor open its files by way of it, unless they have the rights of root. It ends
 * when its parent does. What a system lacks of that is left out. To be called before
 * topk_child_start(). */
void topk_process_guard(void);

/* Loads a shared library; NULL, with the reason in error, if that fails. A name without a folder is
 * searched for as the system does; what a library given with its folder needs may lie beside it. */
void *topk_library_open(const char *path, char *error, size_t error_bytes);
/* The address of a function, stored into *function (a pointer to a function pointer); 0 if the
 * library has none of that name, else 1. */
int topk_library_symbol(void *library, const char *name, void *function, size_t function_bytes);
void topk_library_close(void *library);

/* Takes standard output for the protocol: returns a stream to it, binary and fully buffered, and
 * turns stdout itself to standard error, so that a backend that prints does not disturb. NULL if
 * that fails. Standard input becomes binary too, and as fully buffered. */
FILE *topk_stdout_take(void);

/* ---- a process beside this one ------------------------------------------------------------------
 */

/* A program that was started, and the pipes to its standard input and from its standard output,
 * both binary and fully buffered. Its standard error is this process's. */
struct topk_child {
    FILE *to;
    FILE *from;
    void *process; /* of the system's file; NULL: there is none, and the two are closed with it */
};

/* Starts arguments[0], searched for as a shell does, with these arguments, NULL at the end. False,
 * with the reason in error, if that fails. From then on a write to a process that is gone fails,
 * and ends nobody. It gets no other file of this process, and ends when this one does. */
bool topk_child_start(const char *const *arguments, struct topk_child *child, char *error,
                      size_t error_bytes);

/* Closes its input, waits for its end for so many milliseconds, then kills it; closes its output
 * and frees what topk_child_start made. With a NULL process there are the two streams only. Writes
 * how it ended: "killed by signal 11 (Segmentation fault)", "exited with 3", "killed, as it did not
 * end within 1 s of EVENT". Returns whether it exited with 0 by itself. */
bool topk_child_end(struct topk_child *child, unsigned milliseconds, const char *event, char *how,
                    size_t how_bytes);

/* Nanoseconds since some moment; never goes back. */
uint64_t topk_clock_now(void);

#endif
