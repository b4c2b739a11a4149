/* Options that several commands have. */
#ifndef TOPK_CLI_OPTIONS_H
#define TOPK_CLI_OPTIONS_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "contain_options.h"
#include "protocol/protocol.h"
#include "reference/contract.h"
#include "run/runner.h"
#include "suite/suite.h"

/* Keys of long options that are only stored in a member of the parser's input struct: a flag in a
 * bool, a text in a const char *. The parser leaves them to cli_store(). */
#define CLI_FLAGS              0x10000
#define CLI_TEXTS              0x20000
#define CLI_FLAG(type, member) (CLI_FLAGS + (int)offsetof(type, member))
#define CLI_TEXT(type, member) (CLI_TEXTS + (int)offsetof(type, member))
/* Stores such an option; a parser calls it for all keys that it does not know. */
error_t cli_store(int key, char *argument, struct argp_state *state);

/* Default of --timeout in seconds. */
#define CLI_TIMEOUT 30

/* --profile, --feature-level; child of a command's argp */
struct cli_choice {
    const struct topk_profile *profile; /* NULL: not given */
    uint32_t level;                     /* 0: not given */
};
extern const struct argp cli_choice_argp;

/* Maximum number of --backend-command on a command line. */
#define CLI_MACHINES_MAX TOPK_RUNNER_MACHINES

/* --backend, --backend-command, --worker, the options for these, --timeout, --verbose; child of a
 * command's argp */
struct cli_backend {
    const char *spec; /* the value of --backend, or NULL */
    /* the value of --backend-command, or NULL; if it was given several times, all of them as words
     * of a shell, without the first option: 'A' --backend-command 'B' */
    const char *command;
    const char *machines[CLI_MACHINES_MAX]; /* each --backend-command by itself */
    uint32_t machine_count;
    const char *worker;            /* the value of --worker, or NULL */
    const char *device;            /* the device that the command is to open, or NULL */
    const char *contract_file;     /* the value of --contract, or NULL */
    struct topk_contract contract; /* its content */
    enum topk_guard_page guard_page;
    uint64_t case_memory; /* bytes that a case to run may take; 0: as topk_case_too_large() */
    double timeout;
    bool in_process;   /* host spec in the process of its judge */
    bool trust_worker; /* a run that --worker judges can exit with 0 */
    bool verbose;
    bool optional;      /* none of --backend, --backend-command, --worker is needed */
    bool partial;       /* not all of several commands have to start */
    bool outputs;       /* results say what the outputs are (reference/outputs.h) */
    const char *stages; /* file for the times of the stages of judges, or NULL */
    /* as in struct topk_runner_options; if it is set, a worker has one case at a time */
    char *const *(*variables)(void *context, uint32_t place, uint64_t worker);
    struct cli_contain contain;
};
extern const struct argp cli_backend_argp;

/* Returns which of the three options was given, such as "--backend", and its value in *text; NULL:
 * none was. */
const char *cli_backend_given(const struct cli_backend *backend, const char **text);

/* Parses a number without sign up to `most`; exits with CLI_USAGE if the text is malformed. */
uint64_t cli_number(const struct argp_state *state, const char *option, const char *text,
                    uint64_t most);

/* The same for a number from `least` to `most`. */
uint64_t cli_number_from(const struct argp_state *state, const char *option, const char *text,
                         uint64_t least, uint64_t most);

/* Parses a size such as "512M", "2GiB" or a number of bytes, 1M to 900T; returns bytes. Exits with
 * CLI_USAGE if the text is malformed. */
uint64_t cli_size(const struct argp_state *state, const char *option, const char *text);

/* Parses seconds, 0.001 to 1000000; exits with CLI_USAGE if the text is malformed. */
double cli_seconds(const struct argp_state *state, const char *option, const char *text);

/* The profile of a name; exits with CLI_USAGE if there is none. */
const struct topk_profile *cli_profile_of(const struct argp_state *state, const char *name);

#endif
