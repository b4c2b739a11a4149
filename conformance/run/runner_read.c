/* Parses the lines from workers and applies them to the cases. */
#define _POSIX_C_SOURCE 200809L
#include "runner.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "log/log.h"
#include "platform/stage.h"
#include "runner_state.h"

void topk_slot_kill(struct topk_slot *slot, enum topk_cause cause)
{
    slot->cause = cause;
    topk_worker_kill(slot->worker);
}

/* rejects an answer that no worker can give */
static void refuse(struct topk_slot *slot, enum topk_verdict verdict, const char *why)
{
    snprintf(slot->reason, sizeof slot->reason,
             "garbage on the pipe: the verdict cannot be '%s': %s", topk_verdict_word(verdict),
             why);
    topk_slot_kill(slot, TOPK_CAUSE_GARBAGE);
}

/* records a message that is no valid answer */
void topk_slot_garbage(struct topk_slot *slot, const char *line, size_t length)
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
    topk_slot_garbage(slot, line, length);
    topk_worker_kill(slot->worker);
}

/* reads a decimal number without leading zeros, and the character after it */
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

bool topk_slot_begun(const struct topk_slot *slot)
{
    const struct topk_message *message = &slot->messages[slot->oldest];
    for (uint32_t i = 0; topk_slot_busy(slot) && i < message->count; i++) {
        if (message->cases[i].state == TOPK_ASKED_BEGUN) {
            return true;
        }
    }
    return false;
}

/* continues with the next message, because this one is answered */
static void next_message(struct topk_slot *slot)
{
    slot->oldest = (slot->oldest + 1) % TOPK_RUNNER_AHEAD;
    slot->in_flight--;
    topk_runner_feed(slot);
}

/* handles the answer to a request that is not a case */
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
        if (!topk_slot_begun(slot)) {
            topk_worker_kill(slot->worker);
        }
    } else if (message->answered == message->count) {
        next_message(slot);
    }
    return true;
}

/* makes the texts safe: logs, rules of expectations and terminals show the same */
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

/* Writes the first field in which a greeting differs: "name 'b' where it had 'a'"; "" if none does.
 * it: the owner of the first greeting. Sizes of batches may differ. */
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

/* Ends the run and returns true if a worker's greeting differs from the first: results of two
 * different backends cannot be mixed. */
static bool changed(struct topk_slot *slot, const struct topk_greeting *greeting)
{
    struct topk_runner *runner = slot->runner;
    const bool unlike = runner->opening; /* another machine, not a restart */
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

/* The run, or this machine's part of it, cannot begin. */
void topk_slot_unavailable(struct topk_slot *slot, enum topk_runner_status status, const char *why)
{
    static char error[TOPK_RUNNER_ERROR]; /* not on the stack, which may be small */
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
    static struct topk_greeting greeting; /* not on the stack, which may be small */
    char error[TOPK_RUNNER_ERROR];
    length = length > TOPK_WORKER_LINE ? TOPK_WORKER_LINE : length;
    enum topk_greeting_kind kind =
        topk_greeting_parse(TOPK_SPEAKER_WORKER, line, length, &greeting, error);
    tame_greeting(&greeting);
    if (kind != TOPK_GREETING_HELLO) {
        topk_text_tame(error);
        snprintf(slot->reason, sizeof slot->reason, "%.255s", error);
        if (runner->opening) {
            topk_slot_unavailable(slot,
                                  kind == TOPK_GREETING_MISDECLARED ? TOPK_RUNNER_MISDECLARED
                                                                    : TOPK_RUNNER_UNAVAILABLE,
                                  error);
        }
        if (!runner->decided) {
            topk_slot_kill(slot, TOPK_CAUSE_GARBAGE);
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
        topk_runner_feed_all(runner); /* cases may have to be run again */
    }
}

/* The worker announced its end: it gets some seconds for that, and its further output is
 * ignored. */
static void end_by_itself(struct topk_slot *slot)
{
    slot->state = TOPK_SLOT_ENDING;
    topk_worker_quit(slot->worker);
}

/* parses "I N W", the rest of `died` and `expired` */
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

/* Whether a line says where the process crashed, or follows such a line. Only how the process died
 * may follow. */
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

/* Handles output after quit: only a report that the backend process did not end well is valid. */
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

static void read_line(struct topk_slot *slot, const char *line, size_t length)
{
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

void topk_slot_read(void *context, const char *line, size_t length)
{
    const enum topk_stage before = topk_stage_enter(TOPK_STAGE_TAKE);
    read_line(context, line, length);
    topk_stage_enter(before);
}
