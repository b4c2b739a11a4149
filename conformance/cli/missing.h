/* The missing and unfinished shards of a merge, and the command that runs each. */
#ifndef TOPK_CLI_MISSING_H
#define TOPK_CLI_MISSING_H

#include "log/log.h"
#include "session/session.h"

/* Most shards that are named; of the others it is said how many there are. */
#define CLI_MISSING_SHOWN 20

struct cli_missing {
    char *command;    /* owned: runs a shard, up to its options --shard and --out */
    char *selections; /* owned: and what comes behind them */
    uint32_t shards;
    size_t count;
    struct cli_missing_shard {
        uint32_t number;
        char *path; /* owned: its log that has no end; NULL: it never came */
    } list[CLI_MISSING_SHOWN];
};

/* Takes how the run was made from the merged header. */
void cli_missing_header(struct cli_missing *missing, const struct topk_log_header *header);
/* Takes a shard: as struct topk_merge_watch has it. */
void cli_missing_add(struct cli_missing *missing, uint32_t number, const char *path);
/* Says what is missing. given: the shards' folders or logs as the user gave them. */
void cli_missing_print(const struct cli_missing *missing, char *const *given, size_t given_count);
/* How many of them have no log. */
size_t cli_missing_none(char *const *given, size_t given_count);
void cli_missing_free(struct cli_missing *missing);

#endif
