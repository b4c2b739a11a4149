/* The last lines of a command: they are printed when all files are written, and agree with the exit
 * code. */
#ifndef TOPK_CLI_CONCLUDE_H
#define TOPK_CLI_CONCLUDE_H

/* Prints the last line of a command, which states the result, once all earlier output is flushed.
 * Returns the exit code: code, or CLI_HARNESS, after a message, if not all output could be written.
 * A pipe without a reader is such an error only if code is CLI_CONFORMANT or CLI_SKIPPED: a success
 * that nobody saw does not count. All files must be written and closed before, and nothing may be
 * printed after it. */
int cli_conclude(int code, const char *line);

/* The same at the end of a command without such a line. Here a pipe without a reader, as in
 * `topk-cts list | head', is not an error. */
int cli_output_close(int code);

/* Whether standard output still accepts output; if not, there is no point in going on. */
bool cli_output_open(void);

#endif
