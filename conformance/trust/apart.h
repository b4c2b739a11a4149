/* Distributes faults and drills over several processes, if the system can fork; else this process
 * does all. */
#ifndef TOPK_TRUST_APART_H
#define TOPK_TRUST_APART_H

#include <stdatomic.h>

#include "trust.h"

/* Makes room for outcomes and sets, and fills them in up to `jobs` processes. Returns
 * CLI_CONFORMANT, or what to exit with: CLI_INCOMPLETE after a signal. */
int trust_run_apart(struct trust *trust, const char *worker, uint32_t jobs);

/* In one of these: takes faults from the counter until none is left. after: called after each;
 * NULL: nothing is. */
void trust_work(struct trust *trust, const char *worker, pid_t parent, atomic_uint *counter,
                void (*after)(const struct trust *trust));

/* How far it is, on a terminal. */
void trust_draw(const struct trust *trust, bool erase);

#endif
