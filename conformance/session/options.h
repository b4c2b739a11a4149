/* Options that several commands have. */
#ifndef TOPK_CLI_OPTIONS_H
#define TOPK_CLI_OPTIONS_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

#include "suite/suite.h"

/* --profile, --feature-level; child of a command's argp */
struct cli_choice {
    const struct topk_profile *profile; /* NULL: not given */
    uint32_t level;                     /* 0: not given */
};
extern const struct argp cli_choice_argp;

/* --backend, --worker, --timeout, --verbose; child of a command's argp */
struct cli_backend {
    const char *spec;   /* what --backend said, or NULL */
    const char *worker; /* what --worker said, or NULL */
    double timeout;
    bool verbose;
    bool optional; /* neither --backend nor --worker is needed */
};
extern const struct argp cli_backend_argp;

/* A number without sign up to `most`; exits with CLI_USAGE if the text is none. */
uint64_t cli_number(const struct argp_state *state, const char *option, const char *text,
                    uint64_t most);

/* The profile of a name; exits with CLI_USAGE if there is none. */
const struct topk_profile *cli_profile_of(const struct argp_state *state, const char *name);

#endif
