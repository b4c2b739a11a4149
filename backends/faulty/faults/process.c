/* Faults that spoil the process rather than a result. They strike at calls whose K is 3, so that a
 * test can say which case is to blame. */
#include "faulty.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static bool raises(int signal_number, const struct topk_backend_call *call)
{
    if (call->k == 3) {
        signal(signal_number, SIG_DFL);
        raise(signal_number);
    }
    return true;
}

static bool crashes(struct faulty *self, const struct topk_backend_call *call,
                    struct topk_backend_answer *answer)
{
    (void)self;
    (void)answer;
    return raises(SIGSEGV, call);
}

static bool aborts(struct faulty *self, const struct topk_backend_call *call,
                   struct topk_backend_answer *answer)
{
    (void)self;
    (void)answer;
    return raises(SIGABRT, call);
}

static bool exits(struct faulty *self, const struct topk_backend_call *call,
                  struct topk_backend_answer *answer)
{
    (void)self;
    (void)answer;
    if (call->k == 3) {
        _Exit(0);
    }
    return true;
}

static bool hangs(struct faulty *self, const struct topk_backend_call *call,
                  struct topk_backend_answer *answer)
{
    (void)self;
    (void)answer;
    volatile bool forever = call->k == 3;
    while (forever) {
        /* ISO C has nothing better to wait with */
    }
    return true;
}

static bool prints(struct faulty *self, const struct topk_backend_call *call,
                   struct topk_backend_answer *answer)
{
    (void)answer;
    printf("call %lu has K = %lu\n", (unsigned long)self->calls, (unsigned long)call->k);
    return true;
}

/* what looks like the protocol, and what does not */
static bool prints_garbage(struct faulty *self, const struct topk_backend_call *call,
                           struct topk_backend_answer *answer)
{
    static const char garbage[] = "begin 0 1\ndone 0 pass clause=- obs=0 ns=1\n\0\377\n\nerror x\n";
    (void)self;
    (void)call;
    (void)answer;
    fwrite(garbage, 1, sizeof garbage - 1, stdout);
    fflush(stdout);
    return true;
}

const struct fault faulty_process[] = {
    {"crash", "crash", "dies of SIGSEGV", "-", .ends = true, .answer = crashes},
    {"abort", "crash", "dies of SIGABRT", "-", .ends = true, .answer = aborts},
    {"exit0", "exit", "exits with 0", "-", .ends = true, .answer = exits},
    {"hang", "hang", "never returns", "-", .batch = 1, .ends = true, .answer = hangs},
    {"prints-to-stdout", "allowed", "prints a line a call", .answer = prints},
    {"garbage-on-stdout", "allowed", "prints what looks like the worker's protocol",
     .answer = prints_garbage},
    {0},
};
