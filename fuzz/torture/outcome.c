/* Runs a subject once and records its outcome. */
#define _GNU_SOURCE
#include "torture.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CASE "floats.zeros:top_k fl=2.0 in=f32[1,1,3,2] axis=3 k=2 data=zeros.1:559542"

#define MAX_WORDS       64
#define ORPHANS_SECONDS 10
/* size of the file that the library maps, which limits do not count */
#define ATTACKER_BYTES (sizeof(struct torture_shared) + (1u << 20))

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* ---- command lines --------------------------------------------------------------------------- */

struct command {
    struct text words; /* each word ends with a 0 */
    char *argv[MAX_WORDS];
};

static void add_word(struct text *words, const char *word, size_t length, const struct place *place,
                     unsigned slot)
{
    for (size_t i = 0; i < length;) {
        if (strncmp(word + i, "@OUT", 4) == 0) {
            text_print(words, "%s/%u/out", place->work, slot);
            i += 4;
        } else if (strncmp(word + i, "@IN", 3) == 0) {
            text_print(words, "%s/in", place->work);
            i += 3;
        } else if (strncmp(word + i, "@BIN", 4) == 0) {
            text_print(words, "%s", place->bin);
            i += 4;
        } else if (strncmp(word + i, "@CASE", 5) == 0) {
            text_print(words, "%s", CASE);
            i += 5;
        } else {
            text_add(words, word + i, 1);
            i++;
        }
    }
    text_add(words, "", 1);
}

static void command_make(struct command *command, const struct place *place, unsigned slot,
                         const char *list, const char *more)
{
    struct text whole = {0};
    size_t count = 0;
    *command = (struct command){{0}, {NULL}};
    text_print(&whole, "%s/topk-cts|%s%s%s", place->bin, list, more == NULL ? "" : "|",
               more == NULL ? "" : more);
    for (const char *at = whole.at; at != NULL;) {
        const char *end = strchr(at, '|');
        add_word(&command->words, at, end == NULL ? strlen(at) : (size_t)(end - at), place, slot);
        count++;
        at = end == NULL ? NULL : end + 1;
    }
    const char *word = command->words.at;
    for (size_t i = 0; i < count && i < MAX_WORDS - 1; i++) {
        command->argv[i] = (char *)word;
        word += strlen(word) + 1;
    }
    text_free(&whole);
}

/* ---- the process ----------------------------------------------------------------------------- */

static void limit_process(const struct limit *limit, uint64_t value)
{
    if (limit->resource == RLIMIT_NPROC && geteuid() == 0 && setresuid(60000, 60000, 60000) != 0) {
        _exit(125); /* root is exempt from the limit, and we are still root */
    }
    if (limit->resource == RLIMIT_AS) {
        value += ATTACKER_BYTES;
    }
    const struct rlimit both = {value, value};
    setrlimit(limit->resource, &both);
}

static _Noreturn void child(const struct place *place, unsigned slot,
                            const struct torture_shared *shared, const struct point *point,
                            const struct command *command, const int files[2])
{
    char home[4096], preload[4096], file[4096], path[4096];
    snprintf(home, sizeof home, "HOME=%s/%u", place->work, slot);
    snprintf(preload, sizeof preload, "LD_PRELOAD=%s", place->library);
    snprintf(file, sizeof file, TORTURE_FILE "=%s/%u/shared", place->work, slot);
    snprintf(path, sizeof path, "PATH=%s:/usr/bin:/bin", place->bin);
    const bool attacked = shared->program[0] != 0;
    char *const environment[] = {
        path, home, "LC_ALL=C", "MALLOC_ARENA_MAX=1", attacked ? preload : NULL, file, NULL};
    const int nothing = open("/dev/null", O_RDONLY);
    snprintf(path, sizeof path, "%s/%u", place->work, slot);
    if (nothing < 0 || chdir(path) != 0) {
        _exit(125);
    }
    snprintf(path, sizeof path, "PATH=%s:/usr/bin:/bin", place->bin);
    dup2(nothing, 0);
    dup2(files[0], 1);
    dup2(files[1], 2);
    syscall(SYS_close_range, 3, ~0U, 0);
    if (point != NULL && point->way == CLOSED) {
        for (int i = 0; i < 3; i++) {
            if ((point->number >> i & 1) != 0) {
                close(i);
            }
        }
    }
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (point != NULL && point->way == LIMIT) {
        limit_process(&limits[point->which], point->number);
    }
    if (command->argv[0] != NULL) {
        execve(command->argv[0], command->argv, environment);
    }
    _exit(125);
}

