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
    const char *arguments[CLI_WORKER_ARGUMENTS]; /* NULL behind the last */
    char case_memory[24];
    char free_memory[24];
    char *paths[2];     /* owned: of topk-worker and topk-backend */
    char *spec;         /* owned: what --backend said, wherever it is read */
    char **environment; /* owned: NULL behind the last */
    char contain[CLI_CONTAIN_WORDS];
    char parent[24]; /* the process id of this program */
    char contract[TOPK_CONTRACT_TEXT];
};

/* Who judges what it does. */
enum topk_judge cli_judge(const struct cli_backend *backend);

/* Fills it for a backend. Ends the program after a message if there is none of that name. */
void cli_worker_command(const struct cli_backend *backend, uint32_t workers,
                        struct cli_worker_command *command);
void cli_worker_command_free(struct cli_worker_command *command);

/* The workers of a backend, and the runner that has them. */
struct cli_workers {
    struct cli_worker_command command;
    /* of several --backend-command: what each starts */
    const char *arguments[CLI_MACHINES_MAX][CLI_WORKER_ARGUMENTS];
    struct topk_runner_machine machines[CLI_MACHINES_MAX]; /* of `options` */
    struct topk_runner_options options;
    struct topk_greeting greeting;
    struct topk_runner *runner;
};

/* Starts them. jobs: how many; 0: one for each processor; at least one for each --backend-command
 * of several. note, ended, context: as struct
 * topk_runner_options has them. Ends the program after a message if none can be started. */
void cli_workers_open(struct cli_workers *workers, const struct cli_backend *backend, uint32_t jobs,
                      void (*note)(void *context, const char *text),
                      void (*ended)(void *context, enum topk_process_end end, const char *how),
                      void *context);
/* Lets them end; closing twice is allowed. False, after a message, if it cannot be known of one how
 * it ended. */
bool cli_workers_close(struct cli_workers *workers);
/* Leaves in the options only the machines that are not lost, for another runner. */
void cli_workers_remain(struct cli_workers *workers);

/* What to exit with when a job ended with a status other than DONE; says why. */
int cli_runner_failed(enum topk_runner_status status, const char *error);

/* Prints a backend's name, "(no name)" if it has none, and its version. */
void cli_name_print(FILE *out, const char *name, const char *version);

/* " up to feature level 2.0", if cases ask for a higher one or it is `limited`. */
void cli_level_print(FILE *out, uint32_t level, bool limited);

/* Prints who answers, as a greeting says: "cpu 1.0, DEVICE, driver DRIVER". */
void cli_identity_print(FILE *out, const struct topk_greeting *greeting);
/* Says where guard pages stand, if there are any: a line. */
void cli_guard_pages_print(FILE *out, const struct cli_backend *backend);
/* The device that answers is software, TOPK_FLAG_SOFTWARE_DEVICE. */
bool cli_software_device(const struct topk_greeting *greeting);

/* A command on a backend, up to what is its own: "topk-cts replay --backend cpu". To be freed. */
char *cli_backend_command(const char *name, const struct cli_backend *backend);
/* The command that replays a case, up to the case. To be freed. */
char *cli_replay_command(const struct cli_backend *backend);

/* A word as a shell reads it, without quotes where none are needed; to be freed. */
char *cli_shell_word(const char *word);

#endif
