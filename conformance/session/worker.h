/* The worker of --backend, --backend-command and --worker: its command, and what commands know and
 * print about it. */
#ifndef TOPK_CLI_WORKER_H
#define TOPK_CLI_WORKER_H

#include <stdio.h>

#include "builtin.h"
#include "log/log.h"
#include "options.h"
#include "run/runner.h"

/* The arguments of a worker's command. */
#define CLI_WORKER_ARGUMENTS 24
struct cli_worker_command {
    const char *arguments[CLI_WORKER_ARGUMENTS]; /* NULL at the end */
    char case_memory[24];
    char free_memory[24];
    char *paths[2];     /* owned: of topk-worker and topk-backend */
    char *spec;         /* owned: the value of --backend, valid in any folder */
    char **environment; /* owned: NULL at the end */
    char contain[CLI_CONTAIN_WORDS];
    char parent[24]; /* the process id of this program */
    char contract[TOPK_CONTRACT_TEXT];
};

/* Who judges the backend. */
enum topk_judge cli_judge(const struct cli_backend *backend);

/* Makes the command of each of `workers` workers for a backend. Ends the program after a message if
 * there is no backend of that name. */
void cli_worker_command(const struct cli_backend *backend, uint32_t workers,
                        struct cli_worker_command *command);
void cli_worker_command_free(struct cli_worker_command *command);

/* The workers of a backend, and their runner. */
struct cli_workers {
    struct cli_worker_command command;
    /* for several --backend-command: the arguments of the workers of each */
    const char *arguments[CLI_MACHINES_MAX][CLI_WORKER_ARGUMENTS];
    struct topk_runner_machine machines[CLI_MACHINES_MAX]; /* of `options` */
    struct topk_runner_options options;
    struct topk_greeting greeting;
    struct topk_runner *runner;
    const struct cli_backend *backend;
};

/* Starts the workers. jobs: how many; 0: one for each processor. If there are several
 * --backend-command, each has at least one. note, ended, context: as in struct topk_runner_options.
 * *backend must outlive the workers. Ends the program after a message if no worker can be started.
 * This is cli_workers_prepare(), which makes their commands and starts nothing, and then
 * cli_workers_start(). */
void cli_workers_open(struct cli_workers *workers, const struct cli_backend *backend, uint32_t jobs,
                      void (*note)(void *context, const char *text),
                      void (*ended)(void *context, enum topk_process_end end, const char *how),
                      void *context);
void cli_workers_prepare(struct cli_workers *workers, const struct cli_backend *backend,
                         uint32_t jobs, void (*note)(void *context, const char *text),
                         void (*ended)(void *context, enum topk_process_end end, const char *how),
                         void *context);
void cli_workers_start(struct cli_workers *workers);
/* Ends the workers; closing twice is allowed. False, after a message, if it is unknown how one of
 * them ended. */
bool cli_workers_close(struct cli_workers *workers);
/* Removes lost machines from the options, for another runner. */
void cli_workers_remain(struct cli_workers *workers);

/* Prints why a job ended with a status other than DONE, and returns the exit code. */
int cli_runner_failed(enum topk_runner_status status, const char *error);

/* Prints a backend's name, "(no name)" if it has none, and its version. */
void cli_name_print(FILE *out, const char *name, const char *version);

/* Prints " up to feature level 2.0" if there is a higher level, or if the level was `limited`. */
void cli_level_print(FILE *out, uint32_t level, bool limited);

/* Prints the backend of a greeting, "cpu 1.0 on DEVICE, driver DRIVER, feature level 5.0", and
 * lines with its features and its declared contract. */
void cli_identity_print(FILE *out, const struct topk_greeting *greeting);
/* Prints a line that says where guard pages are, if there are any. */
void cli_guard_pages_print(FILE *out, const struct cli_backend *backend);
/* Whether the device is software: TOPK_FLAG_SOFTWARE_DEVICE. */
bool cli_software_device(const struct topk_greeting *greeting);

/* Returns the start of a command on a backend, without the command's own arguments: "topk-cts
 * replay --backend cpu". To be freed. */
char *cli_backend_command(const char *name, const struct cli_backend *backend);
/* Returns the command that replays a case, without the case. To be freed. */
char *cli_replay_command(const struct cli_backend *backend);

/* Returns a word for a shell, with quotes only where they are needed; to be freed. */
char *cli_shell_word(const char *word);

#endif
