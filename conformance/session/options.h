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

/* Keys of long options that are only noted: a flag in a bool, a text in a const char *, a member of
 * the struct that is the parser's input. The parser leaves them to cli_store(). */
#define CLI_FLAGS              0x10000
#define CLI_TEXTS              0x20000
#define CLI_FLAG(type, member) (CLI_FLAGS + (int)offsetof(type, member))
#define CLI_TEXT(type, member) (CLI_TEXTS + (int)offsetof(type, member))
/* What a parser does of keys that it does not know. */
error_t cli_store(int key, char *argument, struct argp_state *state);

/* Seconds of --timeout where it is not given. */
#define CLI_TIMEOUT 30

/* --profile, --feature-level; child of a command's argp */
struct cli_choice {
    const struct topk_profile *profile; /* NULL: not given */
    uint32_t level;                     /* 0: not given */
};
extern const struct argp cli_choice_argp;

/* Most --backend-command of a command line. */
#define CLI_MACHINES_MAX TOPK_RUNNER_MACHINES

/* --backend, --backend-command, --worker, what goes with these, --timeout, --verbose; child of a
 * command's argp */
struct cli_backend {
    const char *spec;    /* what --backend said, or NULL */
    const char *command; /* what --backend-command said, or NULL; if it was given several
                            times, all of it as a shell reads it, without the first
                            option: 'A' --backend-command 'B' */
    const char *machines[CLI_MACHINES_MAX]; /* each by itself, */
    uint32_t machine_count;                 /* and how many */
    const char *worker;                     /* what --worker said, or NULL */
    const char *device;                     /* that the command is to open, or NULL */
    const char *contract_file;              /* what --contract said, or NULL */
    struct topk_contract contract;          /* what it holds */
    enum topk_guard_page guard_page;
    uint64_t case_memory; /* what cases may take that are run; 0: as topk_case_too_large() has it */
    double timeout;
    bool in_process;   /* spec is to be hosted by its judge */
    bool trust_worker; /* what the worker says counts */
    bool verbose;
    bool optional;      /* none of the three is needed */
    bool partial;       /* of several commands some are enough */
    bool outputs;       /* results are to say what the outputs are (reference/outputs.h) */
    const char *stages; /* the file that gets the times of stages of judges, or NULL */
    /* as struct topk_runner_options has it; if it is there, a worker has one case at a time */
    char *const *(*variables)(void *context, uint32_t place, uint64_t worker);
    struct cli_contain contain;
};
extern const struct argp cli_backend_argp;

/* The option of the three that was given, "--backend"; NULL: none was. *text is what it said. */
const char *cli_backend_given(const struct cli_backend *backend, const char **text);

/* A number without sign up to `most`; exits with CLI_USAGE if the text is none. */
uint64_t cli_number(const struct argp_state *state, const char *option, const char *text,
                    uint64_t most);

/* The same from `least` on. */
uint64_t cli_number_from(const struct argp_state *state, const char *option, const char *text,
                         uint64_t least, uint64_t most);

/* Bytes from "512M", "2GiB" or a number, 1M to 900T; exits with CLI_USAGE if the text is none. */
uint64_t cli_size(const struct argp_state *state, const char *option, const char *text);

/* Seconds, 0.001 to 1000000; exits with CLI_USAGE if the text is none. */
double cli_seconds(const struct argp_state *state, const char *option, const char *text);

/* The profile of a name; exits with CLI_USAGE if there is none. */
const struct topk_profile *cli_profile_of(const struct argp_state *state, const char *name);

#endif
