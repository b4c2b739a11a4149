/* Failures that need earlier cases. */
#define _POSIX_C_SOURCE 200809L
#include "alone.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <uv.h>

#include "log/log.h"

#define NANOSECONDS 1e9
/* Most earlier cases that a command lists; more come in a file. */
#define EARLIER_SHOWN 16u

/* cases to be run one after the other in one new worker: numbers of cases, and a failure at the end
 */
struct sequence {
    const struct cli_alone *alone;
    const struct cli_alone_failure *failure;
    const uint64_t *list; /* of the cases before it */
    size_t count;
    uint64_t until; /* uv_hrtime() at which it is too late */
    struct topk_runner *runner;
    bool done;
    bool failed;      /* the last one did */
    bool interrupted; /* by a signal */
};

static const char *id_of(const struct cli_alone *alone, uint64_t number)
{
    const char *id = alone->id(alone->context, number);
    return id == NULL ? "" : id; /* a worker says that this is no case */
}

static const char *case_text(void *context, uint64_t number, size_t *length)
{
    const struct sequence *sequence = context;
    const char *id = number < sequence->count ? id_of(sequence->alone, sequence->list[number])
                                              : sequence->failure->id;
    const char *text;
    size_t name;
    topk_case_id_split(id, strlen(id), &name, &text);
    *length = strlen(text);
    return text;
}

static bool take_result(void *context, uint64_t number, const struct topk_result *result)
{
    struct sequence *sequence = context;
    if (number == sequence->count) {
        sequence->done = true;
        sequence->failed = topk_verdict_failure(result->verdict);
    }
    return true;
}

static void tick(void *context)
{
    const struct sequence *sequence = context;
    if (uv_hrtime() >= sequence->until) {
        topk_runner_stop(sequence->runner);
    }
}

enum outcome {
    OUTCOME_PASSES,
    OUTCOME_FAILS,
    OUTCOME_UNKNOWN /* too late, or the worker cannot be kept running */
};

static enum outcome run_sequence(struct sequence *sequence)
{
    struct topk_runner_options options = *sequence->alone->options;
    struct topk_greeting greeting;
    enum topk_runner_status status;
    char error[TOPK_RUNNER_ERROR];
    options.jobs = 1;
    options.note = NULL;
    sequence->done = false;
    sequence->failed = false;
    if (uv_hrtime() >= sequence->until) {
        return OUTCOME_UNKNOWN;
    }
    sequence->runner = topk_runner_open(&options, &greeting, &status, error);
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
    if (status == TOPK_RUNNER_INTERRUPTED) {
        sequence->interrupted = true;
        sequence->until = 0; /* that is all */
    }
    return !sequence->done ? OUTCOME_UNKNOWN : sequence->failed ? OUTCOME_FAILS : OUTCOME_PASSES;
}

/* Leaves out of a list that makes the failure come what it comes without: as many at once as can
 * be, then half of that. */
static void reduce(struct sequence *sequence, uint64_t *list, uint64_t *rest)
{
    for (size_t chunk = sequence->count; chunk > 0; chunk /= 2) {
        size_t from = 0;
        while (from < sequence->count) {
            const size_t cut = chunk < sequence->count - from ? chunk : sequence->count - from;
            const size_t count = sequence->count;
            memcpy(rest, list, from * sizeof *rest);
            memcpy(rest + from, list + from + cut, (count - from - cut) * sizeof *rest);
            sequence->list = rest;
            sequence->count = count - cut;
            if (run_sequence(sequence) == OUTCOME_FAILS) {
                memcpy(list, rest, sequence->count * sizeof *list);
            } else {
                sequence->count = count;
                from += cut;
            }
            sequence->list = list;
        }
    }
}

/* Looks for the cases before a position of the order behind which the failure comes again: the last
 * ones, twice as many each time; of them, those from the latest on that will do. */
static enum outcome search(struct sequence *sequence, uint64_t position, uint64_t *list,
                           uint64_t *rest)
{
    const uint64_t *order = sequence->alone->order;
    enum outcome outcome = OUTCOME_PASSES;
    uint64_t fails = position; /* from here on it does, once known */
    uint64_t passes = position;
    while (fails > 0 && outcome == OUTCOME_PASSES) {
        const uint64_t size = 2 * (position - fails) + 1;
        passes = fails;
        fails = size < position ? position - size : 0;
        sequence->list = order + fails;
        sequence->count = position - fails;
        outcome = run_sequence(sequence);
    }
    while (outcome == OUTCOME_FAILS && passes - fails > 1) {
        const uint64_t middle = fails + (passes - fails) / 2;
        sequence->list = order + middle;
        sequence->count = position - middle;
        if (run_sequence(sequence) == OUTCOME_FAILS) {
            fails = middle;
        } else {
            passes = middle;
        }
    }
    sequence->count = position - fails;
    sequence->list = list;
    memcpy(list, order + fails, sequence->count * sizeof *list);
    if (outcome == OUTCOME_FAILS) {
        reduce(sequence, list, rest);
    }
    return outcome;
}

