/* The packages of files. Of the packages that are likely by the names of the files, dpkg-query
 * lists the files. It looks through all packages only for files that are not among these, because
 * that takes it seven times as long. Where dpkg knows no file, rpm is asked. */
#define _POSIX_C_SOURCE 200809L
#include "owner.h"

#include <ctype.h>
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

/* A package that may own one of the files. */
struct likely {
    char text[TOPK_OWNER_TEXT]; /* name and version */
    size_t name;                /* length of the name */
};

struct topk_owners {
    char **paths; /* owned */
    size_t count;
    char (*texts)[TOPK_OWNER_TEXT]; /* owned: the answer */
    bool answered;
    size_t taken;          /* lines of rpm that were read */
    char **arguments;      /* owned: room for the arguments of a program */
    struct running first;  /* dpkg-query for the likely packages */
    struct likely *likely; /* owned */
    size_t likely_count;
    size_t listed; /* likely packages whose files were read */
};

/* room for likely packages; of several that match a pattern, few have libraries */
static size_t likely_room(size_t paths)
{
    return 4 * paths + 8;
}

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

static bool is_path(const char *asked, const char *path)
{
    const char *other = other_path(asked);
    return strcmp(path, asked) == 0 || (other != NULL && strcmp(path, other) == 0);
}

/* Whether packages install files there: not in home folders, and not what was built or unpacked
 * elsewhere. */
static bool is_system(const char *path)
{
    static const char *const folders[] = {"/usr/", "/lib", "/bin/", "/sbin/", "/opt/"};
    bool found = false;
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        found = found || strncmp(path, folders[i], strlen(folders[i])) == 0;
    }
    return found && strncmp(path, "/usr/local/", 11) != 0;
}

/* Writes a pattern for the package that is likely to own a file. By Debian's rules for the names of
 * libraries, that of libfoo_bar.so.1.2 begins with libfoo-bar1. Anything else is taken to have the
 * name of its package. */
static void likely_package(const char *path, char pattern[TOPK_OWNER_TEXT])
{
    const char *slash = strrchr(path, '/');
    const char *name = slash == NULL ? path : slash + 1;
    const char *end = strstr(name, ".so");
    const int length = end == NULL ? (int)strlen(name) : (int)(end - name);
    const char *version = end == NULL || end[3] != '.' ? "" : end + 4;
    const int digits = (int)strspn(version, "0123456789");
    if (digits == 0) {
        snprintf(pattern, TOPK_OWNER_TEXT, "%.*s", length, name);
    } else if (strncmp(name, "libicu", 6) == 0) {
        snprintf(pattern, TOPK_OWNER_TEXT, "libicu%.*s*", digits, version);
    } else if (strncmp(name, "libz.", 5) == 0) {
        snprintf(pattern, TOPK_OWNER_TEXT, "zlib%.*s*", digits, version);
    } else if (length > 0 && isdigit((unsigned char)name[length - 1])) {
        /* libfoo2.so.1 is in libfoo2-1, or in libfoo2 */
        snprintf(pattern, TOPK_OWNER_TEXT, "%.*s*", length, name);
    } else {
        snprintf(pattern, TOPK_OWNER_TEXT, "%.*s%.*s*", length, name, digits, version);
    }
    for (char *at = pattern; *at != 0; at++) {
        *at = (char)(*at == '_' ? '-' : tolower((unsigned char)*at));
    }
}

/* Takes a line such as "installed libfoo1:amd64 1.2-3". */
static void take_likely(struct topk_owners *owners, char *line)
{
    static const char installed[] = "installed ";
    const char *text = line + sizeof installed - 1;
    if (strncmp(line, installed, sizeof installed - 1) != 0 ||
        owners->likely_count == likely_room(owners->count)) {
        return;
    }
    struct likely *likely = &owners->likely[owners->likely_count];
    snprintf(likely->text, sizeof likely->text, "%s", text);
    likely->name = strcspn(likely->text, " ");
    owners->likely_count += likely->text[likely->name] == ' ';
}

