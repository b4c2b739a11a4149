/* topk-cts trust: runs all faults and drills, and reports the first that could not be run. */
#include <stdlib.h>

#include "apart.h"

static int first_error(const struct trust *trust)
{
    size_t all = trust->fault_count + (trust->drills ? TRUST_DRILLS : 0);
    for (size_t i = 0; i < all; i++) {
        const struct trust_outcome *outcome = &trust->outcomes[i];
        if (atomic_load(&outcome->state) != TRUST_DONE) {
            cli_error("%s could not be run: %s",
                      i < trust->fault_count ? trust->faults[i].name : "a drill",
                      outcome->error[0] == 0 ? "its process ended" : outcome->error);
            return CLI_HARNESS;
        }
    }
    return CLI_CONFORMANT;
}

int trust_run(struct trust *trust, uint32_t jobs)
{
    struct cli_worker_command command;
    const struct cli_backend backend = {.spec = "faulty"};
    cli_worker_command(&backend, 1, &command);
    const int code = trust_run_apart(trust, command.paths[0], jobs);
    cli_worker_command_free(&command);
    if (code == CLI_INCOMPLETE) {
        cli_error("interrupted");
        return code;
    }
    int failed = first_error(trust);
    return failed != CLI_CONFORMANT ? failed : code;
}
