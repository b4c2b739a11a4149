/* Runs faults and drills in several processes at once.
 *
 * The processes take faults from a common counter and leave the outcomes in shared memory. Each is
 * a child of the command, with its own runner, and a worker for each group. */
#define _GNU_SOURCE
#include "apart.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* number of the next outcome to fill; drills come first because they take longest */
static atomic_uint *counter;

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

/* Waits for the children. Stops all of them if one failed or after a signal. */
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
            trust_draw(trust, false);
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
    trust_draw(trust, true);
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

int trust_run_apart(struct trust *trust, const char *worker, uint32_t jobs)
{
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
            trust_work(trust, worker, parent, counter, NULL);
            _exit(CLI_CONFORMANT);
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
    return code;
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