static void print_word(FILE *out, const char *id)
{
    char *word = topk_text_shell(id);
    if (word != NULL) {
        fprintf(out, " %s", word);
    }
    free(word);
}

/* many cases: a file of them */
static void print_file(FILE *out, const struct sequence *sequence)
{
    const struct cli_alone *alone = sequence->alone;
    const size_t number = (size_t)(sequence->failure - alone->failures) + 1;
    const size_t size = strlen(alone->list_prefix) + 64;
    char *path = malloc(size);
    if (path == NULL) {
        return;
    }
    snprintf(path, size, "%s%zu.txt", alone->list_prefix, number);
    FILE *file = cli_file_create(path);
    for (size_t i = 0; file != NULL && i < sequence->count; i++) {
        fprintf(file, "%s\n", id_of(alone, sequence->list[i]));
    }
    if (file != NULL) {
        fprintf(file, "%s\n", sequence->failure->id);
    }
    if (file != NULL && cli_file_close(file, path)) {
        fprintf(out, "  it fails behind %zu earlier cases:\n  %s --file", sequence->count,
                alone->replay);
        print_word(out, path);
        putc('\n', out);
    }
    free(path);
}

static void print_needed(FILE *out, const struct sequence *sequence, enum outcome outcome)
{
    const struct cli_alone *alone = sequence->alone;
    fprintf(out, "PASSES ALONE: %s\n", sequence->failure->id);
    if (outcome == OUTCOME_PASSES) {
        fprintf(
            out,
            "  and behind all that was run before it: it fails now and then, or what ran beside "
            "it matters\n");
    } else if (outcome == OUTCOME_UNKNOWN) {
        fprintf(out, "  which earlier cases it needs was not found in time\n");
    } else if (sequence->count > EARLIER_SHOWN) {
        print_file(out, sequence);
    } else {
        fprintf(out, "  it fails behind %zu earlier case%s:\n  %s", sequence->count,
                sequence->count == 1 ? "" : "s", alone->replay);
        for (size_t i = 0; i < sequence->count; i++) {
            print_word(out, id_of(alone, sequence->list[i]));
        }
        print_word(out, sequence->failure->id);
        putc('\n', out);
    }
}

void cli_alone_add(struct cli_alone *alone, const char *id, uint64_t number)
{
    if (alone->failure_count < CLI_ALONE_FAILURES) {
        alone->failures[alone->failure_count++] = (struct cli_alone_failure){id, number};
    }
}

void cli_alone_print(FILE *out, const struct cli_alone *alone)
{
    uint64_t *list = malloc((alone->count + 1) * sizeof *list);
    uint64_t *rest = malloc((alone->count + 1) * sizeof *rest);
    uint64_t deadline = uv_hrtime() + (uint64_t)(alone->seconds * NANOSECONDS);
    uint64_t found = 0; /* ns that were spent on the search */
    bool interrupted = list == NULL || rest == NULL;
    for (size_t i = 0; i < alone->failure_count && !interrupted; i++) {
        struct sequence sequence = {
            .alone = alone, .failure = &alone->failures[i], .until = deadline + found};
        const enum outcome first = run_sequence(&sequence);
        interrupted = sequence.interrupted;
        if (first != OUTCOME_PASSES) {
            continue;
        }
        const uint64_t start = uv_hrtime();
        const uint64_t limit = (uint64_t)CLI_ALONE_SECONDS * (uint64_t)NANOSECONDS;
        uint64_t position = 0;
        while (position < alone->count && alone->order[position] != sequence.failure->number) {
            position++;
        }
        sequence.until = start + (found < limit ? limit - found : 0);
        const enum outcome outcome =
            position == alone->count ? OUTCOME_UNKNOWN : search(&sequence, position, list, rest);
        found += uv_hrtime() - start;
        interrupted = sequence.interrupted;
        print_needed(out, &sequence, outcome);
        fflush(out);
    }
    free(rest);
    free(list);
}
