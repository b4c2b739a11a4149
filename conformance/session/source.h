/* The run that a command reads: its folder, its log, or a package. */
#ifndef TOPK_CLI_SOURCE_H
#define TOPK_CLI_SOURCE_H

#include "log/log.h"
#include "package/package.h"

struct cli_source {
    struct topk_log_source log;    /* what is to be read */
    char signer[TOPK_KEY_ID_TEXT]; /* key id of the signer of a verified package; else "" */
    char *path;                    /* owned */
    char *bytes;                   /* owned: of a package */
};

/* Opens a run. A package is read into memory and verified, with whatever key it names. Returns
 * CLI_CONFORMANT, or the exit code after a message. The caller closes *source in any case. */
int cli_source_open(struct cli_source *source, const char *given);
void cli_source_close(struct cli_source *source);

#endif