/* Sends a signal to all children of this process, which also inherits processes that lose their
 * parent. Returns false if there are none. */
static bool each_child(int signal)
{
    struct text list = {0};
    char path[64];
    bool any = false;
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    text_read(&list, path);
    for (char *at = list.at, *end; at != NULL; at = end) {
        const long pid = strtol(at, &end, 10);
        if (end == at) {
            break;
        }
        any = true;
        if (signal != 0) {
            kill((pid_t)pid, signal);
        }
    }
    text_free(&list);
    return any;
}

static void pause_ms(long milliseconds)
{
    nanosleep(&(struct timespec){milliseconds / 1000, milliseconds % 1000 * 1000000}, NULL);
}

/* Waits for processes left over from a run to end on their own. Returns whether some did not. */
static bool orphans_stay(void)
{
    const double end = now() + ORPHANS_SECONDS;
    for (;;) {
        const pid_t pid = waitpid(-1, NULL, WNOHANG);
        if (pid < 0 && errno == ECHILD) {
            return false;
        }
        if (pid == 0) {
            if (now() > end) {
                break;
            }
            pause_ms(5);
        }
    }
    while (each_child(SIGKILL)) {
        while (waitpid(-1, NULL, WNOHANG) > 0) {
        }
        pause_ms(5);
    }
    return true;
}

/* Returns the descendant process that has this name in /proc, or -1. */
static pid_t find_below(pid_t parent, const char *name, int depth)
{
    char path[64];
    struct text list = {0};
    pid_t found = -1;
    snprintf(path, sizeof path, "/proc/%d/comm", (int)parent);
    struct text comm = {0};
    text_read(&comm, path);
    if (comm.length > 1 && strncmp(comm.at, name, comm.length - 1) == 0 &&
        strlen(name) == comm.length - 1) {
        found = parent;
    }
    text_free(&comm);
    if (found < 0 && depth < 4) {
        snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)parent, (int)parent);
        text_read(&list, path);
        for (char *at = list.at, *end; at != NULL && found < 0; at = end) {
            const long pid = strtol(at, &end, 10);
            if (end == at) {
                break;
            }
            found = find_below((pid_t)pid, name, depth + 1);
        }
        text_free(&list);
    }
    return found;
}

/* Sends a signal at a moment chosen by the number: up to half a second after the start. */
static bool send_signal(pid_t pid, const struct point *point)
{
    const uint64_t mixed = (point->number + 1) * UINT64_C(0x9e3779b97f4a7c15);
    pause_ms((long)(mixed >> 33) % 400 + 1);
    const pid_t whom = find_below(pid, program_names[point->program], 0);
    return whom > 0 && kill(whom, signal_numbers[point->which]) == 0;
}

static void wait_for(struct outcome *outcome, pid_t pid, double limit)
{
    const int descriptor = (int)syscall(SYS_pidfd_open, pid, 0);
    const double end = now() + limit;
    for (;;) {
        struct pollfd wanted = {.fd = descriptor, .events = POLLIN};
        const double left = end - now();
        if (left <= 0) {
            outcome->hung = true;
            kill(pid, SIGKILL);
            break;
        }
        if (poll(&wanted, 1, (int)(left * 1000) + 1) > 0) {
            break;
        }
    }
    close(descriptor);
    while (waitpid(pid, &outcome->status, 0) < 0 && errno == EINTR) {
    }
}

/* ---- files ----------------------------------------------------------------------------------- */

static void remove_below(const char *path)
{
    DIR *folder = opendir(path);
    if (folder == NULL) {
        unlink(path);
        return;
    }
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            struct text below = {0};
            text_print(&below, "%s/%s", path, entry->d_name);
            if (entry->d_type == DT_DIR) {
                remove_below(below.at);
            } else {
                unlink(below.at);
            }
            text_free(&below);
        }
    }
    closedir(folder);
    rmdir(path);
}

