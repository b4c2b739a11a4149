/* A team of threads that shares work in parts. Its first member is who calls. */
#ifndef TOPK_CPU_TEAM_H
#define TOPK_CPU_TEAM_H

#include <stddef.h>

#define TOPK_CPU_TEAM_MOST 256u

struct topk_cpu_team;

/* Starts a team of up to TOPK_CPU_TEAM_MOST members: fewer, if the system gives no more threads,
 * and no thread for one. NULL if there is no memory. */
struct topk_cpu_team *topk_cpu_team_open(unsigned members);

void topk_cpu_team_close(struct topk_cpu_team *team);

unsigned topk_cpu_team_members(const struct topk_cpu_team *team);

/* Calls work(context, member, part) for each part below `parts`, and returns when all calls have. A
 * member takes the next part when it is done with one; no two calls with one member are made at
 * once. */
void topk_cpu_team_run(struct topk_cpu_team *team, size_t parts,
                       void (*work)(void *context, unsigned member, size_t part), void *context);

#endif
