/* The runner: workers are started, fed, read and watched in one event loop. */
#define _POSIX_C_SOURCE 200809L
#include "runner.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "log/log.h"
#include "runner_state.h"

/* what the loop and the start of a worker open: 6 of the loop, 6 of pipes, 2 of uv_spawn(), some
 * that are read in between */
#define LOOP_FILES 20

static void start_worker(struct topk_slot *slot);

uint64_t topk_runner_restarts(const struct topk_runner *runner)
{
    return runner->restarts;
}

uint32_t topk_runner_machines(const struct topk_runner *runner,
                              struct topk_runner_machine machines[])
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < runner->options.machine_count; i++) {
        if (!runner->machines[i].lost) {
            machines[count++] = runner->machines[i].is;
        }
    }
    return count;
}

size_t topk_runner_workers(const struct topk_runner *runner, int64_t *ids, size_t room)
{
    size_t count = 0;
    for (uint32_t i = 0; i < runner->options.jobs && count < room; i++) {
        if (runner->slots[i].worker != NULL) {
            ids[count++] = topk_worker_id(runner->slots[i].worker);
        }
    }
    return count;
}

static void feed_all(struct topk_runner *runner)
{
    for (uint32_t i = 0; i < runner->options.jobs; i++) {
        if (runner->slots[i].worker != NULL) {
            topk_runner_feed(&runner->slots[i]);
        }
    }
}

/* gives every worker something to do; starts those that are not there, but no more than can have
 * some */
static void start_slots(struct topk_runner *runner)
{
    bool any = runner->running && !runner->stopping && topk_runner_has_item(runner);
    const uint32_t most = runner->job.answer != NULL ? 1 : runner->options.jobs;
    uint32_t place = 0; /* among those that are not lost */
    for (uint32_t i = 0; any && !runner->decided && i < runner->options.jobs && place < most; i++) {
        struct topk_slot *slot = &runner->slots[i];
        if (topk_slot_lost(slot)) {
            continue;
        }
        if (slot->worker != NULL) {
            topk_runner_feed(slot);
        } else if (!uv_is_active((uv_handle_t *)&slot->restart) &&
                   (runner->job.next != NULL || place < runner->job.count)) {
            start_worker(slot);
        }
        place++;
    }
}

/* ---- reading --------------------------------------------------------------------------------- */

static void kill_for(struct topk_slot *slot, enum topk_cause cause)
{
    slot->cause = cause;
    topk_worker_kill(slot->worker);
}

/* an answer that no worker can have come to */
static void refuse(struct topk_slot *slot, enum topk_verdict verdict, const char *why)
{
    snprintf(slot->reason, sizeof slot->reason,
             "garbage on the pipe: the verdict cannot be '%s': %s", topk_verdict_word(verdict),
             why);
    kill_for(slot, TOPK_CAUSE_GARBAGE);
}

/* what it said that is no answer */
static void keep_garbage(struct topk_slot *slot, const char *line, size_t length)
{
    char said[200];
    if (length > TOPK_WORKER_LINE) {
        snprintf(said, sizeof said, "a line of more than %u bytes", TOPK_WORKER_LINE);
    } else {
        char text[160];
        topk_said_print(line, length, text, sizeof text);
        snprintf(said, sizeof said, "\"%s\"", text);
    }
    snprintf(slot->reason, sizeof slot->reason, "garbage on the pipe: %s", said);
    slot->cause = TOPK_CAUSE_GARBAGE;
}

static void garbage(struct topk_slot *slot, const char *line, size_t length)
{
    keep_garbage(slot, line, length);
    topk_worker_kill(slot->worker);
}

/* a decimal number without leading zeros, and the character that ends it */
static bool take_number(const char **at, const char *end, char terminator, uint32_t *number)
{
    const char *start = *at;
    uint32_t value = 0;
    while (*at < end && **at >= '0' && **at <= '9' && *at - start < 5) {
        value = value * 10 + (uint32_t)(**at - '0');
        (*at)++;
    }
    *number = value;
    if (*at == start || (*start == '0' && *at != start + 1)) {
        return false;
    }
    if (terminator == 0) {
        return *at == end;
    }
    return *at < end && *(*at)++ == terminator;
}

static bool take_begin(struct topk_slot *slot, const char *at, const char *end)
{
    struct topk_message *message = &slot->messages[slot->oldest];
    uint32_t from;
    uint32_t count;
    if (slot->in_flight == 0 || !take_number(&at, end, ' ', &from) ||
        !take_number(&at, end, 0, &count) || count == 0 || from + count > message->count) {
        return false;
    }
    uint64_t calls = 0;
    uint32_t longest = 0;
    for (uint32_t i = from; i < from + count; i++) {
        const struct topk_asked *asked = &message->cases[i];
        if (asked->state != TOPK_ASKED_WAITING) {
            return false;
        }
        calls += asked->calls;
        longest = asked->calls > longest ? asked->calls : longest;
    }
    const struct topk_runner *runner = slot->runner;
    const uint64_t time = topk_runner_limits_kept(runner)
                              ? 2 * (runner->limit * calls + runner->backstop)
                              : runner->limit * longest;
    for (uint32_t i = from; i < from + count; i++) {
        struct topk_asked *asked = &message->cases[i];
        asked->state = TOPK_ASKED_BEGUN;
        asked->together = count;
        asked->longest = longest;
        asked->fresh = !slot->begun;
        asked->late = slot->heard + time;
    }
    slot->begun = true;
    return true;
}

