/* The benchmark: measures each row of a plan. */
#include "bench.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "measure.h"
#include "party.h"
#include "platform/platform.h"
#include "processor.h"
#include "work.h"

/* Nanoseconds of a turn, far longer than the resolution of the clock. */
#define TURN_NS       3e6
#define QUICK_TURN_NS 1e5

/* Bounds, in bytes, of the memory that inputs, and also outputs, rotate through; the aim is twice
 * the largest cache. */
#define LEAST_BUFFERS (UINT64_C(64) << 20)
#define MOST_BUFFERS  (UINT64_C(256) << 20)
#define QUICK_BUFFERS (UINT64_C(1) << 20)

struct bench {
    const struct topk_bench_options *options;
    struct topk_bench_report *report;
    struct parties parties;
    struct topk_loaded cpu; /* computes the results to judge */
    struct memory memory;
    double turn_ns;
    uint64_t (*clock)(void);
    bool no_memory; /* a note could not be added */
};

/* Adds a note about what was left out, once. */
static void note(struct bench *bench, const char *who, const struct topk_bench_row *row,
                 const char *why)
{
    struct topk_bench_report *report = bench->report;
    char type[TOPK_TYPE_TEXT];
    char text[TOPK_BENCH_TEXT];
    topk_type_print(row->type, type);
    snprintf(text, sizeof text, "%.60s, %s: %.160s", who, type, why);
    for (uint32_t i = 0; i < report->note_count; i++) {
        if (strcmp(report->notes[i], text) == 0) {
            return;
        }
    }
    void *notes = realloc(report->notes, (report->note_count + 1) * sizeof *report->notes);
    if (notes == NULL) {
        bench->no_memory = true;
        return;
    }
    report->notes = notes;
    memcpy(report->notes[report->note_count++], text, sizeof text);
}

enum role {
    LIMIT, /* the first */
    WORK,  /* the second */
    BARE,  /* the device's part of the work */
    PEER
};

/* A side of a row: the call, and where its figure goes. */
struct side {
    enum role role;
    bool (*call)(void *self, uint64_t number);
    struct work work;
    const char *name;
    struct topk_bench_figure *figure;
};
#define SIDES (3 + TOPK_BENCH_PEERS)

/* Judges the result of a side before it is timed. False if it is not right, with a note. */
static bool enter(struct bench *bench, const struct topk_bench_row *row, struct side *side)
{
    char why[TOPK_BENCH_TEXT];
    bool wrong = false;
    if (!topk_work_prove(&side->work, &wrong, why, sizeof why)) {
        note(bench, side->name, row, why);
        bench->report->wrong = bench->report->wrong || wrong;
        return false;
    }
    return true;
}

/* Returns the ratio of a side's times, see struct topk_bench_figure. */
static double ratio_of(const struct entrant *entrants, uint32_t number, enum role role,
                       uint32_t runs)
{
    const double *work = entrants[1].times;
    switch (role) {
    case WORK:
        return topk_bench_ratio(work, entrants[0].times, runs);
    case BARE:
        return topk_bench_ratio(work, entrants[number].times, runs);
    case PEER:
        return topk_bench_ratio(entrants[number].times, work, runs);
    default:
        return 0;
    }
}

/* Times the sides in turns and fills in their figures. */
static void take_turns(struct bench *bench, const struct topk_bench_row *row, struct side *sides,
                       uint32_t count, uint64_t elements)
{
    struct entrant entrants[SIDES];
    const uint32_t runs = bench->report->runs;
    for (uint32_t i = 0; i < count; i++) {
        /* the bare side repeats the last call of the work */
        struct work *work = sides[i].role == BARE ? &sides[1].work : &sides[i].work;
        entrants[i] = (struct entrant){.call = sides[i].call, .self = work};
    }
    topk_bench_time(entrants, count, runs, bench->turn_ns, bench->clock);
    for (uint32_t i = 0; i < count; i++) {
        *sides[i].figure = topk_bench_figure_of(&entrants[i], runs, elements);
        if (entrants[i].failed) {
            note(bench, sides[i].name, row,
                 sides[i].role == BARE ? "its device no longer has the inputs"
                                       : sides[i].work.answer.reason);
        } else if (!entrants[1].failed) {
            sides[i].figure->ratio = ratio_of(entrants, i, sides[i].role, runs);
        }
    }
}

/* Divides the memory for the calls of a row and fills the inputs. The judge needs the same input in
 * each slice, because each needs a correct result; measure_judge() copies these. */
