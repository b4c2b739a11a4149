/* Runs that end before every case has a result. */
#define _POSIX_C_SOURCE 200809L /* uv.h needs it */
#include "early.h"

#include <uv.h>

#include "session.h"

enum {
    KEY_CRASHES = 4000,
    KEY_TIMEOUTS,
    KEY_BUDGET
};

#define COUNT_MAX UINT32_MAX

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct cli_early *early = state->input;
    switch (key) {
    case KEY_CRASHES:
        early->max_crashes =
            cli_number_from(state, topk_early_word(TOPK_EARLY_MAX_CRASHES), argument, 1, COUNT_MAX);
        return 0;
    case KEY_TIMEOUTS:
        early->max_timeouts = cli_number_from(state, topk_early_word(TOPK_EARLY_MAX_TIMEOUTS),
                                              argument, 1, COUNT_MAX);
        return 0;
    case KEY_BUDGET:
        early->budget = cli_seconds(state, topk_early_word(TOPK_EARLY_TIME_BUDGET), argument);
        return 0;
    default:
        return cli_store(key, argument, state);
    }
}

const struct argp cli_early_argp = {
    .options =
        (const struct argp_option[]){
            {"fail-fast", CLI_FLAG(struct cli_early, fail_fast), NULL, 0,
             "End after the first failure that is not expected", 0},
            {"max-crashes", KEY_CRASHES, "N", 0, "End after N crashes", 0},
            {"max-timeouts", KEY_TIMEOUTS, "N", 0,
             "End after N timeouts, each of which takes twice the limit of --timeout", 0},
            {"time-budget", KEY_BUDGET, "SECONDS", 0,
             "End after this time; what is done with the failures afterwards is not counted", 0},
            {0},
        },
    .parser = parse,
};

void cli_early_start(struct cli_early *early)
{
    early->started = uv_hrtime();
}

static bool end(struct cli_early *early, enum topk_early_by by, double limit)
{
    early->end = (struct topk_early){.by = by, .limit = limit};
    return false;
}

bool cli_early_take(struct cli_early *early, enum topk_verdict verdict)
{
    early->crashes += verdict == TOPK_VERDICT_CRASH;
    early->timeouts += verdict == TOPK_VERDICT_TIMEOUT;
    if (early->fail_fast && topk_verdict_failure(verdict)) {
        return end(early, TOPK_EARLY_FAIL_FAST, 1);
    }
    if (early->max_crashes > 0 && early->crashes >= early->max_crashes) {
        return end(early, TOPK_EARLY_MAX_CRASHES, (double)early->max_crashes);
    }
    if (early->max_timeouts > 0 && early->timeouts >= early->max_timeouts) {
        return end(early, TOPK_EARLY_MAX_TIMEOUTS, (double)early->max_timeouts);
    }
    return true;
}

bool cli_early_tick(struct cli_early *early)
{
    if (early->end.by == TOPK_EARLY_NOT && early->budget > 0 &&
        (double)(uv_hrtime() - early->started) / 1e9 >= early->budget) {
        return end(early, TOPK_EARLY_TIME_BUDGET, early->budget);
    }
    return early->end.by == TOPK_EARLY_NOT;
}

bool cli_early_ended(struct cli_early *early, uint64_t left)
{
    early->end.left = left;
    if (left == 0) {
        early->end.by = TOPK_EARLY_NOT;
    }
    return early->end.by != TOPK_EARLY_NOT;
}
