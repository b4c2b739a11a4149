/* The manual page. */
#ifndef TOPK_CLI_MAN_H
#define TOPK_CLI_MAN_H

#include "cli.h"

/* Calls take() with each option of a command that is not hidden, those that commands share
 * included. command: handed on. */
void cli_each_option(const struct argp *argp,
                     void (*take)(const struct argp_option *option, const char *command),
                     const char *command);

/* Prints it, with these commands. */
void cli_man_print(const struct cli_command *commands, size_t count);
/* Prints that of one command. */
void cli_man_print_command(const struct cli_command *command);

#endif
