/* The main loop of the shrinker: repeats the steps while one succeeds. */
#include "shrink_state.h"

#include <stdlib.h>

/* repeats a step while it succeeds; returns whether it ever did */
static bool take_step(struct topk_shrinker *shrinker, const struct topk_shrink_step *step)
{
    bool any = false;
    shrinker->place = (struct topk_shrink_place){0, 0, 0};
    do {
        shrinker->found = false;
        step->propose(shrinker);
        if (!shrinker->found) {
            topk_shrink_try(shrinker);
        }
        any |= shrinker->found;
        if (shrinker->found && shrinker->options->shrunk != NULL) {
            topk_shrink_turn(shrinker->current, shrinker->turned);
            shrinker->options->shrunk(shrinker->options->context, shrinker->current, step->name,
                                      shrinker->report->runs);
            topk_shrink_turn(shrinker->current, shrinker->turned);
        }
    } while (shrinker->found && !shrinker->ended);
    return any;
}

/* runs all steps for call `number` of current->before; returns whether one succeeded */
static bool shrink_call(struct topk_shrinker *shrinker, uint32_t number)
{
    bool any = false;
    shrinker->turned = number;
    topk_shrink_turn(shrinker->current, number);
    topk_shrink_note_current(shrinker);
    for (const struct topk_shrink_step *step = topk_shrink_steps;
         step->name != NULL && !shrinker->ended; step++) {
        any |= take_step(shrinker, step);
    }
    topk_shrink_turn(shrinker->current, number);
    return any;
}

static bool shrink_calls(struct topk_shrinker *shrinker)
{
    shrinker->turned = shrinker->current->before_count;
    topk_shrink_note_current(shrinker);
    return shrinker->turned > 0 && take_step(shrinker, &topk_shrink_calls);
}

void topk_shrink(struct topk_case *tc, const struct topk_shrink_options *options,
                 struct topk_shrink_report *report)
{
    *report = (struct topk_shrink_report){.end = TOPK_SHRINK_MINIMAL};
    struct topk_shrinker *shrinker = calloc(1, sizeof *shrinker);
    char *text = malloc(TOPK_CASE_TEXT);
    if (shrinker == NULL || text == NULL) {
        free(shrinker);
        free(text);
        report->end = TOPK_SHRINK_NO_MEMORY;
        return;
    }
    shrinker->options = options;
    shrinker->report = report;
    shrinker->current = tc;
    shrinker->text = text;
    shrinker->batch = 2;
    shrinker->max_runs = options->max_runs == 0 ? TOPK_SHRINK_RUNS : options->max_runs;
    bool changed = true;
    while (changed && !shrinker->ended) {
        changed = shrink_calls(shrinker);
        for (uint32_t i = tc->before_count + 1; i-- > 0 && !shrinker->ended;) {
            changed |= shrink_call(shrinker, i);
        }
    }
    free(shrinker->tried);
    free(shrinker->text);
    free(shrinker);
}
