/* What a worker is sent next. */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "case/case.h"
#include "runner_state.h"

/* most bytes of one message to a worker, if it has more than one case */
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

/* The stack of cases to be sent again is also where one waits that was taken from the job: it may
 * turn out not to fit into a message. */
bool topk_runner_has_item(struct topk_runner *runner)
{
    struct topk_item item = {0, NULL};
    if (runner->resend_count == 0 && !runner->exhausted) {
        runner->exhausted = !next_number(runner, &item.number);
        if (!runner->exhausted) {
            runner->taken++;
            topk_runner_resend(runner, &item);
        }
    }
    return runner->resend_count > 0;
}

/* Requests that are no cases go to the first worker only. */
static bool may_have(const struct topk_slot *slot)
{
    return slot->runner->job.answer == NULL || slot == slot->runner->slots;
}

/* how many cases to send: fewer towards the end of a list, so that all workers have some */
static uint32_t message_size(const struct topk_slot *slot)
{
    const struct topk_runner *runner = slot->runner;
    uint64_t size = runner->job.answer != NULL ? 1 : slot->batch;
    if (runner->options.jobs > 1 && runner->job.next == NULL) {
        uint64_t left = runner->resend_count + (runner->job.count - runner->next);
        uint64_t share = left / (4u * (uint64_t)runner->options.jobs) + 1;
        size = share < size ? share : size;
    }
    return (uint32_t)size;
}

/* takes the next cases into a message; returns the bytes of their lines */
static size_t fill_message(struct topk_slot *slot, struct topk_message *message)
{
    struct topk_runner *runner = slot->runner;
    uint32_t most = message_size(slot);
    size_t bytes = 0;
    message->count = 0;
    message->answered = 0;
    while (message->count < most && topk_runner_has_item(runner)) {
        struct topk_item item = runner->resend[runner->resend_count - 1];
        size_t length;
        const char *text = runner->job.text(runner->job.context, item.number, &length);
        bool alone = item.suspects != NULL;
        if (message->count > 0 && (alone || bytes + length > MESSAGE_BYTES)) {
            break;
        }
        runner->resend_count--;
        message->cases[message->count++] = (struct topk_asked){
            .item = item,
            .state = TOPK_ASKED_WAITING,
            .calls = runner->job.timeout > 0 ? 1 : topk_check_text_calls(text, length)};
        bytes += length + 1;
        if (alone) {
            break;
        }
    }
    return bytes;
}

void topk_runner_feed(struct topk_slot *slot)
{
    struct topk_runner *runner = slot->runner;
    while (runner->running && !runner->stopping && !runner->decided && may_have(slot) &&
           slot->state == TOPK_SLOT_READY && slot->in_flight < TOPK_RUNNER_AHEAD &&
           topk_runner_has_item(runner)) {
        struct topk_message *message =
            &slot->messages[(slot->oldest + slot->in_flight) % TOPK_RUNNER_AHEAD];
        size_t room = fill_message(slot, message) + 32;
        slot->in_flight++;
        char *data = malloc(room);
        if (data == NULL) {
            topk_runner_decide(runner, TOPK_RUNNER_BROKEN, "memory ran out");
            return;
        }
        /* a request that is no case is a line of its own */
        size_t used = runner->job.answer != NULL
                          ? 0
                          : (size_t)snprintf(data, room, "batch %" PRIu32 "\n", message->count);
        for (uint32_t i = 0; i < message->count; i++) {
            size_t length;
            const char *text =
                runner->job.text(runner->job.context, message->cases[i].item.number, &length);
            memcpy(data + used, text, length);
            data[used + length] = '\n';
            used += length + 1;
        }
        if (slot->in_flight == 1) {
            slot->heard = topk_runner_clock(runner);
        }
        topk_worker_send(slot->worker, data, used);
    }
}
