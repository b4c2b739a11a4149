/* Distinct failures at the end of a command: shrinks each, prints each once, and writes the shrunk
 * cases to a file. */
#ifndef TOPK_CLI_DISTINCT_H
#define TOPK_CLI_DISTINCT_H

#include "failure.h"
#include "log/log.h"
#include "session.h"
#include "shrink/shrink.h"

/* Limits of shrinking: the number of distinct failures, the candidates that are run for all of them
 * together, and the timeouts among these. */
#define CLI_DISTINCT_MAX      500u
#define CLI_DISTINCT_RUNS     50000u
#define CLI_DISTINCT_TIMEOUTS 100u

/* Shrinks the example of each distinct failure, merges those that become the same, and sorts the
 * list. Stops early, with what it has, at the limits above, or when the runner ends; only then is
 * the status other than DONE. timeout: that of the runner, in seconds. */
enum topk_runner_status cli_distinct_shrink(struct topk_distinct *distinct,
                                            struct topk_runner *runner, double timeout);

/* What an entry is shown as: its shrunk case, or the id of its example. */
const char *cli_distinct_text(const struct topk_distinct_failure *entry);

/* Prints each entry: how many failures it stands for, and the shrunk case, or the example if that
 * was not shrunk, as `replay` does. */
void cli_distinct_print(FILE *out, const struct topk_distinct *distinct,
                        const struct topk_failure_style *style);

/* Appends the shrunk cases to a log, for reports. False if it cannot be written. */
bool cli_distinct_log(struct topk_log *log, const struct topk_distinct *distinct);

/* Writes the cases to a file that `replay -` reads: one per line, with a comment before it. False,
 * after a message, if that fails. */
bool cli_distinct_write(const char *path, enum topk_output_kind kind,
                        const struct topk_distinct *distinct);

#endif
