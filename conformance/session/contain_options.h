/* The options --memory, --cpu, --env and others: what the tested processes may do, and the
 * environment that they start with. */
#ifndef TOPK_CLI_CONTAIN_OPTIONS_H
#define TOPK_CLI_CONTAIN_OPTIONS_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cli_contain {
    uint64_t memory; /* bytes; 0: no limit */
    double cpu;      /* seconds; 0: no limit */
    bool core_dumps;
    bool new_privileges;
    bool keep_folder;
    bool clean;             /* pass only basic variables, and those of --env */
    const char **variables; /* the values of --env, variable_count of them: NAME or NAME=VALUE */
    size_t variable_count;
};
extern const struct argp cli_contain_argp;

/* Returns the settings that differ from the defaults, as words for the log, such as
 * "memory=1073741824 cpu=2 env=NAME"; "" if none does. A resumed run must have the same. To be
 * freed. A variable has its value, unless its name marks it as a secret. */
char *cli_contain_print(const struct cli_contain *contain);

/* Returns the variables of the processes' environment that can change what drivers and libraries
 * do, without secrets: "LP_NUM_THREADS=0 VK_DRIVER_FILES=/a". To be freed. */
char *cli_contain_variables(const struct cli_contain *contain);

/* Returns the same settings as options of a command, each with a space before it. A secret value is
 * left out, as in `--env NAME'. To be freed. */
char *cli_contain_command(const struct cli_contain *contain);

/* Prints the argument of --contain for topk-worker. own_folder: the process can work in a folder of
 * its own. */
#define CLI_CONTAIN_WORDS 160
void cli_contain_words(const struct cli_contain *contain, bool own_folder,
                       char words[CLI_CONTAIN_WORDS]);

/* Returns the environment that processes start with: that of this program without secrets, and the
 * variables of --env, with NULL at the end. To be freed by cli_contain_environment_free(). */
char **cli_contain_environment(const struct cli_contain *contain);
void cli_contain_environment_free(char **environment);

#endif
