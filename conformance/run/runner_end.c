/* What the end of a worker means for the cases that it had. */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
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

/* all suspects have run alone */
static void resolve_suspects(struct topk_runner *runner, struct topk_suspects *suspects)
{
    struct topk_result *result = &suspects->result;
    /* many cases that each take their time are no suspects: together they were just slow */
    bool explained = suspects->slow && suspects->nanoseconds / 500000u >= runner->limit;
    if (!suspects->culprit && !explained) {
        char ended[TOPK_REASON];
        snprintf(ended, sizeof ended, "%s", suspects->reason);
        snprintf(result->reason, sizeof result->reason,
                 "it and %" PRIu32
                 " more began together and the worker ended; alone each was done, "
                 "this one: %s; together: %.100s",
                 suspects->count - 1, topk_verdict_word(result->verdict), ended);
        result->verdict = TOPK_VERDICT_FLAKY;
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
    suspects->nanoseconds += result->nanoseconds;
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

/* the verdict on a case that alone had begun */
static void report_end(struct topk_slot *slot, const struct topk_item *item, const char *how)
{
    static const struct topk_result nothing;
    struct topk_result result = nothing;
    result.clause = TOPK_CLAUSE_NONE;
    result.verdict = slot->cause == TOPK_CAUSE_TIMEOUT ? TOPK_VERDICT_TIMEOUT : TOPK_VERDICT_CRASH;
    snprintf(result.reason, sizeof result.reason, "%s", how);
    topk_runner_report(slot->runner, item, &result);
}

/* the cases of a slot that have no result, in order; NULL behind the last */
static struct topk_asked *unanswered(struct topk_slot *slot, uint32_t *message, uint32_t *position)
{
    while (*message < slot->in_flight) {
        struct topk_message *m = &slot->messages[(slot->oldest + *message) % TOPK_RUNNER_AHEAD];
        while (*position < m->count) {
            struct topk_asked *asked = &m->cases[(*position)++];
            if (asked->state != TOPK_ASKED_DONE) {
                return asked;
            }
        }
        (*message)++;
        *position = 0;
    }
    return NULL;
}

/* Puts the cases of a slot back that are in one of two states; the stack gives the first one back
 * first. */
static void put_back(struct topk_slot *slot, bool waiting, struct topk_suspects *suspects)
{
    size_t start = slot->runner->resend_count;
    uint32_t message = 0;
    uint32_t position = 0;
    struct topk_asked *asked;
    while ((asked = unanswered(slot, &message, &position)) != NULL) {
        if ((asked->state == TOPK_ASKED_WAITING) == waiting) {
            struct topk_item item = asked->item;
            if (suspects != NULL) {
                item.suspects = suspects;
            }
            topk_runner_resend(slot->runner, &item);
        }
    }
    if (slot->runner->resend_count == start) {
        return;
    }
    struct topk_item *from = slot->runner->resend + start;
    for (size_t i = 0, j = slot->runner->resend_count - start; i + 1 < j; i++) {
        j--;
        struct topk_item item = from[i];
        from[i] = from[j];
        from[j] = item;
    }
}

static void suspect(struct topk_slot *slot, uint64_t first, uint32_t count, const char *how)
{
    struct topk_runner *runner = slot->runner;
    struct topk_suspects *suspects = calloc(1, sizeof *suspects);
    if (suspects == NULL) {
        topk_runner_decide(runner, TOPK_RUNNER_BROKEN, "memory ran out");
        return;
    }
    suspects->first = first;
    suspects->count = count;
    suspects->left = count;
    suspects->slow = slot->cause == TOPK_CAUSE_TIMEOUT;
    snprintf(suspects->reason, sizeof suspects->reason, "%s", how);
    suspects->next = runner->suspects;
    runner->suspects = suspects;
    put_back(slot, false, suspects);
}

static void count_death(struct topk_slot *slot, const char *how)
{
    char text[TOPK_RUNNER_ERROR];
    slot->deaths++;
    snprintf(text, sizeof text, "a worker ended between cases: %s", how);
    topk_text_tame(text);
    if (slot->runner->options.note != NULL) {
        slot->runner->options.note(slot->runner->options.context, text);
    }
    if (slot->deaths == TOPK_RUNNER_DEATHS) {
        snprintf(text, sizeof text,
                 "a worker ended %u times in a row without a result, with no case begun: %s",
                 TOPK_RUNNER_DEATHS, how);
        topk_text_tame(text);
        topk_runner_decide(slot->runner, TOPK_RUNNER_BROKEN, text);
    }
}

void topk_runner_resolve(struct topk_slot *slot, const char *how)
{
    uint32_t begun = 0;
    uint32_t lost = 0;
    if (slot->runner->stopping) {
        slot->in_flight = 0;
        return;
    }
    uint64_t first = 0;
    struct topk_item culprit = {0, NULL};
    uint32_t message = 0;
    uint32_t position = 0;
    struct topk_asked *asked;
    while ((asked = unanswered(slot, &message, &position)) != NULL) {
        if (asked->state == TOPK_ASKED_WAITING) {
            continue;
        }
        if (begun + lost == 0) {
            first = asked->item.number;
            culprit = asked->item;
        }
        begun += asked->state == TOPK_ASKED_BEGUN;
        lost += asked->state == TOPK_ASKED_LOST;
    }
    put_back(slot, true, NULL);
    if (begun == 1 && lost == 0) {
        slot->in_flight = 0;
        report_end(slot, &culprit, how);
        return;
    }
    if (begun + lost > 0) {
        suspect(slot, first, begun + lost, how);
    } else if (slot->cause != TOPK_CAUSE_LOST) {
        count_death(slot, how);
    }
    slot->in_flight = 0;
}
