/* Processes as the system reports them: their descendants and the files that they use. It uses
 * /proc on Linux and system functions on Windows; on other systems it finds none. */
#ifndef TOPK_IDENTITY_PROCESS_H
#define TOPK_IDENTITY_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Processes by their ids, which are owned. */
struct topk_processes {
    int64_t *list;
    size_t count;
};

/* Finds all that descend from `roots`; if `themselves` does not say so, without them and without
 * their children, which only keep what they started. False if memory is short. *processes is to be
 * freed in any case. */
bool topk_processes_find(struct topk_processes *processes, const int64_t *roots, size_t count,
                         bool themselves);
void topk_processes_free(struct topk_processes *processes);

/* A file that a process has mapped. */
struct topk_mapping {
    const char *path;
    bool code;    /* it is mapped to be executed, and privately: so programs and libraries are */
    bool deleted; /* the file has no name any more, or another file has it */
};

/* Hands on each mapping of a file. Returns 0; -1 if the process may not be looked at, or is gone,
 * with errno set; 1 if take() said false. */
int topk_process_mappings(int64_t pid,
                          bool (*take)(void *context, const struct topk_mapping *mapping),
                          void *context);

/* Hands on each word of its command line, or each VARIABLE=VALUE that it was started with. As
 * topk_process_mappings. */
int topk_process_words(int64_t pid, bool (*take)(void *context, const char *word), void *context);
int topk_process_variables(int64_t pid, bool (*take)(void *context, const char *variable),
                           void *context);

/* Room for a name. */
#define TOPK_PROCESS_NAME 64
/* Writes the short name of a process, for a reader. */
void topk_process_name(int64_t pid, char name[TOPK_PROCESS_NAME]);

/* Writes the path of the program that a process runs; "" if that is not known. */
void topk_process_program(int64_t pid, char *path, size_t size);

/* Whether a process has a file open to write to it. */
bool topk_process_writes(int64_t pid, const char *path);

/* Writes the path by which this process reaches what is `path` to another, whose root, or mounts,
 * may not be ours: *foreign says so. A path that is not absolute starts where that process is. */
void topk_process_reach(int64_t pid, const char *path, char *reach, size_t size, bool *foreign);

#endif