static int ordered(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static void read_below(struct text *files, const char *path, const char *name)
{
    struct dirent **entries = NULL;
    const int count = scandir(path, &entries, NULL, ordered);
    for (int i = 0; i < count; i++) {
        const char *entry = entries[i]->d_name;
        struct text below = {0};
        struct text shown = {0};
        text_print(&below, "%s/%s", path, entry);
        text_print(&shown, "%s%s", name, entry);
        if (strcmp(entry, ".") == 0 || strcmp(entry, "..") == 0) {
            /* the entry is gone */
        } else if (entries[i]->d_type == DT_DIR) {
            text_print(&shown, "/");
            read_below(files, below.at, shown.at);
        } else {
            text_print(files, "\n== %s\n", shown.at);
            text_read(files, below.at);
        }
        text_free(&below);
        text_free(&shown);
        free(entries[i]);
    }
    free(entries);
}

static void folder_make(const char *path)
{
    if ((mkdir(path, 0777) != 0 && errno != EEXIST) || chmod(path, 0777) != 0) {
        die("cannot make %s", path);
    }
}

/* ---- a run ----------------------------------------------------------------------------------- */

static void prepare(const struct place *place, unsigned slot, const struct subject *subject,
                    bool keep)
{
    struct text out = {0};
    text_print(&out, "%s/%u/out", place->work, slot);
    if (!keep) {
        remove_below(out.at);
        folder_make(out.at);
        if (subject->old != NULL) {
            text_print(&out, "/%s", subject->old);
            FILE *old = fopen(out.at, "w");
            if (old == NULL || fputs("old\n", old) < 0 || fclose(old) != 0) {
                die("cannot write %s", out.at);
            }
        }
    }
    text_free(&out);
}

static void attack(struct torture_shared *shared, const struct point *point)
{
    for (size_t i = 0; i < TORTURE_CLASSES; i++) {
        atomic_store(&shared->count[i], 0);
    }
    atomic_store(&shared->hits, 0);
    atomic_store(&shared->told, 0);
    shared->class = -1;
    if (point != NULL) {
        memset(shared->program, 0, sizeof shared->program);
    }
    if (point != NULL && point->way == FAULT) {
        const struct fault *fault = &faults[point->which];
        snprintf(shared->program, sizeof shared->program, "%s", program_names[point->program]);
        shared->class = (int32_t)fault->class;
        shared->error = fault->error;
        shared->ever = fault->ever;
        shared->point = point->number;
    }
}

static const char *hostile_words(const struct point *point, struct text *words)
{
    const struct hostile *hostile = &hostiles[point->which];
    if (hostile->worker) {
        text_print(
            words,
            "run|--profile|peers|--worker|@BIN/chaos_worker rate=1,kinds=%s @BIN/topk-worker "
            "--backend "
            "cpu|--out|@OUT|--no-identity|--no-probes|--timeout|0.5|--max-timeouts|2|--retries|0",
            hostile->word);
    } else {
        text_print(
            words,
            "run|@CASE|--backend-command|HOSTILE_STATE=@OUT/state @BIN/hostile %s|--out|@OUT|"
            "--no-identity|--timeout|0.5|--max-timeouts|2|--retries|0",
            hostile->word);
    }
    return words->at;
}

void outcome_make(struct outcome *outcome, const struct place *place, unsigned slot,
                  struct torture_shared *shared, const struct subject *subject,
                  const struct point *point, const char *more, bool keep)
{
    struct command command;
    struct text words = {0};
    *outcome = (struct outcome){0};
    const int files[2] = {memfd_create("out", MFD_CLOEXEC), memfd_create("err", MFD_CLOEXEC)};
    prepare(place, slot, subject, keep);
    attack(shared, point);
    command_make(&command, place, slot,
                 point != NULL && point->way == HOSTILE ? hostile_words(point, &words)
                                                        : subject->words,
                 more);
    const pid_t pid = fork();
    if (pid < 0 || files[0] < 0 || files[1] < 0) {
        die("cannot start a process");
    }
    if (pid == 0) {
        child(place, slot, shared, point, &command, files);
    }
    if (point != NULL && point->way == SIGNAL) {
        outcome->hit = send_signal(pid, point);
    }
    wait_for(outcome, pid, place->limit);
    outcome->orphans = orphans_stay();
    outcome->hit = outcome->hit || atomic_load(&shared->hits) > 0 ||
                   (point != NULL && point->way != FAULT && point->way != SIGNAL);
    for (int i = 0; i < 2; i++) {
        char path[64];
        snprintf(path, sizeof path, "/proc/self/fd/%d", files[i]);
        text_read(i == 0 ? &outcome->out : &outcome->err, path);
        close(files[i]);
    }
    struct text out = {0};
    text_print(&out, "%s/%u/out", place->work, slot);
    read_below(&outcome->files, out.at, "");
    text_free(&out);
    text_free(&command.words);
    text_free(&words);
}

void outcome_free(struct outcome *outcome)
{
    text_free(&outcome->out);
    text_free(&outcome->err);
    text_free(&outcome->files);
}
