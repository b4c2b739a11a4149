/* The few things that ISO C does not have and a worker needs: one file a system implements them,
 * platform_posix.c, platform_win32.c. */
#ifndef TOPK_PLATFORM_H
#define TOPK_PLATFORM_H

#include <stddef.h>
#include <stdio.h>

/* Loads a shared library; NULL, with the reason in error, if that fails. */
void *topk_library_open(const char *path, char *error, size_t error_bytes);
/* The address of a function, stored into *function (a pointer to a function pointer); 0 if the
 * library has none of that name, else 1. */
int topk_library_symbol(void *library, const char *name, void *function, size_t function_bytes);
void topk_library_close(void *library);

/* Takes standard output for the protocol: returns a stream to it, binary and fully buffered, and
 * turns stdout itself to standard error, so that a backend that prints does not disturb. NULL if
 * that fails. Standard input becomes binary too. */
FILE *topk_stdout_take(void);

#endif
