/* A team of threads. */
#include "team.h"
#include "thread.h"

#include <stdbool.h>
#include <stdlib.h>

struct member {
    struct topk_cpu_team *team;
    struct topk_cpu_thread *thread;
    unsigned number;
};

struct topk_cpu_team {
    unsigned count;
    struct topk_cpu_monitor *monitor; /* protects the members below; NULL: there is one member */
    bool closing;
    void (*work)(void *context, unsigned member, size_t part);
    void *context;
    size_t parts;
    size_t next; /* next part to be taken */
    size_t open; /* parts that are not finished */
    struct member members[TOPK_CPU_TEAM_MOST];
};

/* Takes parts while there are any. Called inside the monitor; the work is done outside. */
static void take_parts(struct topk_cpu_team *team, unsigned member)
{
    while (team->next < team->parts) {
        const size_t part = team->next++;
        topk_cpu_monitor_leave(team->monitor);
        team->work(team->context, member, part);
        topk_cpu_monitor_enter(team->monitor);
        if (--team->open == 0) {
            topk_cpu_monitor_wake(team->monitor);
        }
    }
}

static void serve(void *opaque)
{
    const struct member *member = opaque;
    struct topk_cpu_team *team = member->team;
    topk_cpu_monitor_enter(team->monitor);
    while (!team->closing) {
        take_parts(team, member->number);
        if (!team->closing) {
            topk_cpu_monitor_wait(team->monitor);
        }
    }
    topk_cpu_monitor_leave(team->monitor);
}

struct topk_cpu_team *topk_cpu_team_open(unsigned members)
{
    struct topk_cpu_team *team = calloc(1, sizeof *team);
    if (team == NULL) {
        return NULL;
    }
    team->count = 1;
    if (members > 1) {
        team->monitor = topk_cpu_monitor_open();
    }
    while (team->monitor != NULL && team->count < members) {
        struct member *member = &team->members[team->count];
        *member = (struct member){.team = team, .number = team->count};
        member->thread = topk_cpu_thread_start(serve, member);
        if (member->thread == NULL) {
            break;
        }
        team->count++;
    }
    return team;
}

void topk_cpu_team_close(struct topk_cpu_team *team)
{
    if (team->monitor != NULL) {
        topk_cpu_monitor_enter(team->monitor);
        team->closing = true;
        topk_cpu_monitor_wake(team->monitor);
        topk_cpu_monitor_leave(team->monitor);
        for (unsigned i = 1; i < team->count; i++) {
            topk_cpu_thread_join(team->members[i].thread);
        }
        topk_cpu_monitor_close(team->monitor);
    }
    free(team);
}

unsigned topk_cpu_team_members(const struct topk_cpu_team *team)
{
    return team->count;
}

void topk_cpu_team_run(struct topk_cpu_team *team, size_t parts,
                       void (*work)(void *context, unsigned member, size_t part), void *context)
{
    if (team->count == 1 || parts == 1) {
        for (size_t part = 0; part < parts; part++) {
            work(context, 0, part);
        }
        return;
    }
    topk_cpu_monitor_enter(team->monitor);
    team->work = work;
    team->context = context;
    team->parts = parts;
    team->next = 0;
    team->open = parts;
    topk_cpu_monitor_wake(team->monitor);
    take_parts(team, 0);
    while (team->open > 0) {
        topk_cpu_monitor_wait(team->monitor);
    }
    topk_cpu_monitor_leave(team->monitor);
}