static void start_dpkg(struct topk_owners *owners)
{
    char(*patterns)[TOPK_OWNER_TEXT] = calloc(owners->count, sizeof *patterns);
    char **arguments = owners->arguments;
    size_t used = 0;
    arguments[used++] = "dpkg-query";
    arguments[used++] = "-W";
    arguments[used++] = "-f";
    arguments[used++] = "${db:Status-Status} ${binary:Package} ${Version}\n";
    arguments[used++] = "--";
    arguments[used++] = "libc6"; /* has the loader and several libraries */
    for (size_t i = 0; patterns != NULL && i < owners->count; i++) {
        likely_package(owners->paths[i], patterns[i]);
        if (patterns[i][0] != 0) {
            arguments[used++] = patterns[i];
        }
    }
    arguments[used] = NULL;
    owners->first = start_program(arguments);
    free(patterns);
}

/* Takes a line of the list of files of a package; an empty line is before the next package. */
static void take_file(struct topk_owners *owners, char *line)
{
    owners->listed += line[0] == 0;
    for (size_t i = 0; owners->listed < owners->likely_count && i < owners->count; i++) {
        if (owners->texts[i][0] == 0 && is_path(owners->paths[i], line)) {
            snprintf(owners->texts[i], TOPK_OWNER_TEXT, "%s", owners->likely[owners->listed].text);
        }
    }
}

static void list_likely(struct topk_owners *owners)
{
    char **arguments = owners->arguments;
    size_t used = 0;
    arguments[used++] = "dpkg-query";
    arguments[used++] = "-L";
    arguments[used++] = "--";
    for (size_t i = 0; i < owners->likely_count; i++) {
        owners->likely[i].text[owners->likely[i].name] = 0;
        arguments[used++] = owners->likely[i].text;
    }
    arguments[used] = NULL;
    if (owners->likely_count == 0) {
        return;
    }
    const struct running running = start_program(arguments);
    for (size_t i = 0; i < owners->likely_count; i++) {
        owners->likely[i].text[owners->likely[i].name] = ' ';
    }
    read_program(&running, take_file, owners);
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
        if (is_path(owners->paths[i], path)) {
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

/* Looks for the files that are still without a package in all packages. */
static void search_all(struct topk_owners *owners)
{
    char **arguments = owners->arguments;
    size_t used = 0;
    arguments[used++] = "dpkg-query";
    arguments[used++] = "-S";
    arguments[used++] = "--";
    const size_t first = used;
    for (size_t i = 0; i < owners->count; i++) {
        /* dpkg-query would take a path with these characters as a pattern. */
        if (owners->texts[i][0] == 0 && is_system(owners->paths[i]) &&
            strpbrk(owners->paths[i], "*?[\\") == NULL) {
            const char *other = other_path(owners->paths[i]);
            arguments[used++] = owners->paths[i];
            if (other != NULL) {
                arguments[used++] = (char *)other;
            }
        }
    }
    arguments[used] = NULL;
    if (used > first) {
        run_program(arguments, take_owner, owners);
    }
}

/* Asks for the versions of the packages that search_all() found. */
static void ask_versions(struct topk_owners *owners)
{
    char **arguments = owners->arguments;
    size_t used = 0;
    arguments[used++] = "dpkg-query";
    arguments[used++] = "-W";
    arguments[used++] = "-f";
    arguments[used++] = "${binary:Package} ${Version}\n";
    arguments[used++] = "--";
    const size_t first = used;
    for (size_t i = 0; i < owners->count; i++) {
        if (owners->texts[i][0] != 0 && strchr(owners->texts[i], ' ') == NULL) {
            arguments[used++] = owners->texts[i];
        }
    }
    arguments[used] = NULL;
    if (used > first) {
        /* On failure the packages keep no version, which is still correct. */
        run_program(arguments, take_version, owners);
    }
}

/* False if dpkg knows none of the files: it may be installed on a system of rpm. */
static bool finish_dpkg(struct topk_owners *owners)
{
    read_program(&owners->first, take_likely, owners);
    list_likely(owners);
    search_all(owners);
    ask_versions(owners);
    bool known = false;
    for (size_t i = 0; i < owners->count; i++) {
        known = known || owners->texts[i][0] != 0;
    }
    return known;
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
    owners->arguments = (char **)calloc(likely_room(count) + 16, sizeof *owners->arguments);
    owners->likely = calloc(likely_room(count), sizeof *owners->likely);
    bool good = owners->paths != NULL && owners->texts != NULL && owners->arguments != NULL &&
                owners->likely != NULL;
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
        read_program(&owners->first, take_likely, owners);
    }
    for (size_t i = 0; i < owners->count; i++) {
        free(owners->paths[i]);
    }
    free((void *)owners->paths);
    free(owners->texts);
    free((void *)owners->arguments);
    free(owners->likely);
    free(owners);
}
