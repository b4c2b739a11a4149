/* The shrinker's loop: its steps, one after the other, as long as one succeeds. */
#include "shrink_state.h"

#include <stdlib.h>

/* takes a step as often as it succeeds; whether it did */
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
            shrinker->options->shrunk(shrinker->options->context, shrinker->current, step->name,
                                      shrinker->report->runs);
        }
    } while (shrinker->found && !shrinker->ended);
    return any;
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
    shrinker->weight = topk_shrink_weigh(tc);
    topk_operator_validate(&tc->op, tc->op.level, &shrinker->validity);
    bool changed = true;
    while (changed && !shrinker->ended) {
        changed = false;
        for (const struct topk_shrink_step *step = topk_shrink_steps;
             step->name != NULL && !shrinker->ended; step++) {
            changed |= take_step(shrinker, step);
        }
    }
    free(shrinker->tried);
    free(shrinker->text);
    free(shrinker);
}
