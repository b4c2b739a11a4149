/* Decides what the end of a worker means for its machine, if there are several: a crashed backend
 * is started again; a lost machine is not. */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "log/log.h"
#include "runner_state.h"

void topk_machine_name(const struct topk_machine *machine, char name[TOPK_MACHINE_NAME])
{
    const size_t length = strlen(machine->is.name);
    const size_t most = TOPK_MACHINE_NAME - sizeof "'...'";
    snprintf(name, TOPK_MACHINE_NAME, "'%.*s%s'", (int)(length < most ? length : most),
             machine->is.name, length < most ? "" : "...");
}

static void tell(const struct topk_runner *runner, enum topk_process_end end, char *text)
{
    topk_text_tame(text);
    topk_runner_tell_end(runner, end, text);
    if (runner->options.note != NULL) {
        runner->options.note(runner->options.context, text);
    }
}

/* Puts the cases of a slot back as if they had not begun, because the machine caused the end.
 * Starts with the last case, because the stack returns the first one first. */
static void give_back(struct topk_slot *slot)
{
    for (uint32_t message = slot->in_flight; message-- > 0;) {
        const struct topk_message *m =
            &slot->messages[(slot->oldest + message) % TOPK_RUNNER_AHEAD];
        for (uint32_t i = m->count; i-- > 0 && !slot->runner->stopping;) {
            if (m->cases[i].state != TOPK_ASKED_DONE) {
                topk_runner_resend(slot->runner, &m->cases[i].item);
            }
        }
    }
    slot->in_flight = 0;
    slot->held = false;
}

/* Marks a machine as lost; nothing waits for it any more. */
static void lose(struct topk_slot *of)
{
    struct topk_runner *runner = of->runner;
    char name[TOPK_MACHINE_NAME];
    char text[1400];
    char error[900];
    topk_machine_name(of->machine, name);
    snprintf(
        text, sizeof text, "%s is lost after %" PRIu64 " cases: %s%s%s", name, of->machine->done,
        of->held ? of->ended.how : "",
        of->held ? "; it could not be started again: " : "it could not be started: ", of->tried);
    of->machine->lost = true;
    bool any = false;
    for (uint32_t i = 0; i < runner->options.jobs; i++) {
        struct topk_slot *slot = &runner->slots[i];
        any = any || !topk_slot_lost(slot);
        if (slot->machine != of->machine) {
            continue;
        }
        give_back(slot);
        uv_timer_stop(&slot->restart);
        if (slot->worker != NULL) {
            slot->state = TOPK_SLOT_ENDING;
            topk_worker_kill(slot->worker);
        }
    }
    tell(runner, TOPK_PROCESS_LOST, text);
    if (!any) {
        snprintf(error, sizeof error, "all machines are lost; the last one was %s: %s", name,
                 of->tried);
        topk_runner_decide(runner, TOPK_RUNNER_BROKEN, error);
    }
}

bool topk_machine_spare(struct topk_slot *slot, const char *why)
{
    struct topk_runner *runner = slot->runner;
    bool others = false;
    for (uint32_t i = 0; i < runner->options.machine_count; i++) {
        others = others || (&runner->machines[i] != slot->machine && !runner->machines[i].lost);
    }
    if (!runner->options.partial || !others) {
        return false;
    }
    char text[1000];
    snprintf(text, sizeof text, "the run goes on without a machine: %.900s", why);
    topk_text_tame(text);
    slot->machine->lost = true;
    slot->state = TOPK_SLOT_ENDING;
    if (runner->options.note != NULL) {
        runner->options.note(runner->options.context, text);
    }
    return true;
}

void topk_machine_settle(struct topk_slot *slot)
{
    if (!slot->held) {
        return;
    }
    const enum topk_cause cause = slot->cause;
    slot->held = false;
    slot->cause = slot->ended.cause;
    slot->crash = slot->ended.crash;
    topk_runner_resolve(slot, slot->ended.how);
    slot->cause = cause;
    slot->crash.signal[0] = 0;
}

void topk_machine_greeted(struct topk_slot *slot)
{
    for (; slot->tries > 0; slot->tries--) {
        char text[600];
        snprintf(text, sizeof text, "a worker ended before it introduced itself: %s", slot->tried);
        tell(slot->runner, TOPK_PROCESS_BETWEEN, text);
    }
    topk_machine_settle(slot);
}

void topk_machine_end(struct topk_slot *slot, const char *how)
{
    struct topk_runner *runner = slot->runner;
    if (slot->state == TOPK_SLOT_GREETING) {
        const uint64_t took = topk_runner_clock(runner) - slot->started;
        slot->tries++;
        snprintf(slot->tried, sizeof slot->tried, "%s", how);
        if (slot->tries == TOPK_RUNNER_TRIES || took >= TOPK_RUNNER_PROMPT ||
            slot->cause == TOPK_CAUSE_SILENCE) {
            lose(slot);
        }
    } else if (runner->stopping) {
        slot->in_flight = 0; /* their results are not needed any more */
    } else if (slot->state != TOPK_SLOT_LEAVING) {
        slot->held = true;
        slot->ended.cause = slot->cause;
        slot->ended.crash = slot->crash;
        snprintf(slot->ended.how, sizeof slot->ended.how, "%s", how);
    }
}
