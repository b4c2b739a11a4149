/* A failure as a C program that stands alone: one file in C17 that includes nothing of the suite
 * but topk_backend.h, and is linked with the plugin. It makes the call as the worker makes it,
 * prints what is expected beside what came, and exits with 1 if the failure is there, 0 if not. Of
 * a case with much data it has the sources of the recipe, and not the data. */
#ifndef TOPK_REPRODUCER_H
#define TOPK_REPRODUCER_H

#include <stdio.h>

#include "case/case.h"

/* Writes the program of a case. about: one line that says what is wrong; command: one that builds
 * the program; both may hold any characters. False, with the reason in error, if the case has a
 * relation other than `repeat`, if memory is short, or if the file cannot be written. */
bool topk_reproducer_write(FILE *out, const struct topk_case *tc, const char *about,
                           const char *command, char *error, size_t error_bytes);

#endif
