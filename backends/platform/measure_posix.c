/* Measures the resources of this process's descendants, with Linux's /proc. */
#define _POSIX_C_SOURCE 200809L
#include "keep_posix.h"

#include <ctype.h>
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* depth of the search: deeper processes have an ancestor that counts */
#define DEPTH 32

/* the number of kibibytes on a line of a status, after its key */
static uint64_t kibibytes(const char *line, const char *key)
{
    const size_t length = strlen(key);
    return strncmp(line, key, length) == 0 ? strtoull(line + length, NULL, 10) : 0;
}

static void add_memory(long pid, struct topk_keep_measure *sum)
{
    char path[64];
    char line[256];
    snprintf(path, sizeof path, "/proc/%ld/status", pid);
    FILE *file = fopen(path, "re");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        sum->memory += 1024 * (kibibytes(line, "RssAnon:") + kibibytes(line, "RssShmem:") +
                               kibibytes(line, "VmSwap:"));
    }
    if (file != NULL) {
        fclose(file);
    }
}

/* adds the time of a process and of its ended children */
static void add_cpu(long pid, struct topk_keep_measure *sum)
{
    char path[64];
    char line[1024] = "";
    unsigned long long ticks[4] = {0};
    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        return;
    }
    /* the name in parentheses may contain any character */
    const char *behind = fgets(line, sizeof line, file) == NULL ? NULL : strrchr(line, ')');
    fclose(file);
    if (behind != NULL &&
        sscanf(behind + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu %llu %llu",
               &ticks[0], &ticks[1], &ticks[2], &ticks[3]) == 4) {
        const long second = sysconf(_SC_CLK_TCK);
        sum->cpu += (ticks[0] + ticks[1] + ticks[2] + ticks[3]) * 1000 /
                    (uint64_t)(second > 0 ? second : 100);
    }
}

static void add_children(long pid, struct topk_keep_measure *sum, int depth);

static void add_children_of(long pid, const char *thread, struct topk_keep_measure *sum, int depth)
{
    char path[96];
    long child;
    snprintf(path, sizeof path, "/proc/%ld/task/%.20s/children", pid, thread);
    FILE *list = fopen(path, "re");
    while (list != NULL && fscanf(list, "%ld", &child) == 1) {
        add_memory(child, sum);
        add_cpu(child, sum);
        add_children(child, sum, depth + 1);
    }
    if (list != NULL) {
        fclose(list);
    }
}

/* NOLINTNEXTLINE(misc-no-recursion): DEPTH bounds it */
static void add_children(long pid, struct topk_keep_measure *sum, int depth)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/task", pid);
    DIR *threads = depth < DEPTH ? opendir(path) : NULL;
    const struct dirent *entry;
    while (threads != NULL &&
           (entry = readdir(threads)) != NULL) { /* NOLINT(concurrency-mt-unsafe): one thread */
        if (isdigit((unsigned char)entry->d_name[0])) {
            add_children_of(pid, entry->d_name, sum, depth);
        }
    }
    if (threads != NULL) {
        closedir(threads);
    }
}

struct topk_keep_measure topk_keep_measure(void)
{
    struct topk_keep_measure sum = {0, 0};
    struct rusage ended;
    add_children(getpid(), &sum, 0);
    if (getrusage(RUSAGE_CHILDREN, &ended) == 0) {
        sum.cpu += (uint64_t)(ended.ru_utime.tv_sec + ended.ru_stime.tv_sec) * 1000 +
                   (uint64_t)(ended.ru_utime.tv_usec + ended.ru_stime.tv_usec) / 1000;
    }
    return sum;
}
