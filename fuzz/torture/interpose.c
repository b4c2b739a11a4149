/* The library that makes calls fail in a process that scripts/torture attacks. It is preloaded,
 * counts the calls of each class, and makes the selected one fail.
 *
 * Functions for memory, threads and new processes are replaced: they take precedence over libc's.
 * System calls are caught by a seccomp filter that sends SIGSYS for each one that libc makes
 * itself, including those of stdio; the signal handler then makes the call or fails it. The filter
 * looks at the address that the call is made from, so it catches neither the calls of this file nor
 * those of a program that is executed later, whose libc is at another address.
 */
#define _GNU_SOURCE
/* libc's parameter names are reserved, the kernel takes pointers as numbers, and the SIGSYS handler
 * does all its work right there. clang-tidy wants the following list on one line. */
/* clang-format off */
/* NOLINTBEGIN(readability-inconsistent-declaration-parameter-name,performance-no-int-to-ptr,bugprone-signal-handler) */
/* clang-format on */
#include "shared.h"

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

extern char **environ;

static struct torture_shared *shared; /* NULL if this program is not attacked */
static __thread bool inside;          /* set while we look at the stack, which itself allocates */

/* ---- calls made by this library
 * ---------------------------------------------------------------- */

static long call6(long number, long a, long b, long c, long d, long e, long f)
{
    long result;
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}

static _Noreturn void killed(void)
{
    for (;;) {
        call6(SYS_kill, call6(SYS_getpid, 0, 0, 0, 0, 0, 0), SIGKILL, 0, 0, 0, 0);
    }
}

/* ---- counting -------------------------------------------------------------------------------- */

static void tell(enum torture_class class, uint64_t number)
{
    void *frames[TORTURE_FRAMES];
    const int count = backtrace(frames, TORTURE_FRAMES);
    uint64_t stack = UINT64_C(0xcbf29ce484222325);
    for (int i = 0; i < count; i++) {
        Dl_info info;
        const uintptr_t base = dladdr(frames[i], &info) != 0 ? (uintptr_t)info.dli_fbase : 0;
        stack = (stack ^ ((uintptr_t)frames[i] - base)) * UINT64_C(0x100000001b3);
    }
    const uint32_t at = atomic_fetch_add(&shared->told, 1);
    if (at < TORTURE_POINTS) {
        shared->calls[at].class = class;
        shared->calls[at].number = (uint32_t)number;
        shared->calls[at].stack = stack;
    }
}

static void trace(const char *head)
{
    void *frames[TORTURE_FRAMES];
    const int count = backtrace(frames, TORTURE_FRAMES);
    call6(SYS_write, STDERR_FILENO, (long)head, (long)strlen(head), 0, 0, 0);
    backtrace_symbols_fd(frames, count, STDERR_FILENO);
}

/* Returns whether both ends of a pipe are in this process. Nothing can go wrong with such a pipe,
 * and libuv uses one as a lock, which would be lost with its byte. */
static bool is_own_pipe(long file)
{
    struct stat of = {0};
    if (call6(SYS_fstat, file, (long)&of, 0, 0, 0, 0) != 0 || !S_ISFIFO(of.st_mode)) {
        return false;
    }
    for (long other = 0; other < 64; other++) {
        struct stat its = {0};
        if (other != file && call6(SYS_fstat, other, (long)&its, 0, 0, 0, 0) == 0 &&
            its.st_ino == of.st_ino && its.st_dev == of.st_dev) {
            return true;
        }
    }
    return false;
}

/* Counts a call of this class. Returns 0 if it should be made, otherwise the error it should fail
 * with. */
static int counted(enum torture_class class)
{
    if (shared == NULL || inside) {
        return 0;
    }
    const uint64_t number = atomic_fetch_add(&shared->count[class], 1) + 1;
    inside = true;
    if (shared->stacks != 0) {
        tell(class, number);
    }
    const bool hit = (int32_t) class == shared->class &&
                     (number == shared->point || (shared->ever != 0 && number > shared->point));
    if (hit && shared->trace != 0 && number == shared->point) {
        trace("torture: the call at this point is made by\n");
    }
    inside = false;
    if (!hit) {
        return 0;
    }
    atomic_fetch_add(&shared->hits, 1);
    if (shared->error == TORTURE_KILLED) {
        killed();
    }
    return shared->error;
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* libc's own names for the functions that are replaced below. */
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *old, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);

