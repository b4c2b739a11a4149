/* A failure as a C program that stands alone: one file in C17 that includes nothing of the suite
 * but topk_backend.h, and is linked with the plugin. It makes the call as the worker makes it,
 * prints what is expected beside what came, and exits with 1 if the failure is there, 0 if not. */
#ifndef TOPK_REPRODUCER_H
#define TOPK_REPRODUCER_H

#include <stdio.h>

#include "case/case.h"

/* Most input elements, output elements and bytes of random padding of a case that is written. */
#define TOPK_REPRODUCER_MAX 65536u

/* Writes the program of a case. about: one line that says what is wrong; may hold any characters.
 * False, with the reason in error, if the case has a relation other than `repeat`, if it is too
 * large, if memory is short, or if the file cannot be written. */
bool topk_reproducer_write(FILE *out, const struct topk_case *tc, const char *about, char *error,
                           size_t error_bytes);

#endif
