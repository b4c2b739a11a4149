/* Prints completion scripts for shells. */
#ifndef TOPK_CLI_COMPLETION_H
#define TOPK_CLI_COMPLETION_H

#include "cli.h"

/* Prints the script for a shell, bash, zsh or fish, with these commands. False if it is another
 * shell. */
bool cli_completion_print(const char *shell, const struct cli_command *commands, size_t count);

#endif
