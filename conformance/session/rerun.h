/* topk-cts verify --rerun: runs cases of a package again. */
#ifndef TOPK_CLI_RERUN_H
#define TOPK_CLI_RERUN_H

#include "package/package.h"
#include "session.h"

struct cli_rerun {
    const struct cli_backend *backend;
    uint64_t count; /* of cases to draw; all if there are fewer */
    uint64_t seed;
    bool has_seed;    /* if not, it is random */
    const char *list; /* file to write the ids of the cases to; NULL: none */
};

/* Runs cases of a verified package again, and prints which cases, on which backend, and which
 * results differ. Returns CLI_CONFORMANT, CLI_FAILURES if a result differs, or, after a message,
 * another exit code. *other_files: whether the plugin or a file of the command is not the one that
 * the package names. */
int cli_rerun(const struct cli_rerun *rerun, const struct topk_package *package, bool *other_files);

#endif
