/* Decides which cases are sent to a worker next. */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "case/case.h"
#include "platform/stage.h"
#include "runner_state.h"

/* greatest size of a message to a worker in bytes, if it contains more than one case */
#define MESSAGE_BYTES ((size_t)1 << 20)

/* the number of the next case of the job; false if there are no more */
static bool next_number(struct topk_runner *runner, uint64_t *number)
{
    const struct topk_runner_job *job = &runner->job;
    if (job->next != NULL) {
        return job->next(job->context, number);
    }
    if (runner->next == job->count) {
        return false;
    }
    *number = job->order == NULL ? runner->next : job->order[runner->next];
    runner->next++;
    return true;
}

/* A case that was taken from the job also waits on the stack of cases to be sent again, because it
 * may not fit into the current message. */
bool topk_runner_has_item(struct topk_runner *runner)
{
    struct topk_item item = {.fresh = runner->job.fresh};
    const struct topk_items *items = item.fresh ? &runner->fresh : &runner->resend;
    if (items->count == 0 && !runner->exhausted) {
        runner->exhausted = !next_number(runner, &item.number);
        if (!runner->exhausted) {
            runner->taken++;
            topk_runner_resend(runner, &item);
        }
    }
    return runner->resend.count > 0 || items->count > 0;
}

/* Other requests than cases go to the first worker only. */
static bool may_have(const struct topk_slot *slot)
{
    return slot->runner->job.answer == NULL || slot == topk_runner_first(slot->runner);
}

/* Whether a worker is idle and has begun nothing. */
static bool is_fresh(const struct topk_slot *slot)
{
    return slot->worker != NULL && slot->state == TOPK_SLOT_READY && slot->in_flight == 0 &&
           !slot->begun;
}

/* how many workers are fresh, or will be because they replace one that is ending */
static size_t fresh_workers(const struct topk_runner *runner)
{
    size_t count = 0;
    for (uint32_t i = 0; i < runner->options.jobs; i++) {
        const struct topk_slot *slot = &runner->slots[i];
        if (topk_slot_lost(slot)) {
            continue;
        }
        count += slot->worker == NULL ? uv_is_active((const uv_handle_t *)&slot->restart) != 0
                                      : slot->state != TOPK_SLOT_READY || is_fresh(slot);
    }
    return count;
}

/* Ends a worker that has begun something, so that a fresh one replaces it. */
static void replace_worker(struct topk_slot *slot)
{
    /* a killed worker ends anyway, and its end is evaluated */
    if (slot->cause == TOPK_CAUSE_ITSELF) {
        slot->state = TOPK_SLOT_LEAVING;
        topk_worker_quit(slot->worker);
    }
}

/* how many cases to send; fewer at the end of a list, so that all workers get some */
static uint32_t message_size(const struct topk_slot *slot)
{
    const struct topk_runner *runner = slot->runner;
    const bool one = runner->job.answer != NULL || runner->options.single;
    uint64_t size = one || runner->options.lockstep ? 1 : slot->batch;
    size = slot->fitting > 0 && slot->fitting < size ? slot->fitting : size;
    if (runner->options.jobs > 1 && runner->job.next == NULL) {
        uint64_t left = runner->resend.count + (runner->job.count - runner->next);
        uint64_t share = left / (4u * (uint64_t)runner->options.jobs) + 1;
        size = share < size ? share : size;
    }
    return (uint32_t)size;
}

/* moves cases from a stack that is not empty into a message; returns the bytes of their lines */
static size_t fill_message(struct topk_slot *slot, struct topk_items *items,
                           struct topk_message *message)
{
    struct topk_runner *runner = slot->runner;
    uint32_t most = message_size(slot);
    size_t bytes = 0;
    message->count = 0;
    message->answered = 0;
    while (message->count < most && (items->count > 0 || topk_runner_has_item(runner))) {
        struct topk_item item = items->list[items->count - 1];
        size_t length;
        const char *text = runner->job.text(runner->job.context, item.number, &length);
        bool alone = item.suspects != NULL || item.fresh;
        if (message->count > 0 && (alone || bytes + length > MESSAGE_BYTES)) {
            break;
        }
        items->count--;
        message->cases[message->count++] = (struct topk_asked){
            .item = item,
            .state = TOPK_ASKED_WAITING,
            .calls = (runner->options.passes > 1 ? runner->options.passes : 1) *
                     (runner->job.timeout > 0 ? 1 : topk_check_text_calls(text, length))};
        bytes += length + 1;
        if (alone) {
            break;
        }
    }
    return bytes;
}

