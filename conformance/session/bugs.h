/* The bugs of a run at the end of a command: finds what failing cases share, tests it with fresh
 * cases on both sides of each border, and prints one block for each bug. */
#ifndef TOPK_CLI_BUGS_H
#define TOPK_CLI_BUGS_H

#include "log/log.h"
#include "session.h"
#include "shrink/shrink.h"
#include "summary/summary.h"

/* Most bugs whose borders are looked at, rounds of that, fresh cases of a bug in a round, and
 * seconds in all, the share of the run's time apart. */
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

/* Runs fresh cases, which are none of `cases`, on both sides of each border, logs them, and learns
 * again. seconds: that the run took. Returns as topk_runner_run(); what was found out so far
 * counts. */
enum topk_runner_status cli_bugs_probe(struct cli_bugs *bugs, struct topk_runner *runner,
                                       struct topk_log *log, const struct cli_cases *cases,
                                       double seconds);

/* Puts the distinct failures of a run together, one for each bug, with the result of its smallest
 * case. Of a bug that has none of them the smallest case is run again, unless runner is NULL. False
 * if memory is short. */
bool cli_bugs_collapse(const struct cli_bugs *bugs, struct topk_runner *runner,
                       struct topk_distinct *distinct);

struct cli_bugs_style {
    const struct topk_failure_style *failure;
    const char *file_prefix; /* how the names of the files begin that list the cases of a bug */
    uint64_t most;           /* bugs that are printed */
    /* called behind each failure that is printed; may be NULL */
    void (*after)(void *context, const char *id, const struct topk_result *result);
    /* whether the cases of a bug fail only behind others, so that none fails when it is run alone;
     * may be NULL */
    bool (*behind)(void *context, const struct topk_entry *entry);
    void *context;
};

/* Prints a block for each bug: what its cases share, how sure that is, the cause, the smallest
 * case, and the command that runs all its cases. distinct: as cli_bugs_collapse leaves it, shrunk
 * or not.
 */
void cli_bugs_print(FILE *out, const struct cli_bugs *bugs, const struct topk_distinct *distinct,
                    const struct cli_bugs_style *style);

/* Prints the same without a smallest case and a command. */
void cli_bugs_print_entries(FILE *out, const struct topk_entries *entries);

void cli_bugs_free(struct cli_bugs *bugs);

#endif
