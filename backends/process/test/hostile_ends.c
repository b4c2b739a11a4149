/* Modes that end, hang or close a pipe instead of answering. */
#define _GNU_SOURCE /* for F_SETPIPE_SZ */
#include "hostile.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static void exit_between(struct frame *frame)
{
    say_answer(frame);
    _exit(EXIT_SUCCESS);
}

static void exit_77(struct frame *frame)
{
    if (moment_is_there(frame, 1)) {
        _exit(77);
    }
}

static void exit_77_first(void)
{
    _exit(77);
}

static void die_killed(struct frame *frame)
{
    if (moment_is_there(frame, 1)) {
        die_by(SIGKILL);
    }
}

void die_segv(struct frame *frame)
{
    (void)frame;
    die_by(SIGSEGV);
}

static void die_abort(struct frame *frame)
{
    (void)frame;
    die_by(SIGABRT);
}

/* the line that a crashing process sends */
static void say_crash(void)
{
    say("crash SIGSEGV@0x10;anywhere.so+0x1139:topk_run+0x20\n");
    fflush(hostile.out);
}

static void crash_told(struct frame *frame)
{
    (void)frame;
    say_crash();
    die_by(SIGKILL);
}

static void crash_lied(struct frame *frame)
{
    say_crash();
    say_answer(frame);
}

static void crash_malformed(struct frame *frame)
{
    (void)frame;
    say("crash anywhere@16\n");
    fflush(hostile.out);
    hang();
}

static void crash_hang(struct frame *frame)
{
    (void)frame;
    say_crash();
    hang();
}

static void close_output(struct frame *frame)
{
    (void)frame;
    fclose(hostile.out);
    hang();
}

static bool close_input(struct said *said)
{
    close(STDIN_FILENO); /* before the judge can write more */
    say_greeting(said);
    hang();
}

/* reads nothing more, and fills its output pipe */
static bool never_read(struct said *said)
{
    say_greeting(said);
    say_many('a', 1u << 20);
    fflush(hostile.out);
    hang();
}

/* reads nothing more, and writes nothing */
static bool never_again(struct said *said)
{
    say_greeting(said);
    hang();
}

/* reads only part of the input at a time, through a small pipe */
static bool read_half(struct said *said)
{
    static char some[100000];
    size_t left = sizeof some;
    ssize_t got = 1;
    fcntl(STDIN_FILENO, F_SETPIPE_SZ, 4096);
    said->flags |= TOPK_FLAG_OWN_CONTRACT; /* so that calls are sent with their bytes at once */
    say_greeting(said);
    while (left > 0 && got > 0) {
        got = read(STDIN_FILENO, some, left);
        left -= got > 0 ? (size_t)got : 0;
    }
    hang();
}

static void just_hang(struct frame *frame)
{
    (void)frame;
    hang();
}

/* sends an answer without a request */
static void say_unasked(void)
{
    say("answer 1 1 0\n");
    fflush(hostile.out);
}

static void exit_3(void)
{
    exit(TOPK_WORKER_EXIT_HARNESS);
}

static void say_unasked_and_hang(void)
{
    say_unasked();
    hang();
}

static void say_half_a_line(void)
{
    say("and so on");
    exit(EXIT_SUCCESS);
}

static void die_segv_at_quit(void)
{
    die_by(SIGSEGV);
}

/* ends immediately after its last answer */
static void exit_at_last(struct frame *frame)
{
    say_answer(frame);
    fflush(hostile.out);
    if (frame->count == 1) {
        _exit(EXIT_SUCCESS);
    }
}

static void close_and_hang(void)
{
    sleep_microseconds(2500000);
    fclose(hostile.out);
    hang();
}

/* ---- the modes ------------------------------------------------------------------------------- */

const struct mode end_modes[] = {
    /* ends */
    {"exit-between", "exits with 0 after its first answer", .answer = exit_between},
    {"exit-77", "exits with 77 in the second frame", .answer = exit_77},
    {"exit-77-first", "exits with 77 at once", .begin = exit_77_first},
    {"die-killed", "kills itself in the second frame", .answer = die_killed},
    {"die-segv", "dies of SIGSEGV", .answer = die_segv},
    {"die-abort", "dies of SIGABRT", .answer = die_abort},
    {"crash-told", "says that it crashes, and dies", .answer = crash_told},
    {"crash-lied", "says that it crashes, and answers", .answer = crash_lied},
    {"crash-malformed", "reports a crash in a malformed line, and hangs",
     .answer = crash_malformed},
    {"crash-hang", "says that it crashes, and hangs", .answer = crash_hang},
    {"close-output", "closes its output and lives on", .answer = close_output},
    {"close-input", "closes its input and lives on", .greet = close_input},
    {"never-read", "reads nothing, and writes 1 MiB", .greet = never_read},
    {"never-again", "reads nothing, and says nothing", .greet = never_again},
    {"read-half", "reads half of what it is sent", .greet = read_half},
    {"hang", "ignores SIGTERM and hangs", .answer = just_hang},
    {"hang-create", "hangs even if a call is only to be created", .answer = just_hang,
     .creates = true},
    {"deaf", "is right, and does not end when it is told to", .deaf = true},
    {"quit-3", "is right, and exits with 3 when it is told to quit", .quit = exit_3},
    {"quit-words", "is right, and prints half a line when it is told to quit",
     .quit = say_half_a_line},
    {"quit-segv", "is right, and crashes when it is told to quit", .quit = die_segv_at_quit},
    {"exit-last", "is right, and exits with 0 before it is told to", .answer = exit_at_last},
    {"quit-late", "is right, answers once more when it is told to quit, and stays",
     .quit = say_unasked_and_hang},
    {"quit-slow", "is right, and closes its output long after it is told to quit, and stays",
     .quit = close_and_hang},
    {.name = NULL},
};
