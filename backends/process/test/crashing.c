/* A plugin that crashes in a known way at a known place, `crashing.so:WAY`, if K is 3; otherwise it
 * computes like `cpu`. If it is preloaded and CRASHING_TRACE is set, it breaks the stack trace of a
 * crash. */
#define _POSIX_C_SOURCE 200809L
#include "cpu/cpu.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* functions with external names, so that a trace shows them */
#define PLACE __attribute__((noinline)) void
PLACE crash_null(void);
PLACE crash_other(void);
PLACE crash_wild(void);
PLACE crash_abort(void);
PLACE crash_divide(void);
PLACE crash_illegal(void);
PLACE crash_call(void);
PLACE crash_copy(void);
PLACE crash_raise(void);
PLACE crash_stack(void);
PLACE crash_thread(void);
PLACE crash_replaced(void);
PLACE crash_kill(void);
__attribute__((noinline)) int crash_deep(int depth);
int backtrace(void **addresses, int count);

static volatile int zero;
static void (*volatile no_function)(void);

PLACE crash_null(void)
{
    *(volatile int *)(uintptr_t)(16 + zero) = 1; /* NOLINT(performance-no-int-to-ptr) */
}

PLACE crash_other(void)
{
    *(volatile int *)(uintptr_t)(32 + zero) = 2; /* NOLINT(performance-no-int-to-ptr) */
}

PLACE crash_wild(void)
{
    /* x86-64 has no such address, so the signal reports none */
    *(volatile int *)((uintptr_t)1 << 60 | (uintptr_t)zero) = 3; /* NOLINT */
}

PLACE crash_abort(void)
{
    abort();
}

PLACE crash_divide(void)
{
    zero = 100 / zero; /* NOLINT(clang-analyzer-core.DivideZero) */
}

PLACE crash_illegal(void)
{
    __builtin_trap();
}

PLACE crash_call(void)
{
    no_function();
    zero = 1; /* prevents a tail call, so that the trace has this function */
}

PLACE crash_copy(void)
{
    memset((void *)(uintptr_t)(8 + zero), 1, (size_t)(999 + zero)); /* NOLINT */
    zero = 0;
}

PLACE crash_raise(void)
{
    raise(SIGSEGV);
    zero = 1;
}

__attribute__((noinline)) int crash_deep(int depth)
{
    volatile char room[300];
    room[depth % 300] = 1;
    return depth < 0 ? 0 : crash_deep(depth + 1) + room[depth % 300];
}

PLACE crash_stack(void)
{
    zero = crash_deep(1) & 0;
}

static void *in_thread(void *nothing)
{
    crash_null();
    return nothing;
}

PLACE crash_thread(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, in_thread, NULL) == 0) {
        pthread_join(thread, NULL);
    }
}

PLACE crash_replaced(void)
{
    signal(SIGSEGV, SIG_DFL);
    crash_null();
}

PLACE crash_kill(void)
{
    raise(SIGKILL);
}

static const struct way {
    const char *name;
    void (*strike)(void);
} ways[] = {{"null", crash_null},   {"other", crash_other},   {"wild", crash_wild},
            {"abort", crash_abort}, {"divide", crash_divide}, {"illegal", crash_illegal},
            {"call", crash_call},   {"copy", crash_copy},     {"raise", crash_raise},
            {"stack", crash_stack}, {"thread", crash_thread}, {"replaced", crash_replaced},
            {"kill", crash_kill},   {"sites", NULL},          {"opening", crash_null}};

/* Replaces backtrace(), which the crash handler uses, if preloaded. The first trace is taken before
 * the crash. */
int backtrace(void **addresses, int count)
{
    static int calls;
    const char *how = getenv("CRASHING_TRACE"); /* NOLINT(concurrency-mt-unsafe) */
    calls++;
    if (calls > 1 && how != NULL && strcmp(how, "hang") == 0) {
        for (;;) {
            pause();
        }
    }
    if (calls > 1 && how != NULL && strcmp(how, "abort") == 0) {
        abort();
    }
    if (calls > 1 && how != NULL) {
        crash_other();
    }
    (void)addresses;
    (void)count;
    return 0;
}

struct crashing {
    const struct way *way;
    void *cpu;
};

static void *open_crashing(const char *options, char *error, size_t error_bytes)
{
    static struct crashing self;
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        if (strcmp(ways[i].name, options) == 0) {
            self.way = &ways[i];
            self.cpu = topk_backend_cpu.open("", error, error_bytes);
            if (strcmp(options, "opening") == 0) {
                ways[i].strike();
            }
            return self.cpu == NULL ? NULL : &self;
        }
    }
    snprintf(error, error_bytes, "no way '%s'", options);
    return NULL;
}

static void describe(void *opened, struct topk_backend_info *info)
{
    struct crashing *self = opened;
    topk_backend_cpu.describe(self->cpu, info);
    info->name = "crashing";
}

static void run(void *opened, const struct topk_backend_call *calls, uint32_t count,
                struct topk_backend_answer *answers)
{
    struct crashing *self = opened;
    for (uint32_t i = 0; i < count; i++) {
        if (self->way->strike == NULL && calls[i].k >= 3) {
            crash_null();
        } else if (self->way->strike == NULL && calls[i].k > 0) {
            crash_other();
        } else if (calls[i].k == 3) {
            self->way->strike();
        }
    }
    topk_backend_cpu.run(self->cpu, calls, count, answers);
}

static void close_crashing(void *opened)
{
    struct crashing *self = opened;
    topk_backend_cpu.close(self->cpu);
}

const struct topk_backend *topk_backend_entry(void)
{
    static const struct topk_backend crashing = {
        .abi = TOPK_BACKEND_ABI,
        .struct_bytes = sizeof crashing,
        .name = "crashing",
        .summary = "crashes where K is 3",
        .open = open_crashing,
        .describe = describe,
        .run = run,
        .close = close_crashing,
    };
    return &crashing;
}