static bool short_of_memory(void)
{
    if (counted(TORTURE_ALLOC) != 0) {
        errno = ENOMEM;
        return true;
    }
    return false;
}

void *malloc(size_t bytes)
{
    return short_of_memory() ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    return short_of_memory() ? NULL : __libc_calloc(count, bytes);
}

void *realloc(void *old, size_t bytes)
{
    return short_of_memory() ? NULL : __libc_realloc(old, bytes);
}

void *reallocarray(void *old, size_t count, size_t bytes)
{
    size_t whole = 0;
    if (__builtin_mul_overflow(count, bytes, &whole)) {
        errno = ENOMEM;
        return NULL;
    }
    return realloc(old, whole);
}

void *memalign(size_t alignment, size_t bytes)
{
    return short_of_memory() ? NULL : __libc_memalign(alignment, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
    return memalign(alignment, bytes);
}

int posix_memalign(void **memory, size_t alignment, size_t bytes)
{
    void *made = memalign(alignment, bytes);
    if (made == NULL) {
        return ENOMEM;
    }
    *memory = made;
    return 0;
}

/* ---- threads and processes ------------------------------------------------------------------- */

/* Sets *function to the next function of this name after the one in this library. */
static void next(const char *name, void *function)
{
    const bool before = inside;
    inside = true; /* dlsym() may allocate */
    void *found = dlsym(RTLD_NEXT, name);
    memcpy(function, &found, sizeof found);
    inside = before;
}

int pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict attributes,
                   void *(*start)(void *), void *restrict argument)
{
    __typeof__(&pthread_create) create;
    const int error = counted(TORTURE_THREAD);
    if (error != 0) {
        return error;
    }
    next("pthread_create", (void *)&create);
    return create(thread, attributes, start, argument);
}

pid_t fork(void)
{
    __typeof__(&fork) real;
    const int error = counted(TORTURE_FORK);
    if (error != 0) {
        errno = error;
        return -1;
    }
    next("fork", (void *)&real);
    return real();
}

int posix_spawn(pid_t *restrict pid, const char *restrict path,
                const posix_spawn_file_actions_t *restrict actions,
                const posix_spawnattr_t *restrict attributes, char *const arguments[restrict],
                char *const environment[restrict])
{
    __typeof__(&posix_spawn) spawn;
    const int error = counted(TORTURE_FORK);
    if (error != 0) {
        return error;
    }
    next("posix_spawn", (void *)&spawn);
    return spawn(pid, path, actions, attributes, arguments, environment);
}

int posix_spawnp(pid_t *restrict pid, const char *restrict file,
                 const posix_spawn_file_actions_t *restrict actions,
                 const posix_spawnattr_t *restrict attributes, char *const arguments[restrict],
                 char *const environment[restrict])
{
    __typeof__(&posix_spawnp) spawn;
    const int error = counted(TORTURE_FORK);
    if (error != 0) {
        return error;
    }
    next("posix_spawnp", (void *)&spawn);
    return spawn(pid, file, actions, attributes, arguments, environment);
}

FILE *popen(const char *command, const char *mode)
{
    __typeof__(&popen) real;
    const int error = counted(TORTURE_FORK);
    if (error != 0) {
        errno = error;
        return NULL;
    }
    next("popen", (void *)&real);
    return real(command, mode);
}

/* ---- system calls ---------------------------------------------------------------------------- */

static const struct {
    int number;
    enum torture_class class;
} calls[] = {
#define TORTURE_CALL(class, number) {number, TORTURE_##class},
#include "faults.def"
};
#define CALLS (sizeof calls / sizeof calls[0])

#define MAX_ENVIRONMENT 512

