/* Failures that are run again when a run is done. */
#define _POSIX_C_SOURCE 200809L /* uv.h needs it */
#include "again.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <uv.h>

#include "sequence.h"

#define NANOSECONDS 1e9

/* ---- the option ------------------------------------------------------------------------------ */

#define KEY_RETRIES 4200

static error_t parse(int key, char *argument, struct argp_state *state)
{
    uint32_t *retries = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        *retries = CLI_RETRIES;
        return 0;
    case KEY_RETRIES:
        *retries = (uint32_t)cli_number(state, "retries", argument, CLI_RETRIES_MAX);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp cli_again_argp = {
    .options =
        (const struct argp_option[]){
            {"retries", KEY_RETRIES, "N", 0,
             "Run failures again at the end, N times alone and, where they pass, N times behind "
             "what ran before them: what fails only now and then is flaky. Up to 32 of them, and "
             "not for long; default 2, 0: none",
             0},
            {0},
        },
    .parser = parse,
};

/* ---- what is known of the run ---------------------------------------------------------------- */

/* room for one more item of a list; false, and that is noted, if there is none */
static bool make_room(struct cli_again *again, void *list, size_t count, size_t *room, size_t bytes)
{
    void *old;
    memcpy(&old, list, sizeof old);
    if (count < *room) {
        return true;
    }
    const size_t more = *room == 0 ? 256 : 2 * *room;
    void *grown = realloc(old, more * bytes);
    again->no_memory = again->no_memory || grown == NULL;
    if (grown == NULL) {
        return false;
    }
    memcpy(list, &grown, sizeof grown);
    *room = more;
    return true;
}

void cli_again_sent(struct cli_again *again, uint64_t number, uint64_t worker)
{
    if (again->retries > 0 &&
        make_room(again, &again->sent, again->sent_count, &again->sent_room, sizeof *again->sent)) {
        again->sent[again->sent_count++] =
            (struct cli_again_sent){(uint32_t)number, (uint32_t)worker};
    }
}

static uint64_t hash(uint64_t hash, uint64_t number)
{
    return (hash ^ number) * UINT64_C(1099511628211);
}

static uint64_t hash_text(uint64_t all, const char *text)
{
    for (const char *at = text; *at != 0; at++) {
        all = hash(all, (unsigned char)*at);
    }
    return all;
}

uint64_t cli_again_kind(enum topk_verdict verdict, enum topk_clause clause, const char *cause,
                        const struct topk_crash *crash, uint32_t type)
{
    uint64_t kind = hash(UINT64_C(14695981039346656037), (uint64_t)verdict);
    kind = hash_text(hash(hash(kind, (uint64_t)clause), type), cause);
    if (crash != NULL && crash->signal[0] != 0) {
        char site[TOPK_CRASH_TEXT];
        topk_crash_site_print(crash, site);
        kind = hash_text(kind, site);
    }
    return kind;
}

void cli_again_add(struct cli_again *again, uint64_t number, uint64_t kind,
                   enum topk_verdict verdict, const struct topk_clause_set *broken)
{
    /* the suite's own failures are no backend's, and what is flaky was run again */
    if (again->retries == 0 || verdict == TOPK_VERDICT_FLAKY ||
        verdict == TOPK_VERDICT_HARNESS_ERROR ||
        !make_room(again, &again->failures, again->failure_count, &again->failure_room,
                   sizeof *again->failures)) {
        return;
    }
    again->failures[again->failure_count] =
        (struct cli_again_failure){.number = number,
                                   .kind = kind,
                                   .verdict = verdict,
                                   .broken = *broken,
                                   .position = again->failure_count};
    again->failure_count++;
}

void cli_again_show(struct cli_again *again)
{
    if (again->failure_count > 0) {
        again->failures[again->failure_count - 1].shown = true;
    }
}

/* ---- which are run again --------------------------------------------------------------------- */

static int compare(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int by_kind(const void *a, const void *b)
{
    const struct cli_again_failure *x = a;
    const struct cli_again_failure *y = b;
    return x->kind != y->kind ? compare(x->kind, y->kind) : compare(x->position, y->position);
}

static bool is_timeout(const struct cli_again_failure *failure)
{
    return failure->verdict == TOPK_VERDICT_TIMEOUT;
}

/* timeouts last, as each takes long */
static int by_choice(const void *a, const void *b)
{
    const struct cli_again_failure *x = a;
    const struct cli_again_failure *y = b;
    return is_timeout(x) != is_timeout(y) ? compare(is_timeout(x), is_timeout(y))
           : x->shown != y->shown         ? compare(y->shown, x->shown)
           : x->rank != y->rank           ? compare(x->rank, y->rank)
                                          : compare(x->position, y->position);
}

/* Puts those in front that are to be run again; returns how many. */
static size_t choose(struct cli_again *again)
{
    struct cli_again_failure *failures = again->failures;
    const size_t count = again->failure_count;
    size_t shown = 0;
    if (count == 0) {
        return 0;
    }
    for (size_t i = 0; i < count; i++) {
        failures[i].shown = failures[i].shown && shown++ < CLI_AGAIN_SHOWN;
    }
    qsort(failures, count, sizeof *failures, by_kind);
    for (size_t i = 1; i < count; i++) {
        failures[i].rank = failures[i].kind == failures[i - 1].kind ? failures[i - 1].rank + 1 : 0;
    }
    qsort(failures, count, sizeof *failures, by_choice);
    return count < CLI_AGAIN_FAILURES ? count : CLI_AGAIN_FAILURES;
}

/* ---- running them ---------------------------------------------------------------------------- */

struct attempt {
    struct cli_again *again;
    uint64_t number;
    char *id; /* owned */
    struct cli_sequence sequence;
    uint64_t *before; /* the cases before it, room for CLI_AGAIN_BEFORE; the nearest are last */
    size_t before_count;
    struct topk_log_again *record;
};

/* the cases that ran before this one in its process, as far as is known */
static void find_before(struct attempt *attempt)
{
    const struct cli_again *again = attempt->again;
    size_t at = again->sent_count;
    size_t count = 0;
    while (at > 0 && again->sent[at - 1].number != attempt->number) {
        at--;
    }
    const uint32_t worker = at > 0 ? again->sent[at - 1].worker : 0;
    for (size_t i = at; i-- > 1 && count < CLI_AGAIN_BEFORE;) {
        if (again->sent[i - 1].worker == worker) {
            attempt->before[count++] = again->sent[i - 1].number;
        }
    }
    /* a failure of the run that this one continues */
    for (uint64_t i = attempt->number;
         at == 0 && again->before != NULL && i-- > 0 && count < CLI_AGAIN_BEFORE;) {
        if (again->before[i]) {
            attempt->before[count++] = i;
        }
    }
    for (size_t i = 0; i < count / 2; i++) {
        const uint64_t number = attempt->before[i];
        attempt->before[i] = attempt->before[count - 1 - i];
        attempt->before[count - 1 - i] = number;
    }
    attempt->before_count = count;
}

/* Runs the case behind the nearest `before` ones that ran before it, so often or until that is not
 * known; counts in runs. False if it is not. */
static bool repeat(struct attempt *attempt, size_t before, uint32_t times,
                   struct topk_log_runs *runs)
{
    struct cli_sequence *sequence = &attempt->sequence;
    sequence->list = attempt->before + (attempt->before_count - before);
    sequence->count = before;
    for (uint32_t i = 0; i < times; i++) {
        const enum cli_outcome outcome = cli_sequence_run(sequence);
        if (outcome == CLI_OUTCOME_UNKNOWN) {
            return false;
        }
        runs->runs++;
        runs->failed += outcome == CLI_OUTCOME_FAILS;
    }
    return true;
}

/* Runs a case that passes alone behind those before it: the nearest, and, if it passes there, all.
 * whole: when it is too late for all of them. False if they showed nothing. */
static bool run_behind(struct attempt *attempt, uint64_t whole)
{
    struct topk_log_again *record = attempt->record;
    const uint32_t times = attempt->again->retries;
    const size_t all = attempt->before_count;
    const size_t near = all < CLI_AGAIN_NEAR ? all : CLI_AGAIN_NEAR;
    if (near == 0) {
        return true;
    }
    record->before = near;
    (void)repeat(attempt, near, times, &record->behind);
    if (record->behind.runs == 0 || record->behind.failed > 0 || near == all) {
        return true;
    }
    struct topk_log_runs runs = {0, 0};
    attempt->sequence.until = whole;
    (void)(repeat(attempt, all, 1, &runs) && runs.failed > 0 &&
           repeat(attempt, all, times - 1, &runs));
    if (runs.failed > 0) {
        record->before = all;
        record->behind = runs;
    }
    return runs.failed > 0;
}

/* Runs one failure again. False if it is not known what it comes to. idle: see CLI_AGAIN_IDLE. */
static bool run_one(struct attempt *attempt, uint64_t whole, unsigned *idle)
{
    struct topk_log_again *record = attempt->record;
    memset(record, 0, sizeof *record);
    record->number = attempt->number;
    (void)repeat(attempt, 0, attempt->again->retries, &record->alone);
    if (record->alone.runs == 0) {
        return false;
    }
    if (record->alone.failed == 0) {
        find_before(attempt);
        *idle += !run_behind(attempt, *idle < CLI_AGAIN_IDLE ? whole : 0);
        if (record->behind.runs == 0 && attempt->before_count > 0) {
            return false; /* it may need these */
        }
    }
    record->kind = topk_again_kind_of(record);
    return true;
}

void cli_again_run(struct cli_again *again, double seconds)
{
    const size_t count = choose(again);
    const uint64_t start = uv_hrtime();
    const double limit = CLI_AGAIN_LEAST + CLI_AGAIN_SHARE * seconds;
    const uint64_t whole = start + (uint64_t)((limit + CLI_AGAIN_WHOLE) * NANOSECONDS);
    uint64_t *before = count == 0 ? NULL : malloc(CLI_AGAIN_BEFORE * sizeof *before);
    unsigned idle = 0;
    bool interrupted = before == NULL;
    for (size_t i = 0; i < count && !interrupted; i++) {
        const struct cli_again_failure *failure = &again->failures[i];
        const char *id = again->id(again->context, failure->number);
        const bool sure = i < CLI_AGAIN_SURE && !is_timeout(failure);
        const double until =
            sure && limit < CLI_AGAIN_SURE_SECONDS ? CLI_AGAIN_SURE_SECONDS : limit;
        struct attempt attempt = {.again = again,
                                  .number = failure->number,
                                  .id = id == NULL ? NULL : strdup(id),
                                  .before = before,
                                  .record = &again->done[again->count].record};
        attempt.sequence = (struct cli_sequence){.options = again->options,
                                                 .id = again->id,
                                                 .context = again->context,
                                                 .last = attempt.id,
                                                 .until = start + (uint64_t)(until * NANOSECONDS)};
        if (attempt.id != NULL && run_one(&attempt, whole, &idle)) {
            again->done[again->count++].failure = failure;
        }
        interrupted = attempt.sequence.interrupted;
        free(attempt.id);
    }
    free(before);
}

/* ---- what is said ---------------------------------------------------------------------------- */

void cli_again_print(FILE *out, const struct cli_again *again)
{
    uint64_t counts[TOPK_AGAIN_COUNT] = {0};
    const char *before = ": ";
    if (again->failure_count == 0) {
        return;
    }
    for (size_t i = 0; i < again->count; i++) {
        char text[TOPK_AGAIN_TEXT];
        const struct topk_log_again *record = &again->done[i].record;
        counts[record->kind]++;
        if (record->kind == TOPK_AGAIN_FLAKY) {
            topk_again_print(record, text);
            fputs("FLAKY: ", out);
            topk_text_print(out, again->id(again->context, record->number));
            fprintf(out, "\n  it failed in this run; run again it %s\n", text);
        }
    }
    fprintf(out, "run again: %zu of %zu failure%s", again->count, again->failure_count,
            again->failure_count == 1 ? "" : "s");
    for (int i = 0; i < TOPK_AGAIN_COUNT; i++) {
        if (counts[i] > 0) {
            fprintf(out, "%s%" PRIu64 " %s", before, counts[i],
                    topk_again_phrase((enum topk_again_kind)i));
            before = "; ";
        }
    }
    putc('\n', out);
}

void cli_again_free(struct cli_again *again)
{
    free(again->failures);
    free(again->sent);
    again->failures = NULL;
    again->sent = NULL;
}
