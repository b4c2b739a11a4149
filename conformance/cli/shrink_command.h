/* How the C program that topk-cts shrink writes is built and run. */
#ifndef TOPK_SHRINK_COMMAND_H
#define TOPK_SHRINK_COMMAND_H

#include "session/session.h"

/* A shell command that builds the program in a file, with the plugin under test, and runs it; to be
 * freed. What is not known here, such as the plugin of another backend, stands in it as a word in
 * capitals. */
char *cli_shrink_command(const struct cli_backend *backend, const char *c_path);

#endif
