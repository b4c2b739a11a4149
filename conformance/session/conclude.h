/* The last lines of a command: they are printed when all files are written, and agree with the exit
 * code. */
#ifndef TOPK_CLI_CONCLUDE_H
#define TOPK_CLI_CONCLUDE_H

/* Prints the last line of a command, which says what came out, once everything that was printed
 * before has left the program. Returns what to exit with: code, or CLI_HARNESS after a message if
 * standard output did not take all of it. A pipe that nobody reads any more counts as that only
 * where code says that all is well: a success that nobody saw is none. All files have to be written
 * and closed before; nothing may be printed behind it. */
int cli_conclude(int code, const char *line);

/* The same at the end of the program, for commands without such a line: a pipe that nobody reads
 * any more, as of `topk-cts list | head', is no failure. */
int cli_output_close(int code);

/* Whether standard output still takes what is written; if not, there is no point in going on. */
bool cli_output_open(void);

#endif
