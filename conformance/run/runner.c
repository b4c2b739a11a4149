/* The main loop of the runner: starts, feeds, reads and watches workers. */
#define _POSIX_C_SOURCE 200809L
#include "runner.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runner_state.h"

/* files that the loop and the start of a worker open: 6 for the loop, 6 for pipes, 2 for
 * uv_spawn(), and some that are read meanwhile */
#define LOOP_FILES 20

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
            topk_slot_kill(slot, TOPK_CAUSE_TIMEOUT);
            return;
        }
    }
    if (!ending && !topk_slot_begun(slot) && now >= slot->heard + runner->silence) {
        topk_slot_kill(slot, TOPK_CAUSE_SILENCE);
    } else if (runner->stopping && topk_slot_busy(slot) && now >= runner->drained) {
        topk_worker_kill(slot->worker);
    }
}

static void on_tick(uv_timer_t *timer)
{
    struct topk_runner *runner = timer->data;
    uint64_t now = uv_now(&runner->loop);
    /* time in which this process was stopped, or a disk hung, must not count against cases */
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
        /* at the second signal, do not wait for workers to end */
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
        /* the parent may have disabled it, as nohup does */
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

/* sets the time limit for a call, and checks often enough */
static void set_limit(struct topk_runner *runner, double seconds)
{
    runner->limit = (uint64_t)(seconds * 1000 + 0.5);
    uint64_t period = runner->limit / 4 < 100 ? runner->limit / 4 + 1 : 100;
    uv_timer_start(&runner->timer, on_tick, period, period);
}

/* Whether enough files can be opened for an event loop and a worker's pipes; if not, sets errno.
 * Without them libuv calls abort(). */
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

/* Creates the event loop; false, with the reason, if that fails. */
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

/* Starts the first worker. After its greeting, which the others must match, starts the first worker
 * of each other machine. */
static void open_workers(struct topk_runner *runner)
{
    const uint32_t jobs = runner->options.jobs;
    const uint32_t machines =
        runner->options.machine_count < jobs ? runner->options.machine_count : jobs;
    runner->opening = true;
    for (uint32_t i = 0; !runner->decided && (i == 0 || i < machines); i++) {
        topk_slot_start(&runner->slots[i]);
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
    snprintf(error, TOPK_RUNNER_ERROR, "out of memory");
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
    runner->options.machines = NULL; /* owned by the caller */
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
    /* the time since the last job counts against nobody */
    uv_update_time(&runner->loop);
    runner->stopped += uv_now(&runner->loop) - runner->ticked;
    runner->ticked = uv_now(&runner->loop);
    set_limit(runner, job->timeout > 0 ? job->timeout : runner->options.timeout);
}

/* whether everything that the job needs has arrived */
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
    /* in a stopped job, the results of the remaining cases do not matter */
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
        topk_runner_start(runner);
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

/* Whether some worker still has to end by itself. */
static bool any_ending(const struct topk_runner *runner)
{
    for (uint32_t i = 0; i < runner->options.jobs; i++) {
        if (runner->slots[i].worker != NULL && runner->slots[i].state == TOPK_SLOT_ENDING) {
            return true;
        }
    }
    return false;
}

/* tells the idle workers to quit */
static void quit_all(struct topk_runner *runner)
{
    /* the time since the last job counts against no worker */
    uv_update_time(&runner->loop);
    /* handle what happened before they are told to quit, so that it does not look like a reaction
     */
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