/* The stack from which a worker gets its next cases; NULL: none for now. While more cases need a
 * fresh worker than will be available, workers that are not fresh finish their cases and are
 * replaced. */
static struct topk_items *next_items(struct topk_slot *slot)
{
    struct topk_runner *runner = slot->runner;
    const bool any = topk_runner_has_item(runner);
    if (runner->fresh.count > 0 && is_fresh(slot)) {
        return &runner->fresh;
    }
    /* after a late case, batches may have to become smaller */
    if (slot->in_flight > 0 && slot->messages[slot->oldest].cases[0].item.fresh) {
        return NULL;
    }
    if (runner->fresh.count > fresh_workers(runner)) {
        if (slot->in_flight == 0) {
            replace_worker(slot);
        }
        return NULL;
    }
    return any && runner->resend.count > 0 ? &runner->resend : NULL;
}

/* prints the line with the time limit if the worker enforces it and does not have it yet; returns
 * its length */
static size_t print_limit(struct topk_slot *slot, char *line, size_t size)
{
    const struct topk_runner *runner = slot->runner;
    if (!topk_runner_limits_kept(runner) || slot->told == runner->limit) {
        return 0;
    }
    slot->told = runner->limit;
    return (size_t)snprintf(line, size, "limit %" PRIu64 "\n", runner->limit);
}

void topk_runner_feed(struct topk_slot *slot)
{
    struct topk_runner *runner = slot->runner;
    struct topk_items *items;
    const uint32_t ahead = runner->options.lockstep ? 1 : TOPK_RUNNER_AHEAD;
    const enum topk_stage before = topk_stage_enter(TOPK_STAGE_FEED);
    while (runner->running && !runner->stopping && !runner->decided && may_have(slot) &&
           slot->state == TOPK_SLOT_READY && slot->in_flight < ahead &&
           (items = next_items(slot)) != NULL) {
        struct topk_message *message =
            &slot->messages[(slot->oldest + slot->in_flight) % TOPK_RUNNER_AHEAD];
        size_t room = fill_message(slot, items, message) + 64;
        slot->in_flight++;
        char *data = malloc(room);
        if (data == NULL) {
            topk_runner_decide(runner, TOPK_RUNNER_BROKEN, "out of memory");
            break;
        }
        size_t used = print_limit(slot, data, room);
        /* other requests than cases are lines of their own */
        if (runner->job.answer == NULL) {
            used +=
                (size_t)snprintf(data + used, room - used, "batch %" PRIu32 "\n", message->count);
        }
        for (uint32_t i = 0; i < message->count; i++) {
            size_t length;
            const char *text =
                runner->job.text(runner->job.context, message->cases[i].item.number, &length);
            memcpy(data + used, text, length);
            data[used + length] = '\n';
            used += length + 1;
        }
        for (uint32_t i = 0; runner->job.sent != NULL && i < message->count; i++) {
            runner->job.sent(runner->job.context, message->cases[i].item.number, slot->process);
        }
        if (slot->in_flight == 1) {
            slot->heard = topk_runner_clock(runner);
        }
        topk_worker_send(slot->worker, data, used);
    }
    topk_stage_enter(before);
}

void topk_runner_feed_all(struct topk_runner *runner)
{
    for (uint32_t i = 0; i < runner->options.jobs; i++) {
        if (runner->slots[i].worker != NULL) {
            topk_runner_feed(&runner->slots[i]);
        }
    }
}
