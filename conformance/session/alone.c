/* See alone.h. */
#define _POSIX_C_SOURCE 200809L
#include "alone.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <uv.h>

#include "log/log.h"
#include "sequence.h"

#define NANOSECONDS 1e9
/* Maximum number of earlier cases that a command lists; more are written to a file. */
#define EARLIER_SHOWN 16u

static const char *id_of(const struct cli_alone *alone, uint64_t number)
{
    const char *id = alone->id(alone->context, number);
    return id == NULL ? "" : id; /* the worker then reports that it is not a case */
}

/* a failure that is examined, and what is run for it */
struct look {
    const struct cli_alone *alone;
    const struct cli_alone_failure *failure;
    const uint64_t *order; /* the cases before it */
    struct cli_sequence sequence;
};

/* Removes the cases from a list that the failure does not need: tries to remove all at once, then
 * half as many at a time, and so on. */
static void reduce(struct cli_sequence *sequence, uint64_t *list, uint64_t *rest)
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
            if (cli_sequence_run(sequence) == CLI_OUTCOME_FAILS) {
                memcpy(list, rest, sequence->count * sizeof *list);
            } else {
                sequence->count = count;
                from += cut;
            }
            sequence->list = list;
        }
    }
}

/* Searches for the cases before a position of the order after which the failure occurs again. Tries
 * the last ones, about twice as many each time, then bisects for the latest case to start from,
 * then removes the cases that are not needed. */
static enum cli_outcome search(struct look *look, uint64_t position, uint64_t *list, uint64_t *rest)
{
    struct cli_sequence *sequence = &look->sequence;
    const uint64_t *order = look->order;
    enum cli_outcome outcome = CLI_OUTCOME_PASSES;
    uint64_t fails = position; /* it fails if run from here on, once known */
    uint64_t passes = position;
    while (fails > 0 && outcome == CLI_OUTCOME_PASSES) {
        const uint64_t size = 2 * (position - fails) + 1;
        passes = fails;
        fails = size < position ? position - size : 0;
        sequence->list = order + fails;
        sequence->count = position - fails;
        outcome = cli_sequence_run(sequence);
    }
    while (outcome == CLI_OUTCOME_FAILS && passes - fails > 1) {
        const uint64_t middle = fails + (passes - fails) / 2;
        sequence->list = order + middle;
        sequence->count = position - middle;
        if (cli_sequence_run(sequence) == CLI_OUTCOME_FAILS) {
            fails = middle;
        } else {
            passes = middle;
        }
    }
    sequence->count = position - fails;
    sequence->list = list;
    memcpy(list, order + fails, sequence->count * sizeof *list);
    if (outcome == CLI_OUTCOME_FAILS) {
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

/* writes many cases to a file */
static void print_file(FILE *out, const struct look *look)
{
    const struct cli_alone *alone = look->alone;
    const struct cli_sequence *sequence = &look->sequence;
    const size_t number = (size_t)(look->failure - alone->failures) + 1;
    const size_t size = strlen(alone->list_prefix) + 64;
    char *path = malloc(size);
    if (path == NULL) {
        return;
    }
    snprintf(path, size, "%s%zu.txt", alone->list_prefix, number);
    struct topk_output file;
    const bool created = cli_file_create(&file, path, TOPK_OUTPUT_OURS);
    for (size_t i = 0; created && i < sequence->count; i++) {
        fprintf(file.file, "%s\n", id_of(alone, sequence->list[i]));
    }
    if (created) {
        fprintf(file.file, "%s\n", sequence->last);
    }
    if (created && cli_file_close(&file, true)) {
        fprintf(out, "  it fails after %zu earlier cases:\n  %s --file", sequence->count,
                alone->replay);
        print_word(out, path);
        putc('\n', out);
    }
    free(path);
}

static void print_needed(FILE *out, const struct look *look, enum cli_outcome outcome)
{
    const struct cli_alone *alone = look->alone;
    const struct cli_sequence *sequence = &look->sequence;
    fprintf(out, "PASSES ALONE: %s\n", sequence->last);
    if (outcome == CLI_OUTCOME_PASSES) {
        fprintf(out, "  and after all cases that ran before it: it is flaky, or depends on cases "
                     "that ran at the same time\n");
    } else if (outcome == CLI_OUTCOME_UNKNOWN) {
        fprintf(out, "  which earlier cases it needs was not found in time\n");
    } else if (sequence->count > EARLIER_SHOWN) {
        print_file(out, look);
    } else {
        fprintf(out, "  it fails after %zu earlier case%s:\n  %s", sequence->count,
                sequence->count == 1 ? "" : "s", alone->replay);
        for (size_t i = 0; i < sequence->count; i++) {
            print_word(out, id_of(alone, sequence->list[i]));
        }
        print_word(out, sequence->last);
        putc('\n', out);
    }
}

void cli_alone_add(struct cli_alone *alone, const char *id, uint64_t number)
{
    if (alone->failure_count < CLI_ALONE_FAILURES) {
        alone->failures[alone->failure_count].id = cli_need(strdup(id));
        alone->failures[alone->failure_count++].number = number;
    }
}

/* Searches for the cases that a failure that passes alone needs, and prints them. room: has 3 *
 * CLI_ALONE_LOOKED numbers, for the cases before it and two lists of some of them. Returns the
 * duration of the search in ns. */
static uint64_t look_before(FILE *out, struct look *look, uint64_t *room, uint64_t limit)
{
    const struct cli_order *order = look->alone->order;
    const uint64_t start = uv_hrtime();
    uint64_t position = 0;
    while (position < order->count && cli_order_at(order, position) != look->failure->number) {
        position++;
    }
    const uint64_t count = position < CLI_ALONE_LOOKED ? position : CLI_ALONE_LOOKED;
    for (uint64_t i = 0; position < order->count && i < count; i++) {
        room[i] = cli_order_at(order, position - count + i);
    }
    look->order = room;
    look->sequence.until = start + limit;
    const enum cli_outcome outcome =
        position == order->count
            ? CLI_OUTCOME_UNKNOWN
            : search(look, count, room + CLI_ALONE_LOOKED, room + 2 * CLI_ALONE_LOOKED);
    const uint64_t took = uv_hrtime() - start;
    print_needed(out, look, outcome);
    fflush(out);
    return took;
}

void cli_alone_print(FILE *out, struct cli_alone *alone)
{
    uint64_t *room = malloc(3 * CLI_ALONE_LOOKED * sizeof *room);
    const uint64_t deadline = uv_hrtime() + (uint64_t)(alone->seconds * NANOSECONDS);
    const uint64_t limit = (uint64_t)CLI_ALONE_SECONDS * (uint64_t)NANOSECONDS;
    uint64_t found = 0; /* ns that were spent on the search */
    bool interrupted = room == NULL;
    for (size_t i = 0; i < alone->failure_count && !interrupted; i++) {
        struct look look = {.alone = alone,
                            .failure = &alone->failures[i],
                            .sequence = {.options = alone->options,
                                         .id = alone->id,
                                         .context = alone->context,
                                         .last = alone->failures[i].id,
                                         .until = deadline + found}};
        const enum cli_outcome first = cli_sequence_run(&look.sequence);
        if (first == CLI_OUTCOME_PASSES && !look.sequence.interrupted) {
            found += look_before(out, &look, room, found < limit ? limit - found : 0);
        }
        interrupted = look.sequence.interrupted;
    }
    while (alone->failure_count > 0) {
        free(alone->failures[--alone->failure_count].id);
    }
    free(room);
}
