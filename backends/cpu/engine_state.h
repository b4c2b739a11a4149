/* Shared by the parts of the engine. */
#ifndef TOPK_CPU_ENGINE_STATE_H
#define TOPK_CPU_ENGINE_STATE_H

#include "engine.h"
#include "memory.h"
#include "method.h"
#include "rows.h"
#include "team.h"

/* The working memory of a member of the team. */
struct topk_cpu_member {
    struct topk_cpu_memory keys; /* or the lanes of a network */
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

    /* for the current call */
    const struct topk_cpu_kernels *kernels;
    struct topk_cpu_task task;
    struct topk_cpu_rows rows;
    struct topk_cpu_row origin;
    enum topk_cpu_method method;
    size_t part_rows; /* rows that a member takes at a time */

    uint32_t network_length; /* the length that the network is for; 0: none yet */
    uint32_t network_k;
    struct topk_cpu_network network;
};

/* Each function serves a row by its method, in the memory of a member. The team shares `parts`
 * parts of the row; with 1, the member serves it alone. Returns false if memory is short. */
void topk_cpu_first(struct topk_cpu_engine *engine, const struct topk_cpu_task *task,
                    const struct topk_cpu_row *row, size_t parts);
bool topk_cpu_filter(struct topk_cpu_engine *engine, struct topk_cpu_member *member,
                     const struct topk_cpu_task *task, const struct topk_cpu_row *row,
                     size_t parts);
bool topk_cpu_digits(struct topk_cpu_engine *engine, struct topk_cpu_member *member,
                     const struct topk_cpu_task *task, const struct topk_cpu_row *row,
                     size_t parts);

/* The index of the first element of a part of a row. */
static inline size_t topk_cpu_part(size_t length, size_t part, size_t parts)
{
    return (size_t)((uint64_t)length * part / parts);
}

/* Calls `work` for each part: by the team, or by the caller if there is one part. */
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
