/* Faults of the process: they end it, hang, or print. The first ones strike at calls with K = 3, so
 * that a test can tell the culprit. */
#include "faulty.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* not every C library has it; without it, a fault that hangs takes processor time */
#define HAS_SLEEP 0
#if defined __has_include && !defined __STDC_NO_THREADS__
#if __has_include(<threads.h>)
#include <threads.h>
#undef HAS_SLEEP
#define HAS_SLEEP 1
#endif
#endif

static void end_by(int signal_number, bool condition)
{
    if (condition) {
        signal(signal_number, SIG_DFL);
        raise(signal_number);
    }
}

static void leave(int status, bool condition)
{
    if (condition) {
        _Exit(status);
    }
}

static void stay(bool condition)
{
    volatile bool forever = condition;
    while (forever) {
#if HAS_SLEEP
        const struct timespec second = {.tv_sec = 1};
        (void)thrd_sleep(&second, NULL);
#endif
    }
}

/* Defines an `answer` that may not return. */
#define ENDS(name, end)                                                                            \
    static bool name(struct faulty *self)                                                          \
    {                                                                                              \
        const struct topk_backend_call *call = self->call;                                         \
        (void)call;                                                                                \
        end;                                                                                       \
        return true;                                                                               \
    }

ENDS(crashes, end_by(SIGSEGV, call->k == 3))
ENDS(aborts, end_by(SIGABRT, call->k == 3))
ENDS(exits, leave(0, call->k == 3))
ENDS(hangs, stay(call->k == 3))
ENDS(crash_rank_8, end_by(SIGSEGV, faulty_whole(call) && call->input->dimension_count == 8))
ENDS(crash_whole,
     end_by(SIGSEGV, faulty_axis_there(call) && call->k == call->input->sizes[call->axis]))
ENDS(crash_missing, end_by(SIGSEGV, !faulty_whole(call)))
ENDS(crash_100, end_by(SIGSEGV, self->calls >= 100))
ENDS(stay_refused, stay(self->answer->status == TOPK_BACKEND_REFUSED))
ENDS(exit_i64, leave(1, faulty_whole(call) && call->input->data_type == TOPK_BACKEND_INT64))
ENDS(exit_50, leave(0, self->calls >= 50))

static void crash_nan(struct row *row)
{
    end_by(SIGSEGV, faulty_has_nan(row, 0));
}

static void stay_equal(struct row *row)
{
    bool equal = row->length > 2;
    for (uint32_t i = 1; i < row->length; i++) {
        equal &= row->entries[i].key == row->entries[0].key;
    }
    stay(equal);
}

static bool prints(struct faulty *self)
{
    printf("call %lu has K = %lu\n", (unsigned long)self->calls, (unsigned long)self->call->k);
    return true;
}

/* prints text that resembles the protocol, and text that does not */
static bool prints_garbage(struct faulty *self)
{
    (void)self;
    static const char garbage[] = "begin 0 1\ndone 0 pass clause=- obs=0 ns=1\n\0\377\n\nerror x\n";
    fwrite(garbage, 1, sizeof garbage - 1, stdout);
    fflush(stdout);
    return true;
}

const struct fault faulty_process[] = {
    {"crash", "crash", "dies of SIGSEGV", "-", .trigger = "k=3", .ends = true, .answer = crashes},
    {"abort", "crash", "dies of SIGABRT", "-", .trigger = "k=3", .ends = true, .answer = aborts},
    {"exit0", "exit", "exits with 0", "-", .trigger = "k=3", .ends = true, .answer = exits},
    {"hang", "hang", "never returns", "-", .trigger = "k=3", .batch = 1, .ends = true,
     .answer = hangs},
    {"prints-to-stdout", "allowed", "prints a line a call", .answer = prints},
    {"garbage-on-stdout", "allowed", "prints what looks like the worker's protocol",
     .answer = prints_garbage},
    {0},
};

const struct fault faulty_ends[] = {
    {"crash-nan", "crash", "dies of a NaN", "-", .trigger = "nan=yes", .batch = 1, .ends = true,
     .key = crash_nan},
    {"crash-rank-8", "crash", "dies of 8 dimensions", "-", .trigger = "rank=8", .batch = 1,
     .ends = true, .answer = crash_rank_8},
    {"crash-k-all", "crash", "dies of K equal to the length", "-", .trigger = "rest=0", .batch = 1,
     .ends = true, .answer = crash_whole},
    {"crash-missing", "crash", "dies of a tensor that is not there", "-", .trigger = "breaks=V11",
     .batch = 1, .ends = true, .answer = crash_missing,
     .few = "it ends the process, so that a group counts its first case only"},
    /* no trigger for those that count calls */
    {"crash-call-100", "crash", "dies of the 101st call", "-", .batch = 1, .ends = true,
     .answer = crash_100},
    {"hang-refused", "hang", "never returns from refusing", "-", .trigger = "breaks!=nothing",
     .batch = 1, .ends = true, .answer = stay_refused},
    {"hang-all-equal", "hang", "never returns if all values are equal", "-",
     .trigger = "ties=all and n>=3", .batch = 1, .ends = true, .key = stay_equal},
    {"exit-i64", "exit", "exits with 1 at INT64", "-", .trigger = "type=i64", .batch = 1,
     .ends = true, .answer = exit_i64},
    {"exit-call-50", "exit", "exits with 0 after 50 calls", "-", .batch = 1, .ends = true,
     .answer = exit_50},
    {0},
};
