/* Serves calls: chooses the method, and which thread takes which rows. */
#include "engine_state.h"

#include <stdlib.h>
#include <string.h>

/* Fewer elements are not worth waking a thread for. */
#define LEAST_SHARED 32768u
/* Number of parts of rows per member, so that none waits long for another. */
#define PARTS_OF_MEMBER 8u
/* A member takes a multiple of this number of rows, to fill the lanes. */
#define ROWS_TOGETHER 32u
/* Size of the rows that are packed at once, to fit into the L2 cache. */
#define PACKED_BYTES ((size_t)256 << 10)

static enum topk_cpu_kind kind_of(const struct topk_cpu_plan *plan)
{
    switch (plan->tensors[TOPK_CPU_INPUT].width) {
    case 1:
        return TOPK_CPU_U8;
    case 2:
        return plan->is_float ? TOPK_CPU_F16 : TOPK_CPU_U16;
    case 4:
        return plan->is_float ? TOPK_CPU_F32 : TOPK_CPU_U32;
    default:
        return TOPK_CPU_U64;
    }
}

static struct topk_cpu_task task_of(const struct topk_cpu_plan *plan)
{
    const struct topk_cpu_view *tensors = plan->tensors;
    return (struct topk_cpu_task){
        .length = plan->length,
        .k = plan->k,
        .input_step = (size_t)tensors[TOPK_CPU_INPUT].strides[plan->axis],
        .value_step = (size_t)tensors[TOPK_CPU_VALUE].strides[plan->axis],
        .index_step = (size_t)tensors[TOPK_CPU_INDEX].strides[plan->axis],
        .flip = plan->flip,
        .width = tensors[TOPK_CPU_INPUT].width,
        .index_is_64 = tensors[TOPK_CPU_INDEX].width == 8,
    };
}

static bool sort(struct topk_cpu_engine *engine, struct topk_cpu_member *member,
                 const struct topk_cpu_task *task, const struct topk_cpu_row *row)
{
    const struct topk_cpu_kernels *kernels = engine->kernels;
    const size_t length = task->length;
    void *keys = topk_cpu_memory_room(&member->keys, length, task->width);
    uint64_t *entries = topk_cpu_memory_room(&member->entries, length, sizeof *entries);
    uint64_t *spare = topk_cpu_memory_room(&member->spare, length, sizeof *spare);
    if (keys == NULL || entries == NULL || spare == NULL) {
        return false;
    }
    kernels->keys(task, row->input, length, keys);
    const struct topk_cpu_elements all = {.keys = keys, .count = length};
    kernels->finish(task, row, &all, 0, entries, spare);
    return true;
}

static bool serve_row(struct topk_cpu_engine *engine, struct topk_cpu_member *member,
                      const struct topk_cpu_task *task, const struct topk_cpu_row *row,
                      size_t parts)
{
    switch (engine->method) {
    case TOPK_CPU_FIRST:
        topk_cpu_first(engine, task, row, parts);
        return true;
    case TOPK_CPU_FILTER:
        return topk_cpu_filter(engine, member, task, row, parts);
    case TOPK_CPU_DIGITS:
        return topk_cpu_digits(engine, member, task, row, parts);
    default:
        return sort(engine, member, task, row);
    }
}

static bool serve_rows(struct topk_cpu_engine *engine, struct topk_cpu_member *member,
                       const struct topk_cpu_task *task, const struct topk_cpu_run *run)
{
    if (engine->method == TOPK_CPU_FIRST) {
        engine->kernels->firsts(task, run);
        return true;
    }
    if (engine->method == TOPK_CPU_LANES) {
        void *lanes = topk_cpu_memory_room(&member->keys, task->length, TOPK_CPU_LANES_BYTES);
        if (lanes == NULL) {
            return false;
        }
        engine->kernels->lanes(task, &engine->network, run, lanes);
        return true;
    }
    for (size_t i = 0; i < run->count; i++) {
        const struct topk_cpu_row row = topk_cpu_run_row(run, i);
        if (!serve_row(engine, member, task, &row, 1)) {
            return false;
        }
    }
    return true;
}

/* How many rows are packed at once. If the elements of a row are farther apart than the rows, a
 * cache line contains elements of several rows. These are packed together, line by line, to read
 * each line only once. */
static size_t packed_at_once(const struct topk_cpu_task *task, const struct topk_cpu_run *run)
{
    if (run->count < 2 || task->input_step <= run->input_step || task->length == 1) {
        return 0;
    }
    const size_t rows = PACKED_BYTES / (task->length * task->width);
    return rows < 2 ? 0 : rows;
}

static bool serve_packed(struct topk_cpu_engine *engine, struct topk_cpu_member *member,
                         const struct topk_cpu_run *run, size_t at_once)
{
    const struct topk_cpu_task *task = &engine->task;
    const size_t width = task->width;
    const size_t row_bytes = task->length * width;
    struct topk_cpu_task packed = *task;
    packed.input_step = width;
    unsigned char *rows = topk_cpu_memory_room(&member->packed, at_once, row_bytes);
    if (rows == NULL) {
        return false;
    }
    for (size_t first = 0; first < run->count; first += at_once) {
        struct topk_cpu_run part = *run;
        part.first = topk_cpu_run_row(run, first);
        part.count = run->count - first < at_once ? run->count - first : at_once;
        engine->kernels->pack(task, &part, rows);
        part.first.input = rows;
        part.input_step = row_bytes;
        if (!serve_rows(engine, member, &packed, &part)) {
            return false;
        }
    }
    return true;
}

