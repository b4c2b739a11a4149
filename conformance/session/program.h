/* How programs are named, found and run on this system. */
#ifndef TOPK_SESSION_PROGRAM_H
#define TOPK_SESSION_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

#if defined(_WIN32)
#define CLI_PROGRAM_SUFFIX  ".exe"
#define CLI_PLUGIN_SUFFIX   ".dll"
#define CLI_PATH_SEPARATOR  ";"
#define CLI_BACKSLASH_PARTS true /* a backslash separates folders of a path, as '/' does */
/* the words before a command line of the user */
#define CLI_SHELL "cmd.exe", "/d", "/s", "/c"
/* characters that a word may have without quotes: in PowerShell a comma separates words */
#define CLI_PLAIN "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/:=+-\\"
#else
#define CLI_PROGRAM_SUFFIX  ""
#define CLI_PLUGIN_SUFFIX   ".so"
#define CLI_PATH_SEPARATOR  ":"
#define CLI_BACKSLASH_PARTS false
#define CLI_SHELL           "/bin/sh", "-c"
#define CLI_PLAIN           "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/:=+,@-"
#endif

/* Takes line number `at` that a program printed, without its end, into a list; false if it is
 * malformed. */
typedef bool cli_take_line(void *list, size_t at, const char *line);

/* Runs command[0] with these arguments and this environment, and passes each line that it prints to
 * take(), `most` at most. seconds: the time limit. Returns how many lines were taken; -1 if take()
 * refused one, or if the program did not exit with 0 in time. */
ptrdiff_t cli_program_read(const char *const *command, char *const *environment,
                           const char *seconds, cli_take_line *take, void *list, ptrdiff_t most);

#endif
