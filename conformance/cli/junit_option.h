/* The option --junit: what a testcase element of a JUnit file stands for. */
#ifndef TOPK_CLI_JUNIT_OPTION_H
#define TOPK_CLI_JUNIT_OPTION_H

#include <argp.h>

/* The option; child of a command's argp. Its input is the enum topk_junit_mode. */
extern const struct argp cli_junit_argp;

#endif
