/* See sequence.h. */
#define _POSIX_C_SOURCE 200809L /* uv.h needs it */
#include "sequence.h"

#include <string.h>

#include <uv.h>

static const char *case_text(void *context, uint64_t number, size_t *length)
{
    const struct cli_sequence *sequence = context;
    const char *id = sequence->last;
    const char *text;
    size_t name;
    if (number < sequence->count) {
        id = sequence->id(sequence->context, sequence->list[number]);
        id = id == NULL ? "" : id; /* the worker then reports that it is not a case */
    }
    topk_case_id_split(id, strlen(id), &name, &text);
    *length = strlen(text);
    return text;
}

static bool take_result(void *context, uint64_t number, const struct topk_result *result)
{
    struct cli_sequence *sequence = context;
    if (number == sequence->count) {
        sequence->done = true;
        sequence->failed = topk_verdict_failure(result->verdict);
    }
    return true;
}

static void tick(void *context)
{
    const struct cli_sequence *sequence = context;
    if (uv_hrtime() >= sequence->until) {
        topk_runner_stop(sequence->runner);
    }
}

enum cli_outcome cli_sequence_run(struct cli_sequence *sequence)
{
    struct topk_runner_options options = *sequence->options;
    static struct topk_greeting greeting; /* for a small stack */
    enum topk_runner_status status;
    char error[TOPK_RUNNER_ERROR];
    options.jobs = 1;
    options.note = NULL;
    options.ended = NULL; /* the ends of these processes were already reported */
    sequence->done = false;
    sequence->failed = false;
    if (uv_hrtime() >= sequence->until) {
        return CLI_OUTCOME_UNKNOWN;
    }
    /* of several machines, the first that is available */
    const struct topk_runner_machine *const machines = options.machines;
    const uint32_t count = machines == NULL ? 1 : options.machine_count;
    sequence->runner = NULL;
    status = TOPK_RUNNER_UNAVAILABLE;
    for (uint32_t i = 0; i < count && sequence->runner == NULL && status == TOPK_RUNNER_UNAVAILABLE;
         i++) {
        if (machines != NULL) {
            options.machines = &machines[i];
            options.machine_count = 1;
        }
        sequence->runner = topk_runner_open(&options, &greeting, &status, error);
    }
    if (sequence->runner != NULL) {
        struct topk_runner_job job = {
            .count = sequence->count + 1,
            .text = case_text,
            .result = take_result,
            .tick = tick,
            .context = sequence,
        };
        status = topk_runner_run(sequence->runner, &job, error);
        topk_runner_close(sequence->runner);
    }
    if ((status == TOPK_RUNNER_BROKEN || status == TOPK_RUNNER_UNAVAILABLE) && !sequence->told) {
        cli_error("note: not all that failed can be run again: %s", error);
        sequence->told = true;
    }
    if (status == TOPK_RUNNER_INTERRUPTED) {
        sequence->interrupted = true;
        sequence->until = 0; /* nothing more is run */
    }
    return !sequence->done    ? CLI_OUTCOME_UNKNOWN
           : sequence->failed ? CLI_OUTCOME_FAILS
                              : CLI_OUTCOME_PASSES;
}