static bool any_begun(const struct topk_slot *slot)
{
    const struct topk_message *message = &slot->messages[slot->oldest];
    for (uint32_t i = 0; topk_slot_busy(slot) && i < message->count; i++) {
        if (message->cases[i].state == TOPK_ASKED_BEGUN) {
            return true;
        }
    }
    return false;
}

/* the message is answered */
static void next_message(struct topk_slot *slot)
{
    slot->oldest = (slot->oldest + 1) % TOPK_RUNNER_AHEAD;
    slot->in_flight--;
    topk_runner_feed(slot);
}

/* the answer to a request that is no case */
static bool take_answer(struct topk_slot *slot, struct topk_asked *asked, const char *at,
                        const char *end)
{
    struct topk_runner *runner = slot->runner;
    if (!runner->stopping &&
        !runner->job.answer(runner->job.context, asked->item.number, at, (size_t)(end - at))) {
        return false;
    }
    asked->state = TOPK_ASKED_DONE;
    slot->deaths = 0;
    runner->finished++;
    next_message(slot);
    return true;
}

static bool take_done(struct topk_slot *slot, const char *at, const char *end)
{
    struct topk_runner *runner = slot->runner;
    struct topk_message *message = &slot->messages[slot->oldest];
    struct topk_result result;
    uint32_t number;
    if (slot->in_flight == 0 || !take_number(&at, end, ' ', &number) || number >= message->count ||
        message->cases[number].state != TOPK_ASKED_BEGUN) {
        return false;
    }
    struct topk_asked *asked = &message->cases[number];
    if (runner->job.answer != NULL) {
        return take_answer(slot, asked, at, end);
    }
    if (!topk_result_parse(at, (size_t)(end - at), &result)) {
        return false;
    }
    const char *wrong =
        topk_verdict_wrong(result.verdict, result.judgement.count > 0,
                           result.judgement.has_sequence || result.window_count > 0 ||
                               result.reading != TOPK_READING_NONE,
                           result.reason[0] != 0);
    if (wrong != NULL) {
        refuse(slot, result.verdict, wrong);
        return true;
    }
    bool lost = result.verdict == TOPK_VERDICT_DEVICE_LOST;
    bool shared = lost && asked->together > 1;
    struct topk_item item = asked->item;
    asked->state = shared ? TOPK_ASKED_LOST : TOPK_ASKED_DONE;
    message->answered++;
    slot->deaths = 0;
    slot->excused -= slot->excused > 0;
    if (slot->machine != NULL && !shared) {
        slot->machine->done++;
    }
    if (lost) {
        slot->cause = TOPK_CAUSE_LOST;
        snprintf(slot->reason, sizeof slot->reason, "the device was lost%s%.200s",
                 result.reason[0] == 0 ? "" : ": ", result.reason);
    }
    if (!shared) {
        topk_runner_report(runner, &item, &result);
    }
    if (slot->cause == TOPK_CAUSE_LOST) {
        if (!any_begun(slot)) {
            topk_worker_kill(slot->worker);
        }
    } else if (message->answered == message->count) {
        next_message(slot);
    }
    return true;
}

/* what a log, a rule of expectations and a terminal have of it is the same */
static void tame_greeting(struct topk_greeting *greeting)
{
    char *const texts[] = {greeting->name,   greeting->version,  greeting->device,
                           greeting->driver, greeting->features, greeting->own};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        char said[TOPK_GREETING_TEXT];
        memcpy(said, texts[i], sizeof said);
        topk_text_line(said, texts[i], TOPK_GREETING_TEXT);
    }
}

/* Writes what a greeting has otherwise than the first: "name 'b' where it had 'a'"; "" if nothing.
 * it: whose greeting the first is. The sizes of batches may change. */
static void say_difference(const struct topk_greeting *first, const struct topk_greeting *greeting,
                           const char *it, char *text, size_t size)
{
    const struct {
        const char *what, *before, *now;
    } texts[] = {
        {"name", first->name, greeting->name},
        {"version", first->version, greeting->version},
        {"device", first->device, greeting->device},
        {"driver", first->driver, greeting->driver},
        {"features", first->features, greeting->features},
        {"reason for invalid calls", first->own, greeting->own},
        {"list of libraries", first->parts, greeting->parts},
    };
    const enum topk_contract_rule rule =
        topk_contract_differs(&first->contract, &greeting->contract);
    text[0] = 0;
    if (rule != TOPK_CONTRACT_RULE_COUNT) {
        char values[2][TOPK_CONTRACT_RULES];
        const char *key = topk_contract_rule_row(rule)->key;
        topk_contract_value_print(&first->contract, rule, values[0]);
        topk_contract_value_print(&greeting->contract, rule, values[1]);
        snprintf(text, size, "another contract than at first, %s=%s where %s had %s=%s", key,
                 values[1], it, key, values[0]);
        return;
    }
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (strcmp(texts[i].before, texts[i].now) != 0) {
            snprintf(text, size, "%s '%.200s' where %s had '%.200s'", texts[i].what, texts[i].now,
                     it, texts[i].before);
            return;
        }
    }
    if (greeting->level != first->level) {
        snprintf(text, size, "feature level 0x%" PRIx32 " where %s had 0x%" PRIx32, greeting->level,
                 it, first->level);
    } else if (greeting->flags != first->flags) {
        snprintf(text, size, "flags %" PRIx32 " where %s had %" PRIx32, greeting->flags, it,
                 first->flags);
    }
}

