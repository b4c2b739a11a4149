/* How the C program that topk-cts shrink writes is built and run. */
#ifndef TOPK_SHRINK_COMMAND_H
#define TOPK_SHRINK_COMMAND_H

#include "session/session.h"

/* A shell command that builds the program in a file, with the plugin under test, and runs it; to be
 * freed. One of the words below stands in it for what is not known here, such as the plugin of
 * another backend. */
#define CLI_UNKNOWN_HEADERS "FOLDER_OF_TOPK_BACKEND_H"
#define CLI_UNKNOWN_PLUGIN  "PLUGIN.so"
char *cli_shrink_command(const struct cli_backend *backend, const char *c_path);

#endif
