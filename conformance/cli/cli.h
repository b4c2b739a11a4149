/* The command line, topk-cts. Each command is a row of the table below. Command NAME has a function
 * cli_NAME() and a struct argp cli_NAME_argp, in a file of its own. Usage texts and the man page
 * are generated from these. No command calls another. */
#ifndef TOPK_CLI_H
#define TOPK_CLI_H

#include "session/session.h"

/* COMMAND(name, finds, summary). finds: the exit code says what the command found, so it is not a
 * success if the result could not be written to standard output. summary: one line, no full
 * stop. */
#define CLI_COMMANDS(COMMAND)                                                                      \
    COMMAND(list, false, "print the ids of cases")                                                 \
    COMMAND(run, true, "run cases against a backend and judge the results")                        \
    COMMAND(replay, true, "run single cases and show what is wrong with each")                     \
    COMMAND(shrink, true, "make a failing case as small as possible")                              \
    COMMAND(probe, true, "show how the driver below a backend behaves, and whether it may")        \
    COMMAND(explore, true, "run random cases for a while, and shrink the failures")                \
    COMMAND(check_backend, true, "check a program against the backend protocol")                   \
    COMMAND(backends, false, "list the built-in backends and whether they work here")              \
    COMMAND(expectations, false, "propose a file of known failures from a run")                    \
    COMMAND(package, true, "pack a run into one signed file that others can verify")               \
    COMMAND(verify, true, "verify a package")                                                      \
    COMMAND(contract, false, "print, check and compare declared contracts")                        \
    COMMAND(spec, false, "print the clauses that are tested, and how many cases test each")        \
    COMMAND(profile, false, "print or verify the digests of a profile")                            \
    COMMAND(coverage, false, "show which combinations the cases of a profile exercise")            \
    COMMAND(merge, true, "merge the shards of a run")                                              \
    COMMAND(compare, true, "compare two or more runs")                                             \
    COMMAND(report, true, "write a report of a run as a web page, XML or text")                    \
    COMMAND(export, false, "write cases as files for other tools")                                 \
    COMMAND(schema, false, "print JSON Schemas of the JSON output")                                \
    COMMAND(import, false, "print the tests of other tools as cases, and judge their outputs")     \
    COMMAND(bench, true, "measure the judge and a backend against their limits and peers")         \
    COMMAND(trust, true, "show which seeded faults the cases of a profile catch")                  \
    COMMAND(completion, false, "print the completion script for bash, zsh or fish")                \
    COMMAND(man, false, "print the manual page of topk-cts or of a command")

#define CLI_DECLARE(name, finds, summary)                                                          \
    int cli_##name(int argc, char **argv);                                                         \
    extern const struct argp cli_##name##_argp;
CLI_COMMANDS(CLI_DECLARE)

struct cli_command {
    char name[16]; /* that of the function, with - instead of _ */
    bool finds;
    const char *summary;
    const struct argp *argp;
    int (*run)(int argc, char **argv);
};

/* Runs topk-cts; returns the exit code. */
int cli_main(int argc, char **argv);

#endif
