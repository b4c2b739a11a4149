/* Compares the times of two runs, test by test, of the cases that passed in both. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"

/* a case that passed in both */
struct sample {
    uint32_t test;
    double ratio;
};

static int by_test(const void *a, const void *b)
{
    const struct sample *x = a;
    const struct sample *y = b;
    if (x->test != y->test) {
        return x->test < y->test ? -1 : 1;
    }
    return x->ratio < y->ratio ? -1 : x->ratio > y->ratio;
}

static int by_ratio(const void *a, const void *b)
{
    const struct sample *x = a;
    const struct sample *y = b;
    return x->ratio < y->ratio ? -1 : x->ratio > y->ratio;
}

static double changed(const struct topk_speed *speed)
{
    return fabs(log(speed->median));
}

static int by_change(const void *a, const void *b)
{
    const struct topk_speed *x = a;
    const struct topk_speed *y = b;
    if (changed(x) != changed(y)) {
        return changed(x) > changed(y) ? -1 : 1;
    }
    return strcmp(x->test, y->test);
}

/* A log may contain any time, so a sum that would overflow becomes the maximum. */
static void add(uint64_t *sum, uint64_t nanoseconds)
{
    uint64_t room = UINT64_MAX - *sum;
    *sum += nanoseconds < room ? nanoseconds : room;
}

static bool test_number(struct topk_ids *tests, const char *id, uint32_t *number)
{
    char name[128];
    size_t length = strcspn(id, ": ");
    bool named = id[length] == ':' && length > 0 && length < sizeof name;
    memcpy(name, named ? id : "cases", named ? length : sizeof "cases");
    name[named ? length : sizeof "cases" - 1] = 0;
    return topk_ids_number(tests, name, number);
}

/* Takes a case's time in both runs, and the test that it belongs to. */
static bool take(struct topk_comparison *comparison, const char *id,
                 const struct topk_outcome *before, const struct topk_outcome *after,
                 struct sample *sample)
{
    if (!test_number(&comparison->tests, id, &sample->test) ||
        (sample->test == comparison->speed_count &&
         topk_list_add(&comparison->speeds, &comparison->speed_count, sizeof *comparison->speeds) ==
             NULL)) {
        return false;
    }
    struct topk_speed *of[] = {&comparison->speed, &comparison->speeds[sample->test]};
    for (int i = 0; i < 2; i++) {
        of[i]->cases++;
        add(&of[i]->before, before->nanoseconds);
        add(&of[i]->after, after->nanoseconds);
    }
    sample->ratio = (double)(after->nanoseconds + (after->nanoseconds == 0)) /
                    (double)(before->nanoseconds + (before->nanoseconds == 0));
    return true;
}

static void find_medians(struct topk_comparison *comparison, struct sample *samples, size_t count)
{
    qsort(samples, count, sizeof *samples, by_test);
    for (size_t i = 0; i < count; i += comparison->speeds[samples[i].test].cases) {
        struct topk_speed *speed = &comparison->speeds[samples[i].test];
        speed->test = comparison->tests.texts[samples[i].test];
        speed->median = samples[i + (speed->cases - 1) / 2].ratio;
    }
    qsort(samples, count, sizeof *samples, by_ratio);
    comparison->speed.median = samples[(count - 1) / 2].ratio;
    qsort(comparison->speeds, comparison->speed_count, sizeof *comparison->speeds, by_change);
}

bool topk_compare_speed(struct topk_comparison *comparison, const struct topk_ids *ids,
                        const struct topk_run *a, const struct topk_run *b)
{
    struct sample *samples = malloc((ids->count + 1) * sizeof *samples);
    size_t count = 0;
    bool ok = samples != NULL;
    for (uint32_t i = 0; ok && i < ids->count; i++) {
        const struct topk_outcome *before = topk_run_outcome(a, i);
        const struct topk_outcome *after = topk_run_outcome(b, i);
        if (before->verdict == TOPK_VERDICT_PASS && after->verdict == TOPK_VERDICT_PASS) {
            ok = take(comparison, ids->texts[i], before, after, &samples[count++]);
        }
    }
    if (ok && count > 0) {
        find_medians(comparison, samples, count);
    }
    free(samples);
    return ok;
}
