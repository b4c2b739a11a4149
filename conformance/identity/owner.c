/* The packages of files: dpkg-query runs once for all files and once for the versions, or rpm runs
 * once. The first of these runs while the caller does something else. */
#define _POSIX_C_SOURCE 200809L
#include "owner.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ; /* NOLINT(readability-redundant-declaration): not every system declares it */

/* ---- running programs ------------------------------------------------------------------------ */

/* A program whose output is to be read. */
struct running {
    pid_t pid; /* 0: it could not be started */
    int out;   /* -1: none */
};

struct topk_owners {
    char **paths; /* owned */
    size_t count;
    char (*texts)[TOPK_OWNER_TEXT]; /* owned: the answer */
    bool answered;
    size_t taken;         /* lines of rpm that were read */
    char **arguments;     /* owned: room for the arguments of a program */
    struct running first; /* dpkg-query for the names of packages */
};

static struct running start_program(char *const *arguments)
{
    posix_spawn_file_actions_t actions;
    struct running running = {.out = -1};
    int ends[2];
    if (pipe(ends) != 0) {
        return running;
    }
    (void)fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[1]);
    if (posix_spawnp(&running.pid, arguments[0], &actions, NULL, arguments, environ) != 0) {
        running.pid = 0;
    }
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    running.out = ends[0];
    return running;
}

/* Calls take() for each line of the output of a program, and waits for its end. Failures give no
 * lines: a file then has no package, as if the program did not know it. */
static void read_program(const struct running *running,
                         void (*take)(struct topk_owners *owners, char *line),
                         struct topk_owners *owners)
{
    FILE *out = running->out < 0 ? NULL : fdopen(running->out, "r");
    char *line = NULL;
    size_t room = 0;
    while (out != NULL && getline(&line, &room, out) > 0) {
        line[strcspn(line, "\n")] = 0;
        take(owners, line);
    }
    free(line);
    if (out != NULL) {
        fclose(out);
    } else if (running->out >= 0) {
        close(running->out);
    }
    while (running->pid > 0 && waitpid(running->pid, NULL, 0) < 0 && errno == EINTR) {
    }
}

static void run_program(char *const *arguments,
                        void (*take)(struct topk_owners *owners, char *line),
                        struct topk_owners *owners)
{
    const struct running running = start_program(arguments);
    read_program(&running, take, owners);
}

/* ---- dpkg ------------------------------------------------------------------------------------ */

/* Debian moved folders of the root into /usr; dpkg may know a file there by either path. */
static const char *other_path(const char *path)
{
    return strncmp(path, "/usr/", 5) == 0 ? path + 4 : NULL;
}

/* Takes a line such as "libfoo1:amd64, libbar: /usr/lib/libfoo.so.1". */
static void take_owner(struct topk_owners *owners, char *line)
{
    char *path = strstr(line, ": /");
    if (path == NULL) {
        return;
    }
    *path = 0;
    path += 2;
    line[strcspn(line, ",")] = 0;
    if (strchr(line, ' ') != NULL) {
        return; /* a sentence about a diversion, a file that replaces another package's */
    }
    for (size_t i = 0; i < owners->count; i++) {
        const char *other = other_path(owners->paths[i]);
        if (strcmp(path, owners->paths[i]) == 0 || (other != NULL && strcmp(path, other) == 0)) {
            snprintf(owners->texts[i], TOPK_OWNER_TEXT, "%s", line);
        }
    }
}

/* Takes a line such as "libfoo1:amd64 1.2-3". */
static void take_version(struct topk_owners *owners, char *line)
{
    const size_t length = strcspn(line, " ");
    for (size_t i = 0; i < owners->count; i++) {
        if (strlen(owners->texts[i]) == length && memcmp(owners->texts[i], line, length) == 0) {
            snprintf(owners->texts[i], TOPK_OWNER_TEXT, "%s", line);
        }
    }
}

