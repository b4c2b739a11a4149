/* Decides what the end of a worker means for its cases. */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log/log.h"
#include "runner_state.h"

static void hand_on(struct topk_runner *runner, uint64_t number, const struct topk_result *result)
{
    runner->finished++;
    if (!runner->job.result(runner->job.context, number, result)) {
        topk_runner_stop(runner);
    }
}

static void note(const struct topk_runner *runner, char *text)
{
    topk_text_tame(text);
    if (runner->options.note != NULL) {
        runner->options.note(runner->options.context, text);
    }
}

/* Several cases together exceeded the time limit, but no single one does, so none gets a verdict.
 * The second time, the worker gets fewer cases at once, so that a slow worker does not lose time
 * with each batch. */
static void take_as_slow(struct topk_runner *runner, const struct topk_suspects *suspects)
{
    struct topk_slot *slot = suspects->slot;
    if (!runner->noted_late) {
        char text[3 * TOPK_REASON];
        runner->noted_late = true;
        snprintf(text, sizeof text,
                 "the time for %" PRIu32
                 " cases in one batch ran out (%s); alone, in a new worker, each was done in time. "
                 "This changes no verdict, and is printed once",
                 suspects->count, suspects->reason);
        note(runner, text);
    }
    if (slot->unfitting++ > 0) {
        slot->fitting = suspects->count > 1 ? suspects->count / 2 : 1;
    }
}

/* the case passed alone, and so did every other suspect */
static void make_flaky(const struct topk_suspects *suspects, struct topk_result *result)
{
    const char *word = topk_verdict_word(result->verdict);
    if (suspects->late) {
        snprintf(result->reason, sizeof result->reason,
                 "it was late after other cases; alone, in a new worker, it was done: %s; before: "
                 "%.120s",
                 word, suspects->reason);
    } else if (suspects->count == 1) {
        snprintf(result->reason, sizeof result->reason,
                 "the worker ended while it ran; alone it was done: %s; before: %.150s", word,
                 suspects->reason);
    } else {
        snprintf(result->reason, sizeof result->reason,
                 "it and %" PRIu32
                 " more began together and the worker ended; alone each was done, "
                 "this one: %s; together: %.100s",
                 suspects->count - 1, word, suspects->reason);
    }
    result->verdict = TOPK_VERDICT_FLAKY;
    result->by_status = false;
}

/* called when all suspects have run alone */
static void resolve_suspects(struct topk_runner *runner, struct topk_suspects *suspects)
{
    struct topk_result *result = &suspects->result;
    if (!suspects->culprit && suspects->late && suspects->together) {
        take_as_slow(runner, suspects);
    } else if (!suspects->culprit) {
        make_flaky(suspects, result);
    }
    struct topk_suspects **link = &runner->suspects;
    while (*link != suspects) {
        link = &(*link)->next;
    }
    *link = suspects->next;
    hand_on(runner, suspects->first, result);
    free(suspects);
}

void topk_runner_report(struct topk_runner *runner, const struct topk_item *item,
                        const struct topk_result *result)
{
    struct topk_suspects *suspects = item->suspects;
    struct topk_result again;
    if (item->killed > 0 && result->reason[0] == 0) {
        again = *result;
        snprintf(again.reason, sizeof again.reason,
                 "it was run again, because a process that ran it was ended from outside");
        result = &again;
    }
    if (runner->stopping) {
        return;
    }
    if (suspects == NULL) {
        hand_on(runner, item->number, result);
        return;
    }
    suspects->culprit |= result->verdict == TOPK_VERDICT_CRASH ||
                         result->verdict == TOPK_VERDICT_TIMEOUT ||
                         result->verdict == TOPK_VERDICT_DEVICE_LOST;
    suspects->left--;
    if (item->number == suspects->first) {
        suspects->result = *result;
    } else {
        hand_on(runner, item->number, result);
    }
    if (suspects->left == 0 && !runner->stopping) {
        resolve_suspects(runner, suspects);
    }
}

/* whether the time limit of a slot's worker expired */
static bool too_late(const struct topk_slot *slot)
{
    return slot->cause == TOPK_CAUSE_TIMEOUT || slot->cause == TOPK_CAUSE_EXPIRED;
}

