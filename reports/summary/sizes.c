/* Counts and times cases by n and K. */
#include "sizes.h"

#include <stdlib.h>
#include <string.h>

#include "log/log.h"
#include "run_json.h"

/* A case that passed by its outputs, not by its status alone. */
struct topk_size_sample {
    unsigned char n;  /* its class of n */
    bool both;        /* it also passed in the earlier run */
    uint64_t took;    /* nanoseconds */
    uint64_t earlier; /* if `both`: the time in the earlier run */
};

unsigned topk_size_class(uint32_t size)
{
    unsigned power = 0;
    if (size == 0) {
        return TOPK_SIZE_NONE;
    }
    while (power < 31 && size >> (power + 1) != 0) {
        power++;
    }
    return 2 * power + ((size & (size - 1)) != 0);
}

void topk_size_range(unsigned class, uint32_t range[2])
{
    const uint32_t power = UINT32_C(1) << class / 2;
    range[0] = power + class % 2;
    range[1] = class % 2 == 0 ? power : power + (power - 1);
}

/* ---- counting -------------------------------------------------------------------------------- */

/* Finds how long the case with this id took in the earlier run, if it passed there. Returns false
 * if memory ran out. */
static bool look_up(struct topk_size_sample *sample, const char *id, struct topk_earlier *earlier)
{
    uint32_t number;
    if (earlier == NULL) {
        return true;
    }
    if (!topk_ids_number(&earlier->ids, id, &number)) {
        return false;
    }
    const struct topk_outcome *outcome = topk_run_outcome(&earlier->run, number);
    sample->both = outcome->verdict == TOPK_VERDICT_PASS && !outcome->by_status;
    sample->earlier = outcome->nanoseconds;
    return true;
}

bool topk_sizes_add(struct topk_sizes *sizes, uint32_t n, uint32_t k,
                    const struct topk_log_record *record, struct topk_earlier *earlier)
{
    if (n == 0 || k == 0) {
        return true;
    }
    struct topk_size_cell *cell = &sizes->cells[topk_size_class(n)][topk_size_class(k)];
    cell->cases++;
    cell->failures += topk_verdict_failure(record->verdict);
    cell->unsupported += record->verdict == TOPK_VERDICT_UNSUPPORTED;
    if (record->verdict != TOPK_VERDICT_PASS || record->by_status) {
        return true;
    }
    struct topk_size_sample *sample =
        topk_list_add(&sizes->samples, &sizes->sample_count, sizeof *sample);
    if (sample == NULL) {
        return false;
    }
    *sample = (struct topk_size_sample){.n = (unsigned char)topk_size_class(n),
                                        .took = record->nanoseconds};
    return look_up(sample, record->id, earlier);
}

void topk_sizes_free(struct topk_sizes *sizes)
{
    free(sizes->samples);
    sizes->samples = NULL;
    sizes->sample_count = 0;
}

/* ---- times ----------------------------------------------------------------------------------- */

/* One number of one sample. */
struct value {
    unsigned n;
    double value;
};

static int by_value(const void *a, const void *b)
{
    const struct value *x = a;
    const struct value *y = b;
    if (x->n != y->n) {
        return x->n < y->n ? -1 : 1;
    }
    return x->value < y->value ? -1 : x->value > y->value;
}

static double took(const struct topk_size_sample *sample)
{
    return (double)sample->took;
}

static double earlier(const struct topk_size_sample *sample)
{
    return (double)sample->earlier;
}

/* A time of 0 is shorter than the clock can measure. */
static double ratio(const struct topk_size_sample *sample)
{
    return (double)(sample->took + (sample->took == 0)) /
           (double)(sample->earlier + (sample->earlier == 0));
}

/* Calculates the medians of a number by class, of all samples or of those that passed in both runs;
 * 0 for a class without samples. `counts` is set to the number of samples in each class. */
