/* The command line, topk-cts. Each command is a row of the table below, and has a function and a
 * struct argp of its name, cli_NAME() and cli_NAME_argp, in a cli_*.c file; the usage texts and the
 * man page are made from these. No command calls another. */
#ifndef TOPK_CLI_H
#define TOPK_CLI_H

#include "session/session.h"

/* COMMAND(name, finds, summary): one line, no full stop. finds: its exit code says what it found,
 * and is no success if standard output did not get to show that. */
#define CLI_COMMANDS(COMMAND)                                                                      \
    COMMAND(list, false, "print the ids of cases")                                                 \
    COMMAND(run, true, "run cases against a backend and judge what it answers")                    \
    COMMAND(replay, true, "run single cases and show what is wrong with each")                     \
    COMMAND(shrink, true, "make a case that fails as small as it can be")                          \
    COMMAND(probe, true, "show what the driver beneath a backend does, and whether it may")        \
    COMMAND(explore, true, "draw random cases for a while, and shrink what fails")                 \
    COMMAND(check_backend, true,                                                                   \
            "hold a backend process against each rule of the backend protocol")                    \
    COMMAND(backends, false, "list the backends that are built in and whether they work here")     \
    COMMAND(expectations, false, "propose a file of known failures from a run")                    \
    COMMAND(package, true, "pack a run into one signed file that others can verify")               \
    COMMAND(verify, true, "verify such a package")                                                 \
    COMMAND(contract, false, "print, check and compare declared contracts")                        \
    COMMAND(spec, false, "print the clauses that are tested, and how many cases test each")        \
    COMMAND(profile, false, "print or verify the digests of a profile")                            \
    COMMAND(coverage, false, "certify what the cases of a profile exercise")                       \
    COMMAND(merge, true, "put the shards of a run together")                                       \
    COMMAND(compare, true, "show what differs between two runs or more")                           \
    COMMAND(report, true, "write what a run came to as a page, as XML, as text")                   \
    COMMAND(export, false, "write cases as files that other tools run")                            \
    COMMAND(schema, false, "print what is written as JSON as JSON Schema")                         \
    COMMAND(import, false, "print the tests of other tools as cases, and judge their outputs")     \
    COMMAND(bench, true, "measure the judge and a backend against their limits and peers")         \
    COMMAND(trust, true, "show what the cases of a profile catch: seeded faults")                  \
    COMMAND(completion, false, "print what bash, zsh or fish completes")                           \
    COMMAND(man, false, "print the manual page of topk-cts or of a command")

#define CLI_DECLARE(name, finds, summary)                                                          \
    int cli_##name(int argc, char **argv);                                                         \
    extern const struct argp cli_##name##_argp;
CLI_COMMANDS(CLI_DECLARE)

struct cli_command {
    char name[16]; /* that of the function, with - in the place of _ */
    bool finds;
    const char *summary;
    const struct argp *argp;
    int (*run)(int argc, char **argv);
};

/* The program. */
int cli_main(int argc, char **argv);

#endif