/* reports the verdict on a case that ended its worker */
static void report_end(struct topk_slot *slot, const struct topk_item *item, const char *how)
{
    static const struct topk_result nothing;
    struct topk_result result = nothing;
    result.clause = TOPK_CLAUSE_NONE;
    result.verdict = too_late(slot) ? TOPK_VERDICT_TIMEOUT : TOPK_VERDICT_CRASH;
    snprintf(result.reason, sizeof result.reason, "%s", how);
    if (slot->cause == TOPK_CAUSE_ITSELF || slot->cause == TOPK_CAUSE_DIED) {
        result.crash = slot->crash;
        if (result.crash.has_outside && result.crash.outside.access == TOPK_CRASH_WRITES) {
            result.clause =
                result.crash.outside.role == TOPK_INPUT ? TOPK_CLAUSE_M01 : TOPK_CLAUSE_M02;
        }
    }
    topk_runner_report(slot->runner, item, &result);
}

/* Sends cases again that had begun, but were not running when the worker ended, as it says. The
 * code under test makes this statement, so each case is spared only a few times. */
static void spare_innocents(struct topk_slot *slot)
{
    struct topk_message *message = &slot->messages[slot->oldest];
    const bool pinned = slot->cause == TOPK_CAUSE_DIED || slot->cause == TOPK_CAUSE_EXPIRED;
    for (uint32_t i = 0; pinned && slot->in_flight > 0 && i < message->count; i++) {
        struct topk_asked *asked = &message->cases[i];
        const bool inside = i >= slot->pinned_from && i - slot->pinned_from < slot->pinned_count;
        if (asked->state == TOPK_ASKED_BEGUN && !inside &&
            asked->item.spared < TOPK_RUNNER_SPARED) {
            asked->item.spared++;
            asked->state = TOPK_ASKED_WAITING;
        }
    }
}

/* Puts back the cases of a slot: those that wait, or those that had begun. Not NULL `suspects`:
 * they must run alone, and in a fresh worker if they were late. Starts with the last case, because
 * the stack returns the first one first. */
static void put_back(struct topk_slot *slot, bool waiting, struct topk_suspects *suspects)
{
    for (uint32_t message = slot->in_flight; message-- > 0;) {
        const struct topk_message *m =
            &slot->messages[(slot->oldest + message) % TOPK_RUNNER_AHEAD];
        for (uint32_t i = m->count; i-- > 0;) {
            const struct topk_asked *asked = &m->cases[i];
            struct topk_item item = asked->item;
            if (asked->state == TOPK_ASKED_DONE ||
                (asked->state == TOPK_ASKED_WAITING) != waiting) {
                continue;
            }
            if (!waiting) {
                item.suspects = suspects != NULL ? suspects : item.suspects;
                item.fresh = too_late(slot);
            }
            topk_runner_resend(slot->runner, &item);
        }
    }
}

static void suspect(struct topk_slot *slot, const struct topk_asked *first, uint32_t count,
                    const char *how)
{
    struct topk_runner *runner = slot->runner;
    struct topk_suspects *suspects = calloc(1, sizeof *suspects);
    if (suspects == NULL) {
        topk_runner_decide(runner, TOPK_RUNNER_BROKEN, "out of memory");
        return;
    }
    suspects->slot = slot;
    suspects->first = first->item.number;
    suspects->count = count;
    suspects->left = count;
    suspects->late = too_late(slot);
    /* a worker that enforces the limit applies it to each call; otherwise the cases share it */
    suspects->together = count > 1 || (slot->cause == TOPK_CAUSE_TIMEOUT && first->together > 1);
    snprintf(suspects->reason, sizeof suspects->reason, "%s", how);
    suspects->next = runner->suspects;
    runner->suspects = suspects;
    put_back(slot, false, suspects);
}

/* Whether the end of a worker is a verdict on the only possible culprit: it ran alone and, if it
 * was late, in a worker that had run nothing before. Other requests than cases always run alone,
 * and need no fresh worker. */
static bool settles(const struct topk_slot *slot, const struct topk_asked *asked)
{
    return slot->runner->job.answer != NULL ||
           (asked->together == 1 && (asked->fresh || !too_late(slot)));
}

static void count_death(struct topk_slot *slot, const char *how)
{
    char text[TOPK_RUNNER_ERROR];
    slot->deaths++;
    snprintf(text, sizeof text, "a worker ended between cases: %s", how);
    note(slot->runner, text);
    if (slot->deaths == TOPK_RUNNER_DEATHS) {
        snprintf(text, sizeof text,
                 "a worker ended %u times in a row without a result, with no case begun: %s",
                 TOPK_RUNNER_DEATHS, how);
        topk_text_tame(text);
        topk_runner_decide(slot->runner, TOPK_RUNNER_BROKEN, text);
    }
}

