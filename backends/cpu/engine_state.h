/* What the parts of the engine share. */
#ifndef TOPK_CPU_ENGINE_STATE_H
#define TOPK_CPU_ENGINE_STATE_H

#include "engine.h"
#include "memory.h"
#include "method.h"
#include "rows.h"
#include "team.h"

/* What a member of the team works in. */
struct topk_cpu_member {
    struct topk_cpu_memory keys; /* or lanes of a network */
    struct topk_cpu_memory indices;
    struct topk_cpu_memory entries;
    struct topk_cpu_memory spare;
    struct topk_cpu_memory counts;
    struct topk_cpu_memory dealt;
    struct topk_cpu_memory packed; /* rows */
    bool lacks_memory;
};

struct topk_cpu_engine {
    const struct topk_cpu_kernels *levels; /* TOPK_CPU_KINDS */
    struct topk_cpu_team *team;
    struct topk_cpu_member *members;

    /* of a call */
    const struct topk_cpu_kernels *kernels;
    struct topk_cpu_task task;
    struct topk_cpu_rows rows;
    struct topk_cpu_row origin;
    enum topk_cpu_method method;
    size_t part_rows; /* that a member takes at once */

    uint32_t network_length; /* that the network is for; 0: none yet */
    uint32_t network_k;
    struct topk_cpu_network network;
};

/* Each serves a row by the method of its name, in the memory of a member, with `parts` parts of the
 * row shared by the team, or with 1 by the member alone. False if there is no memory. */
void topk_cpu_first(struct topk_cpu_engine *engine, const struct topk_cpu_task *task,
                    const struct topk_cpu_row *row, size_t parts);
bool topk_cpu_filter(struct topk_cpu_engine *engine, struct topk_cpu_member *member,
                     const struct topk_cpu_task *task, const struct topk_cpu_row *row,
                     size_t parts);
bool topk_cpu_digits(struct topk_cpu_engine *engine, struct topk_cpu_member *member,
                     const struct topk_cpu_task *task, const struct topk_cpu_row *row,
                     size_t parts);

/* The first element of a part of a row. */
static inline size_t topk_cpu_part(size_t length, size_t part, size_t parts)
{
    return (size_t)((uint64_t)length * part / parts);
}

/* Calls work for each part: by the team, or by the caller if there is one. */
static inline void topk_cpu_spread(struct topk_cpu_engine *engine, size_t parts,
                                   void (*work)(void *context, unsigned member, size_t part),
                                   void *context)
{
    if (parts == 1) {
        work(context, 0, 0);
    } else {
        topk_cpu_team_run(engine->team, parts, work, context);
    }
}

#endif
