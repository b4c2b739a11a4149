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
    bool clean;             /* of variables only those that everybody needs, and those of env */
    const char **variables; /* what --env said, variable_count of them: NAME or NAME=VALUE */
    size_t variable_count;
};
extern const struct argp cli_contain_argp;

/* Prints what differs from how things are without these options, as words that a log has and a
 * resumed run has to agree on: "memory=1073741824 cpu=2 env=NAME". "" if nothing does. To be freed.
 * The value of a variable is in it unless its name says that it is a secret. */
char *cli_contain_print(const struct cli_contain *contain);

/* Prints the variables that drivers and libraries look at, of those with which processes are
 * started: "LP_NUM_THREADS=0 VK_DRIVER_FILES=/a". To be freed. */
char *cli_contain_variables(const struct cli_contain *contain);

/* Prints the options that say the same, each with a space before it; a value that is secret is left
 * out, as `--env NAME'. To be freed. */
char *cli_contain_command(const struct cli_contain *contain);

/* Prints what topk-worker takes as --contain. own_folder: the process can work in a folder of its
 * own. */
#define CLI_CONTAIN_WORDS 160
void cli_contain_words(const struct cli_contain *contain, bool own_folder,
                       char words[CLI_CONTAIN_WORDS]);

/* The variables with which processes are started: ours, without those that are secrets, and what
 * --env said; NULL behind the last. The list is to be freed by cli_contain_environment_free(). */
char **cli_contain_environment(const struct cli_contain *contain);
void cli_contain_environment_free(char **environment);

#endif
