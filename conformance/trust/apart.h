/* Distributes faults and drills over several processes where the system can fork; elsewhere this
 * process runs all of them. */
#ifndef TOPK_TRUST_APART_H
#define TOPK_TRUST_APART_H

#include <stdatomic.h>

#include "trust.h"

/* Allocates outcomes and sets, and fills them in up to `jobs` processes. Returns CLI_CONFORMANT or
 * an exit code: CLI_INCOMPLETE after a signal. */
int trust_run_apart(struct trust *trust, const char *worker, uint32_t jobs);

/* Work of one process: takes faults from the counter until none is left. Calls after() after each,
 * unless it is NULL. */
void trust_work(struct trust *trust, const char *worker, pid_t parent, atomic_uint *counter,
                void (*after)(const struct trust *trust));

/* Shows the progress if standard error is a terminal; erase: clears it. */
void trust_draw(const struct trust *trust, bool erase);

#endif
