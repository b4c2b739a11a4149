/* Reports the bugs of a run at the end of a command: finds what failing cases have in common, tests
 * it with fresh cases on both sides of each border, and prints one block for each bug. */
#ifndef TOPK_CLI_BUGS_H
#define TOPK_CLI_BUGS_H

#include "log/log.h"
#include "session.h"
#include "shrink/shrink.h"
#include "summary/summary.h"

/* Limits of testing the borders of bugs: the number of bugs, of rounds, and of fresh cases for a
 * bug in a round; and the time, CLI_BUGS_LEAST seconds plus CLI_BUGS_SHARE of the run's time. */
#define CLI_BUGS_PROBED 4u
#define CLI_BUGS_ROUNDS 2u
#define CLI_BUGS_FRESH  40u
#define CLI_BUGS_LEAST  1.0
#define CLI_BUGS_SHARE  0.1

struct cli_bugs {
    struct topk_gathering *gathering; /* of the log */
    struct topk_entries entries;
};

/* Reads the bugs of a log that is being written. False, after a message, if that fails; *bugs is to
 * be freed in any case. */
bool cli_bugs_read(struct cli_bugs *bugs, const char *log_path);

/* Runs fresh cases, none of which is in `cases`, on both sides of each border, logs them, and
 * learns the bugs again. seconds: how long the run took. Returns the status of the last
 * topk_runner_run(). If it ends early, *bugs has what was found out so far. */
enum topk_runner_status cli_bugs_probe(struct cli_bugs *bugs, struct topk_runner *runner,
                                       struct topk_log *log, const struct cli_cases *cases,
                                       double seconds);

/* Merges the distinct failures of a run into one for each bug, with the result of the bug's
 * smallest case. If a bug has no distinct failure, its smallest case is run again, unless runner is
 * NULL. False if memory is short. */
bool cli_bugs_collapse(const struct cli_bugs *bugs, struct topk_runner *runner,
                       struct topk_distinct *distinct);

struct cli_bugs_style {
    const struct topk_failure_style *failure;
    const char *file_prefix; /* prefix of the names of the files that list the cases of a bug */
    uint64_t most;           /* maximum number of bugs that are printed */
    /* called after each failure is printed; may be NULL */
    void (*after)(void *context, const char *id, const struct topk_result *result);
    /* whether the cases of a bug fail only after other cases, so that each passes when it is run
     * alone; may be NULL */
    bool (*behind)(void *context, const struct topk_entry *entry);
    void *context;
};

/* Prints a block for each bug: what its cases share, how sure that is, the cause, the smallest
 * case, and the command that runs all its cases. distinct: the result of cli_bugs_collapse(),
 * shrunk or not. */
void cli_bugs_print(FILE *out, const struct cli_bugs *bugs, const struct topk_distinct *distinct,
                    const struct cli_bugs_style *style);

/* Prints the same without a smallest case and a command. */
void cli_bugs_print_entries(FILE *out, const struct topk_entries *entries);

void cli_bugs_free(struct cli_bugs *bugs);

#endif
