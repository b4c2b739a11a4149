/* The few things that ISO C does not have and a worker needs: one file a system implements them,
 * platform_posix.c, platform_win32.c. Texts and paths are UTF-8 where the system has a say in it.
 */
#ifndef TOPK_PLATFORM_H
#define TOPK_PLATFORM_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* To be called first by main(). A crash from then on ends the process at once, with an exit code or
 * a signal: no dialog, no debugger. Returns the arguments of the program as UTF-8: as many as it
 * was given, valid until the process ends; NULL if memory is short. */
char **topk_process_start(int argc, char **argv);

/* Loads a shared library; NULL, with the reason in error, if that fails. A name without a folder is
 * searched for as the system does; what a library given with its folder needs may lie beside it. */
void *topk_library_open(const char *path, char *error, size_t error_bytes);
/* The address of a function, stored into *function (a pointer to a function pointer); 0 if the
 * library has none of that name, else 1. */
int topk_library_symbol(void *library, const char *name, void *function, size_t function_bytes);
void topk_library_close(void *library);

/* Takes standard output for the protocol: returns a stream to it, binary and fully buffered, and
 * turns stdout itself to standard error, so that a backend that prints does not disturb. NULL if
 * that fails. Standard input becomes binary too. */
FILE *topk_stdout_take(void);

/* Nanoseconds since some moment; never goes back. */
uint64_t topk_clock_now(void);

#endif