/* the first case that may have ended the worker, and the number of such cases; NULL: none */
static const struct topk_asked *first_suspect(const struct topk_slot *slot, uint32_t *count)
{
    const struct topk_message *message = &slot->messages[slot->oldest];
    const struct topk_asked *first = NULL;
    *count = 0;
    for (uint32_t i = message->count; slot->in_flight > 0 && i-- > 0;) {
        const struct topk_asked *asked = &message->cases[i];
        if (asked->state == TOPK_ASKED_BEGUN || asked->state == TOPK_ASKED_LOST) {
            first = asked;
            ++*count;
        }
    }
    return first;
}

/* Whether a user, or a system without memory, ended a process: by a signal that is not caused by a
 * crash. how: what a worker says of its backend process, or describe_end() of the worker. */
static bool ended_from_outside(const struct topk_slot *slot, const char *how)
{
    static const int signals[] = {SIGKILL, SIGTERM, SIGHUP};
    const bool by_itself = slot->cause == TOPK_CAUSE_ITSELF || slot->cause == TOPK_CAUSE_DIED;
    bool outside = false;
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        char ways[2][64];
        snprintf(ways[0], sizeof ways[0], "killed by signal %d ", signals[i]);
        snprintf(ways[1], sizeof ways[1], "exited with %d (of a shell:", 128 + signals[i]);
        for (int way = 0; way < 2; way++) {
            outside = outside || strncmp(how, ways[way], strlen(ways[way])) == 0;
        }
    }
    /* a process that reported a crash was about to end */
    return by_itself && outside && slot->crash.signal[0] == 0;
}

void topk_runner_tell_end(const struct topk_runner *runner, enum topk_process_end end,
                          const char *how)
{
    char text[TOPK_RUNNER_ERROR];
    snprintf(text, sizeof text, "%s", how);
    topk_text_tame(text);
    if (runner->options.ended != NULL) {
        runner->options.ended(runner->options.context, end, text);
    }
}

enum topk_process_end topk_runner_end_of(const struct topk_slot *slot, const char *how,
                                         enum topk_process_end own)
{
    return ended_from_outside(slot, how) ? TOPK_PROCESS_OUTSIDE : own;
}

/* Sends the cases of a worker again that was ended from outside. False if that happened too often
 * to be believed. */
static bool excuse(struct topk_slot *slot, const char *how)
{
    struct topk_runner *runner = slot->runner;
    struct topk_message *message = &slot->messages[slot->oldest];
    bool believed = ended_from_outside(slot, how);
    for (uint32_t i = 0; slot->in_flight > 0 && i < message->count; i++) {
        const uint32_t killed = message->cases[i].item.killed;
        believed = believed && (message->cases[i].state != TOPK_ASKED_BEGUN ||
                                (killed == 0 && slot->excused == 0) ||
                                (killed > 0 && killed < TOPK_RUNNER_KILLED));
    }
    if (!believed) {
        return false;
    }
    for (uint32_t i = 0; i < message->count; i++) {
        message->cases[i].item.killed += message->cases[i].state == TOPK_ASKED_BEGUN;
    }
    char text[TOPK_RUNNER_ERROR];
    slot->excused = TOPK_RUNNER_KILLS;
    put_back(slot, false, NULL);
    snprintf(text, sizeof text, "a process was ended from outside, and its cases are run again: %s",
             how);
    note(runner, text);
    return true;
}

/* Turns the end of a worker into a verdict on its culprit, or starts to search for that. */
static void blame(struct topk_slot *slot, const struct topk_asked *first, uint32_t count,
                  const char *how)
{
    if (count == 1 && first->state == TOPK_ASKED_BEGUN && settles(slot, first)) {
        const struct topk_item item = first->item;
        slot->in_flight = 0;
        report_end(slot, &item, how);
    } else if (count == 1 && first->item.suspects != NULL) {
        put_back(slot, false, NULL);
    } else if (count > 0) {
        suspect(slot, first, count, how);
    }
}

void topk_runner_resolve(struct topk_slot *slot, const char *how)
{
    uint32_t count;
    if (slot->runner->stopping) {
        slot->in_flight = 0;
        return;
    }
    spare_innocents(slot);
    put_back(slot, true, NULL);
    const struct topk_asked *first = first_suspect(slot, &count);
    if (count == 0 && slot->cause != TOPK_CAUSE_LOST) {
        topk_runner_tell_end(slot->runner, topk_runner_end_of(slot, how, TOPK_PROCESS_BETWEEN),
                             how);
        count_death(slot, how);
    } else if (count > 0 && excuse(slot, how)) {
        topk_runner_tell_end(slot->runner, TOPK_PROCESS_OUTSIDE, how);
    } else {
        topk_runner_tell_end(slot->runner, TOPK_PROCESS_UNDER_WAY, how);
        blame(slot, first, count, how);
    }
    slot->in_flight = 0;
}