/* Serves a part of the rows. */
static void serve_part(void *context, unsigned number, size_t part)
{
    struct topk_cpu_engine *engine = context;
    struct topk_cpu_member *member = &engine->members[number];
    const size_t begin = part * engine->part_rows;
    const size_t left = engine->rows.count - begin;
    const size_t end = begin + (left < engine->part_rows ? left : engine->part_rows);
    for (size_t at = begin; at < end;) {
        const struct topk_cpu_run run = topk_cpu_rows_run(&engine->rows, &engine->origin, at, end);
        const size_t packed = packed_at_once(&engine->task, &run);
        if (!(packed != 0 ? serve_packed(engine, member, &run, packed)
                          : serve_rows(engine, member, &engine->task, &run))) {
            member->lacks_memory = true;
            return;
        }
        at += run.count;
    }
}

/* ---- Sharing --------------------------------------------------------------------------------- */

static void share_rows(struct topk_cpu_engine *engine)
{
    const size_t members = topk_cpu_team_members(engine->team);
    const size_t count = engine->rows.count;
    engine->part_rows = count;
    if (members > 1 && count > 1 && count * engine->task.length >= LEAST_SHARED) {
        const size_t rows = count / (members * PARTS_OF_MEMBER) + 1;
        engine->part_rows = engine->method == TOPK_CPU_LANES
                                ? (rows + ROWS_TOGETHER - 1) / ROWS_TOGETHER * ROWS_TOGETHER
                                : rows;
    }
    const size_t parts = (count + engine->part_rows - 1) / engine->part_rows;
    topk_cpu_team_run(engine->team, parts, serve_part, engine);
}

/* Whether the whole team serves each row together, because there are few long rows. */
static bool shares_each_row(const struct topk_cpu_engine *engine)
{
    const size_t members = topk_cpu_team_members(engine->team);
    return members > 1 && engine->rows.count < members && engine->task.length >= LEAST_SHARED &&
           engine->method != TOPK_CPU_SORT;
}

static void share_each_row(struct topk_cpu_engine *engine)
{
    const size_t parts = topk_cpu_team_members(engine->team);
    for (size_t i = 0; i < engine->rows.count; i++) {
        const struct topk_cpu_run run = topk_cpu_rows_run(&engine->rows, &engine->origin, i, i + 1);
        if (!serve_row(engine, &engine->members[0], &engine->task, &run.first, parts)) {
            engine->members[0].lacks_memory = true;
            return;
        }
    }
}

static void prepare_network(struct topk_cpu_engine *engine)
{
    const uint32_t length = (uint32_t)engine->task.length;
    const uint32_t k = (uint32_t)engine->task.k;
    if (engine->network_length != length || engine->network_k != k) {
        topk_cpu_network_make(&engine->network, length, k);
        engine->network_length = length;
        engine->network_k = k;
    }
}

static struct topk_cpu_memory *memory_of(struct topk_cpu_member *member, size_t number)
{
    struct topk_cpu_memory *const all[] = {&member->keys,  &member->indices, &member->entries,
                                           &member->spare, &member->counts,  &member->dealt,
                                           &member->packed};
    return number < sizeof all / sizeof all[0] ? all[number] : NULL;
}

static void free_memory(struct topk_cpu_member *member, size_t kept)
{
    struct topk_cpu_memory *memory;
    for (size_t i = 0; (memory = memory_of(member, i)) != NULL; i++) {
        if (memory->size > kept) {
            topk_cpu_memory_free(memory);
        }
    }
}

bool topk_cpu_engine_run(struct topk_cpu_engine *engine, const struct topk_cpu_plan *plan,
                         const struct topk_cpu_row *origin)
{
    engine->kernels = &engine->levels[kind_of(plan)];
    engine->task = task_of(plan);
    engine->rows = topk_cpu_rows_of(plan);
    engine->origin = *origin;
    engine->method = topk_cpu_method(plan->length, plan->k, engine->rows.count);
    if (engine->method == TOPK_CPU_LANES) {
        prepare_network(engine);
    }
    if (shares_each_row(engine)) {
        share_each_row(engine);
    } else {
        share_rows(engine);
    }
    bool done = true;
    for (unsigned i = 0; i < topk_cpu_team_members(engine->team); i++) {
        done = done && !engine->members[i].lacks_memory;
        engine->members[i].lacks_memory = false;
        free_memory(&engine->members[i], TOPK_CPU_MEMORY_KEPT);
    }
    return done;
}

/* ---- Opening --------------------------------------------------------------------------------- */

struct topk_cpu_engine *topk_cpu_engine_open(const struct topk_cpu_kernels *kernels,
                                             unsigned threads)
{
    struct topk_cpu_engine *engine = calloc(1, sizeof *engine);
    if (engine == NULL) {
        return NULL;
    }
    engine->levels = kernels;
    engine->team = topk_cpu_team_open(threads);
    if (engine->team != NULL) {
        engine->members = calloc(topk_cpu_team_members(engine->team), sizeof *engine->members);
    }
    if (engine->members == NULL) {
        topk_cpu_engine_close(engine);
        return NULL;
    }
    return engine;
}

void topk_cpu_engine_close(struct topk_cpu_engine *engine)
{
    for (unsigned i = 0; engine->members != NULL && i < topk_cpu_team_members(engine->team); i++) {
        free_memory(&engine->members[i], 0);
    }
    free(engine->members);
    if (engine->team != NULL) {
        topk_cpu_team_close(engine->team);
    }
    free(engine);
}

unsigned topk_cpu_engine_threads(const struct topk_cpu_engine *engine)
{
    return topk_cpu_team_members(engine->team);
}
