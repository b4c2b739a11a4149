/* The options --require, --min-supported and others: the requirements of a run. */
#ifndef TOPK_CLI_GATE_OPTIONS_H
#define TOPK_CLI_GATE_OPTIONS_H

#include <argp.h>

#include "log/log.h"

struct cli_gate {
    struct topk_log_gate gate; /* its words point into texts */
    const char *words[TOPK_REQUIRE_MAX];
    char texts[TOPK_REQUIRE_MAX][TOPK_REQUIRE_TEXT];
};

/* The options; child of a command's argp. Its input is a struct cli_gate. */
extern const struct argp cli_gate_argp;

#endif
