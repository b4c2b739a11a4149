/* The packages of files: dpkg-query runs once for all files and once for the versions, or rpm runs
 * once. */
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

struct asking {
    const char *const *paths;
    size_t count;
    char (*owners)[TOPK_OWNER_TEXT];
    size_t taken; /* lines of rpm that were read */
};

/* Runs a program and calls take() for each line of its output. False if it could not be run. */
static bool read_program(char *const *arguments, void (*take)(struct asking *asking, char *line),
                         struct asking *asking)
{
    posix_spawn_file_actions_t actions;
    int ends[2];
    pid_t pid;
    if (pipe(ends) != 0) {
        return false;
    }
    (void)fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[1]);
    const bool started = posix_spawnp(&pid, arguments[0], &actions, NULL, arguments, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    FILE *out = fdopen(ends[0], "r");
    char *line = NULL;
    size_t room = 0;
    while (started && out != NULL && getline(&line, &room, out) > 0) {
        line[strcspn(line, "\n")] = 0;
        take(asking, line);
    }
    free(line);
    const bool whole = out != NULL && feof(out) != 0;
    if (out != NULL) {
        fclose(out);
    } else {
        close(ends[0]);
    }
    int status = -1;
    while (started && waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    /* 127: the program is missing. Other statuses are no error: the programs fail when a file has
     * no package. */
    return started && whole && WIFEXITED(status) && WEXITSTATUS(status) != 127;
}

/* ---- dpkg ------------------------------------------------------------------------------------ */

/* Debian moved folders of the root into /usr; dpkg may know a file there by either path. */
static const char *other_path(const char *path)
{
    return strncmp(path, "/usr/", 5) == 0 ? path + 4 : NULL;
}

/* Takes a line such as "libfoo1:amd64, libbar: /usr/lib/libfoo.so.1". */
static void take_owner(struct asking *asking, char *line)
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
    for (size_t i = 0; i < asking->count; i++) {
        const char *other = other_path(asking->paths[i]);
        if (strcmp(path, asking->paths[i]) == 0 || (other != NULL && strcmp(path, other) == 0)) {
            snprintf(asking->owners[i], TOPK_OWNER_TEXT, "%s", line);
        }
    }
}

/* Takes a line such as "libfoo1:amd64 1.2-3". */
static void take_version(struct asking *asking, char *line)
{
    const size_t length = strcspn(line, " ");
    for (size_t i = 0; i < asking->count; i++) {
        if (strlen(asking->owners[i]) == length && memcmp(asking->owners[i], line, length) == 0) {
            snprintf(asking->owners[i], TOPK_OWNER_TEXT, "%s", line);
        }
    }
}

/* False if dpkg knows none of the files: it may be installed on a system of rpm. */
static bool ask_dpkg(struct asking *asking, char **arguments)
{
    size_t used = 0;
    arguments[used++] = "dpkg-query";
    arguments[used++] = "-S";
    arguments[used++] = "--";
    for (size_t i = 0; i < asking->count; i++) {
        /* dpkg-query would take a path with these characters as a pattern. */
        if (asking->paths[i][0] == '/' && strpbrk(asking->paths[i], "*?[\\") == NULL) {
            const char *other = other_path(asking->paths[i]);
            arguments[used++] = (char *)asking->paths[i];
            if (other != NULL) {
                arguments[used++] = (char *)other;
            }
        }
    }
    arguments[used] = NULL;
    (void)read_program(arguments, take_owner, asking);
    used = 1;
    arguments[used++] = "-W";
    arguments[used++] = "-f";
    arguments[used++] = "${binary:Package} ${Version}\n";
    arguments[used++] = "--";
    const size_t first = used;
    for (size_t i = 0; i < asking->count; i++) {
        if (asking->owners[i][0] != 0) {
            arguments[used++] = asking->owners[i];
        }
    }
    arguments[used] = NULL;
    if (used > first) {
        /* On failure the packages keep no version, which is still correct. */
        (void)read_program(arguments, take_version, asking);
    }
    return used > first;
}

/* ---- rpm ------------------------------------------------------------------------------------- */

/* Takes rpm's line for the next file: "=libfoo.x86_64 1.2-3", or a sentence if no package owns
 * it. */
static void take_next(struct asking *asking, char *line)
{
    if (asking->taken < asking->count && line[0] == '=') {
        snprintf(asking->owners[asking->taken], TOPK_OWNER_TEXT, "%s", line + 1);
    }
    asking->taken++;
}

static void ask_rpm(struct asking *asking, char **arguments)
{
    size_t used = 0;
    arguments[used++] = "rpm";
    arguments[used++] = "-qf";
    arguments[used++] = "--qf";
    arguments[used++] = "=%{NAME}.%{ARCH} %{VERSION}-%{RELEASE}\\n";
    arguments[used++] = "--";
    for (size_t i = 0; i < asking->count; i++) {
        arguments[used++] = (char *)asking->paths[i];
    }
    arguments[used] = NULL;
    (void)read_program(arguments, take_next, asking);
    /* A file of two packages has two lines, so lines no longer match files. */
    for (size_t i = 0; asking->taken != asking->count && i < asking->count; i++) {
        asking->owners[i][0] = 0;
    }
}

bool topk_owners_find(const char *const *paths, size_t count, char (*owners)[TOPK_OWNER_TEXT])
{
    struct asking asking = {.paths = paths, .count = count, .owners = owners};
    char **arguments = (char **)calloc(2 * count + 16, sizeof *arguments);
    for (size_t i = 0; i < count; i++) {
        owners[i][0] = 0;
    }
    if (arguments == NULL) {
        return false;
    }
    if (count > 0 && !ask_dpkg(&asking, arguments)) {
        ask_rpm(&asking, arguments);
    }
    free((void *)arguments);
    return true;
}