static void start_dpkg(struct topk_owners *owners)
{
    char **arguments = owners->arguments;
    size_t used = 0;
    arguments[used++] = "dpkg-query";
    arguments[used++] = "-S";
    arguments[used++] = "--";
    for (size_t i = 0; i < owners->count; i++) {
        /* dpkg-query would take a path with these characters as a pattern. */
        if (owners->paths[i][0] == '/' && strpbrk(owners->paths[i], "*?[\\") == NULL) {
            const char *other = other_path(owners->paths[i]);
            arguments[used++] = owners->paths[i];
            if (other != NULL) {
                arguments[used++] = (char *)other;
            }
        }
    }
    arguments[used] = NULL;
    owners->first = start_program(arguments);
}

/* False if dpkg knows none of the files: it may be installed on a system of rpm. */
static bool finish_dpkg(struct topk_owners *owners)
{
    char **arguments = owners->arguments;
    size_t used = 0;
    read_program(&owners->first, take_owner, owners);
    arguments[used++] = "dpkg-query";
    arguments[used++] = "-W";
    arguments[used++] = "-f";
    arguments[used++] = "${binary:Package} ${Version}\n";
    arguments[used++] = "--";
    const size_t first = used;
    for (size_t i = 0; i < owners->count; i++) {
        if (owners->texts[i][0] != 0) {
            arguments[used++] = owners->texts[i];
        }
    }
    arguments[used] = NULL;
    if (used > first) {
        /* On failure the packages keep no version, which is still correct. */
        run_program(arguments, take_version, owners);
    }
    return used > first;
}

/* ---- rpm ------------------------------------------------------------------------------------- */

/* Takes rpm's line for the next file: "=libfoo.x86_64 1.2-3", or a sentence if no package owns
 * it. */
static void take_next(struct topk_owners *owners, char *line)
{
    if (owners->taken < owners->count && line[0] == '=') {
        snprintf(owners->texts[owners->taken], TOPK_OWNER_TEXT, "%s", line + 1);
    }
    owners->taken++;
}

static void ask_rpm(struct topk_owners *owners)
{
    char **arguments = owners->arguments;
    size_t used = 0;
    arguments[used++] = "rpm";
    arguments[used++] = "-qf";
    arguments[used++] = "--qf";
    arguments[used++] = "=%{NAME}.%{ARCH} %{VERSION}-%{RELEASE}\\n";
    arguments[used++] = "--";
    for (size_t i = 0; i < owners->count; i++) {
        arguments[used++] = owners->paths[i];
    }
    arguments[used] = NULL;
    run_program(arguments, take_next, owners);
    /* A file of two packages has two lines, so lines no longer match files. */
    for (size_t i = 0; owners->taken != owners->count && i < owners->count; i++) {
        owners->texts[i][0] = 0;
    }
}

/* ---- the question ---------------------------------------------------------------------------- */

struct topk_owners *topk_owners_ask(const char *const *paths, size_t count)
{
    struct topk_owners *owners = calloc(1, sizeof *owners);
    if (owners == NULL) {
        return NULL;
    }
    owners->paths = (char **)calloc(count + 1, sizeof *owners->paths);
    owners->texts = calloc(count + 1, sizeof *owners->texts);
    owners->arguments = (char **)calloc(2 * count + 16, sizeof *owners->arguments);
    bool good = owners->paths != NULL && owners->texts != NULL && owners->arguments != NULL;
    for (; good && owners->count < count; owners->count += good) {
        owners->paths[owners->count] = strdup(paths[owners->count]);
        good = owners->paths[owners->count] != NULL;
    }
    owners->answered = !good || count == 0;
    if (!good) {
        topk_owners_free(owners);
        return NULL;
    }
    if (count > 0) {
        start_dpkg(owners);
    }
    return owners;
}

const char *topk_owners_of(struct topk_owners *owners, const char *path)
{
    if (!owners->answered && !finish_dpkg(owners)) {
        ask_rpm(owners);
    }
    owners->answered = true;
    for (size_t i = 0; i < owners->count; i++) {
        if (strcmp(owners->paths[i], path) == 0) {
            return owners->texts[i];
        }
    }
    return NULL;
}

void topk_owners_free(struct topk_owners *owners)
{
    if (owners == NULL) {
        return;
    }
    if (!owners->answered) {
        read_program(&owners->first, take_owner, owners);
    }
    for (size_t i = 0; i < owners->count; i++) {
        free(owners->paths[i]);
    }
    free((void *)owners->paths);
    free(owners->texts);
    free((void *)owners->arguments);
    free(owners);
}
