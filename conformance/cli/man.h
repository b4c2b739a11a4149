/* Prints the manual pages. */
#ifndef TOPK_CLI_MAN_H
#define TOPK_CLI_MAN_H

#include "cli.h"

/* Calls take() with each option of a command that is not hidden, including options that commands
 * share. command: passed on to take(). */
void cli_each_option(const struct argp *argp,
                     void (*take)(const struct argp_option *option, const char *command),
                     const char *command);

/* Prints the manual page of topk-cts, with these commands. */
void cli_man_print(const struct cli_command *commands, size_t count);
/* Prints the manual page of one command. */
void cli_man_print_command(const struct cli_command *command);

#endif
