/* Processes, from /proc of Linux. */
#define _POSIX_C_SOURCE 200809L
#include "descent.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "log/log.h"

#define PROC_PATH 64

static void proc_path(char path[PROC_PATH], int64_t pid, const char *what)
{
    snprintf(path, PROC_PATH, "/proc/%" PRId64 "/%s", pid, what);
}

/* ---- descendants ----------------------------------------------------------------------------- */

/* Returns the parent of a process; 0 if the process has ended. */
static int64_t parent_of(int64_t pid)
{
    char path[PROC_PATH];
    char line[1024] = "";
    long parent = 0;
    proc_path(path, pid, "stat");
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        return 0;
    }
    if (fgets(line, sizeof line, file) != NULL) {
        /* The name in brackets may contain any character. */
        const char *behind = strrchr(line, ')');
        if (behind != NULL && strlen(behind) > 4) {
            parent = strtol(behind + 4, NULL, 10); /* ") S 123" */
        }
    }
    fclose(file);
    return parent;
}

static bool read_all(struct topk_kin **kin, size_t *count)
{
    bool read = true;
    DIR *proc = opendir("/proc");
    const struct dirent *entry;
    while (proc != NULL && read && (entry = readdir(proc)) != NULL) {
        if (isdigit((unsigned char)entry->d_name[0])) {
            struct topk_kin *one = topk_list_add(kin, count, sizeof *one);
            read = one != NULL;
            if (read) {
                one->pid = strtoll(entry->d_name, NULL, 10);
                one->parent = parent_of(one->pid);
            }
        }
    }
    if (proc != NULL) {
        closedir(proc);
    }
    return read;
}

bool topk_processes_find(struct topk_processes *processes, const int64_t *roots, size_t count,
                         bool themselves)
{
    struct topk_kin *kin = NULL;
    size_t kin_count = 0;
    *processes = (struct topk_processes){NULL, 0};
    const bool found = read_all(&kin, &kin_count) &&
                       topk_descent_find(processes, kin, kin_count, roots, count, themselves, true);
    free(kin);
    return found;
}

/* ---- mappings -------------------------------------------------------------------------------- */

/* Decodes line feeds in a path, which the system writes as \012; in place. */
static void undo_escapes(char *path)
{
    char *to = path;
    for (const char *from = path; *from != 0; from++) {
        if (strncmp(from, "\\012", 4) == 0) {
            *to++ = '\n';
            from += 3;
        } else {
            *to++ = *from;
        }
    }
    *to = 0;
}

/* Parses "START-END rwxp OFFSET DEVICE INODE   PATH"; false if the mapping has no file. */
static bool parse_mapping(char *line, struct topk_mapping *mapping)
{
    static const char deleted[] = " (deleted)";
    char mode[5];
    int at = 0;
    if (sscanf(line, "%*s %4s %*s %*s %*s %n", mode, &at) != 1 || at == 0 || line[at] != '/') {
        return false;
    }
    char *path = line + at;
    path[strcspn(path, "\n")] = 0;
    const size_t length = strlen(path);
    mapping->path = path;
    mapping->code = strlen(mode) == 4 && mode[2] == 'x' && mode[3] == 'p';
    mapping->deleted =
        length > sizeof deleted - 1 && strcmp(path + length - (sizeof deleted - 1), deleted) == 0;
    if (mapping->deleted) {
        path[length - (sizeof deleted - 1)] = 0;
    }
    undo_escapes(path);
    return true;
}

int topk_process_mappings(int64_t pid,
                          bool (*take)(void *context, const struct topk_mapping *mapping),
                          void *context)
{
    char path[PROC_PATH];
    char *line = NULL;
    size_t room = 0;
    int result = 0;
    proc_path(path, pid, "maps");
    FILE *maps = fopen(path, "re");
    if (maps == NULL) {
        return -1;
    }
    while (result == 0 && getline(&line, &room, maps) > 0) {
        struct topk_mapping mapping;
        if (parse_mapping(line, &mapping) && !take(context, &mapping)) {
            result = 1;
        }
    }
    if (result == 0 && feof(maps) == 0) {
        result = -1;
    }
    free(line);
    fclose(maps);
    return result;
}

/* ---- command line and environment ------------------------------------------------------------ */

/* Calls take() for each zero-terminated text of a file. */
static int read_texts(int64_t pid, const char *what, bool (*take)(void *context, const char *text),
                      void *context)
{
    char path[PROC_PATH];
    char *text = NULL;
    size_t room = 0;
    int result = 0;
    proc_path(path, pid, what);
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        return -1;
    }
    while (result == 0 && getdelim(&text, &room, 0, file) > 0) {
        result = !take(context, text);
    }
    free(text);
    fclose(file);
    return result;
}

int topk_process_words(int64_t pid, bool (*take)(void *context, const char *word), void *context)
{
    return read_texts(pid, "cmdline", take, context);
}

int topk_process_variables(int64_t pid, bool (*take)(void *context, const char *variable),
                           void *context)
{
    return read_texts(pid, "environ", take, context);
}

void topk_process_name(int64_t pid, char name[TOPK_PROCESS_NAME])
{
    char path[PROC_PATH];
    char line[TOPK_PROCESS_NAME] = "";
    proc_path(path, pid, "comm");
    FILE *file = fopen(path, "re");
    if (file != NULL) {
        if (fgets(line, sizeof line, file) == NULL) {
            line[0] = 0;
        }
        fclose(file);
    }
    line[strcspn(line, "\n")] = 0;
    snprintf(name, TOPK_PROCESS_NAME, "%s", line[0] == 0 ? "?" : line);
}

/* Reads a link in the /proc folder of a process; "" if that fails. */
static void read_link(int64_t pid, const char *what, char *to, size_t size)
{
    char path[PROC_PATH];
    proc_path(path, pid, what);
    const ssize_t length = readlink(path, to, size - 1);
    to[length < 0 ? 0 : length] = 0;
}

void topk_process_program(int64_t pid, char *path, size_t size)
{
    read_link(pid, "exe", path, size);
}

bool topk_process_writes(int64_t pid, const char *path)
{
    char folder[PROC_PATH];
    bool writes = false;
    proc_path(folder, pid, "fd");
    DIR *dir = opendir(folder);
    const struct dirent *entry;
    while (dir != NULL && !writes && (entry = readdir(dir)) != NULL) {
        char to[4096];
        struct stat link;
        const ssize_t length = readlinkat(dirfd(dir), entry->d_name, to, sizeof to - 1);
        to[length < 0 ? 0 : length] = 0;
        /* The mode of the link shows how the file was opened. */
        writes = strcmp(to, path) == 0 &&
                 fstatat(dirfd(dir), entry->d_name, &link, AT_SYMLINK_NOFOLLOW) == 0 &&
                 (link.st_mode & S_IWUSR) != 0;
    }
    if (dir != NULL) {
        closedir(dir);
    }
    return writes;
}

void topk_process_reach(int64_t pid, const char *path, char *reach, size_t size, bool *foreign)
{
    struct stat theirs;
    struct stat ours;
    char root[PROC_PATH];
    char from[4096] = "";
    proc_path(root, pid, "root/");
    *foreign = stat(root, &theirs) == 0 && stat("/", &ours) == 0 &&
               (theirs.st_dev != ours.st_dev || theirs.st_ino != ours.st_ino);
    if (path[0] != '/') {
        read_link(pid, "cwd", from, sizeof from);
    }
    root[strlen(root) - 1] = 0;
    snprintf(reach, size, "%s%s%s%s", *foreign ? root : "", from, path[0] == '/' ? "" : "/", path);
}
