/* Assigns cases to the shards of a divided run.
 *
 * The id of a case decides, so that added cases do not move others. Ids are hashed into buckets.
 * With the costs of an earlier run, buckets are assigned in order of descending cost, each to the
 * shard with the least total so far. A bucket without a known cost is assigned by its number alone.
 */
#ifndef TOPK_SHARD_H
#define TOPK_SHARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "sha256/sha256.h"
#include "text.h"

/* Greatest number of shards of a run. */
#define TOPK_SHARDS_MAX 10000u

/* RULE(NAME, word): what decides */
#define TOPK_SHARD_RULE_LIST(RULE)                                                                 \
    /* the number of the case in the list: of logs that do not say */                              \
    RULE(NUMBER, "number")                                                                         \
    RULE(ID, "id")                                                                                 \
    RULE(COSTS, "costs")

enum topk_shard_rule {
#define RULE(name, word) TOPK_SHARD_BY_##name,
    TOPK_SHARD_RULE_LIST(RULE)
#undef RULE
    TOPK_SHARD_BY_COUNT
};

const char *topk_shard_rule_word(enum topk_shard_rule rule);
/* Returns TOPK_SHARD_BY_COUNT if there is no such word. */
enum topk_shard_rule topk_shard_rule_parse(const char *word);

/* The bucket of an id, and its shard, from 1, if the id decides. These never change, because logs
 * of shards from different versions of the suite depend on them. */
#define TOPK_SHARD_BUCKETS 4096u
uint32_t topk_shard_bucket(const char *id, size_t length);
uint32_t topk_shard_of_id(const char *id, size_t length, uint32_t shards);

/* A part of a list of cases. */
struct topk_shard {
    uint32_t number; /* from 1 */
    uint32_t count;  /* 0: not divided */
    enum topk_shard_rule rule;
    const uint16_t *of; /* for COSTS: from topk_shard_costs_deal() */
};

/* Whether a case belongs to a shard; number: its number in the list. */
bool topk_shard_has(const struct topk_shard *shard, uint64_t number, const char *id, size_t length);

/* The cost of the cases in each bucket. */
struct topk_shard_costs {
    uint64_t microseconds[TOPK_SHARD_BUCKETS]; /* 0: unknown */
    /* of the text that topk_shard_costs_write() writes */
    char digest[TOPK_SHA256_TEXT];
};

struct topk_log_source;
/* Adds up the costs in a log. Returns like topk_log_read(). */
int topk_shard_costs_of(struct topk_shard_costs *costs, const struct topk_log_source *log,
                        char *error, size_t error_bytes);

/* Reads the costs from a run's log, or from the output of topk_shard_costs_write(). Returns false,
 * with file, line and reason in error, if it is neither, or has no costs. */
bool topk_shard_costs_read(struct topk_shard_costs *costs, const char *path, char *error,
                           size_t error_bytes);

/* Writes costs as text: "topk-costs 1", then a line "BUCKET MICROSECONDS" for each known one. */
void topk_shard_costs_write(FILE *out, const struct topk_shard_costs *costs);

/* Assigns the buckets: of[b] is the shard, from 1, of bucket b; 0: the id decides. shards: up to
 * TOPK_SHARD_BUCKETS. Returns false if memory is short. */
bool topk_shard_costs_deal(const struct topk_shard_costs *costs, uint32_t shards,
                           uint16_t of[TOPK_SHARD_BUCKETS]);

#endif
