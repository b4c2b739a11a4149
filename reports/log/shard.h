/* Which shard of a divided run a case belongs to.
 *
 * A case's id decides, so that cases that are added to the suite move no others. Ids fall into
 * buckets; by the costs of an earlier run each bucket is dealt to a shard, the dearest first, each
 * to the shard that has the least so far. A bucket of which no cost is known goes where the id
 * alone would send it. */
#ifndef TOPK_SHARD_H
#define TOPK_SHARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "text.h"

/* Most shards of a run. */
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
/* TOPK_SHARD_BY_COUNT if there is none of that word. */
enum topk_shard_rule topk_shard_rule_parse(const char *word);

/* The bucket of an id, and the shard of it, from 1 on, where the id decides. These never change:
 * logs of shards that were made by different versions of the suite depend on it. */
#define TOPK_SHARD_BUCKETS 4096u
uint32_t topk_shard_bucket(const char *id, size_t length);
uint32_t topk_shard_of_id(const char *id, size_t length, uint32_t shards);

/* A part of a list of cases. */
struct topk_shard {
    uint32_t number; /* from 1 on */
    uint32_t count;  /* 0: the list is whole */
    enum topk_shard_rule rule;
    const uint16_t *of; /* of COSTS: topk_shard_costs_deal() */
};

/* Whether a case is of it: number in the list, id. */
bool topk_shard_has(const struct topk_shard *shard, uint64_t number, const char *id, size_t length);

/* What the cases of each bucket took. */
struct topk_shard_costs {
    uint64_t microseconds[TOPK_SHARD_BUCKETS]; /* 0: not known */
    char digest[TOPK_SHA256_TEXT];             /* of what topk_shard_costs_write() writes */
};

struct topk_log_source;
/* Adds up the costs of a log. Returns as topk_log_read() does. */
int topk_shard_costs_of(struct topk_shard_costs *costs, const struct topk_log_source *log,
                        char *error, size_t error_bytes);

/* Reads the costs of a run's log, or what topk_shard_costs_write() wrote. False, with file, line
 * and reason in error, if it is neither, or has no costs. */
bool topk_shard_costs_read(struct topk_shard_costs *costs, const char *path, char *error,
                           size_t error_bytes);

/* Writes them as text: "topk-costs 1", then a line "BUCKET MICROSECONDS" for each that is known. */
void topk_shard_costs_write(FILE *out, const struct topk_shard_costs *costs);

/* Deals the buckets: of[b] is the shard, from 1 on, of bucket b; 0: the id decides. shards: up to
 * TOPK_SHARD_BUCKETS. False if memory is short. */
bool topk_shard_costs_deal(const struct topk_shard_costs *costs, uint32_t shards,
                           uint16_t of[TOPK_SHARD_BUCKETS]);

#endif
