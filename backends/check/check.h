/* Walks the author of a backend process through docs/backend-protocol.md: starts the process,
 * speaks the judge's part step by step, and names the first rule of the page that is broken. */
#ifndef TOPK_CHECK_H
#define TOPK_CHECK_H

#include <stdio.h>

/* What topk_check_run() returns, to exit with. */
#define TOPK_CHECK_GOOD        0
#define TOPK_CHECK_BROKEN      1 /* a rule is broken; it was named */
#define TOPK_CHECK_HARNESS     3 /* memory is short */
#define TOPK_CHECK_UNAVAILABLE 4 /* the command cannot be started, or says `unavailable` */

/* Checks the process that the command starts, arguments with NULL at the end, several times over.
 * An answer that is not there after so many milliseconds never comes. Writes a line for each step
 * to out, and at the end what is wrong and how to mend it. */
int topk_check_run(const char *const *command, unsigned timeout, FILE *out);

#endif
