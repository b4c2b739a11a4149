/* A team of threads that shares work in parts. Its first member is the calling thread. */
#ifndef TOPK_CPU_TEAM_H
#define TOPK_CPU_TEAM_H

#include <stddef.h>

#define TOPK_CPU_TEAM_MOST 256u

struct topk_cpu_team;

/* Starts a team of up to TOPK_CPU_TEAM_MOST members, or fewer if the system provides fewer threads;
 * with one member no thread is started. Returns NULL if memory is short. */
struct topk_cpu_team *topk_cpu_team_open(unsigned members);

void topk_cpu_team_close(struct topk_cpu_team *team);

unsigned topk_cpu_team_members(const struct topk_cpu_team *team);

/* Calls work(context, member, part) for each part below `parts`, and returns when all calls have
 * returned. A member takes the next part when it has finished one; calls with the same member never
 * overlap. */
void topk_cpu_team_run(struct topk_cpu_team *team, size_t parts,
                       void (*work)(void *context, unsigned member, size_t part), void *context);

#endif
