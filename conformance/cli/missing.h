/* The missing and unfinished shards of a merge, and the command that runs each. */
#ifndef TOPK_CLI_MISSING_H
#define TOPK_CLI_MISSING_H

#include "log/log.h"
#include "session/session.h"

/* Maximum number of shards that are named; the others are only counted. */
#define CLI_MISSING_SHOWN 20

struct cli_missing {
    char *command;    /* owned: the command that runs a shard, without --shard and --out */
    char *selections; /* owned: the end of the command */
    uint32_t shards;
    size_t count;
    struct cli_missing_shard {
        uint32_t number;
        char *path; /* owned: its log, which has no end record; NULL: it has no log */
    } list[CLI_MISSING_SHOWN];
};

/* Takes the command of the run from the merged header. */
void cli_missing_header(struct cli_missing *missing, const struct topk_log_header *header);
/* Adds a missing or unfinished shard: for struct topk_merge_watch. */
void cli_missing_add(struct cli_missing *missing, uint32_t number, const char *path);
/* Prints what is missing. given: the folders or logs of the shards, as the user gave them. */
void cli_missing_print(const struct cli_missing *missing, char *const *given, size_t given_count);
/* Returns how many of these have no log. */
size_t cli_missing_none(char *const *given, size_t given_count);
void cli_missing_free(struct cli_missing *missing);

#endif
