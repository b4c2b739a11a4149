/* What --backend can name: a plugin by its path, or a backend that is built into topk-worker. Also
 * finds the suite's own programs, and asks topk-worker what it has. */
#ifndef TOPK_CLI_BUILTIN_H
#define TOPK_CLI_BUILTIN_H

#include <stdbool.h>
#include <stddef.h>

#include "near.h"

/* Returns the length of the name in NAME:OPTIONS. The colon of a Windows drive is part of the
 * name. */
size_t cli_backend_name_length(const char *spec);

/* Whether --backend names a plugin instead of a backend that is built in. */
bool cli_is_plugin(const char *spec);

/* The path of the plugin that --backend names, to be freed; NULL if it names a backend that is
 * built in. */
char *cli_plugin_path(const char *spec);

/* Returns the path of a program of the suite, to be freed: the value of the environment variable,
 * or else the program in the folder of this one, in ../libexec/topk-cts, or in PATH. Ends this
 * program after a message if there is none. */
char *cli_program_find(const char *name, const char *variable);

/* Returns the path of topk-worker, as cli_program_find(). */
char *cli_worker_find(void);

/* A backend that is built into the worker, as `topk-worker --list` prints it. */
struct cli_builtin {
    char name[64];
    char summary[256];
};
#define CLI_BUILTINS_MAX 32
/* Asks the worker for its backends; returns how many there are. Ends the program after a message if
 * the worker does not answer. */
size_t cli_builtins_read(struct cli_builtin list[CLI_BUILTINS_MAX]);

/* The options that open a built-in backend on each of its devices, as `topk-worker --devices`
 * prints them. Returns how many there are: 0 if there is no choice, or, after a message, if the
 * worker does not answer. */
struct cli_device {
    char options[256];
};
#define CLI_DEVICES_MAX 64
size_t cli_devices_read(const char *backend, struct cli_device list[CLI_DEVICES_MAX]);
/* The same for the process that a shell command starts; false, after a message, if it does not
 * answer. */
bool cli_command_devices_read(const char *command, struct cli_device list[CLI_DEVICES_MAX],
                              size_t *count);

/* A seeded fault of the backend faulty, as `topk-worker --faults` prints it. */
#define CLI_FAULT_NAME 64
struct cli_fault {
    char name[CLI_FAULT_NAME];
    char class[24];    /* what kind of fault */
    bool allowed;      /* no case may fail on it */
    bool ends;         /* it may end the process, or never return */
    bool always;       /* every call is wrong: for trying out cases */
    bool guard_pages;  /* detected only with guard pages */
    bool giant;        /* detected only by cases too large or too slow for core */
    char seen[64];     /* where it was met in the field; "-": nowhere */
    char clauses[160]; /* that a case of profile core names, as backends/faulty/faulty.h says */
    char about[200];
    char size[40];   /* what it takes beyond a few elements; "-": nothing */
    char causes[80]; /* the readings that are true of it, separated by spaces; "-": none */
    char few[160]; /* why fewer than four tests of profile core fail on it; "-": at least four do */
    char trigger[400]; /* conditions with " or " between them; "-": it cannot be expressed */
};
#define CLI_FAULTS_MAX 512
/* As cli_builtins_read(). */
size_t cli_faults_read(struct cli_fault list[CLI_FAULTS_MAX]);
/* Whether there is a fault of that id. near: gets the similar ids. */
bool cli_faults_have(const struct cli_fault *list, size_t count, const char *id,
                     struct cli_near *near);

/* Ends the program after a message if the worker does not have the backend that spec names, or if
 * `faulty` does not have the fault. */
void cli_backend_check(const char *spec);

#endif
