/* What a worker is sent next. */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runner_state.h"

/* most bytes of one message to a worker, if it has more than one case */
#define MESSAGE_BYTES ((size_t)1 << 20)

static uint64_t items_left(const struct topk_runner *runner)
{
    return runner->again_count + (runner->job.count - runner->next);
}

static struct topk_item peek_item(const struct topk_runner *runner)
{
    if (runner->again_count > 0) {
        return runner->again[runner->again_count - 1];
    }
    return (struct topk_item){runner->job.order[runner->next], NULL};
}

static void drop_item(struct topk_runner *runner)
{
    if (runner->again_count > 0) {
        runner->again_count--;
    } else {
        runner->next++;
    }
}

/* how many cases to send: fewer towards the end, so that all workers have some */
static uint32_t message_size(const struct topk_slot *slot)
{
    uint64_t size = slot->batch;
    if (slot->runner->options.jobs > 1) {
        uint64_t share = items_left(slot->runner) / (4u * (uint64_t)slot->runner->options.jobs) + 1;
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
    while (message->count < most && items_left(runner) > 0) {
        struct topk_item item = peek_item(runner);
        size_t length;
        runner->job.text(runner->job.context, item.number, &length);
        bool alone = item.suspects != NULL;
        if (message->count > 0 && (alone || bytes + length > MESSAGE_BYTES)) {
            break;
        }
        drop_item(runner);
        message->cases[message->count++] =
            (struct topk_asked){.item = item, .state = TOPK_ASKED_WAITING};
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
    while (!runner->decided && slot->state == TOPK_SLOT_READY &&
           slot->in_flight < TOPK_RUNNER_AHEAD && items_left(runner) > 0) {
        struct topk_message *message =
            &slot->messages[(slot->oldest + slot->in_flight) % TOPK_RUNNER_AHEAD];
        size_t room = fill_message(slot, message) + 32;
        slot->in_flight++;
        char *data = malloc(room);
        if (data == NULL) {
            topk_runner_decide(runner, TOPK_RUNNER_BROKEN, "memory ran out");
            return;
        }
        size_t used = (size_t)snprintf(data, room, "batch %" PRIu32 "\n", message->count);
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