/* True, and the run is over, if a worker is another one than the first: what both answer and judge
 * cannot be one result. */
static bool changed(struct topk_slot *slot, const struct topk_greeting *greeting)
{
    struct topk_runner *runner = slot->runner;
    const bool unlike = runner->opening; /* another machine, not the same one again */
    char how[3 * TOPK_CONTRACT_RULES + TOPK_MACHINE_NAME];
    char error[sizeof how + TOPK_MACHINE_NAME + 200];
    char first[TOPK_MACHINE_NAME] = "it";
    char name[TOPK_MACHINE_NAME] = "";
    if (slot->machine != NULL) {
        topk_machine_name(slot->machine, name);
    }
    if (unlike) {
        topk_machine_name(topk_runner_first(runner)->machine, first);
    }
    say_difference(&runner->greeting, greeting, first, how, sizeof how);
    if (how[0] == 0) {
        return false;
    }
    snprintf(error, sizeof error, "%s: %s%s%s",
             unlike
                 ? "two commands start different backends, and what they say cannot be one result"
                 : topk_process_wrong(TOPK_PROCESS_CHANGED),
             name, name[0] == 0 ? "" : " has ", how);
    topk_text_tame(error);
    if (!unlike) {
        topk_runner_tell_end(runner, TOPK_PROCESS_CHANGED, how);
    }
    topk_runner_decide(runner, unlike ? TOPK_RUNNER_UNLIKE : TOPK_RUNNER_BROKEN, error);
    return true;
}

/* The run cannot begin, or not with this machine. */
static void refuse_to_open(struct topk_slot *slot, enum topk_runner_status status, const char *why)
{
    static char error[TOPK_RUNNER_ERROR]; /* for a small stack */
    char name[TOPK_MACHINE_NAME] = "";
    if (slot->machine != NULL) {
        topk_machine_name(slot->machine, name);
    }
    snprintf(error, sizeof error, "%s%s%s", name, name[0] == 0 ? "" : ": ", why);
    if (slot->machine == NULL || status != TOPK_RUNNER_UNAVAILABLE ||
        !topk_machine_spare(slot, error)) {
        topk_runner_decide(slot->runner, status, error);
    }
}

static void take_greeting(struct topk_slot *slot, const char *line, size_t length)
{
    struct topk_runner *runner = slot->runner;
    static struct topk_greeting greeting; /* for a small stack */
    char error[TOPK_RUNNER_ERROR];
    length = length > TOPK_WORKER_LINE ? TOPK_WORKER_LINE : length;
    enum topk_greeting_kind kind =
        topk_greeting_parse(TOPK_SPEAKER_WORKER, line, length, &greeting, error);
    tame_greeting(&greeting);
    if (kind != TOPK_GREETING_HELLO) {
        topk_text_tame(error);
        snprintf(slot->reason, sizeof slot->reason, "%.255s", error);
        if (runner->opening) {
            refuse_to_open(slot,
                           kind == TOPK_GREETING_MISDECLARED ? TOPK_RUNNER_MISDECLARED
                                                             : TOPK_RUNNER_UNAVAILABLE,
                           error);
        }
        if (!runner->decided) {
            kill_for(slot, TOPK_CAUSE_GARBAGE);
        }
        return;
    }
    if (!runner->greeted) {
        runner->greeted = true;
        runner->greeting = greeting;
    } else if (changed(slot, &greeting)) {
        return;
    }
    slot->state = TOPK_SLOT_READY;
    slot->batch = greeting.batch > TOPK_RUNNER_BATCH ? greeting.batch : TOPK_RUNNER_BATCH;
    if (slot->batch > TOPK_RUNNER_BATCH_MAX) {
        slot->batch = TOPK_RUNNER_BATCH_MAX;
    }
    if (slot->machine == NULL) {
        topk_runner_feed(slot);
    } else {
        topk_machine_greeted(slot);
        feed_all(runner); /* cases may be to be run again */
    }
}

/* The worker said that it is about to end: it has some seconds for that, and what it still says is
 * of no interest. */
static void end_by_itself(struct topk_slot *slot)
{
    slot->state = TOPK_SLOT_ENDING;
    topk_worker_quit(slot->worker);
}

