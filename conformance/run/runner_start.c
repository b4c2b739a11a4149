/* Starts and restarts workers, and describes how they ended. */
#define _POSIX_C_SOURCE 200809L
#include "runner.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log/log.h"
#include "runner_state.h"

static void on_restart(uv_timer_t *timer)
{
    topk_slot_start(timer->data);
}

/* describes how the worker of a slot ended, for the reason of a result */
static void describe_end(const struct topk_slot *slot, char *how, size_t size)
{
    char end[TOPK_REASON];
    double limit = (double)slot->runner->limit / 1000;
    topk_worker_describe_end(slot->worker, end, sizeof end);
    switch (slot->cause) {
    case TOPK_CAUSE_TIMEOUT:
        if (topk_runner_limits_kept(slot->runner)) {
            snprintf(how, size, "the worker enforces the limit of %g s itself, but did not end",
                     limit);
        } else if (slot->late > 1) {
            snprintf(how, size, "not finished after %g s, %g s for each of %" PRIu32 " calls",
                     limit * slot->late, limit, slot->late);
        } else {
            snprintf(how, size, "not finished after %g s", limit);
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

/* Describes why a worker ended without a greeting, for the loss of its machine. Prefers what the
 * worker said about its backend process. */
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

/* the first worker, or that of another machine, ended before its greeting */
static void decide_unavailable(struct topk_slot *slot, const char *how)
{
    char error[TOPK_RUNNER_ERROR];
    const char *tail = topk_worker_stderr(slot->worker);
    if (slot->cause == TOPK_CAUSE_SILENCE) {
        snprintf(error, sizeof error, "there was no introduction: %s%s%s", how,
                 *tail == 0 ? "" : "\n", tail);
    } else {
        char end[64]; /* without the last lines, which are appended in full */
        topk_worker_describe_end(slot->worker, end, sizeof end);
        end[strcspn(end, ";")] = 0;
        if (topk_worker_exit_code(slot->worker) == TOPK_WORKER_EXIT_DIED && *tail != 0) {
            /* says how the backend process ended, and why */
            snprintf(error, sizeof error, "%s", tail);
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
    topk_slot_unavailable(slot, TOPK_RUNNER_UNAVAILABLE, error);
}

/* Checks how a worker ended that was told to quit. */
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

/* Evaluates the end of a worker; the caller decides what follows. how: how it ended. */
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
        slot->worker = NULL; /* it was killed for this */
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
    /* an unfinished line is normal after a crash; after a regular end it violates the protocol */
    const char *rest = topk_worker_rest(slot->worker);
    if (slot->state == TOPK_SLOT_LEAVING && slot->cause == TOPK_CAUSE_ITSELF && rest[0] != 0) {
        topk_slot_garbage(slot, rest, strlen(rest));
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
        /* a job whose only worker was on that machine needs another one */
        topk_runner_start(runner);
        return;
    }
    runner->restarts += slot->state != TOPK_SLOT_LEAVING || !runner->job.fresh;
    /* a driver that resets its device needs some time */
    uv_timer_start(&slot->restart, on_restart, (uint64_t)(slot->deaths + slot->tries) * 200, 0);
    topk_runner_feed_all(runner);
}

extern char **environ; /* NOLINT(readability-redundant-declaration): not every system declares it */

/* whether two texts "NAME=VALUE" are of one name */
static bool is_same_variable(const char *a, const char *b)
{
    const size_t length = strcspn(a, "=");
    return strncmp(a, b, length) == 0 && b[length] == '=';
}

/* The variables of all workers, and in their place those of this one; the list is to be freed. NULL
 * if memory is short. */
static char **make_environment(char *const *common, char *const *own)
{
    size_t count = 1;
    for (size_t i = 0; common[i] != NULL; i++) {
        count++;
    }
    for (size_t i = 0; own[i] != NULL; i++) {
        count++;
    }
    char **made = malloc(count * sizeof *made);
    size_t used = 0;
    for (size_t i = 0; made != NULL && common[i] != NULL; i++) {
        bool replaced = false;
        for (size_t j = 0; own[j] != NULL; j++) {
            replaced = replaced || is_same_variable(own[j], common[i]);
        }
        if (!replaced) {
            made[used++] = common[i];
        }
    }
    for (size_t i = 0; made != NULL && own[i] != NULL; i++) {
        made[used++] = own[i];
    }
    if (made != NULL) {
        made[used] = NULL;
    }
    return made;
}

/* Starts the process of a slot; NULL, and why, if that fails. */
static struct topk_worker *start_process(struct topk_slot *slot, const char *const *command,
                                         char *error, size_t error_bytes)
{
    struct topk_runner *runner = slot->runner;
    const struct topk_runner_options *options = &runner->options;
    const struct topk_worker_events events = {topk_slot_read, on_ended, slot};
    char *const *environment = options->environment;
    char **made = NULL;
    if (options->variables != NULL) {
        made = make_environment(
            environment == NULL ? environ : environment,
            options->variables(options->context, (uint32_t)(slot - runner->slots), slot->process));
        if (made == NULL) {
            snprintf(error, error_bytes, "out of memory");
            return NULL;
        }
        environment = made;
    }
    struct topk_worker *worker = topk_worker_start(
        &runner->loop, command, environment, options->pass_stderr, &events, error, error_bytes);
    free((void *)made);
    return worker;
}

void topk_slot_start(struct topk_slot *slot)
{
    struct topk_runner *runner = slot->runner;
    char error[TOPK_RUNNER_ERROR];
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
    slot->worker = start_process(slot, command, error, sizeof error);
    if (slot->worker == NULL) {
        topk_runner_decide(runner, TOPK_RUNNER_BROKEN, error);
    }
}

/* gives every worker cases; starts missing workers, but not more than there are cases for */
void topk_runner_start(struct topk_runner *runner)
{
    bool any = runner->running && !runner->stopping && topk_runner_has_item(runner);
    const uint32_t most = runner->job.answer != NULL ? 1 : runner->options.jobs;
    uint32_t place = 0; /* its position among the slots that are not lost */
    for (uint32_t i = 0; any && !runner->decided && i < runner->options.jobs && place < most; i++) {
        struct topk_slot *slot = &runner->slots[i];
        if (topk_slot_lost(slot)) {
            continue;
        }
        if (slot->worker != NULL) {
            topk_runner_feed(slot);
        } else if (!uv_is_active((uv_handle_t *)&slot->restart) &&
                   (runner->job.next != NULL || place < runner->job.count)) {
            topk_slot_start(slot);
        }
        place++;
    }
}
