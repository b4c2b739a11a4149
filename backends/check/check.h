/* Checks a backend process against docs/backend-protocol.md for its author: starts it, plays the
 * judge step by step, and reports each rule of the page that it breaks. */
#ifndef TOPK_CHECK_H
#define TOPK_CHECK_H

#include <stdio.h>

/* Results of topk_check_run(), which are exit codes. */
#define TOPK_CHECK_GOOD        0
#define TOPK_CHECK_BROKEN      1 /* at least one rule is broken */
#define TOPK_CHECK_HARNESS     3 /* memory is short */
#define TOPK_CHECK_UNAVAILABLE 4 /* the command cannot be started, or answers `unavailable` */

/* Checks the process that a command starts, with arguments ended by NULL; starts it several times.
 * timeout: milliseconds after which an answer counts as missing. Writes a line for each step to
 * out, and for each broken rule what is wrong and how to fix it. */
int topk_check_run(const char *const *command, unsigned timeout, FILE *out);

#endif
