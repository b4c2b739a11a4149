/* Modes that attack other processes: the judge, the runner that started it, files that belong to
 * others; and modes that try to outlive the run. */
#define _GNU_SOURCE /* for prlimit() */
#include "hostile.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- processes that are left behind ---------------------------------------------------------- */

static void fork_and_exit(struct frame *frame)
{
    (void)frame;
    if (fork() != 0) {
        _exit(EXIT_SUCCESS);
    }
    hang();
}

/* the child continues to serve */
static void fork_away(struct frame *frame)
{
    (void)frame;
    if (fork() != 0) {
        _exit(EXIT_SUCCESS);
    }
}

/* leaves the process group, so that killing the group misses it, and ends by itself later */
static void leave_group(struct frame *frame)
{
    (void)frame;
    if (fork() != 0) {
        _exit(EXIT_SUCCESS);
    }
    setsid();
    sleep_microseconds(3000000);
    _exit(EXIT_SUCCESS);
}

static void close_files(void)
{
    for (int file = 0; file < 64; file++) {
        close(file);
    }
}

/* starts an orphan in its own session; true in that process */
static bool detach(void)
{
    const pid_t child = fork();
    if (child == 0) {
        setsid();
        if (fork() == 0) {
            return true;
        }
        _exit(EXIT_SUCCESS);
    }
    if (child > 0) {
        waitpid(child, NULL, 0);
    }
    return false;
}

/* for two minutes: long enough to be found if nothing ends it */
static _Noreturn void stay_on(void)
{
    sleep_microseconds(120000000);
    _exit(EXIT_SUCCESS);
}

/* outlives the run with closed pipes */
static void stay(void)
{
    if (detach()) {
        close_files();
        stay_on();
    }
}

/* outlives the run with open pipes */
static void stay_holding(void)
{
    if (detach()) {
        stay_on();
    }
}

/* outlives the process, and answers in its place */
static void stay_answering(struct frame *frame)
{
    (void)frame;
    if (detach()) {
        return;
    }
    _exit(EXIT_SUCCESS);
}

/* for three seconds there is always a new orphan */
static void stay_renewed(void)
{
    if (detach()) {
        close_files();
        const uint64_t rounds = 3000;
        for (uint64_t round = 0; round < rounds; round++) {
            sleep_microseconds(1000);
            if (fork() != 0) {
                _exit(EXIT_SUCCESS);
            }
        }
        stay_on();
    }
}

/* ---- attacks on the judge and the runner ----------------------------------------------------- A
 * process is attacked only if it has the expected name. */

/* whether a process has this name */
static bool is_named(pid_t pid, const char *name)
{
    char path[64];
    char text[64] = "";
    snprintf(path, sizeof path, "/proc/%ld/comm", (long)pid);
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        return false;
    }
    const bool read = fgets(text, sizeof text, file) != NULL;
    fclose(file);
    text[strcspn(text, "\n")] = 0;
    return read && strcmp(text, name) == 0;
}

/* the judge's process id; 0 if the parent is another program */
static pid_t find_judge(void)
{
    return hostile.judge > 1 && is_named(hostile.judge, "topk-worker") ? hostile.judge : 0;
}

/* the process id of the judge's parent; 0 if it is no runner */
static pid_t find_runner(void)
{
    const pid_t judge = find_judge();
    const pid_t parent = judge == 0 ? 0 : parent_of(judge);
    return parent > 1 && is_named(parent, "topk-cts") ? parent : 0;
}

static void send(pid_t pid, int number)
{
    if (pid > 1) {
        kill(pid, number);
    }
}

static void kill_judge(struct frame *frame)
{
    if (moment_is_there(frame, 1)) {
        send(find_judge(), SIGKILL);
        hang();
    }
}

static void kill_judge_first(void)
{
    send(find_judge(), SIGKILL);
    hang();
}

/* only the runner can end the orphan then */
static void kill_judge_stay(void)
{
    stay();
    kill_judge_first();
}

static void stop_judge(struct frame *frame)
{
    const pid_t pid = find_judge();
    send(pid, SIGSTOP);
    spoil_each(frame, wrong_indices);
    say_answer(frame);
    sleep_microseconds(2500000);
    send(pid, SIGCONT);
}

static void kill_runner(struct frame *frame)
{
    if (moment_is_there(frame, 1)) {
        send(find_runner(), SIGKILL);
        hang();
    }
}

/* lowers the judge's resource limits */
static void limit_judge(struct frame *frame)
{
    (void)frame;
    const pid_t pid = find_judge();
    if (pid != 0) {
        prlimit(pid, RLIMIT_AS, &(struct rlimit){1 << 20, 1 << 20}, NULL);
        prlimit(pid, RLIMIT_NOFILE, &(struct rlimit){3, 3}, NULL);
    }
}

/* writes, in the judge's name, that the running case passed. If each case is one call, cases and
 * frames have the same numbers, from 0 and from 1. */