/* "I N W", the rest of `died` and `expired` */
static bool take_end(struct topk_slot *slot, enum topk_cause cause, const char *at, const char *end)
{
    const struct topk_message *message = &slot->messages[slot->oldest];
    char how[TOPK_WORKER_LINE];
    uint32_t from;
    uint32_t count;
    if (!take_number(&at, end, ' ', &from) || !take_number(&at, end, ' ', &count) ||
        from + count > (slot->in_flight == 0 ? 0 : message->count) ||
        !topk_word_parse(at, (size_t)(end - at), how, sizeof how)) {
        return false;
    }
    for (uint32_t i = from; i < from + count; i++) {
        if (message->cases[i].state != TOPK_ASKED_BEGUN) {
            return false;
        }
    }
    slot->cause = cause;
    slot->pinned_from = from;
    slot->pinned_count = count;
    snprintf(slot->reason, sizeof slot->reason, "%.*s", (int)sizeof slot->reason - 1, how);
    end_by_itself(slot);
    return true;
}

/* Whether a line says where the process crashed, or comes behind such a line, where only how it
 * died may stand. */
static bool take_crash(struct topk_slot *slot, const char *line, size_t length)
{
    const bool died = length > 5 && memcmp(line, "died ", 5) == 0;
    if (slot->crash.signal[0] == 0) {
        return length <= TOPK_WORKER_LINE && topk_wire_crash_parse(line, length, &slot->crash);
    }
    if (!died) {
        slot->crash.signal[0] = 0;
        garbage(slot, line, length);
    }
    return !died;
}

/* What a worker says that was told to quit: only that its backend process did not end well. */
static void take_leaving(struct topk_slot *slot, const char *line, size_t length)
{
    const char *end = line + length;
    if (slot->cause == TOPK_CAUSE_ITSELF && length > 5 && memcmp(line, "died ", 5) == 0 &&
        take_end(slot, TOPK_CAUSE_DIED, line + 5, end)) {
        slot->state = TOPK_SLOT_LEAVING;
    } else if (slot->cause != TOPK_CAUSE_GARBAGE) {
        garbage(slot, line, length);
    }
}

static void on_line(void *context, const char *line, size_t length)
{
    struct topk_slot *slot = context;
    const char *end = line + length;
    slot->heard = topk_runner_clock(slot->runner);
    if (take_crash(slot, line, length)) {
        return;
    }
    if (slot->state == TOPK_SLOT_GREETING) {
        take_greeting(slot, line, length);
        return;
    }
    if (slot->state == TOPK_SLOT_LEAVING) {
        take_leaving(slot, line, length);
        return;
    }
    if (slot->state != TOPK_SLOT_READY) {
        return;
    }
    bool known = false;
    if (length > TOPK_WORKER_LINE) {
        known = false;
    } else if (length > 6 && memcmp(line, "begin ", 6) == 0) {
        known = take_begin(slot, line + 6, end);
    } else if (length > 5 && memcmp(line, "done ", 5) == 0) {
        known = take_done(slot, line + 5, end);
    } else if (length > 6 && memcmp(line, "error ", 6) == 0) {
        char what[TOPK_REASON / 2];
        if (!topk_word_parse(line + 6, length - 6, what, sizeof what)) {
            snprintf(what, sizeof what, "%.*s", (int)(length - 6), line + 6);
        }
        snprintf(slot->reason, sizeof slot->reason, "the worker did not understand: %s", what);
        end_by_itself(slot);
        known = true;
    } else if (length > 5 && memcmp(line, "died ", 5) == 0) {
        known = take_end(slot, TOPK_CAUSE_DIED, line + 5, end);
    } else if (length > 8 && memcmp(line, "expired ", 8) == 0) {
        known = take_end(slot, TOPK_CAUSE_EXPIRED, line + 8, end);
    }
    if (!known) {
        garbage(slot, line, length);
    }
}

/* ---- ends and starts ------------------------------------------------------------------------- */

static void on_restart(uv_timer_t *timer)
{
    start_worker(timer->data);
}

/* how the worker of a slot ended, for the reason of a result */
static void describe_end(const struct topk_slot *slot, char *how, size_t size)
{
    char end[TOPK_REASON];
    double limit = (double)slot->runner->limit / 1000;
    topk_worker_describe_end(slot->worker, end, sizeof end);
    switch (slot->cause) {
    case TOPK_CAUSE_TIMEOUT:
        if (topk_runner_limits_kept(slot->runner)) {
            snprintf(how, size, "the worker keeps the limit of %g s itself, and did not end",
                     limit);
        } else if (slot->late > 1) {
            snprintf(how, size, "not done after %g s, %g s for each of %" PRIu32 " calls",
                     limit * slot->late, limit, slot->late);
        } else {
            snprintf(how, size, "not done after %g s", limit);
        }
        break;
    case TOPK_CAUSE_SILENCE:
        snprintf(how, size, "it said nothing for %g s", (double)slot->runner->silence / 1000);
        break;
    case TOPK_CAUSE_GARBAGE:
    case TOPK_CAUSE_LOST:
        snprintf(how, size, "%s", slot->reason);
        break;
    case TOPK_CAUSE_DIED:
    case TOPK_CAUSE_EXPIRED:
        topk_worker_append_stderr(slot->worker, slot->reason, end, sizeof end);
        snprintf(how, size, "%s", end);
        break;
    case TOPK_CAUSE_ITSELF:
        snprintf(how, size, "%.150s%s%.255s", slot->reason, slot->reason[0] == 0 ? "" : "; ", end);
        break;
    }
}

