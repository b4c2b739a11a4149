/* topk-cts verify --rerun: runs cases of a package again. */
#ifndef TOPK_CLI_RERUN_H
#define TOPK_CLI_RERUN_H

#include "package/package.h"
#include "session.h"

struct cli_rerun {
    const struct cli_backend *backend;
    uint64_t count; /* of cases to draw; all if there are fewer */
    uint64_t seed;
    bool has_seed;    /* else one is drawn */
    const char *list; /* file that gets the ids of the cases; NULL: none */
};

/* Runs cases of a package that was verified and prints which, on what, and what differs.
 * CLI_CONFORMANT, CLI_FAILURES if something does, or what else to exit with, after a message.
 * *other_files: whether the plugin or a file of the command is not the one that the package names.
 */
int cli_rerun(const struct cli_rerun *rerun, const struct topk_package *package, bool *other_files);

#endif