static void find_medians(const struct topk_sizes *sizes, bool both,
                         double (*number)(const struct topk_size_sample *), struct value *values,
                         double medians[TOPK_SIZE_CLASSES], uint64_t counts[TOPK_SIZE_CLASSES])
{
    size_t count = 0;
    memset(medians, 0, TOPK_SIZE_CLASSES * sizeof *medians);
    memset(counts, 0, TOPK_SIZE_CLASSES * sizeof *counts);
    for (size_t i = 0; i < sizes->sample_count; i++) {
        if (!both || sizes->samples[i].both) {
            values[count++] = (struct value){sizes->samples[i].n, number(&sizes->samples[i])};
            counts[sizes->samples[i].n]++;
        }
    }
    if (count > 0) {
        qsort(values, count, sizeof *values, by_value);
    }
    for (size_t i = 0; i < count; i += counts[values[i].n]) {
        medians[values[i].n] = values[i + (counts[values[i].n] - 1) / 2].value;
    }
}

bool topk_sizes_times(const struct topk_sizes *sizes,
                      struct topk_size_times times[TOPK_SIZE_CLASSES])
{
    struct value *values = malloc((sizes->sample_count + 1) * sizeof *values);
    double medians[4][TOPK_SIZE_CLASSES];
    uint64_t all[TOPK_SIZE_CLASSES];
    uint64_t both[TOPK_SIZE_CLASSES];
    if (values == NULL) {
        return false;
    }
    find_medians(sizes, false, took, values, medians[0], all);
    find_medians(sizes, true, earlier, values, medians[1], both);
    find_medians(sizes, true, took, values, medians[2], both);
    find_medians(sizes, true, ratio, values, medians[3], both);
    for (unsigned i = 0; i < TOPK_SIZE_CLASSES; i++) {
        times[i] = (struct topk_size_times){all[i],        medians[0][i], both[i],
                                            medians[1][i], medians[2][i], medians[3][i]};
    }
    free(values);
    return true;
}

/* ---- as JSON --------------------------------------------------------------------------------- */

static void put_range(struct topk_object *object, const char *from, const char *to, unsigned class)
{
    uint32_t range[2];
    topk_size_range(class, range);
    topk_object_number(object, from, range[0]);
    topk_object_number(object, to, range[1]);
}

json_t *topk_sizes_json(const struct topk_sizes *sizes)
{
    struct topk_array array = topk_array_new();
    for (unsigned n = 0; n < TOPK_SIZE_CLASSES; n++) {
        for (unsigned k = 0; k < TOPK_SIZE_CLASSES; k++) {
            const struct topk_size_cell *cell = &sizes->cells[n][k];
            if (cell->cases > 0) {
                struct topk_object object = topk_object_new();
                put_range(&object, "n-from", "n-to", n);
                put_range(&object, "k-from", "k-to", k);
                topk_object_number(&object, "cases", cell->cases);
                topk_object_number(&object, "failures", cell->failures);
                topk_object_number(&object, "unsupported", cell->unsupported);
                topk_array_add(&array, topk_object_take(&object));
            }
        }
    }
    return topk_array_take(&array);
}

static json_t *both_json(const struct topk_size_times *times)
{
    struct topk_object object = topk_object_new();
    topk_object_number(&object, "cases", times->both);
    topk_object_number(&object, "before", (uint64_t)times->before);
    topk_object_number(&object, "after", (uint64_t)times->after);
    topk_object_put(&object, "median", json_real(times->ratio));
    return topk_object_take(&object);
}

json_t *topk_size_times_json(const struct topk_sizes *sizes)
{
    struct topk_size_times times[TOPK_SIZE_CLASSES];
    struct topk_array array = topk_array_new();
    if (!topk_sizes_times(sizes, times)) {
        array.ok = false;
    }
    for (unsigned n = 0; array.ok && n < TOPK_SIZE_CLASSES; n++) {
        if (times[n].cases > 0) {
            struct topk_object object = topk_object_new();
            put_range(&object, "n-from", "n-to", n);
            topk_object_number(&object, "cases", times[n].cases);
            topk_object_number(&object, "median", (uint64_t)times[n].took);
            if (times[n].both > 0) {
                topk_object_put(&object, "both", both_json(&times[n]));
            }
            topk_array_add(&array, topk_object_take(&object));
        }
    }
    return topk_array_take(&array);
}

json_t *topk_earlier_json(const struct topk_earlier *earlier)
{
    struct topk_object object = topk_object_new();
    topk_object_text(&object, "log", earlier->path);
    topk_object_facts(&object, earlier->run.facts, earlier->run.started);
    topk_object_flag(&object, "complete", earlier->run.complete);
    return topk_object_take(&object);
}