static void say_passed(int file, uint64_t number)
{
    char text[64];
    struct stat status;
    const int flags = fcntl(file, F_GETFL);
    if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY || fstat(file, &status) != 0 ||
        !S_ISFIFO(status.st_mode)) {
        return;
    }
    const int length =
        snprintf(text, sizeof text, "done %" PRIu64 " pass clause=- obs=0 ns=1\n", number - 1);
    if (write(file, text, (size_t)length) != length) {
        fputs("hostile: it cannot be written\n", stderr);
    }
}

static void inherited_files(struct frame *frame)
{
    for (int file = STDERR_FILENO + 1; file < 64; file++) {
        say_passed(file, frame->number);
    }
}

/* whether a file is one of its own three standard files */
static bool is_own(int file)
{
    struct stat status;
    struct stat own;
    if (fstat(file, &status) != 0) {
        return true;
    }
    for (int i = 0; i <= STDERR_FILENO; i++) {
        if (fstat(i, &own) == 0 && own.st_dev == status.st_dev && own.st_ino == status.st_ino) {
            return true;
        }
    }
    return false;
}

/* writes that into each file of another process */
static void say_passed_to(pid_t pid, uint64_t number)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/fd", (long)pid);
    DIR *folder = pid != 0 ? opendir(path) : NULL;
    const struct dirent *entry;
    while (folder != NULL && (entry = readdir(folder)) != NULL) { /* NOLINT: one thread */
        char name[sizeof path + sizeof entry->d_name];
        struct stat status;
        snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        if (stat(name, &status) != 0 || !S_ISFIFO(status.st_mode)) {
            continue;
        }
        const int file = open(name, O_WRONLY | O_NONBLOCK);
        if (file >= 0 && !is_own(file)) {
            say_passed(file, number);
        }
        if (file >= 0) {
            close(file);
        }
    }
    if (folder != NULL) {
        closedir(folder);
    }
}

static void judges_files(struct frame *frame)
{
    say_passed_to(find_judge(), frame->number);
}

static void runners_files(struct frame *frame)
{
    say_passed_to(find_runner(), frame->number);
}

/* the machine code that returns from a function */
#if defined(__x86_64__)
static const unsigned char return_code[] = {0xc3};
#elif defined(__aarch64__)
static const unsigned char return_code[] = {0xc0, 0x03, 0x5f, 0xd6};
#elif defined(__s390x__)
static const unsigned char return_code[] = {0x07, 0xfe};
#else
static const unsigned char return_code[] = {0}; /* unknown on this processor */
#endif

/* reads a whole file; NULL if that fails */
static unsigned char *read_file(const char *path, size_t *length)
{
    struct stat status;
    const int file = open(path, O_RDONLY);
    unsigned char *data = NULL;
    if (file >= 0 && fstat(file, &status) == 0 && status.st_size > 0) {
        *length = (size_t)status.st_size;
        data = malloc(*length);
        if (data != NULL && read(file, data, *length) != (ssize_t)*length) {
            free(data);
            data = NULL;
        }
    }
    if (file >= 0) {
        close(file);
    }
    return data;
}

/* the value of a symbol of an ELF file; 0 if there is none */
static uint64_t find_symbol(const unsigned char *data, size_t length, const char *name)
{
    Elf64_Ehdr head;
    if (length < sizeof head) {
        return 0;
    }
    memcpy(&head, data, sizeof head);
    for (uint32_t i = 0; i < head.e_shnum; i++) {
        Elf64_Shdr table;
        Elf64_Shdr names;
        memcpy(&table, data + head.e_shoff + (uint64_t)i * sizeof table, sizeof table);
        if (table.sh_type != SHT_SYMTAB) {
            continue;
        }
        memcpy(&names, data + head.e_shoff + (uint64_t)table.sh_link * sizeof names, sizeof names);
        for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= table.sh_size; at += sizeof(Elf64_Sym)) {
            Elf64_Sym symbol;
            memcpy(&symbol, data + table.sh_offset + at, sizeof symbol);
            if (strcmp((const char *)data + names.sh_offset + symbol.st_name, name) == 0) {
                return symbol.st_value + (head.e_type == ET_DYN ? 0 : UINT64_C(1) << 63);
            }
        }
    }
    return 0;
}

/* the address of a function in another process; 0 if it cannot be determined */
static uint64_t find_function(pid_t pid, const char *name)
{
    if (sizeof return_code == 1) {
        fprintf(stderr, "hostile: no instruction that returns is known for this processor\n");
        return 0;
    }
    char path[64];
    size_t length = 0;
    char *start_end = NULL;
    char line[512] = "";
    snprintf(path, sizeof path, "/proc/%ld/exe", (long)pid);
    unsigned char *program = pid != 0 ? read_file(path, &length) : NULL;
    uint64_t value = program == NULL ? 0 : find_symbol(program, length, name);
    free(program);
    snprintf(path, sizeof path, "/proc/%ld/maps", (long)pid);
    FILE *maps = value == 0 ? NULL : fopen(path, "r");
    if (maps == NULL || fgets(line, sizeof line, maps) == NULL) {
        fprintf(stderr, "hostile: %s is not found: %s\n", name,
                strerror(errno)); /* NOLINT(concurrency-mt-unsafe): one thread */
        value = 0;
    }
    if (maps != NULL) {
        fclose(maps);
    }
    const uint64_t base = strtoull(line, &start_end, 16);
    if (value >> 63 != 0) {
        return value & ~(UINT64_C(1) << 63); /* linked at a fixed address */
    }
    return value == 0 ? 0 : base + value;
}

