/* See early.h. */
#define _POSIX_C_SOURCE 200809L /* uv.h needs it */
#include "early.h"

#include <inttypes.h>

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
            cli_number(state, topk_early_word(TOPK_EARLY_MAX_CRASHES), argument, COUNT_MAX);
        early->crashes_given = true;
        return 0;
    case KEY_TIMEOUTS:
        early->max_timeouts =
            cli_number(state, topk_early_word(TOPK_EARLY_MAX_TIMEOUTS), argument, COUNT_MAX);
        early->timeouts_given = true;
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
             "End after the first unexpected failure", 0},
            {"max-crashes", KEY_CRASHES, "N", 0,
             "End after N crashes; default 0: no limit, but see --max-timeouts", 0},
            {"max-timeouts", KEY_TIMEOUTS, "N", 0,
             "End after N timeouts, each of which takes twice the limit of --timeout; 0: no limit. "
             "By default the run ends after 100 timeouts or 10 in a row. Without this option and "
             "--max-crashes it also ends if there are only crashes and timeouts for 10 minutes, or "
             "20 time limits if that is longer",
             0},
            {"time-budget", KEY_BUDGET, "SECONDS", 0,
             "End after this time, which does not include the work on failures at the end", 0},
            {0},
        },
    .parser = parse,
};

void cli_early_start(struct cli_early *early, double timeout)
{
    early->started = uv_hrtime();
    early->useful = early->started;
    early->stalled = CLI_EARLY_LIMITS * timeout;
    early->stalled = early->stalled < CLI_EARLY_STALLED ? CLI_EARLY_STALLED : early->stalled;
}

static double seconds_since(uint64_t then)
{
    return (double)(uv_hrtime() - then) / 1e9;
}

static bool end(struct cli_early *early, enum topk_early_by by, double limit)
{
    early->end = (struct topk_early){.by = by, .limit = limit};
    return false;
}

/* Ends a run by a default limit. */
static bool end_unasked(struct cli_early *early, enum topk_early_by by)
{
    early->unasked = true;
    return end(early, by,
               (double)(by == TOPK_EARLY_MAX_CRASHES ? early->crashes : early->timeouts));
}

/* Whether there have been only crashes and timeouts for so long that nothing else is to be
 * expected. */
static bool is_stalled(const struct cli_early *early)
{
    return !early->crashes_given && !early->timeouts_given &&
           early->ends_in_a_row >= CLI_EARLY_IN_A_ROW &&
           seconds_since(early->useful) >= early->stalled;
}

bool cli_early_take(struct cli_early *early, enum topk_verdict verdict)
{
    const bool late = verdict == TOPK_VERDICT_TIMEOUT;
    const bool crashed = verdict == TOPK_VERDICT_CRASH;
    early->crashes += crashed;
    early->timeouts += late;
    early->timeouts_in_a_row = late ? early->timeouts_in_a_row + 1 : 0;
    early->ends_in_a_row = late || crashed ? early->ends_in_a_row + 1 : 0;
    if (early->ends_in_a_row == 0) {
        early->useful = uv_hrtime();
    }
    if (early->fail_fast && topk_verdict_failure(verdict)) {
        return end(early, TOPK_EARLY_FAIL_FAST, 1);
    }
    if (early->max_crashes > 0 && early->crashes >= early->max_crashes) {
        return end(early, TOPK_EARLY_MAX_CRASHES, (double)early->max_crashes);
    }
    if (early->max_timeouts > 0 && early->timeouts >= early->max_timeouts) {
        return end(early, TOPK_EARLY_MAX_TIMEOUTS, (double)early->max_timeouts);
    }
    if (!early->timeouts_given &&
        (early->timeouts >= CLI_EARLY_TIMEOUTS || early->timeouts_in_a_row >= CLI_EARLY_IN_A_ROW)) {
        return end_unasked(early, TOPK_EARLY_MAX_TIMEOUTS);
    }
    if (is_stalled(early)) {
        return end_unasked(early, early->timeouts_in_a_row < early->ends_in_a_row
                                      ? TOPK_EARLY_MAX_CRASHES
                                      : TOPK_EARLY_MAX_TIMEOUTS);
    }
    return true;
}

bool cli_early_tick(struct cli_early *early)
{
    if (early->end.by == TOPK_EARLY_NOT && early->budget > 0 &&
        seconds_since(early->started) >= early->budget) {
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

void cli_early_explain(const struct cli_early *early, bool options)
{
    char what[160];
    char advice[80] = "";
    if (early->end.by == TOPK_EARLY_NOT || !early->unasked) {
        return;
    }
    if (early->timeouts_in_a_row >= CLI_EARLY_IN_A_ROW) {
        snprintf(what, sizeof what, "the last %" PRIu64 " cases all timed out",
                 early->timeouts_in_a_row);
    } else if (early->timeouts >= CLI_EARLY_TIMEOUTS) {
        snprintf(what, sizeof what, "%" PRIu64 " cases timed out", early->timeouts);
    } else {
        snprintf(what, sizeof what,
                 "the last %" PRIu64 " cases, in %.0f s, all crashed or timed out",
                 early->ends_in_a_row, seconds_since(early->useful));
    }
    if (options) {
        snprintf(advice, sizeof advice, "; --%s N sets another limit, 0 none",
                 topk_early_word(early->end.by));
    }
    cli_error("%s, so no more are run%s", what, advice);
}
