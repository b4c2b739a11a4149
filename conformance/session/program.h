/* How programs are named, found and run on this system. */
#ifndef TOPK_SESSION_PROGRAM_H
#define TOPK_SESSION_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

#if defined(_WIN32)
#define CLI_PROGRAM_SUFFIX  ".exe"
#define CLI_PLUGIN_SUFFIX   ".dll"
#define CLI_PATH_SEPARATOR  ";"
#define CLI_BACKSLASH_PARTS true /* folders of a path, as '/' does */
/* the words before a command line of the user's */
#define CLI_SHELL "cmd.exe", "/d", "/s", "/c"
/* what a word may have without quotes: in PowerShell a comma parts words */
#define CLI_PLAIN "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/:=+-\\"
#else
#define CLI_PROGRAM_SUFFIX  ""
#define CLI_PLUGIN_SUFFIX   ".so"
#define CLI_PATH_SEPARATOR  ":"
#define CLI_BACKSLASH_PARTS false
#define CLI_SHELL           "/bin/sh", "-c"
#define CLI_PLAIN           "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/:=+,@-"
#endif

/* A line that a program printed, without its end; false if it is none of those that are wanted. */
typedef bool cli_take_line(void *list, size_t at, const char *line);

/* Runs command[0] with these arguments and variables, and hands on each line that it prints, `most`
 * at most; it gets so many seconds. Returns how many were taken; -1 if one was refused, or the
 * program did not exit with 0 in time. */
ptrdiff_t cli_program_read(const char *const *command, char *const *environment,
                           const char *seconds, cli_take_line *take, void *list, ptrdiff_t most);

#endif