/* Writes why a worker ended that did not say who it is, for the loss of its machine: what it says
 * of its backend process, if it does. */
static void describe_start(const struct topk_slot *slot, char *how, size_t size)
{
    const char *tail = topk_worker_stderr(slot->worker);
    if (slot->cause != TOPK_CAUSE_ITSELF || *tail == 0 ||
        topk_worker_exit_code(slot->worker) != TOPK_WORKER_EXIT_DIED) {
        return;
    }
    size_t used = 0;
    for (const char *at = tail; *at != 0 && used + 3 < size; at++) {
        const bool ends = *at == '\n';
        if (!ends) {
            how[used++] = *at;
        } else if (at[1] != 0) {
            how[used++] = ';';
            how[used++] = ' ';
        }
    }
    how[used] = 0;
}

/* the first worker ended before it, or another first one, said who it is */
static void decide_unavailable(struct topk_slot *slot, const char *how)
{
    char error[TOPK_RUNNER_ERROR];
    const char *tail = topk_worker_stderr(slot->worker);
    if (slot->cause == TOPK_CAUSE_SILENCE) {
        snprintf(error, sizeof error, "the worker did not introduce itself: %s%s%s", how,
                 *tail == 0 ? "" : "\n", tail);
    } else {
        char end[64]; /* without the part of the tail: all of it follows */
        topk_worker_describe_end(slot->worker, end, sizeof end);
        end[strcspn(end, ";")] = 0;
        if (topk_worker_exit_code(slot->worker) == TOPK_WORKER_EXIT_DIED && *tail != 0) {
            snprintf(error, sizeof error, "%s", tail); /* of its backend process, and why */
        } else {
            char site[TOPK_CRASH_TEXT] = "";
            if (slot->crash.signal[0] != 0) {
                topk_crash_site_print(&slot->crash, site);
            }
            snprintf(error, sizeof error,
                     "the worker ended before it introduced itself: %s%s%s%s%s", end,
                     site[0] == 0 ? "" : "; ", site, *tail == 0 ? "" : "\n", tail);
        }
    }
    refuse_to_open(slot, TOPK_RUNNER_UNAVAILABLE, error);
}

/* A worker that was told to quit is gone: whether it went as it should. */
static void look_at_leaving(const struct topk_slot *slot, const char *how)
{
    const struct topk_runner *runner = slot->runner;
    char text[3 * TOPK_REASON];
    if (topk_worker_exit_code(slot->worker) == 0 && slot->cause == TOPK_CAUSE_ITSELF &&
        slot->crash.signal[0] == 0) {
        return;
    }
    topk_runner_tell_end(runner, topk_runner_end_of(slot, how, TOPK_PROCESS_QUIT), how);
    if (runner->options.note != NULL) {
        snprintf(text, sizeof text, "a worker did not end well after its last case: %s", how);
        topk_text_tame(text);
        runner->options.note(runner->options.context, text);
    }
}

/* What the end of a worker means; what may follow is a matter of the caller. how: how it ended. */
static void take_end_of(struct topk_slot *slot, const char *how)
{
    const bool leaving = slot->state == TOPK_SLOT_LEAVING;
    if (slot->machine != NULL) {
        topk_machine_end(slot, how);
    } else if (!leaving) {
        topk_runner_resolve(slot, how);
    }
}

static void on_ended(void *context)
{
    struct topk_slot *slot = context;
    struct topk_runner *runner = slot->runner;
    char how[2 * TOPK_REASON];
    if (topk_slot_lost(slot)) {
        slot->worker = NULL; /* it was killed for that */
        return;
    }
    if (topk_worker_broken(slot->worker) != NULL) {
        snprintf(how, sizeof how, "a worker cannot be followed: %s",
                 topk_worker_broken(slot->worker));
        slot->worker = NULL;
        runner->blind = true;
        topk_runner_decide(runner, TOPK_RUNNER_BROKEN, how);
        return;
    }
    /* half a line is what remains of a crash; behind a good end it is garbage like any other */
    const char *rest = topk_worker_rest(slot->worker);
    if (slot->state == TOPK_SLOT_LEAVING && slot->cause == TOPK_CAUSE_ITSELF && rest[0] != 0) {
        keep_garbage(slot, rest, strlen(rest));
    }
    describe_end(slot, how, sizeof how);
    if (slot->machine != NULL && slot->state == TOPK_SLOT_GREETING) {
        describe_start(slot, how, sizeof how);
    }
    if (!runner->decided && runner->opening) {
        decide_unavailable(slot, how);
    } else if (slot->state == TOPK_SLOT_LEAVING) {
        look_at_leaving(slot, how);
    }
    slot->worker = NULL;
    if (!runner->decided && !topk_slot_lost(slot)) {
        take_end_of(slot, how);
    }
    if (runner->decided) {
        return;
    }
    if (topk_slot_lost(slot)) {
        start_slots(runner); /* a job that had one worker, on that machine, needs another */
        return;
    }
    runner->restarts++;
    /* a driver that resets its device needs a moment */
    uv_timer_start(&slot->restart, on_restart, (uint64_t)(slot->deaths + slot->tries) * 200, 0);
    feed_all(runner);
}

