/* Makes the command that builds and runs the C program of topk-cts shrink. */
#ifndef TOPK_SHRINK_COMMAND_H
#define TOPK_SHRINK_COMMAND_H

#include "session/session.h"

/* Returns a shell command, to be freed, that builds the program in the file c_path with the plugin
 * under test, and runs it. The words below are placeholders for what is unknown here, such as the
 * plugin of another backend. */
#define CLI_UNKNOWN_HEADERS "FOLDER_OF_TOPK_BACKEND_H"
#define CLI_UNKNOWN_PLUGIN  "PLUGIN.so"
char *cli_shrink_command(const struct cli_backend *backend, const char *c_path);

#endif
