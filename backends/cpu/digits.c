/* Selects many elements of many: distributes elements to buckets by the upper digit of their keys.
 * Buckets after the one with the K-th element are dropped, the others are sorted and written one by
 * one. */
#include "engine_state.h"

#include <string.h>

#define VALUES (1u << TOPK_CPU_DIGIT_BITS)
/* log2 of the number of elements that a bucket should have, so that the L1 cache holds it. */
#define BUCKET_BITS 11u
/* Number of buckets that a member takes at a time. */
#define BUCKETS_TOGETHER 16u

struct job {
    struct topk_cpu_engine *engine;
    struct topk_cpu_member *member;
    const struct topk_cpu_task *task;
    const struct topk_cpu_row *row;
    size_t parts;
    uint64_t least[TOPK_CPU_TEAM_MOST]; /* one for each part */
    uint64_t greatest[TOPK_CPU_TEAM_MOST];
    struct topk_cpu_digit digit;
    uint32_t *counts; /* VALUES counts for each part; later the next positions */
    uint32_t *starts; /* starts of the buckets and the end of the last: VALUES + 1 */
    void *dealt;      /* elements, bucket by bucket */
    size_t largest;   /* size of the largest bucket */
};

static void find_range(void *context, unsigned member, size_t part)
{
    (void)member;
    struct job *job = context;
    const size_t length = job->task->length;
    job->engine->kernels->range(job->task, job->row->input, topk_cpu_part(length, part, job->parts),
                                topk_cpu_part(length, part + 1, job->parts), &job->least[part],
                                &job->greatest[part]);
}

static void choose_digit(struct job *job)
{
    uint64_t least = job->least[0];
    uint64_t greatest = job->greatest[0];
    for (size_t i = 1; i < job->parts; i++) {
        least = job->least[i] < least ? job->least[i] : least;
        greatest = job->greatest[i] > greatest ? job->greatest[i] : greatest;
    }
    uint32_t digit_bits = 0;
    while (digit_bits < TOPK_CPU_DIGIT_BITS &&
           job->task->length >> (digit_bits + BUCKET_BITS) != 0) {
        digit_bits++;
    }
    job->digit = (struct topk_cpu_digit){.least = least};
    while ((greatest - least) >> job->digit.shift >> digit_bits != 0) {
        job->digit.shift++;
    }
}

static void count_part(void *context, unsigned member, size_t part)
{
    (void)member;
    const struct job *job = context;
    const size_t length = job->task->length;
    job->engine->kernels->count(job->task, job->row->input, topk_cpu_part(length, part, job->parts),
                                topk_cpu_part(length, part + 1, job->parts), &job->digit,
                                job->counts + part * VALUES);
}

/* Turns counts into positions: a bucket contains the elements of the first part, then those of the
 * next. */
static void lay_out(struct job *job)
{
    uint32_t start = 0;
    job->digit.last = 0;
    job->largest = 0;
    for (uint32_t value = 0; value < VALUES; value++) {
        const bool taken = start < job->task->k;
        job->starts[value] = start;
        job->digit.last = taken ? value : job->digit.last;
        for (size_t part = 0; part < job->parts; part++) {
            uint32_t *count = &job->counts[part * VALUES + value];
            const uint32_t found = *count;
            *count = taken ? start : (uint32_t)(start + part);
            start += taken ? found : 0;
        }
        const size_t size = start - job->starts[value];
        job->largest = size > job->largest ? size : job->largest;
    }
    job->starts[VALUES] = start;
}

static void place_part(void *context, unsigned member, size_t part)
{
    (void)member;
    const struct job *job = context;
    const size_t length = job->task->length;
    job->engine->kernels->place(job->task, job->row->input, topk_cpu_part(length, part, job->parts),
                                topk_cpu_part(length, part + 1, job->parts), &job->digit,
                                job->counts + part * VALUES, job->dealt);
}

static void sort_bucket(const struct job *job, struct topk_cpu_member *member, uint32_t value)
{
    const size_t start = job->starts[value];
    const struct topk_cpu_elements room = {.keys = member->keys.bytes,
                                           .indices = member->indices.bytes,
                                           .count = job->starts[value + 1] - start};
    job->engine->kernels->finish_dealt(job->task, job->row, job->dealt, start, &room,
                                       member->entries.bytes, member->spare.bytes);
}

static void sort_part(void *context, unsigned number, size_t part)
{
    const struct job *job = context;
    struct topk_cpu_member *member = job->parts == 1 ? job->member : &job->engine->members[number];
    const size_t begin = part * BUCKETS_TOGETHER;
    for (size_t i = begin; i < begin + BUCKETS_TOGETHER && i <= job->digit.last; i++) {
        if (job->starts[i] != job->starts[i + 1]) {
            sort_bucket(job, member, (uint32_t)i);
        }
    }
}

/* Allocates memory to sort the largest bucket. */
static bool find_room(struct topk_cpu_member *member, size_t largest, size_t width)
{
    return topk_cpu_memory_room(&member->keys, largest, width) != NULL &&
           topk_cpu_memory_room(&member->indices, largest, sizeof(uint32_t)) != NULL &&
           topk_cpu_memory_room(&member->entries, largest, sizeof(uint64_t)) != NULL &&
           topk_cpu_memory_room(&member->spare, largest, sizeof(uint64_t)) != NULL;
}

/* Allocates memory for the distributed elements, followed by one position per part for elements
 * that are dropped; and memory for each member that may sort buckets. */
static bool find_rooms(struct job *job, struct topk_cpu_member *member)
{
    const size_t count = job->starts[VALUES] + job->parts;
    job->dealt = topk_cpu_memory_room(&member->dealt, count, job->engine->kernels->dealt_bytes);
    if (job->dealt == NULL) {
        return false;
    }
    const unsigned members = job->parts == 1 ? 0 : topk_cpu_team_members(job->engine->team);
    for (unsigned i = 0; i < members; i++) {
        if (!find_room(&job->engine->members[i], job->largest, job->task->width)) {
            return false;
        }
    }
    return members > 0 || find_room(member, job->largest, job->task->width);
}

bool topk_cpu_digits(struct topk_cpu_engine *engine, struct topk_cpu_member *member,
                     const struct topk_cpu_task *task, const struct topk_cpu_row *row, size_t parts)
{
    struct job job = {.engine = engine, .member = member, .task = task, .row = row, .parts = parts};
    const size_t counts = parts * VALUES;
    job.counts = topk_cpu_memory_room(&member->counts, counts + VALUES + 1, sizeof *job.counts);
    if (job.counts == NULL) {
        return false;
    }
    job.starts = job.counts + counts;
    memset(job.counts, 0, counts * sizeof *job.counts);
    topk_cpu_spread(engine, parts, find_range, &job);
    choose_digit(&job);
    topk_cpu_spread(engine, parts, count_part, &job);
    lay_out(&job);
    if (!find_rooms(&job, member)) {
        return false;
    }
    topk_cpu_spread(engine, parts, place_part, &job);
    const size_t taken = (size_t)job.digit.last + 1;
    const size_t together = (taken + BUCKETS_TOGETHER - 1) / BUCKETS_TOGETHER;
    if (parts == 1) {
        for (size_t i = 0; i < together; i++) {
            sort_part(&job, 0, i);
        }
    } else {
        topk_cpu_team_run(engine->team, together, sort_part, &job);
    }
    return true;
}