/* Adds to the environment what attacks the next program too. */
static char **attacked_environment(char **environment)
{
    static char *whole[MAX_ENVIRONMENT];
    static const char *const names[] = {"LD_PRELOAD=", TORTURE_FILE "="};
    size_t count = 0;
    for (char **at = environment; at != NULL && *at != NULL && count < MAX_ENVIRONMENT - 3; at++) {
        if (strncmp(*at, names[0], strlen(names[0])) != 0 &&
            strncmp(*at, names[1], strlen(names[1])) != 0) {
            whole[count++] = *at;
        }
    }
    for (char **at = environ; at != NULL && *at != NULL && count < MAX_ENVIRONMENT - 1; at++) {
        if (strncmp(*at, names[0], strlen(names[0])) == 0 ||
            strncmp(*at, names[1], strlen(names[1])) == 0) {
            whole[count++] = *at;
        }
    }
    whole[count] = NULL;
    return whole;
}

/* Asks for half of the bytes of a read or write. */
static long made_short(int number, const long a[6])
{
    if (number == SYS_readv || number == SYS_writev) {
        const struct iovec *part = (const struct iovec *)a[1];
        const size_t half = part->iov_len / 2;
        return call6(number == SYS_readv ? SYS_read : SYS_write, a[0], (long)part->iov_base,
                     (long)(half == 0 ? part->iov_len : half), 0, 0, 0);
    }
    return call6(number, a[0], a[1], a[2] < 2 ? a[2] : a[2] / 2, a[3], a[4], a[5]);
}

/* SIGSYS must get through, so it is removed from any mask that the program sets. */
static long mask_signals(ucontext_t *context, const long a[6])
{
    uint64_t now;
    memcpy(&now, &context->uc_sigmask, sizeof now);
    if (a[3] != sizeof now) {
        return -EINVAL;
    }
    if (a[2] != 0) {
        memcpy((void *)a[2], &now, sizeof now);
    }
    if (a[1] != 0) {
        uint64_t set;
        memcpy(&set, (const void *)a[1], sizeof set);
        now = a[0] == SIG_BLOCK ? now | set : a[0] == SIG_UNBLOCK ? now & ~set : set;
        now &= ~(UINT64_C(1) << (SIGSYS - 1));
        memcpy(&context->uc_sigmask, &now, sizeof now);
    }
    return 0;
}

/* The handler of another signal must not block SIGSYS either. */
static long handle_signal(const long a[6])
{
    struct {
        void *handler;
        unsigned long flags;
        void *restorer;
        uint64_t mask;
    } action; /* as the kernel has it */
    if (a[0] == SIGSYS) {
        return 0;
    }
    if (a[1] != 0) {
        memcpy(&action, (const void *)a[1], sizeof action);
        action.mask &= ~(UINT64_C(1) << (SIGSYS - 1));
    }
    return call6(SYS_rt_sigaction, a[0], a[1] == 0 ? 0 : (long)&action, a[2], a[3], 0, 0);
}

static long made(int number, ucontext_t *context, const long a[6])
{
    if (number == SYS_rt_sigprocmask) {
        return mask_signals(context, a);
    }
    if (number == SYS_rt_sigaction) {
        return handle_signal(a);
    }
    if (number == SYS_execve) {
        return call6(number, a[0], a[1], (long)attacked_environment((char **)a[2]), 0, 0, 0);
    }
    return call6(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

static void caught(int signal, siginfo_t *info, void *data)
{
    ucontext_t *context = data;
    greg_t *registers = context->uc_mcontext.gregs;
    const int number = info->si_syscall;
    const long a[6] = {registers[REG_RDI], registers[REG_RSI], registers[REG_RDX],
                       registers[REG_R10], registers[REG_R8],  registers[REG_R9]};
    const int before = errno;
    int error = 0;
    (void)signal;
    for (size_t i = 0; i < CALLS; i++) {
        if (calls[i].number == number &&
            !(calls[i].class == TORTURE_WRITE && a[0] == STDERR_FILENO) &&
            !((calls[i].class == TORTURE_WRITE || calls[i].class == TORTURE_READ) &&
              is_own_pipe(a[0]))) {
            error = counted(calls[i].class);
            break;
        }
    }
    long result = -error;
    if (error == TORTURE_SHORT) {
        result = made_short(number, a);
    } else if (error == 0) {
        result = made(number, context, a);
    } else if (number == SYS_close) {
        made(number, context, a);
    }
    errno = before;
    registers[REG_RAX] = result;
}

/* Finds the addresses of libc's code. */
static int find_libc(struct dl_phdr_info *info, size_t size, void *data)
{
    uintptr_t *range = data;
    (void)size;
    if (strstr(info->dlpi_name, "/libc.so") == NULL) {
        return 0;
    }
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type == PT_LOAD && (part->p_flags & PF_X) != 0) {
            range[0] = info->dlpi_addr + part->p_vaddr;
            range[1] = range[0] + part->p_memsz;
        }
    }
    return 1;
}

