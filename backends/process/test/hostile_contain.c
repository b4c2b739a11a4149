/* Modes that try to outlive the run, or to end the processes that would end them: the keeper,
 * keep_posix.c. */
#define _GNU_SOURCE /* for PR_SET_PDEATHSIG */
#include "hostile.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* for two minutes: long enough to be found if nothing ends it */
static _Noreturn void stay_on(void)
{
    sleep_microseconds(120000000);
    _exit(EXIT_SUCCESS);
}

static void ignore_signals(void)
{
    for (int number = 1; number < 32; number++) {
        signal(number, SIG_IGN);
    }
}

/* Leaves an orphan in its own session that ignores most signals. Returns true in that process. */
static bool leave_daemon(void)
{
    const pid_t child = fork();
    if (child == 0) {
        setsid();
        if (fork() != 0) {
            _exit(EXIT_SUCCESS);
        }
        setsid();
        ignore_signals();
        for (int file = 0; file < 64; file++) {
            close(file);
        }
        return true;
    }
    waitpid(child, NULL, 0);
    return false;
}

static void leave_three(void)
{
    for (int i = 0; i < 3; i++) {
        if (leave_daemon()) {
            stay_on();
        }
    }
}

static void hang_in_frame(struct frame *frame)
{
    (void)frame;
    hang();
}

/* many processes that replace themselves every millisecond, for a second, and ignore signals */
static void storm(void)
{
    const int processes = 8;
    const int rounds = 1000;
    for (int i = 0; i < processes; i++) {
        if (!leave_daemon()) {
            continue;
        }
        for (int round = 0; round < rounds; round++) {
            sleep_microseconds(1000);
            if (fork() != 0) {
                _exit(EXIT_SUCCESS);
            }
        }
        stay_on();
    }
}

/* another process allocates up to 600 MiB and keeps them */
static void eat_memory(struct frame *frame)
{
    const size_t most = 600;
    (void)frame;
    if (fork() == 0) {
        for (size_t i = 0; i < most; i++) {
            unsigned char *taken = malloc(1 << 20);
            for (size_t at = 0; taken != NULL && at < 1 << 20; at += 1024) {
                taken[at] = (unsigned char)at;
            }
            sleep_microseconds(1000);
        }
    }
    hang();
}

/* another process computes, and this one waits */
static void burn(struct frame *frame)
{
    (void)frame;
    if (fork() == 0) {
        for (volatile unsigned i = 0;; i++) {
        }
    }
    hang();
}

/* sequences that control a terminal which shows them, in large amounts */
static void say_controls(struct frame *frame)
{
    (void)frame;
    for (int i = 0; i < 20000; i++) {
        fputs("\033]0;title\007\033[31mred\r\n", stderr);
    }
    fflush(stderr);
}

static void kill_keeper(struct frame *frame)
{
    (void)frame;
    kill(getppid(), SIGKILL);
    hang();
}

/* prevents that the keeper's end ends this process */
static void kill_keeper_first(void)
{
    prctl(PR_SET_PDEATHSIG, 0);
    leave_three();
    ignore_signals();
    kill(getppid(), SIGKILL);
    hang();
}

static void stop_keeper(struct frame *frame)
{
    if (moment_is_there(frame, 1)) {
        kill(getppid(), SIGSTOP);
        _exit(EXIT_SUCCESS);
    }
}

const struct mode contain_modes[] = {
    {"stay-three", "three deaf processes in sessions of their own live on", .begin = leave_three,
     .spoil_call = wrong_indices},
    {"stay-hang", "the same, and it does not answer", .begin = leave_three,
     .answer = hang_in_frame},
    {"storm", "8 deaf processes fork and exit each 1 ms", .begin = storm,
     .spoil_call = wrong_indices},
    {"eat-memory", "a child of it takes 600 MiB", .answer = eat_memory},
    {"burn", "a child of it computes for ever", .answer = burn},
    {"say-controls", "says what a terminal obeys on standard error", .spoil = say_controls},
    {"kill-keeper", "kills its keeper in each frame", .answer = kill_keeper},
    {"kill-keeper-stay", "leaves processes behind, kills its keeper, and lives on",
     .begin = kill_keeper_first},
    {"stop-keeper", "stops its keeper in the second frame, and exits", .begin = leave_three,
     .answer = stop_keeper},
    {.name = NULL},
};
