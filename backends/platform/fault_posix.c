/* Platform functions for POSIX: reports a crash of this process. */
#define _GNU_SOURCE     /* for dladdr() and registers */
#define _POSIX_C_SOURCE 200809L
#include "platform.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#if defined(__GLIBC__)
#include <execinfo.h>
#endif

/* whether a sanitizer is built in, which reports crashes itself, and better */
#if defined(__has_feature)
#define HAS_SANITIZER (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_SANITIZER 1
#else
#define HAS_SANITIZER 0
#endif

/* seconds that tell() may take */
#define TELL_SECONDS 2
/* size of the alternate stack, for a thread whose own stack has overflowed */
#define TELL_STACK (64u << 10)
/* an access up to this far below the stack pointer, or above it, was to the stack */
#define STACK_BELOW (64u << 10)
#define STACK_ABOVE (1u << 20)
/* greatest number of frames, including those of the handler */
#define TRACE_MAX 64
/* si_code of a signal without an address */
#if defined(SI_KERNEL)
#define NO_ADDRESS SI_KERNEL
#else
#define NO_ADDRESS 0
#endif

static const struct {
    int number;
    const char *name;
} faults[] = {{SIGSEGV, "SIGSEGV"},
              {SIGBUS, "SIGBUS"},
              {SIGFPE, "SIGFPE"},
              {SIGILL, "SIGILL"},
              {SIGABRT, "SIGABRT"}};
#define FAULTS (sizeof faults / sizeof faults[0])

static void (*tell_fault)(const struct topk_fault *fault);
static atomic_int telling; /* number of the signal that is being reported */
static pthread_t telling_thread;
static struct topk_fault fault;

/* Dies of a signal with its default action. */
static void die_of(int number)
{
    sigset_t one;
    signal(number, SIG_DFL);
    sigemptyset(&one);
    sigaddset(&one, number);
    pthread_sigmask(SIG_UNBLOCK, &one, NULL);
    raise(number);
    _exit(128 + number); /* the signal stayed blocked */
}

static void on_alarm(int number)
{
    (void)number;
    die_of(telling);
}

