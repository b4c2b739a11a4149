/* Selects few elements of many: the first in order, or the first K with a filter. Parts of a row
 * are filtered separately, and their results are filtered again. */
#include "engine_state.h"

#include <string.h>

struct job {
    struct topk_cpu_engine *engine;
    const struct topk_cpu_task *task;
    const unsigned char *input;
    size_t parts;
    struct topk_cpu_best *bests;     /* one for each part */
    struct topk_cpu_elements *found; /* one for each part */
};

static void find_first(void *context, unsigned member, size_t part)
{
    (void)member;
    const struct job *job = context;
    const size_t length = job->task->length;
    job->bests[part] =
        job->engine->kernels->first(job->task, job->input, topk_cpu_part(length, part, job->parts),
                                    topk_cpu_part(length, part + 1, job->parts));
}

void topk_cpu_first(struct topk_cpu_engine *engine, const struct topk_cpu_task *task,
                    const struct topk_cpu_row *row, size_t parts)
{
    struct topk_cpu_best bests[TOPK_CPU_TEAM_MOST];
    struct job job = {
        .engine = engine, .task = task, .input = row->input, .parts = parts, .bests = bests};
    topk_cpu_spread(engine, parts, find_first, &job);
    struct topk_cpu_best best = bests[0];
    for (size_t i = 1; i < parts; i++) {
        best = bests[i].key < best.key ? bests[i] : best;
    }
    memcpy(row->value, row->input + best.index * task->input_step, task->width);
    const uint64_t wide = best.index;
    const uint32_t narrow = (uint32_t)best.index;
    if (task->index_is_64) {
        memcpy(row->index, &wide, sizeof wide);
    } else {
        memcpy(row->index, &narrow, sizeof narrow);
    }
}

static void filter_part(void *context, unsigned member, size_t part)
{
    (void)member;
    const struct job *job = context;
    const size_t length = job->task->length;
    job->engine->kernels->filter(job->task, job->input, topk_cpu_part(length, part, job->parts),
                                 topk_cpu_part(length, part + 1, job->parts), &job->found[part]);
}

/* Appends the results of all parts to those of the first. */
static void join(const struct job *job)
{
    struct topk_cpu_elements *all = &job->found[0];
    const size_t width = job->task->width;
    for (size_t i = 1; i < job->parts; i++) {
        const struct topk_cpu_elements *found = &job->found[i];
        memmove((unsigned char *)all->keys + all->count * width, found->keys, found->count * width);
        memmove(all->indices + all->count, found->indices, found->count * sizeof *found->indices);
        all->count += found->count;
    }
}

bool topk_cpu_filter(struct topk_cpu_engine *engine, struct topk_cpu_member *member,
                     const struct topk_cpu_task *task, const struct topk_cpu_row *row, size_t parts)
{
    const struct topk_cpu_kernels *kernels = engine->kernels;
    struct topk_cpu_elements found[TOPK_CPU_TEAM_MOST];
    struct job job = {
        .engine = engine, .task = task, .input = row->input, .parts = parts, .found = found};
    const size_t room = topk_cpu_candidates_room(task->k);
    unsigned char *keys = topk_cpu_memory_room(&member->keys, parts * room, task->width);
    uint32_t *indices = topk_cpu_memory_room(&member->indices, parts * room, sizeof *indices);
    uint64_t *entries = topk_cpu_memory_room(&member->entries, room, sizeof *entries);
    uint64_t *spare = topk_cpu_memory_room(&member->spare, room, sizeof *spare);
    if (keys == NULL || indices == NULL || entries == NULL || spare == NULL) {
        return false;
    }
    for (size_t i = 0; i < parts; i++) {
        found[i] = (struct topk_cpu_elements){.keys = keys + i * room * task->width,
                                              .indices = indices + i * room};
    }
    topk_cpu_spread(engine, parts, filter_part, &job);
    join(&job);
    if (found[0].count > task->k + topk_cpu_few_more(task->k)) {
        kernels->reduce(&found[0], task->k);
    }
    kernels->finish(task, row, &found[0], 0, entries, spare);
    return true;
}
