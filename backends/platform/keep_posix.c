/* Platform functions for POSIX: the keeper of a process under test, and ending everything that such
 * a process leaves behind.
 *
 * A keeper is the parent of a process under test. Descendants that lose their parent become
 * children of the keeper, even if they left its group or session. So the keeper can end all of
 * them. It does so when the process has ended, on SIGTERM, and when its own parent is gone, since
 * the system then sends it SIGTERM. This needs a separate process, because a killed process cannot
 * clean up. If something kills the keeper, that also ends the process, and the next process above,
 * the judge or the runner, does the rest.
 */
#define _POSIX_C_SOURCE 200809L
#include "keep_posix.h"
#include "platform.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/prctl.h>
#endif

/* nanoseconds in which orphans may end by themselves, since some must clean up, such as
 * scripts/wine-session; fewer if nobody waits for them */
#define ORPHAN_GRACE ((uint64_t)2000000000)
#define ORPHAN_HURRY ((uint64_t)500000000)
/* nanoseconds for which they are killed repeatedly, as long as there are more */
#define ORPHAN_KILLED ((uint64_t)5000000000)
/* rounds of killing without a pause, which defeat processes that fork quickly */
#define ORPHAN_ROUNDS 1000

/* numbers of signals */
#define SIGNALS 64

/* nanoseconds between two measurements of the processes */
#define LOOK_EVERY 20000000

struct topk_containment topk_keep_rules;

bool topk_contain(const struct topk_containment *rules, char *error, size_t error_bytes)
{
#if defined(__linux__)
    const bool measures = true;
#else
    const bool measures = false;
#endif
    if (!measures && (rules->memory > 0 || rules->cpu > 0)) {
        snprintf(error, error_bytes, "this system cannot say what several processes take");
        return false;
    }
    topk_keep_rules = *rules;
    return true;
}

static void pause_for(long nanoseconds)
{
    nanosleep(&(struct timespec){.tv_nsec = nanoseconds}, NULL);
}

/* ---- with its parent ------------------------------------------------------------------------- */

void topk_keep_end_with(pid_t parent)
{
#if defined(__linux__)
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    if (getppid() != parent) {
        _exit(EXIT_FAILURE); /* the parent ended in the meantime */
    }
}

void topk_process_end_with_parent(int64_t parent)
{
    topk_keep_end_with(parent == 0 ? getppid() : (pid_t)parent);
}

/* ---- files ----------------------------------------------------------------------------------- */

/* calls a function for each open file from `least` on */
static void each_file(int least, int context, void (*visit)(int file, int context))
{
    DIR *folder = opendir("/proc/self/fd");
    const struct dirent *entry;
    errno = folder == NULL ? errno : 0;
    while (folder != NULL &&
           (entry = readdir(folder)) != NULL) { /* NOLINT(concurrency-mt-unsafe): one thread */
        const int file = (int)strtol(entry->d_name, NULL, 10);
        if (isdigit((unsigned char)entry->d_name[0]) && file >= least && file != dirfd(folder)) {
            visit(file, context);
            errno = 0;
        }
    }
    const bool whole = folder != NULL && errno == 0;
    if (folder != NULL) {
        closedir(folder);
    }
    /* an open pipe would make others wait for its end */
    if (!whole) {
        const long most = sysconf(_SC_OPEN_MAX);
        for (int file = least; file < (most > 0 && most < 65536 ? most : 65536); file++) {
            visit(file, context);
        }
    }
}

static void close_on_exec(int file, int except)
{
    if (file != except) {
        const int flags = fcntl(file, F_GETFD);
        if (flags >= 0) {
            fcntl(file, F_SETFD, flags | FD_CLOEXEC);
        }
    }
}

static void close_other(int file, int except)
{
    if (file != except) {
        close(file);
    }
}

static void close_other_than_error(int file, int except)
{
    if (file != STDERR_FILENO) {
        close_other(file, except);
    }
}

void topk_files_close(void)
{
    each_file(STDERR_FILENO + 1, -1, close_other);
}

void topk_files_keep(void)
{
    each_file(STDERR_FILENO + 1, -1, close_on_exec);
}

/* ---- orphans
 * ------------------------------------------------------------------------------------- */

#if defined(__linux__)

/* whether orphans become our children */
static bool adopts;

/* The processes that got SIGTERM, to send it only once: a second one would interrupt their
 * cleanup. */
struct asked {
    long pids[64];
    size_t count;
};

static void ask_to_end(struct asked *asked, long pid)
{
    for (size_t i = 0; i < asked->count; i++) {
        if (asked->pids[i] == pid) {
            return;
        }
    }
    if (asked->count < sizeof asked->pids / sizeof asked->pids[0]) {
        asked->pids[asked->count++] = pid;
        kill((pid_t)pid, SIGTERM);
    }
}

enum treat {
    COUNT,
    ASK,
    KILL
};

struct children {
    bool (*keep)(int64_t pid);
    enum treat treat;
    struct asked *asked;
    uint32_t count;
};

