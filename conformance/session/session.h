/* What the commands of topk-cts share: messages, options, exit codes, and, in the headers below,
 * the tested backend, the selected cases, and the results of a run. */
#ifndef TOPK_SESSION_H
#define TOPK_SESSION_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "case_lookup.h"
#include "conclude.h"
#include "contract.h"
#include "file.h"
#include "gate_options.h"
#include "near.h"
#include "options.h"
#include "program.h"
#include "progress.h"
#include "select.h"
#include "source.h"
#include "subject.h"
#include "summary.h"
#include "worker.h"

/* What topk-cts exits with. */
enum cli_exit {
    CLI_CONFORMANT = 0,
    CLI_FAILURES = 1,
    CLI_USAGE = 2,
    CLI_HARNESS = 3,
    CLI_UNAVAILABLE = 4,
    CLI_INCOMPLETE = 5,
    CLI_SKIPPED = 77
};

/* What topk-cts is, and its exit codes: for --help and the man page. */
extern const char cli_description[];
extern const char *const cli_exit_meanings[]; /* "0", "conformant", ..., NULL */

/* argv[0] as the user typed it. */
extern const char *cli_program;
/* The name of the command that runs, for messages; NULL before one is known. */
extern const char *cli_command_name;

/* Prints "topk-cts run: MESSAGE" and a line feed to standard error. */
void cli_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Like printf(), for output that may have untrusted text, such as a path: hidden characters other
 * than line feeds and tabs become \xNN. */
void cli_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints the message and ends the program. Only for use while a command has nothing to save. */
_Noreturn void cli_fail(enum cli_exit code, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Ends the program with CLI_HARNESS if memory ran out: if `done` is false, if `allocated` is NULL,
 * or if an earlier allocation failed. Only for use while a command has nothing to save. cli_need()
 * returns `allocated`. */
void cli_need_memory(bool done);
void *cli_need(void *allocated);

/* Prints a note of a runner: `note` of struct topk_runner_options. */
void cli_note(void *context, const char *text);

/* Reads the options of a command into input. Exits with CLI_USAGE if they are wrong. */
void cli_parse(const struct argp *argp, int argc, char **argv, void *input);

/* The parser of a command that takes no arguments. */
error_t cli_parse_none(int key, char *argument, struct argp_state *state);

/* the other headers of this folder */
#include "again.h"
#include "alone.h"
#include "bugs.h"
#include "case_lookup.h"
#include "corpus.h"
#include "distinct.h"
#include "early.h"
#include "failure.h"
#include "make_cases.h"
#include "mustpass.h"
#include "order.h"
#include "repeat.h"
#include "rerun.h"

#endif
