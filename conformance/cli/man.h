/* The manual page. */
#ifndef TOPK_CLI_MAN_H
#define TOPK_CLI_MAN_H

#include "cli.h"

/* Prints it, with these commands. */
void cli_man_print(const struct cli_command *commands, size_t count);
/* Prints that of one command. */
void cli_man_print_command(const struct cli_command *command);

#endif
