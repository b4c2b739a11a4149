/* Runs failures again when a run is done. */
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
             "Run failures again at the end: N times alone and, if they pass, N times after the "
             "cases that ran before them. A failure that comes and goes is flaky. At most 32 "
             "failures, for a limited time; default 2, 0: none",
             0},
            {0},
        },
    .parser = parse,
};

/* ---- recording the run ----------------------------------------------------------------------- */

/* makes room for one more item of a list; false, and sets no_memory, if memory is short */
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
    struct cli_again_sent *last =
        again->sent_count == 0 ? NULL : &again->sent[again->sent_count - 1];
    if (again->retries == 0) {
        return;
    }
    if (last != NULL && last->worker == (uint32_t)worker && last->first + last->count == number &&
        last->count < UINT32_MAX) {
        last->count++;
        return;
    }
    if (again->sent_count == CLI_AGAIN_SENT && again->sent != NULL) {
        again->sent_count -= CLI_AGAIN_FORGET;
        again->forgot = true;
        memmove(again->sent, again->sent + CLI_AGAIN_FORGET,
                again->sent_count * sizeof *again->sent);
    }
    if (make_room(again, &again->sent, again->sent_count, &again->sent_room, sizeof *again->sent) &&
        again->sent != NULL) {
        again->sent[again->sent_count++] = (struct cli_again_sent){number, 1, (uint32_t)worker};
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

static bool is_timeout(const struct cli_again_failure *failure)
{
    return failure->verdict == TOPK_VERDICT_TIMEOUT;
}

/* Finds the kind of a failure, or adds it; NULL if there is no room for it. */
static struct cli_again_kind *find_kind(struct cli_again *again,
                                        const struct cli_again_failure *failure)
{
    for (size_t i = 0; i < again->kind_count; i++) {
        if (again->kinds[i].kind == failure->kind) {
            return &again->kinds[i];
        }
    }
    if (again->kind_count == CLI_AGAIN_KINDS ||
        !make_room(again, &again->kinds, again->kind_count, &again->kind_room,
                   sizeof *again->kinds)) {
        return NULL;
    }
    size_t *kept = &again->kinds_kept[is_timeout(failure)];
    struct cli_again_kind *kind = &again->kinds[again->kind_count++];
    *kind = (struct cli_again_kind){.kind = failure->kind, .kept = *kept < CLI_AGAIN_FAILURES};
    *kept += kind->kept;
    return kind;
}

static bool keep(struct cli_again *again, const struct cli_again_failure *failure)
{
    if (!make_room(again, &again->failures, again->failure_count, &again->failure_room,
                   sizeof *again->failures)) {
        return false;
    }
    again->failures[again->failure_count++] = *failure;
    return true;
}

void cli_again_add(struct cli_again *again, uint64_t number, uint64_t kind,
                   enum topk_verdict verdict, const struct topk_clause_set *broken)
{
    /* harness errors are not failures of the backend, and a flaky failure was already repeated */
    if (again->retries == 0 || verdict == TOPK_VERDICT_FLAKY ||
        verdict == TOPK_VERDICT_HARNESS_ERROR) {
        return;
    }
    again->last = (struct cli_again_failure){.number = number,
                                             .kind = kind,
                                             .verdict = verdict,
                                             .broken = *broken,
                                             .position = again->seen++};
    struct cli_again_kind *of = find_kind(again, &again->last);
    again->last.rank = of == NULL ? 0 : of->count++;
    again->last_kept = of != NULL && of->kept && again->last.rank < CLI_AGAIN_FAILURES &&
                       keep(again, &again->last);
}

void cli_again_show(struct cli_again *again)
{
    if (again->seen == 0 || again->shown == CLI_AGAIN_SHOWN) {
        return;
    }
    if (again->last_kept || keep(again, &again->last)) {
        again->failures[again->failure_count - 1].shown = true;
        again->last_kept = true;
        again->shown++;
    }
}

/* ---- choosing failures ----------------------------------------------------------------------- */

static int compare(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
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

/* Moves the failures that are to be run again to the front; returns how many. */
static size_t choose(struct cli_again *again)
{
    const size_t count = again->failure_count;
    if (count > 1) {
        qsort(again->failures, count, sizeof *again->failures, by_choice);
    }
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
    bool forgotten; /* it is not known what ran before it */
    struct topk_log_again *record;
};

/* the position of the case in the order; order->count if it is not in the order */
static uint64_t position_of(const struct cli_again *again, uint64_t number)
{
    uint64_t position = 0;
    while (position < again->order->count && cli_order_at(again->order, position) != number) {
        position++;
    }
    return position;
}

/* Adds the cases of a stretch whose numbers in the runner's job are below `from`, last one
 * first. */
static void add_before(struct attempt *attempt, const struct cli_again_sent *sent, uint64_t from)
{
    const struct cli_again *again = attempt->again;
    for (uint64_t i = from; i-- > sent->first && attempt->before_count < CLI_AGAIN_BEFORE;) {
        attempt->before[attempt->before_count++] = cli_order_at(again->order, i / again->times);
    }
}

/* finds the cases that ran before this one in its process, as far as they are known */
static void find_before(struct attempt *attempt)
{
    const struct cli_again *again = attempt->again;
    const uint64_t position = position_of(again, attempt->number);
    const uint64_t first = position * again->times; /* its number in the runner's job */
    uint64_t behind = again->sent_count;            /* index of the current stretch */
    bool found = false;
    attempt->before_count = 0;
    while (!found && behind > 0 && position < again->order->count) {
        const struct cli_again_sent *at = &again->sent[--behind];
        found = first < at->first + at->count && at->first < first + again->times;
    }
    if (found) {
        const struct cli_again_sent *at = &again->sent[behind];
        const uint32_t worker = at->worker;
        const uint64_t end = at->first + at->count;
        const uint64_t last = first + again->times < end ? first + again->times - 1 : end - 1;
        add_before(attempt, at, last);
        while (behind > 0 && attempt->before_count < CLI_AGAIN_BEFORE) {
            at = &again->sent[--behind];
            if (at->worker == worker) {
                add_before(attempt, at, at->first + at->count);
            }
        }
    }
    /* a failure of the earlier run that this run continues */
    for (uint64_t i = attempt->number;
         !found && again->before != NULL && i-- > 0 && attempt->before_count < CLI_AGAIN_BEFORE;) {
        if (cli_bits_have(again->before, i)) {
            attempt->before[attempt->before_count++] = i;
        }
    }
    attempt->forgotten = !found && again->forgot;
    const size_t count = attempt->before_count;
    for (size_t i = 0; i < count / 2; i++) {
        const uint64_t number = attempt->before[i];
        attempt->before[i] = attempt->before[count - 1 - i];
        attempt->before[count - 1 - i] = number;
    }
}

/* Runs the case `times` times, each time after the nearest `before` cases that ran before it, and
 * counts in *runs. Stops and returns false when an outcome is unknown. */
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

/* Runs a case that passes alone after the cases before it: first after the nearest ones, and if it
 * passes there, after all. whole: uv_hrtime() after which the second step stops. False if the
 * second step showed nothing. */
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

/* Runs one failure again. False if the outcome is unknown. idle: see CLI_AGAIN_IDLE. */
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
        if (record->behind.runs == 0 && (attempt->before_count > 0 || attempt->forgotten)) {
            return false; /* it may fail only after these */
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

/* ---- printing -------------------------------------------------------------------------------- */

void cli_again_print(FILE *out, const struct cli_again *again)
{
    uint64_t counts[TOPK_AGAIN_COUNT] = {0};
    const char *before = ": ";
    if (again->seen == 0) {
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
    fprintf(out, "run again: %zu of %" PRIu64 " failure%s", again->count, again->seen,
            again->seen == 1 ? "" : "s");
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
    free(again->kinds);
    free(again->sent);
    again->failures = NULL;
    again->kinds = NULL;
    again->sent = NULL;
}
