/* Processes: their descendants and the files that they use. Uses /proc on Linux and system
 * functions on Windows; finds no processes on other systems. */
#ifndef TOPK_IDENTITY_PROCESS_H
#define TOPK_IDENTITY_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Process ids; topk_processes_free() frees the list. */
struct topk_processes {
    int64_t *list;
    size_t count;
};

/* Finds all descendants of `roots`. Without `themselves` the list omits the roots and, except on
 * Windows, their direct children, which only keep what they started. False if memory is short. The
 * caller frees *processes in any case. */
bool topk_processes_find(struct topk_processes *processes, const int64_t *roots, size_t count,
                         bool themselves);
void topk_processes_free(struct topk_processes *processes);

/* A file that a process has mapped. */
struct topk_mapping {
    const char *path;
    bool code;    /* mapped executable and private, like programs and libraries */
    bool deleted; /* the file was deleted or replaced */
};

/* Calls take() for each mapping of a file. Returns 0; -1, with errno set, if the process may not be
 * inspected or has ended; 1 if take() returned false. */
int topk_process_mappings(int64_t pid,
                          bool (*take)(void *context, const struct topk_mapping *mapping),
                          void *context);

/* Call take() for each word of the command line, or for each VARIABLE=VALUE that the process was
 * started with. Return what topk_process_mappings() returns. */
int topk_process_words(int64_t pid, bool (*take)(void *context, const char *word), void *context);
int topk_process_variables(int64_t pid, bool (*take)(void *context, const char *variable),
                           void *context);

/* Room for a name, with the terminator. */
#define TOPK_PROCESS_NAME 64
/* Writes the short name of a process for messages; "?" if it is unknown. */
void topk_process_name(int64_t pid, char name[TOPK_PROCESS_NAME]);

/* Writes the path of the program that a process runs; "" if it is unknown. */
void topk_process_program(int64_t pid, char *path, size_t size);

/* Whether a process has a file open for writing. */
bool topk_process_writes(int64_t pid, const char *path);

/* Writes the path by which this process reaches the file that process `pid` knows as `path`.
 * *foreign: that process has another root. A relative path starts in that process's working
 * folder. */
void topk_process_reach(int64_t pid, const char *path, char *reach, size_t size, bool *foreign);

#endif
