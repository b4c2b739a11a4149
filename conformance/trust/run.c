/* topk-cts trust: faults and drills in several processes at once.
 *
 * Processes take faults from a common counter and leave the outcomes in memory that they
 * share. Each is a child of the command, with a runner and a worker of its own for each group. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "trust.h"

/* the next outcome that is wanted; drills, which take longest, first */
static atomic_uint *counter;

static void work(struct trust *trust, const char *worker, pid_t parent)
{
    size_t drills = trust->drills ? TRUST_DRILLS : 0;
    size_t all = trust->fault_count + drills;
    uint64_t *order = malloc(trust->suite.cases.count * sizeof *order);
    if (order == NULL) {
        _exit(CLI_HARNESS);
    }
    for (size_t next; (next = atomic_fetch_add(counter, 1)) < all;) {
        size_t i = next < drills ? trust->fault_count + next : next - drills;
        if (trust->features != NULL) {
            trust_verdicts_meet(trust, i, worker, order, parent);
        } else {
            trust_meet(trust, i, worker, order, parent);
        }
    }
    free(order);
    _exit(CLI_CONFORMANT);
}

static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
    (void)number;
    interrupted = 1;
}

static void watch_signals(bool watch)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        struct sigaction action = {.sa_handler = watch ? on_signal : SIG_DFL};
        sigaction(numbers[i], &action, NULL);
    }
}

static void draw(const struct trust *trust, bool erase)
{
    static bool shown;
    size_t all = trust->fault_count + (trust->drills ? TRUST_DRILLS : 0);
    size_t done = 0;
    if (isatty(STDERR_FILENO) != 1) {
        return;
    }
    for (size_t i = 0; i < all; i++) {
        done += atomic_load(&trust->outcomes[i].state) != TRUST_WAITING;
    }
    if (!erase) {
        fprintf(stderr, "\r\033[K%zu/%zu faults against profile %s", done, all,
                trust->suite.profile->name);
    } else if (shown) {
        fputs("\r\033[K", stderr);
    }
    fflush(stderr);
    shown = !erase;
}

/* waits for the children; stops them all if one failed or a signal came */
static int wait_for(const struct trust *trust, pid_t *children, uint32_t count)
{
    int code = CLI_CONFORMANT;
    bool stopped = false;
    for (uint32_t left = count; left > 0;) {
        int status;
        pid_t ended = waitpid(-1, &status, WNOHANG);
        if (ended > 0) {
            left--;
            for (uint32_t i = 0; i < count; i++) {
                children[i] = children[i] == ended ? 0 : children[i];
            }
            int exited = WIFEXITED(status) ? WEXITSTATUS(status) : CLI_HARNESS;
            code = code == CLI_CONFORMANT && exited != CLI_CONFORMANT && !stopped ? exited : code;
        } else {
            struct timespec pause = {.tv_nsec = 50000000};
            nanosleep(&pause, NULL);
            draw(trust, false);
        }
        if ((interrupted || code != CLI_CONFORMANT) && !stopped) {
            stopped = true;
            for (uint32_t i = 0; i < count; i++) {
                if (children[i] > 0) {
                    kill(children[i], SIGTERM);
                }
            }
        }
    }
    draw(trust, true);
    return interrupted ? CLI_INCOMPLETE : code;
}

static void make_shared(struct trust *trust)
{
    size_t all = trust->fault_count + TRUST_DRILLS;
    size_t outcomes = all * sizeof *trust->outcomes;
    size_t sets = all * trust->suite.words * sizeof *trust->sets;
    trust->shared_bytes = outcomes + sets + sizeof *counter;
    unsigned char *shared =
        mmap(NULL, trust->shared_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    cli_need_memory(shared != MAP_FAILED);
    trust->outcomes = (void *)shared;
    trust->sets = (void *)(shared + outcomes);
    counter = (void *)(shared + outcomes + sets);
}

static int first_error(const struct trust *trust)
{
    size_t all = trust->fault_count + (trust->drills ? TRUST_DRILLS : 0);
    for (size_t i = 0; i < all; i++) {
        const struct trust_outcome *outcome = &trust->outcomes[i];
        if (atomic_load(&outcome->state) != TRUST_DONE) {
            cli_error("%s could not be run: %s",
                      i < trust->fault_count ? trust->faults[i].name : "a drill",
                      outcome->error[0] == 0 ? "its process ended" : outcome->error);
            return CLI_HARNESS;
        }
    }
    return CLI_CONFORMANT;
}

int trust_run(struct trust *trust, uint32_t jobs)
{
    struct cli_worker_command command;
    const struct cli_backend backend = {.spec = "faulty"};
    cli_worker_command(&backend, &command);
    pid_t *children = cli_need(calloc(jobs, sizeof *children));
    make_shared(trust);
    fflush(NULL);
    pid_t parent = getpid();
    uint32_t started = 0;
    watch_signals(true);
    bool short_of_processes = false;
    while (started < jobs && !short_of_processes) {
        children[started] = fork();
        if (children[started] == 0) {
            watch_signals(false);
            work(trust, command.paths[0], parent);
        }
        if (children[started] < 0) {
            cli_error("no process could be started: %s", strerror(errno));
            short_of_processes = true;
        }
        started += children[started] > 0;
    }
    int code = wait_for(trust, children, started);
    watch_signals(false);
    free(children);
    cli_worker_command_free(&command);
    if (code == CLI_INCOMPLETE) {
        cli_error("interrupted");
        return code;
    }
    int failed = first_error(trust);
    return failed != CLI_CONFORMANT ? failed : code;
}

void trust_free(struct trust *trust)
{
    free(trust->features);
    trust->features = NULL;
    if (trust->outcomes != NULL) {
        munmap(trust->outcomes, trust->shared_bytes);
        trust->outcomes = NULL;
    }
}