static void treat_child(struct children *children, long pid)
{
    if (children->keep != NULL && children->keep(pid)) {
        return;
    }
    children->count++;
    if (children->treat == ASK) {
        ask_to_end(children->asked, pid);
    } else if (children->treat == KILL) {
        kill((pid_t)pid, SIGKILL);
    }
    if (children->treat != COUNT) {
        waitpid((pid_t)pid, NULL, WNOHANG);
    }
}

/* the parent of a process; 0 if it has ended */
static long parent_of(const char *pid)
{
    char path[64];
    char line[512] = "";
    long parent = 0;
    snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
    FILE *file = fopen(path, "re");
    if (file != NULL) {
        /* the name in parentheses may contain any character */
        const char *behind = fgets(line, sizeof line, file) == NULL ? NULL : strrchr(line, ')');
        parent = behind != NULL && strlen(behind) > 4 ? strtol(behind + 4, NULL, 10) : 0;
        fclose(file);
    }
    return parent;
}

/* used if the system does not list the children of a process */
static void search_children(struct children *children)
{
    DIR *processes = opendir("/proc");
    const struct dirent *entry;
    while (processes != NULL &&
           (entry = readdir(processes)) != NULL) { /* NOLINT(concurrency-mt-unsafe): one thread */
        if (isdigit((unsigned char)entry->d_name[0]) && parent_of(entry->d_name) == getpid()) {
            treat_child(children, strtol(entry->d_name, NULL, 10));
        }
    }
    if (processes != NULL) {
        closedir(processes);
    }
}

/* Counts the children, without those for which `keep` is true, and treats them as requested. */
static uint32_t count_children(bool (*keep)(int64_t pid), enum treat treat, struct asked *asked)
{
    char path[64];
    long pid;
    struct children children = {.keep = keep, .treat = treat, .asked = asked};
    snprintf(path, sizeof path, "/proc/self/task/%ld/children", (long)getpid());
    FILE *list = fopen(path, "re");
    if (list == NULL) {
        search_children(&children);
        return children.count;
    }
    while (fscanf(list, "%ld", &pid) == 1) {
        treat_child(&children, pid);
    }
    fclose(list);
    return children.count;
}

/* whether there are children; the system's list may miss one while others end */
static bool has_children(bool (*keep)(int64_t pid), enum treat treat, struct asked *asked)
{
    siginfo_t info;
    const bool listed = count_children(keep, treat, asked) > 0;
    return listed || (keep == NULL && waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0);
}

/* ends all children except those that are kept */
static void end_children(bool (*keep)(int64_t pid), uint64_t grace)
{
    struct asked asked = {.count = 0};
    uint64_t until = topk_clock_now() + grace;
    /* when a child ends, its own children become ours */
    while (has_children(keep, ASK, &asked) && topk_clock_now() < until) {
        pause_for(1000000);
    }
    until = topk_clock_now() + ORPHAN_KILLED;
    for (long round = 0; has_children(keep, KILL, NULL) && topk_clock_now() < until; round++) {
        if (round >= ORPHAN_ROUNDS) {
            pause_for(1000000);
        }
    }
}

#endif

void topk_orphans_adopt(void)
{
#if defined(__linux__)
    adopts =
        adopts || (count_children(NULL, COUNT, NULL) == 0 && prctl(PR_SET_CHILD_SUBREAPER, 1) == 0);
#endif
}

void topk_orphans_end(bool (*keep)(int64_t pid))
{
#if defined(__linux__)
    if (adopts) {
        end_children(keep, ORPHAN_GRACE);
    }
#else
    (void)keep;
#endif
}

/* ---- the keeper ------------------------------------------------------------------------------ */

void topk_keep_start(pid_t parent, sigset_t *before)
{
    sigset_t all;
    signal(SIGCHLD, SIG_DFL); /* otherwise ends of children would not be reported */
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, before);
    setsid(); /* killing the parent's group must not kill the keeper */
#if defined(__linux__)
    prctl(PR_SET_NAME, "topk-keeper");
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
#endif
    if (getppid() != parent) {
        _exit(EXIT_FAILURE);
    }
}

/* Whether the processes exceeded a limit; if so, records it. */
static bool is_over(struct topk_keep_note *note, uint64_t *began, uint32_t *sent)
{
    const struct topk_keep_measure now = topk_keep_measure();
    const uint32_t last = note == NULL ? 0 : note->sent;
    enum topk_keep_over over = TOPK_KEEP_WITHIN;
    if (last != *sent) {
        *sent = last;
        *began = now.cpu;
    }
    if (topk_keep_rules.memory > 0 && now.memory > topk_keep_rules.memory) {
        over = TOPK_KEEP_OVER_MEMORY;
    } else if (topk_keep_rules.cpu > 0 && now.cpu > *began + topk_keep_rules.cpu) {
        over = TOPK_KEEP_OVER_CPU;
    }
    if (over != TOPK_KEEP_WITHIN && note != NULL) {
        note->over = over;
    } else if (over != TOPK_KEEP_WITHIN) {
        fputs(over == TOPK_KEEP_OVER_MEMORY ? TOPK_CHILD_OVER_MEMORY "\n"
                                            : TOPK_CHILD_OVER_CPU "\n",
              stderr);
    }
    return over != TOPK_KEEP_WITHIN;
}

