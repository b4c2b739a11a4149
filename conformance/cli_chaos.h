/* Of `topk-cts run --chaos`: holds each result against what was done to its case. */
#ifndef TOPK_CLI_CHAOS_H
#define TOPK_CLI_CHAOS_H

#include "chaos.h"
#include "cli.h"

struct cli_chaos {
    const char *spec; /* of --chaos, or NULL */
    struct topk_chaos how;
    uint64_t spoiled[TOPK_CHAOS_KINDS]; /* cases that were, by kind; [0]: those left alone */
    uint64_t spared;                    /* that could not be spoiled as was wanted */
    uint64_t wrong;                     /* verdicts that are not what they should be */
};

/* Reads chaos->spec. CLI_CONFORMANT, or what to exit with, after a message. */
int cli_chaos_start(struct cli_chaos *chaos, const struct cli_backend *backend);

/* Takes the result of a case, `length` characters of text; says what is wrong with it, on out. True
 * if the verdict is the one that it should be. */
bool cli_chaos_take(struct cli_chaos *chaos, const char *text, size_t length,
                    const struct topk_result *result, FILE *out);

/* Prints what was done, and how many verdicts were right: the last lines of the run. */
void cli_chaos_print(const struct cli_chaos *chaos, FILE *out);

#endif