static bool provide(struct bench *bench, const struct topk_bench_row *row,
                    const struct shape *shape)
{
    struct memory *memory = &bench->memory;
    const uint64_t least = bench->report->buffers;
    if (!topk_pool_part(&memory->inputs, topk_bench_align(shape->input_bytes), least) ||
        !topk_pool_part(&memory->outputs, topk_bench_align(shape->output_bytes), least)) {
        char n[TOPK_BENCH_NUMBER];
        char why[96];
        topk_bench_number(row->n, n);
        snprintf(why, sizeof why, "n = %s takes more memory than there is", n);
        note(bench, topk_bench_subject_word(row->subject), row, why);
        return false;
    }
    topk_pool_fill(&memory->inputs, row->type,
                   row->subject == TOPK_BENCH_JUDGE ? memory->inputs.slice : memory->inputs.room);
    return true;
}

static void measure_judge(struct bench *bench, struct topk_bench_row *row,
                          const struct shape *shape)
{
    static struct side sides[2]; /* static to keep the stack small */
    struct memory *memory = &bench->memory;
    const struct work work = {.shape = shape, .memory = memory, .loaded = &bench->cpu};
    sides[0] = (struct side){LIMIT, topk_work_read, work, "limit", &row->limit};
    sides[1] = (struct side){WORK, topk_work_judge, work, "judge", &row->work};
    if (enter(bench, row, &sides[1])) {
        topk_pool_repeat(&memory->inputs);
        topk_pool_repeat(&memory->outputs);
        take_turns(bench, row, sides, 2, shape->elements);
    }
}

static void measure_backend(struct bench *bench, struct topk_bench_row *row,
                            const struct shape *shape)
{
    static struct side sides[SIDES]; /* static to keep the stack small */
    struct topk_bench_report *report = bench->report;
    struct topk_loaded *backend = &bench->parties.backend;
    const struct work work = {.shape = shape, .memory = &bench->memory, .loaded = backend};
    uint32_t count = 2;
    sides[0] = (struct side){LIMIT, topk_work_read_write, work, "limit", &row->limit};
    sides[1] = (struct side){WORK, topk_work_run, work, report->backend.name, &row->work};
    if (!enter(bench, row, &sides[1])) {
        return;
    }
    if (backend->repeats) {
        sides[count++] = (struct side){BARE, topk_work_repeat, work, "bare", &row->bare};
    }
    for (uint32_t i = 0; i < report->peer_count; i++) {
        sides[count] =
            (struct side){PEER, topk_work_run, work, report->peers[i].name, &row->peers[i]};
        sides[count].work.loaded = &bench->parties.peers[i];
        count += report->peers[i].open && enter(bench, row, &sides[count]) ? 1 : 0;
    }
    take_turns(bench, row, sides, count, shape->elements);
}

/* ---- the machine ----------------------------------------------------------------------------- */

static bool copy(void *self, uint64_t number)
{
    const struct work *work = self;
    memcpy(topk_pool_at(&work->memory->outputs, number),
           topk_pool_at(&work->memory->inputs, number), (size_t)work->shape->input_bytes);
    return true;
}

/* Returns input bytes per nanosecond in a row that measures only a limit. */
static double rate_of(const struct topk_bench_figure *figure)
{
    return sizeof(float) / figure->median;
}

static bool measure_machine(struct bench *bench)
{
    static struct side sides[3]; /* static to keep the stack small */
    struct topk_bench_row row = {
        .type = TOPK_TYPE_F32, .n = 1 << 20, .k = 1, .stride = 1, .sequences = 1};
    struct topk_bench_row third = row;
    struct shape shapes[2];
    struct memory *memory = &bench->memory;
    struct topk_bench_figure copied = {.measured = false};
    if (bench->options->quick) {
        row.n = third.n = 1 << 16;
    }
    third.stride = 3;
    topk_shape_make(&shapes[0], &row);
    topk_shape_make(&shapes[1], &third);
    const uint64_t slice = topk_bench_align(shapes[1].input_bytes);
    if (!topk_pool_part(&memory->inputs, slice, bench->report->buffers) ||
        !topk_pool_part(&memory->outputs, slice, bench->report->buffers)) {
        return false;
    }
    topk_pool_fill(&memory->inputs, TOPK_TYPE_F32, memory->inputs.room);
    const struct work work = {.shape = &shapes[0], .memory = memory};
    sides[0] = (struct side){LIMIT, topk_work_read, work, "read", &row.limit};
    sides[1] = (struct side){LIMIT, copy, work, "copy", &copied};
    sides[2] = (struct side){LIMIT, topk_work_read, work, "strided", &third.limit};
    sides[2].work.shape = &shapes[1];
    take_turns(bench, &row, sides, 3, shapes[0].elements);
    bench->report->machine =
        (struct topk_bench_machine){rate_of(&row.limit), rate_of(&copied), rate_of(&third.limit)};
    return true;
}