/* Waits for the child; false if it must be ended. */
static bool wait_for(pid_t child, struct topk_keep_note *note, int *status)
{
    const bool limited = topk_keep_rules.memory > 0 || topk_keep_rules.cpu > 0;
    uint64_t began = 0;
    uint32_t sent = 0;
    sigset_t wanted;
    sigemptyset(&wanted);
    sigaddset(&wanted, SIGCHLD);
    sigaddset(&wanted, SIGTERM);
    for (;;) {
        int how;
        pid_t ended;
        while ((ended = waitpid(-1, &how, WNOHANG)) > 0) {
            if (ended == child) {
                *status = how;
                return true;
            }
        }
        const int number =
            limited ? sigtimedwait(&wanted, NULL, &(struct timespec){.tv_nsec = LOOK_EVERY})
                    : sigwaitinfo(&wanted, NULL);
        if (number == SIGTERM || (limited && is_over(note, &began, &sent))) {
            return false;
        }
    }
}

/* ends this process in the same way as another one ended */
static _Noreturn void end_like(int status)
{
    if (WIFSIGNALED(status)) {
        const int number = WTERMSIG(status);
        sigset_t one;
        setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0}); /* no core file of the keeper */
        signal(number, SIG_DFL);
        sigemptyset(&one);
        sigaddset(&one, number);
        sigprocmask(SIG_UNBLOCK, &one, NULL);
        raise(number);
        _exit(128 + number);
    }
    _exit(WEXITSTATUS(status));
}

/* closes the keeper's files, standard error last: no other file must get its number meanwhile */
static void drop_files(int told, bool tells)
{
    each_file(0, told, close_other_than_error);
    if (!tells) {
        close(STDERR_FILENO);
    }
}

_Noreturn void topk_keep(pid_t child, pid_t parent, int told, struct topk_keep_note *note,
                         const char *folder)
{
    int status = 0;
    drop_files(told, note == NULL);
    if (!wait_for(child, note, &status)) {
        kill(child, SIGKILL);
        waitpid(child, &status, 0);
    }
    if (told >= 0 && write(told, &status, sizeof status) != sizeof status) {
        /* nobody wants to know */
    }
#if defined(__linux__)
    end_children(NULL, getppid() == parent ? ORPHAN_GRACE : ORPHAN_HURRY);
#endif
    topk_keep_folder_remove(folder);
    end_like(status);
}

/* sets limits that a process keeps, whatever it runs */
static void restrict_self(void)
{
    if (!topk_keep_rules.core_dumps) {
        /* One byte also stops programs that receive cores through a pipe: for these, Linux treats a
         * limit of 0 as no limit. */
        struct rlimit core;
        if (getrlimit(RLIMIT_CORE, &core) == 0 && core.rlim_max != 0) {
            setrlimit(RLIMIT_CORE, &(struct rlimit){1, 1});
        }
    }
#if defined(__linux__)
    if (!topk_keep_rules.new_privileges) {
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    }
#endif
}

void topk_keep_contain(pid_t keeper, const sigset_t *before, int memory, const char *folder)
{
    for (int number = 1; number <= SIGNALS; number++) {
        struct sigaction action;
        if (sigaction(number, NULL, &action) == 0 && (action.sa_flags & SA_SIGINFO) == 0 &&
            action.sa_handler == SIG_IGN) {
            signal(number, SIG_DFL); /* exec() resets only signals with handlers */
        }
    }
    setsid();
    topk_keep_end_with(keeper);
    restrict_self();
    if (folder[0] != 0) {
        setenv("TMPDIR", folder, 1); /* NOLINT(concurrency-mt-unsafe): one thread */
        if (topk_keep_rules.own_folder && chdir(folder) != 0) {
            /* if that fails, it works where it was started */
        }
    }
    each_file(STDERR_FILENO + 1, memory, close_on_exec);
    if (memory >= 0) {
        fcntl(memory, F_SETFD, 0);
    }
    sigprocmask(SIG_SETMASK, before, NULL);
}

void topk_process_keep(int64_t parent)
{
    sigset_t before;
    const pid_t starter = parent == 0 ? getppid() : (pid_t)parent;
    char folder[TOPK_KEEP_FOLDER];
    topk_keep_start(starter, &before);
    topk_keep_folder_make(folder);
    const pid_t keeper = getpid();
    const pid_t child = fork();
    if (child > 0) {
        topk_keep(child, starter, -1, NULL, folder);
    }
    if (child == 0) {
        topk_keep_contain(keeper, &before, -1, folder);
    } else { /* it continues without a keeper */
        topk_keep_folder_remove(folder);
        sigprocmask(SIG_SETMASK, &before, NULL);
    }
}

bool topk_process_become(const char *const *arguments, char *error, size_t error_bytes)
{
    execvp(arguments[0], (char *const *)arguments); /* execvp() does not change them */
    snprintf(error, error_bytes, "cannot start %s: %s", arguments[0],
             strerror(errno)); /* NOLINT(concurrency-mt-unsafe): one thread */
    return false;
}
