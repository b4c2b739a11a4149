/* Writes a failure as a standalone C17 program: one file that includes only topk_backend.h and is
 * linked with the plugin. It makes the same call as the worker, prints expected and actual output,
 * and exits with 1 if the failure occurs, else 0. For a case with much data, it contains the source
 * of the recipe instead of the data. */
#ifndef TOPK_REPRODUCER_H
#define TOPK_REPRODUCER_H

#include <stdio.h>

#include "case/case.h"

/* Writes the program for a case. about: one line that describes the failure; command: the command
 * that builds the program; both may contain any characters. Returns false, with the reason in
 * error, if the case has a relation other than `repeat`, if memory is short, or if the file cannot
 * be written. */
bool topk_reproducer_write(FILE *out, const struct topk_case *tc, const char *about,
                           const char *command, char *error, size_t error_bytes);

#endif