static void start_worker(struct topk_slot *slot)
{
    struct topk_runner *runner = slot->runner;
    char error[TOPK_RUNNER_ERROR];
    struct topk_worker_events events = {on_line, on_ended, slot};
    const char *const *command =
        slot->machine == NULL ? runner->options.command : slot->machine->is.command;
    slot->state = TOPK_SLOT_GREETING;
    slot->cause = TOPK_CAUSE_ITSELF;
    slot->reason[0] = 0;
    slot->crash.signal[0] = 0;
    if (!slot->held) {
        slot->in_flight = 0;
    }
    slot->told = 0;
    slot->begun = false;
    slot->process = ++runner->processes;
    slot->heard = topk_runner_clock(runner);
    slot->started = slot->heard;
    slot->worker = topk_worker_start(&runner->loop, command, runner->options.environment,
                                     runner->options.pass_stderr, &events, error, sizeof error);
    if (slot->worker == NULL) {
        topk_runner_decide(runner, TOPK_RUNNER_BROKEN, error);
    }
}

/* ---- watching -------------------------------------------------------------------------------- */

static void check_times(struct topk_slot *slot, uint64_t now)
{
    const struct topk_runner *runner = slot->runner;
    const struct topk_message *message = &slot->messages[slot->oldest];
    bool waits_for_us = slot->state == TOPK_SLOT_LEAVING ||
                        (slot->state == TOPK_SLOT_READY && slot->in_flight == 0);
    if (slot->worker == NULL || waits_for_us) {
        return;
    }
    const bool ending = slot->state == TOPK_SLOT_ENDING;
    for (uint32_t i = 0; topk_slot_busy(slot) && !ending && i < message->count; i++) {
        const struct topk_asked *asked = &message->cases[i];
        if (asked->state == TOPK_ASKED_BEGUN && now >= asked->late) {
            slot->late = asked->longest;
            kill_for(slot, TOPK_CAUSE_TIMEOUT);
            return;
        }
    }
    if (!ending && !any_begun(slot) && now >= slot->heard + runner->silence) {
        kill_for(slot, TOPK_CAUSE_SILENCE);
    } else if (runner->stopping && topk_slot_busy(slot) && now >= runner->drained) {
        topk_worker_kill(slot->worker);
    }
}

static void on_tick(uv_timer_t *timer)
{
    struct topk_runner *runner = timer->data;
    uint64_t now = uv_now(&runner->loop);
    /* a process that was stopped, or a disk that hung, must not make cases late */
    if (now - runner->ticked > 1000) {
        runner->stopped += now - runner->ticked;
    }
    runner->ticked = now;
    for (uint32_t i = 0; !runner->decided && i < runner->options.jobs; i++) {
        check_times(&runner->slots[i], topk_runner_clock(runner));
    }
    if (runner->running && runner->job.tick != NULL) {
        runner->job.tick(runner->job.context);
    }
}

static void on_signal(uv_signal_t *handle, int signal)
{
    struct topk_runner *runner = handle->data;
    (void)signal;
    if (runner->decided && runner->status == TOPK_RUNNER_INTERRUPTED) {
        /* a second one: do not even wait for the ends */
        for (uint32_t i = 0; i < runner->options.jobs; i++) {
            if (runner->slots[i].worker != NULL) {
                topk_worker_abandon(runner->slots[i].worker);
                runner->slots[i].worker = NULL;
            }
        }
    }
    topk_runner_decide(runner, TOPK_RUNNER_INTERRUPTED, "interrupted");
}

/* Returns 0, or the error of libuv. */
static int watch_signals(struct topk_runner *runner)
{
    static const int numbers[3] = {SIGINT, SIGTERM, SIGHUP};
    int failure = 0;
    for (int i = 0; i < 3; i++) {
        struct sigaction action;
        const int initialized = uv_signal_init(&runner->loop, &runner->signals[i]);
        failure = failure != 0 ? failure : initialized;
        runner->signals[i].data = runner;
        /* who started us may have turned it off, as nohup does */
        if (failure == 0 && sigaction(numbers[i], NULL, &action) == 0 &&
            action.sa_handler != SIG_IGN) {
            failure = uv_signal_start(&runner->signals[i], on_signal, numbers[i]);
        }
    }
    return failure;
}

/* ---- the interface --------------------------------------------------------------------------- */

static bool any_worker(const struct topk_runner *runner)
{
    for (uint32_t i = 0; i < runner->options.jobs; i++) {
        if (runner->slots[i].worker != NULL) {
            return true;
        }
    }
    return false;
}