static bool catch_calls(char **argv, char **environment)
{
    uintptr_t range[2] = {0, 0};
    struct sock_filter filter[CALLS + 10];
    unsigned short count = 0;
    dl_iterate_phdr(find_libc, range);
    if (range[0] == 0) {
        return false;
    }
    /* The filter compares the halves of addresses separately. Once in about two thousand starts
     * libc crosses a 4 GiB boundary; then we start again, and it will be somewhere else. */
    if (range[0] >> 32 != (range[1] - 1) >> 32) {
        execve("/proc/self/exe", argv, environment);
        return false;
    }
    const struct sigaction action = {.sa_sigaction = caught, .sa_flags = SA_SIGINFO | SA_NODEFER};
    if (sigaction(SIGSYS, &action, NULL) != 0) {
        return false;
    }
    const unsigned rows = CALLS + 2;
    const unsigned address = offsetof(struct seccomp_data, instruction_pointer);
    /* Each instruction jumps to the row that allows the call, the second last one. */
    filter[count++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, address + 4);
    filter[count++] = (struct sock_filter)BPF_JUMP(
        BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(range[0] >> 32), 0, (uint8_t)(rows + 4));
    filter[count++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, address);
    filter[count++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, (uint32_t)range[0], 0,
                                                   (uint8_t)(rows + 2));
    filter[count++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, (uint32_t)range[1],
                                                   (uint8_t)(rows + 1), 0);
    filter[count++] =
        (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (unsigned i = 0; i < rows; i++) {
        const int number = i < CALLS    ? calls[i].number
                           : i == CALLS ? SYS_rt_sigprocmask
                                        : SYS_rt_sigaction;
        filter[count++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number,
                                                       (uint8_t)(rows - i), 0);
    }
    filter[count++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    filter[count++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP);
    const struct sock_fprog program = {.len = count, .filter = filter};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

static _Noreturn void give_up(const char *why)
{
    fprintf(stderr, "torture: %s\n", why);
    _exit(126);
}

static void crashed(int number)
{
    signal(number, SIG_DFL);
    inside = true;
    trace("torture: it crashed at\n");
    raise(number);
}

__attribute__((constructor)) static void start(int argc, char **argv, char **environment)
{
    (void)argc;
    const char *path = getenv(TORTURE_FILE);
    if (path == NULL) {
        return;
    }
    const int file = open(path, O_RDWR | O_CLOEXEC);
    if (file < 0) {
        give_up("the file of the attack cannot be opened");
    }
    struct torture_shared *seen =
        mmap(NULL, sizeof *seen, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
    close(file);
    if (seen == MAP_FAILED) {
        give_up("the file of the attack cannot be mapped");
    }
    if (strcmp(seen->program, program_invocation_short_name) != 0) {
        munmap(seen, sizeof *seen);
        return;
    }
    void *frame;
    backtrace(&frame, 1); /* makes backtrace() load what it needs */
    if (!catch_calls(argv, environment)) {
        give_up("system calls cannot be caught");
    }
    if (seen->trace != 0) {
        signal(SIGSEGV, crashed);
        signal(SIGABRT, crashed);
    }
    shared = seen;
}
/* clang-format off */
/* NOLINTEND(readability-inconsistent-declaration-parameter-name,performance-no-int-to-ptr,bugprone-signal-handler) */
/* clang-format on */