/* ---- the whole run --------------------------------------------------------------------------- */

static void start(struct bench *bench)
{
    struct topk_bench_report *report = bench->report;
    const time_t now = time(NULL);
    const struct tm *utc = gmtime(&now);
    if (utc == NULL ||
        strftime(report->started, sizeof report->started, "%Y-%m-%dT%H:%M:%SZ", utc) == 0) {
        report->started[0] = 0;
    }
    topk_processor_print(report->processor, sizeof report->processor);
    report->cache = topk_cache_bytes();
    report->buffers = 2 * report->cache;
    report->buffers = report->buffers < LEAST_BUFFERS ? LEAST_BUFFERS : report->buffers;
    report->buffers = report->buffers > MOST_BUFFERS ? MOST_BUFFERS : report->buffers;
    bench->turn_ns = TURN_NS;
    if (report->quick) {
        report->buffers = QUICK_BUFFERS;
        bench->turn_ns = QUICK_TURN_NS;
    }
}

/* Uses processor time if pinned to one processor, so that other processes there do not count. */
static void choose_clock(struct bench *bench)
{
    struct topk_bench_report *report = bench->report;
    report->processor_time = report->processors == 1 && topk_clock_process() > 0;
    bench->clock = report->processor_time ? topk_clock_process : topk_clock_now;
}

static void measure_rows(struct bench *bench)
{
    const struct topk_bench_options *options = bench->options;
    struct topk_bench_report *report = bench->report;
    for (uint32_t i = 0; i < report->row_count; i++) {
        struct topk_bench_row *row = &report->rows[i];
        char text[96];
        char type[TOPK_TYPE_TEXT];
        char numbers[2][TOPK_BENCH_NUMBER];
        topk_type_print(row->type, type);
        topk_bench_number(row->n, numbers[0]);
        topk_bench_number(row->k, numbers[1]);
        snprintf(text, sizeof text, "%s %s n=%s k=%s", topk_bench_subject_word(row->subject), type,
                 numbers[0], numbers[1]);
        if (options->progress != NULL) {
            options->progress(options->context, i, report->row_count, text);
        }
        struct shape shape;
        topk_shape_make(&shape, row);
        if (provide(bench, row, &shape)) {
            (row->subject == TOPK_BENCH_JUDGE ? measure_judge : measure_backend)(bench, row,
                                                                                 &shape);
        }
    }
}

static enum topk_bench_status measure_all(struct bench *bench, char *error, size_t error_bytes)
{
    if (topk_loader_open(&bench->cpu, "cpu", error, error_bytes)) {
        snprintf(error, error_bytes, "out of memory");
        if (measure_machine(bench)) {
            measure_rows(bench);
            return bench->no_memory ? TOPK_BENCH_NO_MEMORY : TOPK_BENCH_DONE;
        }
    }
    return TOPK_BENCH_NO_MEMORY;
}

enum topk_bench_status topk_bench_run(const struct topk_bench_options *options,
                                      struct topk_bench_report *report, char *error,
                                      size_t error_bytes)
{
    enum topk_bench_status status = topk_bench_plan(options, report, error, error_bytes);
    if (status != TOPK_BENCH_DONE) {
        return status;
    }
    struct bench *bench = calloc(1, sizeof *bench);
    if (bench == NULL) {
        topk_bench_free(report);
        snprintf(error, error_bytes, "out of memory");
        return TOPK_BENCH_NO_MEMORY;
    }
    bench->options = options;
    bench->report = report;
    start(bench);
    if (!topk_parties_open(&bench->parties, options, report, error, error_bytes)) {
        status = TOPK_BENCH_UNAVAILABLE;
    } else {
        choose_clock(bench);
        status = measure_all(bench, error, error_bytes);
    }
    topk_parties_close(&bench->parties);
    topk_loader_close(&bench->cpu);
    topk_pool_free(&bench->memory.inputs);
    topk_pool_free(&bench->memory.outputs);
    free(bench);
    if (status != TOPK_BENCH_DONE) {
        topk_bench_free(report);
    }
    return status;
}