/* sets the time that a call may take, and looks often enough */
static void set_limit(struct topk_runner *runner, double seconds)
{
    runner->limit = (uint64_t)(seconds * 1000 + 0.5);
    uint64_t period = runner->limit / 4 < 100 ? runner->limit / 4 + 1 : 100;
    uv_timer_start(&runner->timer, on_tick, period, period);
}

/* Whether an event loop and a worker's pipes find the files that they need; if not, errno says why.
 * libuv calls abort() where it lacks one. */
static bool has_files(void)
{
    int files[LOOP_FILES];
    int count = 0;
    while (count < LOOP_FILES &&
           (files[count] = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)) >= 0) {
        count++;
    }
    const int why = errno;
    for (int i = 0; i < count; i++) {
        close(files[i]);
    }
    errno = why;
    return count == LOOP_FILES;
}

/* Makes the event loop; false, with the reason, if the system does not let it. */
static bool make_loop(struct topk_runner *runner, char error[TOPK_RUNNER_ERROR])
{
    if (!has_files()) {
        snprintf(error, TOPK_RUNNER_ERROR, "cannot open the files that a worker needs: %s",
                 strerror(errno)); /* NOLINT(concurrency-mt-unsafe): one thread */
        return false;
    }
    const int failure = uv_loop_init(&runner->loop);
    if (failure != 0) {
        snprintf(error, TOPK_RUNNER_ERROR, "cannot make an event loop: %s", uv_strerror(failure));
    }
    return failure == 0;
}

/* Starts the first worker, and once that said who it is, which the others are held against, the
 * first one of each other machine. */
static void open_workers(struct topk_runner *runner)
{
    const uint32_t jobs = runner->options.jobs;
    const uint32_t machines =
        runner->options.machine_count < jobs ? runner->options.machine_count : jobs;
    runner->opening = true;
    for (uint32_t i = 0; !runner->decided && (i == 0 || i < machines); i++) {
        start_worker(&runner->slots[i]);
        while (!runner->decided && !runner->greeted && !topk_slot_lost(&runner->slots[i])) {
            uv_run(&runner->loop, UV_RUN_ONCE);
        }
    }
    for (uint32_t i = 0; i < machines; i++) {
        while (!runner->decided && runner->slots[i].state == TOPK_SLOT_GREETING) {
            uv_run(&runner->loop, UV_RUN_ONCE);
        }
    }
}

struct topk_runner *topk_runner_open(const struct topk_runner_options *options,
                                     struct topk_greeting *greeting,
                                     enum topk_runner_status *status, char error[TOPK_RUNNER_ERROR])
{
    struct topk_runner *runner =
        calloc(1, sizeof *runner + options->jobs * sizeof runner->slots[0]);
    snprintf(error, TOPK_RUNNER_ERROR, "memory ran out");
    if (runner == NULL || !make_loop(runner, error)) {
        free(runner);
        *status = TOPK_RUNNER_BROKEN;
        return NULL;
    }
    runner->options = *options;
    const uint32_t machines = options->machines == NULL ? 0 : options->machine_count;
    for (uint32_t i = 0; i < machines; i++) {
        runner->machines[i].is = options->machines[i];
    }
    runner->options.machines = NULL; /* the caller's */
    double silence = options->start_timeout > 0 ? options->start_timeout : 60;
    if (options->start_timeout <= 0 && options->timeout > silence) {
        silence = options->timeout;
    }
    runner->silence = (uint64_t)(silence * 1000 + 0.5);
    double backstop = options->backstop > 0 ? options->backstop : 60;
    runner->backstop = (uint64_t)(backstop * 1000 + 0.5);
    for (uint32_t i = 0; i < options->jobs; i++) {
        runner->slots[i].runner = runner;
        runner->slots[i].machine = machines == 0 ? NULL : &runner->machines[i % machines];
        uv_timer_init(&runner->loop, &runner->slots[i].restart);
        runner->slots[i].restart.data = &runner->slots[i];
    }
    const int unwatched = watch_signals(runner);
    runner->ticked = uv_now(&runner->loop);
    uv_timer_init(&runner->loop, &runner->timer);
    runner->timer.data = runner;
    set_limit(runner, options->timeout);
    if (unwatched == 0) {
        open_workers(runner);
    } else {
        snprintf(error, TOPK_RUNNER_ERROR, "cannot watch signals: %s", uv_strerror(unwatched));
        topk_runner_decide(runner, TOPK_RUNNER_BROKEN, error);
    }
    while (runner->decided && any_worker(runner)) {
        uv_run(&runner->loop, UV_RUN_ONCE);
    }
    runner->opening = false;
    *greeting = runner->greeting;
    *status = runner->decided ? runner->status : TOPK_RUNNER_DONE;
    if (runner->decided) {
        snprintf(error, TOPK_RUNNER_ERROR, "%s", runner->error);
        topk_runner_close(runner);
        return NULL;
    }
    return runner;
}