/* makes a function of another process return immediately */
static void patch_by_memory(pid_t pid, const char *name)
{
    char path[64];
    const uint64_t address = find_function(pid, name);
    snprintf(path, sizeof path, "/proc/%ld/mem", (long)pid);
    const int file = address == 0 ? -1 : open(path, O_RDWR);
    if (file < 0 || pwrite(file, return_code, sizeof return_code, (off_t)address) < 0) {
        fprintf(stderr, "hostile: the memory of %ld cannot be written: %s\n", (long)pid,
                strerror(errno)); /* NOLINT(concurrency-mt-unsafe): one thread */
    }
    if (file >= 0) {
        close(file);
    }
}

static void patch_by_trace(pid_t pid, const char *name)
{
    const uint64_t address = find_function(pid, name);
    int status;
    if (address == 0 || ptrace(PTRACE_ATTACH, pid, NULL, NULL) != 0) {
        fprintf(stderr, "hostile: %ld cannot be traced: %s\n", (long)pid,
                strerror(errno)); /* NOLINT(concurrency-mt-unsafe): one thread */
        return;
    }
    waitpid(pid, &status, 0);
    long word = 0;
    void *at = (void *)(uintptr_t)address; /* NOLINT(performance-no-int-to-ptr) */
    memcpy(&word, return_code, sizeof return_code);
    ptrace(PTRACE_POKETEXT, pid, at, (void *)word); /* NOLINT(performance-no-int-to-ptr) */
    ptrace(PTRACE_DETACH, pid, NULL, NULL);
}

/* the function that judges outputs, and the one that parses verdicts */
#define OF_JUDGE  "topk_judge_result"
#define OF_RUNNER "topk_verdict_wrong"

static void patch_judge(void)
{
    patch_by_memory(find_judge(), OF_JUDGE);
}

static void trace_judge(void)
{
    patch_by_trace(find_judge(), OF_JUDGE);
}

static void patch_runner(void)
{
    patch_by_memory(find_runner(), OF_RUNNER);
}

static void trace_runner(void)
{
    patch_by_trace(find_runner(), OF_RUNNER);
}

/* ---- the modes ------------------------------------------------------------------------------- */

const struct mode reach_modes[] = {
    /* processes that outlive the run */
    {"fork-and-exit", "a child keeps the pipes, and it exits", .answer = fork_and_exit},
    {"fork-away", "a child answers wrongly and is deaf, and it exits", .spoil = fork_away,
     .spoil_call = wrong_indices, .deaf = true},
    {"leave-group", "a child in a session of its own keeps the pipes for 3 s",
     .answer = leave_group},
    {"stay", "a process in a session of its own lives on", .begin = stay,
     .spoil_call = wrong_indices},
    {"stay-holding", "the same, with the pipes", .begin = stay_holding,
     .spoil_call = wrong_indices},
    {"stay-renewed", "the same, and each 1 ms it is another process", .begin = stay_renewed,
     .spoil_call = wrong_indices},
    {"stay-at-quit", "the same, from the moment that it is told to quit",
     .spoil_call = wrong_indices, .quit = stay},
    {"stay-answering", "it is the one that leaves the session that answers",
     .spoil = stay_answering, .spoil_call = wrong_indices, .deaf = true},
    {"kill-judge-stay", "leaves a process behind and kills the judge", .begin = kill_judge_stay},
    /* the judge and the runner */
    {"kill-judge", "kills the judge in the second frame", .answer = kill_judge},
    {"kill-judge-first", "kills the judge before it introduces itself", .begin = kill_judge_first},
    {"stop-judge", "stops the judge for 2.5 s, and is wrong", .answer = stop_judge},
    {"limit-judge", "takes memory and files from the judge, and is wrong",
     .spoil_call = wrong_indices, .spoil = limit_judge},
    {"kill-runner", "kills the runner in the second frame", .answer = kill_runner},
    {"inherited-files", "says that it passed into each file that it inherited",
     .spoil_call = wrong_indices, .spoil = inherited_files},
    {"judges-files", "says that it passed into the files of the judge", .spoil_call = wrong_indices,
     .spoil = judges_files},
    {"runners-files", "says that it passed into the files of the runner",
     .spoil_call = wrong_indices, .spoil = runners_files},
    {"patch-judge", "changes the judge by /proc/PID/mem, and is wrong", .begin = patch_judge,
     .spoil_call = wrong_indices},
    {"trace-judge", "changes the judge by ptrace, and is wrong", .begin = trace_judge,
     .spoil_call = wrong_indices},
    {"patch-runner", "changes the runner by /proc/PID/mem, and is wrong", .begin = patch_runner,
     .spoil_call = wrong_indices},
    {"trace-runner", "changes the runner by ptrace, and is wrong", .begin = trace_runner,
     .spoil_call = wrong_indices},
    {.name = NULL},
};