/* reads the instruction and stack pointers of a thread; 0 on an unknown processor */
static void read_registers(const ucontext_t *context, uintptr_t *code, uintptr_t *stack)
{
#if defined(__linux__) && defined(__x86_64__)
    *code = (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
    *stack = (uintptr_t)context->uc_mcontext.gregs[REG_RSP];
#elif defined(__linux__) && defined(__aarch64__)
    *code = (uintptr_t)context->uc_mcontext.pc;
    *stack = (uintptr_t)context->uc_mcontext.sp;
#else
    (void)context;
    *code = 0;
    *stack = 0;
#endif
}

/* Whether a failed access was a read or a write. */
static char access_of(int number, const ucontext_t *context)
{
#if defined(__linux__) && defined(__x86_64__)
    /* the error code of a page fault, the only cause of a SIGSEGV with an address */
    if (number == SIGSEGV) {
        return (context->uc_mcontext.gregs[REG_ERR] & 2) != 0 ? 'w' : 'r';
    }
#elif defined(__linux__) && defined(__aarch64__)
    /* the syndrome of a data abort is in the records after the registers */
    const unsigned char *record = context->uc_mcontext.__reserved;
    struct _aarch64_ctx head;
    for (size_t at = 0; at + sizeof head <= sizeof context->uc_mcontext.__reserved;
         at += head.size) {
        memcpy(&head, record + at, sizeof head);
        if (head.magic == ESR_MAGIC) {
            struct esr_context syndrome;
            memcpy(&syndrome, record + at, sizeof syndrome);
            return (syndrome.esr >> 6 & 1) != 0 ? 'w' : 'r';
        }
        if (head.magic == 0 || head.size == 0) {
            break;
        }
    }
#endif
    (void)number;
    (void)context;
    return '?';
}

/* The return address of a call to an invalid function pointer. */
static uintptr_t return_address(const ucontext_t *context, uintptr_t stack)
{
#if defined(__linux__) && defined(__aarch64__)
    (void)stack;
    return (uintptr_t)context->uc_mcontext.regs[30];
#else
    uintptr_t address;
    (void)context;
    /* NOLINTNEXTLINE(performance-no-int-to-ptr): registers are numbers */
    memcpy(&address, (const void *)stack, sizeof address);
    return address;
#endif
}

/* Adds a frame. before: 1 for a return address, since the next function may start there. False if
 * its module is unknown. */
static bool add_frame(uintptr_t address, uintptr_t before)
{
    Dl_info info;
    struct topk_fault_frame *frame = &fault.frames[fault.frame_count];
    *frame = (struct topk_fault_frame){.module = NULL};
    fault.frame_count++;
    /* NOLINTNEXTLINE(performance-no-int-to-ptr): what the system gives is a number */
    if (dladdr((const void *)(address - before), &info) == 0 || info.dli_fname == NULL) {
        return false;
    }
    const char *slash = strrchr(info.dli_fname, '/');
    frame->module = slash == NULL ? info.dli_fname : slash + 1;
    frame->offset = address - (uintptr_t)info.dli_fbase;
    if (info.dli_sname != NULL) {
        frame->symbol = info.dli_sname;
        frame->symbol_offset = address - (uintptr_t)info.dli_saddr;
    }
    return true;
}

static void add_trace(const ucontext_t *context, uintptr_t code, uintptr_t stack)
{
    void *trace[TRACE_MAX];
    int count = 0;
    int at = 0;
#if defined(__GLIBC__)
    count = backtrace(trace, TRACE_MAX);
#endif
    while (at < count && (uintptr_t)trace[at] != code) {
        at++;
    }
    if (!add_frame(code, 0) && at + 1 >= count) {
        /* the called address contains no code, so that unwinding cannot continue from it */
        const uintptr_t caller = return_address(context, stack);
        if (!add_frame(caller, 1)) {
            fault.frame_count--;
        }
    }
    for (at++; at < count && fault.frame_count < TOPK_FAULT_FRAMES; at++) {
        add_frame((uintptr_t)trace[at], 1);
    }
}

static const char *name_of(int number)
{
    for (size_t i = 0; i < FAULTS; i++) {
        if (faults[i].number == number) {
            return faults[i].name;
        }
    }
    return "unknown";
}

/* whether the failed access was to the stack */
static bool is_overflow(uint64_t address, uint64_t stack)
{
    return address >= stack - STACK_BELOW && address < stack + STACK_ABOVE;
}

static void on_fault(int number, siginfo_t *info, void *context)
{
    int nobody = 0;
    if (!atomic_compare_exchange_strong(&telling, &nobody, number)) {
        if (pthread_equal(telling_thread, pthread_self())) {
            die_of(telling); /* tell() crashed */
        }
        for (;;) {
            pause(); /* another thread is reporting, and ends this one, too */
        }
    }
    sigset_t one;
    telling_thread = pthread_self();
    signal(SIGALRM, on_alarm);
    sigemptyset(&one);
    sigaddset(&one, SIGALRM);
    pthread_sigmask(SIG_UNBLOCK, &one, NULL);
    alarm(TELL_SECONDS);

    uintptr_t code;
    uintptr_t stack;
    read_registers(context, &code, &stack);
    fault.signal = name_of(number);
    /* A signal from a process has no address. Neither has an access to an address that the
     * processor does not support. */
    fault.has_address =
        (number == SIGSEGV || number == SIGBUS) && info->si_code > 0 && info->si_code != NO_ADDRESS;
    fault.address = fault.has_address ? (uint64_t)(uintptr_t)info->si_addr : 0;
    fault.access = '?';
    if (fault.has_address) {
        fault.access = access_of(number, context);
    }
    if (fault.has_address && stack != 0 && is_overflow(fault.address, stack)) {
        fault.signal = "stack-overflow";
    }
    if (stack != 0) {
        add_trace(context, code, stack);
    }
    tell_fault(&fault);
    die_of(number);
}

/* whether a signal has no other handler */
static bool is_free(int number)
{
    struct sigaction action;
    return sigaction(number, NULL, &action) == 0 && (action.sa_flags & SA_SIGINFO) == 0 &&
           action.sa_handler == SIG_DFL;
}

void topk_fault_watch(void (*tell)(const struct topk_fault *fault))
{
    static char room[TELL_STACK];
    const stack_t stack = {.ss_sp = room, .ss_size = sizeof room};
    struct sigaction action = {.sa_flags = SA_SIGINFO | SA_ONSTACK};
    if (HAS_SANITIZER) {
        return;
    }
    tell_fault = tell;
    action.sa_sigaction = on_fault;
    sigemptyset(&action.sa_mask);
#if defined(__GLIBC__)
    void *trace[1];
    backtrace(trace, 1); /* the first call loads a library, which a handler must not do */
#endif
    sigaltstack(&stack, NULL);
    for (size_t i = 0; i < FAULTS; i++) {
        if (is_free(faults[i].number)) {
            sigaction(faults[i].number, &action, NULL);
        }
    }
}