static void start_job(struct topk_runner *runner, const struct topk_runner_job *job)
{
    runner->job = *job;
    runner->next = 0;
    runner->taken = 0;
    runner->finished = 0;
    runner->exhausted = false;
    runner->stopping = false;
    runner->running = true;
    /* what was done since the last job took time that is nobody's fault */
    uv_update_time(&runner->loop);
    runner->stopped += uv_now(&runner->loop) - runner->ticked;
    runner->ticked = uv_now(&runner->loop);
    set_limit(runner, job->timeout > 0 ? job->timeout : runner->options.timeout);
}

/* whether all that is wanted of the job is there */
static bool job_over(const struct topk_runner *runner)
{
    bool over = runner->stopping || (runner->exhausted && runner->finished == runner->taken);
    for (uint32_t i = 0; runner->stopping && i < runner->options.jobs; i++) {
        over &= !topk_slot_busy(&runner->slots[i]);
    }
    return over;
}

static void end_job(struct topk_runner *runner)
{
    runner->running = false;
    runner->resend.count = 0;
    runner->fresh.count = 0;
    /* of a job that was stopped: what its cases would come to is not asked any more */
    for (uint32_t i = 0; i < runner->options.jobs; i++) {
        struct topk_slot *slot = &runner->slots[i];
        if (slot->held && slot->in_flight > 0) {
            slot->held = false;
            slot->in_flight = 0;
        }
    }
    while (runner->suspects != NULL) {
        struct topk_suspects *next = runner->suspects->next;
        free(runner->suspects);
        runner->suspects = next;
    }
}

enum topk_runner_status topk_runner_run(struct topk_runner *runner,
                                        const struct topk_runner_job *job,
                                        char error[TOPK_RUNNER_ERROR])
{
    if (!runner->decided) {
        start_job(runner, job);
        start_slots(runner);
        while (runner->decided ? any_worker(runner) : !job_over(runner)) {
            uv_run(&runner->loop, UV_RUN_ONCE);
        }
        end_job(runner);
    }
    snprintf(error, TOPK_RUNNER_ERROR, "%s", runner->error);
    if (runner->decided) {
        return runner->status;
    }
    return runner->stopping ? TOPK_RUNNER_STOPPED : TOPK_RUNNER_DONE;
}

/* Whether something is still to come of workers that end by themselves. */
static bool any_ending(const struct topk_runner *runner)
{
    for (uint32_t i = 0; i < runner->options.jobs; i++) {
        if (runner->slots[i].worker != NULL && runner->slots[i].state == TOPK_SLOT_ENDING) {
            return true;
        }
    }
    return false;
}

/* lets the workers go of themselves, those that do not work */
static void quit_all(struct topk_runner *runner)
{
    /* no worker spent the time since the last job */
    uv_update_time(&runner->loop);
    /* who ended or said something since did not do so because it was told to quit */
    uv_run(&runner->loop, UV_RUN_NOWAIT);
    while (!runner->decided && any_ending(runner)) {
        uv_run(&runner->loop, UV_RUN_ONCE);
    }
    for (uint32_t i = 0; !runner->decided && i < runner->options.jobs; i++) {
        topk_machine_settle(&runner->slots[i]);
    }
    if (runner->decided) {
        return;
    }
    runner->decided = true;
    runner->status = TOPK_RUNNER_BROKEN;
    snprintf(runner->error, sizeof runner->error, "the workers were told to quit");
    for (uint32_t i = 0; i < runner->options.jobs; i++) {
        struct topk_slot *slot = &runner->slots[i];
        uv_timer_stop(&slot->restart);
        if (slot->worker != NULL && slot->state == TOPK_SLOT_READY && slot->in_flight == 0) {
            slot->state = TOPK_SLOT_LEAVING;
            topk_worker_quit(slot->worker);
        } else if (slot->worker != NULL && slot->state != TOPK_SLOT_LEAVING) {
            topk_worker_kill(slot->worker);
        }
    }
    while (any_worker(runner)) {
        uv_run(&runner->loop, UV_RUN_ONCE);
    }
}

static void quit(struct topk_runner *runner)
{
    if (!runner->decided) {
        quit_all(runner);
    }
}

bool topk_runner_close(struct topk_runner *runner)
{
    if (runner == NULL) {
        return true;
    }
    quit(runner);
    const bool blind = runner->blind;
    for (uint32_t i = 0; i < runner->options.jobs; i++) {
        struct topk_slot *slot = &runner->slots[i];
        if (slot->worker != NULL) {
            topk_worker_abandon(slot->worker);
            slot->worker = NULL;
        }
        uv_close((uv_handle_t *)&slot->restart, NULL);
    }
    for (int i = 0; i < 3; i++) {
        uv_close((uv_handle_t *)&runner->signals[i], NULL);
    }
    uv_close((uv_handle_t *)&runner->timer, NULL);
    uv_run(&runner->loop, UV_RUN_DEFAULT);
    uv_loop_close(&runner->loop);
    free(runner->resend.list);
    free(runner->fresh.list);
    free(runner);
    return !blind;
}
