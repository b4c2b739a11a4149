/* The shared state of the runner: its clock, its end, the cases to be sent again. */
#define _POSIX_C_SOURCE 200809L
#include "runner_state.h"

#include <stdio.h>
#include <stdlib.h>

uint64_t topk_runner_clock(const struct topk_runner *runner)
{
    return uv_now(&runner->loop) - runner->stopped;
}

void topk_runner_decide(struct topk_runner *runner, enum topk_runner_status status,
                        const char *error)
{
    if (runner->decided) {
        return;
    }
    runner->decided = true;
    runner->status = status;
    snprintf(runner->error, sizeof runner->error, "%s", error);
    for (uint32_t i = 0; i < runner->options.jobs; i++) {
        uv_timer_stop(&runner->slots[i].restart);
        if (runner->slots[i].worker != NULL) {
            topk_worker_kill(runner->slots[i].worker);
        }
    }
}

void topk_runner_stop(struct topk_runner *runner)
{
    if (!runner->stopping) {
        runner->stopping = true;
        runner->drained = topk_runner_clock(runner) + TOPK_RUNNER_DRAIN;
    }
}

bool topk_slot_lost(const struct topk_slot *slot)
{
    return slot->machine != NULL && slot->machine->lost;
}

const struct topk_slot *topk_runner_first(const struct topk_runner *runner)
{
    uint32_t i = 0;
    while (i + 1 < runner->options.jobs && topk_slot_lost(&runner->slots[i])) {
        i++;
    }
    return &runner->slots[i];
}

bool topk_slot_busy(const struct topk_slot *slot)
{
    return slot->in_flight > 0 && !slot->held;
}

bool topk_runner_limits_kept(const struct topk_runner *runner)
{
    return (runner->greeting.flags & TOPK_FLAG_LIMITS) != 0;
}

void topk_runner_resend(struct topk_runner *runner, const struct topk_item *item)
{
    struct topk_items *items = item->fresh ? &runner->fresh : &runner->resend;
    if (items->count == items->room) {
        size_t room = items->room == 0 ? 256 : 2 * items->room;
        struct topk_item *grown = realloc(items->list, room * sizeof *grown);
        if (grown == NULL) {
            topk_runner_decide(runner, TOPK_RUNNER_BROKEN, "out of memory");
            return;
        }
        items->list = grown;
        items->room = room;
    }
    items->list[items->count++] = *item;
}
